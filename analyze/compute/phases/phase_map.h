/*
 * Which phases an instant or a part of a slice lies in. The edges of all calls cut
 * time into spans; each span has the same paths. The last few look-ups are kept.
 */
#ifndef COMPUTE_PHASES_PHASE_MAP_H
#define COMPUTE_PHASES_PHASE_MAP_H

#include "compute/phases/phase_tree.h"

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
