/*
 * Which phases an instant or a part of a slice lies in. The edges of all calls cut
 * time into spans; each span has the same paths. The last few look-ups are kept.
 */
#ifndef COMPUTE_PHASES_PHASE_MAP_H
#define COMPUTE_PHASES_PHASE_MAP_H

#include "base/lookup.h"
#include "compute/phases/calls.h"
#include "compute/series/series.h"

/*
 * The tree of calls. The parent of a call is the innermost call that contains it, with
 * 2 ms of tolerance; its path is the names from the outermost on ("train/epoch/step").
 * README.md, "Phases". Uses no sample.
 */

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

#define PATH_SET_NONE UINT32_MAX

struct phase_map;

struct phase_rules {
	bool flat; /* a path is all calls of one name, inside of others or not */
	bool closed; /* a call's end belongs to it: [start, end], else [start, end) */
	bool finished; /* calls without an end don't count */
	bool outside; /* what is in no call is in a path of its own */
	const struct compute_window *window; /* that calls are cut to; NULL: all; outlives
						the map */
	bool single; /* each call is a path of its own, by its number */
	bool sets; /* paths that hold together have a number of their own */
};

/* Of the events of a run, which outlive it. */
struct phase_map *phase_map_new(const struct run *run, const struct phase_rules *rules);

/* The same calls, each a path of its own; the other map outlives it. */
struct phase_map *phase_map_of_calls(const struct phase_map *of);
void phase_map_free(struct phase_map *map); /* NULL is fine */

const struct phase_tree *phase_map_tree(const struct phase_map *map);

/*
 * Of the paths that phase_map_at and phase_map_parts name; the last may be "(outside)".
 * Only those are named that are among the PHASE_PATHS_COUNTED longest.
 */
size_t phase_map_paths(const struct phase_map *map);

/* Is a path one of those that are named? */
bool phase_map_counts(const struct phase_map *map, uint32_t path);

/* A sample was in the call; and by the rules it counts. */
bool phase_map_is_sampled(const struct phase_map *map, size_t call);
bool phase_map_takes(const struct phase_map *map, size_t call);

/* The paths that a sample's time lies in; valid until the next call of this. */
const uint32_t *phase_map_at(struct phase_map *map, int64_t t_ns, size_t *count);

/*
 * Which paths hold together at an instant, as one number beyond all paths.
 * PATH_SET_NONE: no path holds, there are more sets than are worth it, or the rules want
 * none. What is the same for all paths of a set is so counted once and not for each.
 */
uint32_t phase_map_set_at(struct phase_map *map, int64_t t_ns);

/* The paths of one; valid until a set is asked for again. */
const uint32_t *phase_map_set(const struct phase_map *map, uint32_t set, size_t *count);

/*
 * By the rules every instant has its paths, and those of a sample are those of the time
 * nearby it: what the sets have, and what is in no set, is all there is.
 */
bool phase_map_divides(const struct phase_map *map);

/* Does a call's end belong to it? Then no slice is cut. */
bool phase_map_is_closed(const struct phase_map *map);

/* A piece of a slice, all over which the same paths hold. */
struct phase_piece {
	struct slice_piece at;
	uint32_t set; /* PATH_SET_NONE: path says which */
	uint32_t paths;
	size_t first; /* of phase_map_pieces' path */
};

struct phase_pieces {
	const struct phase_piece *at; /* [count] ascending, without a hole */
	size_t count;
	const uint32_t *path; /* those of piece i are path[first .. first + paths - 1] */
	bool in_sets; /* all of them have one */
};

/* A slice, cut where paths begin and end; valid until the next call of this. */
struct phase_pieces phase_map_pieces(
	struct phase_map *map, int64_t from_ns, int64_t to_ns);

struct phase_part {
	uint32_t path;
	int64_t time_ns;
};

/* How much of a slice lies in which path; valid until the next call of this. */
const struct phase_part *phase_map_parts(
	struct phase_map *map, int64_t from_ns, int64_t to_ns, size_t *count);

/*
 * The calls near an instant: found in a tree over the sorted calls, in logarithmic
 * time, or from those of the instant before, as time usually goes forward.
 */

/* Of calls[count] by start the latest end in the tree below each; the caller's to free.
 */
int64_t *nearby_calls_latest(const struct calls *calls);

/* One who asks. Zeroed it has asked for nothing. */
struct nearby_calls {
	int64_t t_ns; /* the instant */
	bool known; /* there was one */
	size_t next; /* the first call that begins behind it */
	uint32_t *call; /* [count] ascending; owned */
	size_t count, cap;
};

void nearby_calls_release(struct nearby_calls *nearby);

/*
 * The calls that t_ns lies in: [start, end), closed: [start, end]. latest_ns is
 * nearby_calls_latest's; calls, latest_ns and closed are the same each time.
 */
void nearby_calls_move(struct nearby_calls *nearby, const struct calls *calls,
	const int64_t *latest_ns, bool closed, int64_t t_ns);

#endif
