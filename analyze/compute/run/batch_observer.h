/*
 * An observer of every batch of a log, next to the aggregate, for what needs file and
 * line. Embed it as the first member.
 */
#ifndef COMPUTE_RUN_BATCH_OBSERVER_H
#define COMPUTE_RUN_BATCH_OBSERVER_H

#include "compute/series/series.h"
#include "model/run.h"
#include "model/sample.h"

struct batch_observer {
	/* May add to the run's diagnostics. The run's events are known by now. */
	void (*add)(struct batch_observer *observer, struct run *run,
		const struct sample_batch *batch);
	/*
	 * A kind of log is read again, because its rows were out of order, or because
	 * only a window counts (not set: all does): what was seen of it is void. NULL:
	 * seeing every row once is enough.
	 */
	void (*again)(struct batch_observer *observer, enum source_kind kind,
		const struct compute_window *window);
	bool sees_all; /* values outside of their metric's range, too; else MISSING */
};

#endif
