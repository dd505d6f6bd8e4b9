/*
 * Shares of CPU time in the phases: for each path the ticks of all its calls, those of a
 * slice that lies in part in a call being even over the slice; and the windows between
 * the snapshots in each call, of which the extremes and percentiles are.
 */
#ifndef COMPUTE_PHASE_TICKS_H
#define COMPUTE_PHASE_TICKS_H

#include "compute/phases/phase_cells.h"
#include "compute/series/counter.h"
#include "compute/series/share.h"

struct phase_ticks_of; /* of a path */

/* Of all CPUs together. Zeroed is empty. */
struct phase_ticks {
	struct phase_ticks_of **of; /* [paths] NULL: no sample, and no part of a slice */
	size_t paths;
	uint64_t snapshots;
};

void phase_ticks_release(struct phase_ticks *ticks);

/*
 * A snapshot: its counters, -1 where the line has no such field. before: what the log had
 * until now, which still says what the last snapshot was.
 */
void phase_ticks_take(struct phase_ticks *ticks, const struct phase_row *row,
	const int64_t now[TICK_COUNT], const struct shares *before);

/*
 * The statistics of share i in a path; false: there are none. limit_ns: longer slices are
 * gaps, and count only where they lie in one path as a whole; -1: all partial ones are.
 * phase_ticks_finish comes first, once.
 */
void phase_ticks_finish(struct phase_ticks *ticks, int64_t limit_ns);
bool phase_ticks_get(
	struct phase_ticks *ticks, size_t path, int i, struct metric_stats *stats);

#endif
