/* Statistics of a device in the paths of phases, and in single calls. */
#ifndef COMPUTE_RUN_PHASE_STATS_H
#define COMPUTE_RUN_PHASE_STATS_H

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

/*
 * Statistics of single calls, one call at a time, to save memory. Private to compute/.
 */

/* A device in a log, and the next of its cells. */
struct single_device {
	enum source_kind kind;
	uint32_t index;
	const struct phase_cells *cells;
	size_t at;
	struct timing timing;
};

struct singles {
	struct aggregate *agg;
	struct single_device *device; /* [count] owned */
	size_t count;
};

/* part: of a `single` map. No row may follow. Release it. */
void singles_begin(struct singles *singles, struct aggregate *agg, enum part part);

/* Appends what is of the call of that number to the path; ascending numbers, each once.
 */
void singles_take(struct singles *singles, uint32_t number, struct phase_path *path);
void singles_release(struct singles *singles);

#endif
