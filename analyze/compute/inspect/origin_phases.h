/*
 * Which stretches of time the phases are that somebody asks for, and all their edges.
 */
#ifndef COMPUTE_ORIGIN_PHASES_H
#define COMPUTE_ORIGIN_PHASES_H

#include "compute/inspect/origin_rows.h"
#include "compute/phases/phase_tree.h"
#include "compute/series/slices.h"

/* Time in any call of a path, or in none; without interruption each. */
struct origin_phase {
	uint32_t path; /* of the tree; its path_count: what is in no call */
	struct stretch *at; /* [count] ascending, [from, to); owned */
	size_t count, cap;
};

struct origin_phases {
	struct phase_tree tree;
	struct origin_phase *at; /* [count] owned */
	size_t count, cap;
	struct time_edges edges;
};

/*
 * glob: by path or name; NULL: one phase, which is all of time. What is open at either
 * end goes from INT64_MIN, to INT64_MAX.
 */
void origin_phases_find(struct origin_phases *phases, const struct run *run,
	const char *glob, const struct compute_window *window);
void origin_phases_release(struct origin_phases *phases);

/* The name of the path in a report of the same run and window; valid as long as it. */
const char *origin_phase_name(const struct origin_phases *phases,
	const struct origin_phase *phase, const struct report *report);

#endif
