/*
 * What a device did in the paths of phases, or in single calls, as statistics of those.
 */
#ifndef COMPUTE_PATH_STATS_H
#define COMPUTE_PATH_STATS_H

#include "compute/run/state.h"

/* A further entry of a path's statistics, of which only that is set; the path's. */
struct metric_stats *path_stats_add(
	struct phase_path *path, enum source_kind kind, uint32_t device);

/*
 * Those of all CPUs of one log, of its ticks in each path that counts: which
 * path[place[i]] shows; place NULL: in each, as it is.
 */
void path_stats_shares(struct aggregate *agg, enum source_kind kind, uint32_t index,
	struct phase_ticks *ticks, struct phase_path *path, const uint32_t *place);

#endif
