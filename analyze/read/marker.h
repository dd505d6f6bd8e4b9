/*
 * The marker line that collect writes before each snapshot of a file of the kernel:
 * "# t=1763632800.123456789 mono=... boot=...". Logs without any have no times.
 */
#ifndef READ_MARKER_H
#define READ_MARKER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/sample.h"
#include "read/clock_line.h"
#include "read/clock_steps.h"
#include "read/clocks.h"
#include "read/log.h"

struct marker {
	bool seen; /* the log has markers, from its first row on */
	bool delivered; /* a batch went out: a log without times remains one */
	bool lost; /* the snapshot has no place in time: its lines are passed over */
	int64_t t_ns; /* of the snapshot; defined if seen and not lost */
	struct clocks clocks; /* of the last markers; whoever has it ends them */
	struct clock_course course; /* of its times, where the wall clock was set */
	struct clock_line clock; /* of other people's lines with the time */
};

bool marker_is(struct span line);
/* The clocks of a marker. False: it has no time, or not the others. */
bool marker_clocks(struct span line, struct clock_reading *reading);

/*
 * Takes in a line that is only the time, as others print it before a snapshot. False: it
 * is none.
 */
bool marker_read_clock(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line);

/*
 * Takes a marker in. Rows of the batch that stand before the first one have no place in
 * time: they are refused. False: it is passed over, because the log is one without times.
 */
bool marker_read(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line);

#endif
