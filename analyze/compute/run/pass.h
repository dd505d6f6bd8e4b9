/*
 * One batch on its way into the series of its devices, phases, units of work and sums
 * over devices. Private to compute/.
 */
#ifndef COMPUTE_RUN_PASS_H
#define COMPUTE_RUN_PASS_H

#include "compute/run/state.h"
#include "compute/run/timing.h"
#include "model/sample.h"

/*
 * Takes a row with a time outside the window: what a log has of a GPU there, it could
 * have in the window.
 */
void reply_elsewhere(struct aggregate *agg, const struct sample_batch *batch, size_t row);

/* batch: as the values are to be counted. */
struct pass pass_begin(struct aggregate *agg, const struct sample_batch *batch);

/* The values of a row, but for those that pass_end takes. */
void pass_row(struct aggregate *agg, const struct pass *pass,
	const struct sample_batch *batch, size_t row, struct device_state *device);

/* What can be taken at once. */
void pass_end(struct aggregate *agg, const struct batch_rest *rest);

/*
 * Gives times to a log without times if its interval is known: from TIME_BEGIN on.
 * README.md, "Time".
 */

/* Of one kind of log, from its first batch to its last. */
struct tick_times {
	int64_t step_ns; /* from one tick to the next; 0: no row gets a time */
	struct rounds rounds;
};

void tick_times_release(struct tick_times *times);

/* So many ticks, and a batch more, that far apart, find room among the times that are no
 * wall clock's. */
bool tick_times_has_room(uint64_t ticks, int64_t step_ns);

/* Gives the rows of a batch without times theirs; one that has times stays as it is, as
 * does one that there is no room for. */
void tick_times_put(
	struct tick_times *times, const struct run *run, struct sample_batch *batch);

#endif
