/*
 * Units of work: what a run's events count, and over which time (README.md, "Units of
 * work"). Uses no sample. The time from the first to the last event of a kind is a
 * call in a separate phase map, so that its energy and utilization are computed as for
 * a phase.
 */
#ifndef COMPUTE_PHASES_WORK_H
#define COMPUTE_PHASES_WORK_H

#include "compute/phases/phase_map.h"

struct work_kinds {
	struct work *at; /* [count] in the order of their first events; owned */
	struct work_told *told; /* [count] of the same; owned */
	size_t count;
	size_t left_out; /* kinds beyond WORK_KINDS_MAX */
	struct run spans; /* event[i] is the time of at[i]; the map's */
	struct phase_map *map; /* NULL: no kind has a length of time */
};

/* The run's events outlive them. window: only events in it count; NULL: all. */
void work_find(struct work_kinds *kinds, const struct run *run,
	const struct compute_window *window);
void work_release(struct work_kinds *kinds); /* zeroed is empty */

/* The place of the kind whose time is a call of the map. */
size_t work_of_call(const struct work_kinds *kinds, size_t call);

/*
 * Counts the events of one kind, over one or several processes (README.md, "Units of
 * work").
 */

/*
 * Events of one kind, [count] by time, and of each a number for the process that it is
 * of. Fills all that work says of units and of processes; told: and what they are from;
 * its pieces are the caller's.
 */
void work_count(struct work *work, struct work_told *told,
	const struct event *const *event, const uint64_t *process, size_t count);

#endif
