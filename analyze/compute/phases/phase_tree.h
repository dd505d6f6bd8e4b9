/*
 * The tree of calls. The parent of a call is the innermost call that contains it, with
 * 2 ms of tolerance; its path is the names from the outermost on ("train/epoch/step").
 * README.md, "Phases". Uses no sample.
 */
#ifndef COMPUTE_PHASES_PHASE_TREE_H
#define COMPUTE_PHASES_PHASE_TREE_H

#include "compute/numbers/lookup.h"
#include "compute/phases/calls.h"
#include "compute/series/series.h"

#define PHASE_NONE UINT32_MAX

struct tree_path {
	char *name; /* of the whole path (model/phase_name.h); owned */
	const char *last; /* of its calls; points into an event of the run */
	uint32_t parent; /* PHASE_NONE: none */
	uint32_t depth; /* from 0 */
};

struct tree_call {
	uint32_t path;
	uint32_t parent; /* a call; PHASE_NONE: none */
};

struct phase_tree {
	struct calls calls;
	struct tree_call *of; /* [calls.count] */
	struct tree_path *path; /* [path_count] a parent before its children */
	size_t path_count, path_cap;
	size_t outside; /* calls that don't meet the window, and are not here */
};

/* flat: a path is all calls of one name, ascending by name; nothing is contained. */
void phase_tree_build(struct phase_tree *tree, const struct run *run, bool flat,
	const struct compute_window *window);
void phase_tree_release(struct phase_tree *tree);

/* What is known of a call once it is known where the run ends. */
struct call_time {
	int64_t end_ns; /* a call without an end runs to the run's */
	int64_t own_ns; /* of it in none of its children */
	bool overlaps; /* one that it is not in, nor that in it */
};

/* time[calls.count] */
void phase_tree_times(
	const struct phase_tree *tree, int64_t run_end_ns, struct call_time *time);

/* The union of all calls within a stretch of time, in ns. */
int128 phase_tree_covered_ns(const struct phase_tree *tree, const struct call_time *time,
	int64_t from_ns, int64_t to_ns);

/*
 * Calls by start are a balanced tree: the root of those [low, high) is the middle one.
 * end_ns becomes the latest end in the tree below each; the root's is returned.
 */
int64_t latest_in_tree(int64_t *end_ns, size_t low, size_t high);

/* Numbers for sets of paths that are active together; the number of sets is limited. */

#define PATH_SET_NONE UINT32_MAX

struct path_set {
	size_t first, count; /* of path */
};

/* Zeroed it has no numbers. */
struct path_sets {
	uint32_t paths; /* the first set's number; 0: it has none */
	struct path_set *set; /* [count] */
	size_t count, cap;
	uint32_t *path; /* [path_count] the members of all */
	size_t path_count, path_cap;
	struct lookup lookup; /* of set */
};

void path_sets_release(struct path_sets *sets);

/* PATH_SET_NONE: of no path, or there are enough sets without this one. */
uint32_t path_sets_number(struct path_sets *sets, const uint32_t *path, size_t count);

/* The paths of a number beyond all paths; valid until a number is asked for. */
const uint32_t *path_sets_get(
	const struct path_sets *sets, uint32_t number, size_t *count);

#endif
