/*
 * The calls around an instant are found in the tree that their order implies (see
 * phase_tree.c), in the logarithm of all calls and their number.
 */
#include "compute/phase_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"

/* The answer for one span, between two edges. */
struct span_paths {
	size_t span;
	bool known, marked;
	uint32_t *path;
	size_t count, cap;
	uint32_t set; /* by the rules */
};

#define SPANS_KEPT 256

struct phase_map {
	struct phase_rules rules;
	struct phase_tree tree;
	size_t paths; /* without "(outside)" */
	int64_t *latest_ns; /* [calls.count] the latest end in the tree below */
	bool *sampled; /* [calls.count] a sample lies in it */
	bool *counted; /* [path_count + 1] */
	int64_t *edge_ns; /* [edge_count] starts and ends, ascending, each once */
	size_t edge_count;
	struct span_paths kept[SPANS_KEPT]; /* by span modulo SPANS_KEPT */
	size_t last_span;

	struct span_paths sample; /* of the last instant that was asked for */
	struct phase_part *part;
	size_t part_count, part_cap;
	int64_t from_ns, to_ns; /* of the slice that they are of; from > to: none */
	struct phase_part *by_set; /* the same; pieces are those of part, or entire */
	size_t by_set_count, by_set_cap;
	int64_t by_set_from_ns, by_set_to_ns;
	struct span_paths whole; /* that hold all over the slice */
	struct stretch entire; /* the slice */
	uint64_t *seen; /* [path_count + 1] the question in which it was last met */
	uint64_t question;
	struct path_sets sets;
	uint64_t *cut; /* [path_count + 1] the slice of which it last had a part */
	uint32_t *place; /* [path_count + 1] that part */
	uint64_t slice;
};

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void find_edges(struct phase_map *map)
{
	const struct calls *calls = &map->tree.calls;
	size_t kept = 0, count = 0;

	map->edge_ns = xcalloc(calls->count, 2 * sizeof *map->edge_ns);
	for (size_t i = 0; i < calls->count; i++) {
		map->edge_ns[count++] = calls->at[i].start_ns;
		map->edge_ns[count++] = calls->at[i].end_ns;
	}
	if (count)
		qsort(map->edge_ns, count, sizeof *map->edge_ns, by_time);
	for (size_t i = 0; i < count; i++)
		if (!kept || map->edge_ns[kept - 1] != map->edge_ns[i])
			map->edge_ns[kept++] = map->edge_ns[i];
	map->edge_count = kept;
}

static int64_t find_latest(struct phase_map *map, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	int64_t latest = INT64_MIN, below;

	if (low == high)
		return latest;
	latest = map->tree.calls.at[middle].end_ns;
	below = find_latest(map, low, middle);
	latest = below > latest ? below : latest;
	below = find_latest(map, middle + 1, high);
	latest = below > latest ? below : latest;
	return map->latest_ns[middle] = latest;
}

struct path_length {
	uint32_t path;
	double ns;
};

static int longest_first(const void *a, const void *b)
{
	const struct path_length *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->path > y->path) - (x->path < y->path);
}

static uint32_t path_of(const struct phase_map *map, size_t call)
{
	return map->rules.single ? (uint32_t)call : map->tree.of[call].path;
}

/* More paths than anybody reads would need more memory than there is. */
static void choose_paths(struct phase_map *map)
{
	const struct calls *calls = &map->tree.calls;
	struct path_length *length = xcalloc(map->paths, sizeof *length);

	for (size_t i = 0; i < map->paths; i++)
		length[i].path = (uint32_t)i;
	for (size_t i = 0; i < calls->count; i++)
		length[path_of(map, i)].ns +=
			(double)calls->at[i].end_ns - (double)calls->at[i].start_ns;
	if (map->paths)
		qsort(length, map->paths, sizeof *length, longest_first);
	for (size_t i = 0; i < map->paths && i < PHASE_PATHS_COUNTED; i++)
		map->counted[length[i].path] = true;
	map->counted[map->paths] = map->rules.outside && map->paths;
	free(length);
}

struct phase_map *phase_map_new(const struct run *run, const struct phase_rules *rules)
{
	struct phase_map *map = xcalloc(1, sizeof *map);
	size_t paths, calls;

	map->rules = *rules;
	phase_tree_build(&map->tree, run, rules->flat, rules->window);
	calls = map->tree.calls.count;
	map->paths = rules->single ? calls : map->tree.path_count;
	paths = map->paths + 1;
	find_edges(map);
	map->latest_ns = xcalloc(calls, sizeof *map->latest_ns);
	find_latest(map, 0, calls);
	map->sampled = xcalloc(calls, sizeof *map->sampled);
	map->counted = xcalloc(paths, sizeof *map->counted);
	map->seen = xcalloc(paths, sizeof *map->seen);
	map->cut = xcalloc(paths, sizeof *map->cut);
	map->place = xcalloc(paths, sizeof *map->place);
	map->from_ns = map->by_set_from_ns = 1;
	if (rules->sets)
		path_sets_init(&map->sets, (uint32_t)paths);
	choose_paths(map);
	return map;
}

void phase_map_free(struct phase_map *map)
{
	if (!map)
		return;
	phase_tree_release(&map->tree);
	for (size_t i = 0; i < SPANS_KEPT; i++)
		free(map->kept[i].path);
	for (size_t i = 0; i < map->part_cap; i++)
		free(map->part[i].piece);
	free(map->part);
	free(map->by_set);
	free(map->whole.path);
	free(map->sample.path);
	free(map->edge_ns);
	free(map->latest_ns);
	free(map->sampled);
	free(map->counted);
	free(map->seen);
	free(map->cut);
	free(map->place);
	path_sets_release(&map->sets);
	free(map);
}

const struct phase_tree *phase_map_tree(const struct phase_map *map)
{
	return &map->tree;
}

size_t phase_map_paths(const struct phase_map *map)
{
	return map->paths + 1;
}

bool phase_map_counts(const struct phase_map *map, uint32_t path)
{
	return map->counted[path];
}

bool phase_map_is_sampled(const struct phase_map *map, size_t call)
{
	return map->sampled[call];
}

bool phase_map_takes(const struct phase_map *map, size_t call)
{
	return !map->tree.calls.at[call].unfinished || !map->rules.finished;
}

static void meet(
	struct phase_map *map, struct span_paths *answer, size_t call, bool sampled)
{
	uint32_t path = path_of(map, call);

	map->sampled[call] |= sampled;
	if (map->seen[path] == map->question || !map->counted[path])
		return;
	map->seen[path] = map->question;
	ALLOC_GROW(answer->path, answer->count + 1, answer->cap);
	answer->path[answer->count++] = path;
}

/* Meets the calls of a range that t_ns lies in. */
static void find(struct phase_map *map, struct span_paths *answer, size_t low,
	size_t high, int64_t t_ns, bool sampled)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct call *call = &map->tree.calls.at[middle];

		if (map->latest_ns[middle] < t_ns)
			return;
		find(map, answer, low, middle, t_ns, sampled);
		if (call->start_ns > t_ns)
			return;
		if ((t_ns < call->end_ns ||
			    (map->rules.closed && t_ns == call->end_ns)) &&
			phase_map_takes(map, middle))
			meet(map, answer, middle, sampled);
		low = middle + 1;
	}
}

/* The paths around an instant. sampled: a sample lies there. */
static void ask(
	struct phase_map *map, struct span_paths *answer, int64_t t_ns, bool sampled)
{
	uint32_t outside = (uint32_t)map->paths;

	map->question++;
	answer->count = 0;
	find(map, answer, 0, map->tree.calls.count, t_ns, sampled);
	if (!answer->count && map->counted[outside]) {
		ALLOC_GROW(answer->path, 1, answer->cap);
		answer->path[answer->count++] = outside;
	}
	answer->set = path_sets_number(&map->sets, answer->path, answer->count);
}

/* The span of an instant: how many edges are not behind it. */
static size_t span_of_time(struct phase_map *map, int64_t t_ns)
{
	size_t low = 0, high = map->edge_count, span = map->last_span;

	/* nearly always the last one, or the one behind it */
	for (int i = 0; i < 2 && span + (size_t)i <= map->edge_count; i++)
		if ((span + (size_t)i == 0 ||
			    map->edge_ns[span + (size_t)i - 1] <= t_ns) &&
			(span + (size_t)i == map->edge_count ||
				t_ns < map->edge_ns[span + (size_t)i]))
			return map->last_span = span + (size_t)i;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->edge_ns[middle] <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return map->last_span = low;
}

static const struct span_paths *paths_of_span(
	struct phase_map *map, size_t span, bool sampled)
{
	struct span_paths *kept = &map->kept[span % SPANS_KEPT];

	if (!kept->known || kept->span != span || (sampled && !kept->marked)) {
		ask(map, kept, span ? map->edge_ns[span - 1] : INT64_MIN, sampled);
		kept->span = span;
		kept->known = true;
		kept->marked = sampled;
	}
	return kept;
}

const uint32_t *phase_map_at(struct phase_map *map, int64_t t_ns, size_t *count)
{
	const struct span_paths *kept;

	if (map->rules.closed) { /* an edge is a span of its own */
		ask(map, &map->sample, t_ns, true);
	} else {
		kept = paths_of_span(map, span_of_time(map, t_ns), true);
		ALLOC_GROW(map->sample.path, kept->count, map->sample.cap);
		if (kept->count)
			memcpy(map->sample.path, kept->path,
				kept->count * sizeof *kept->path);
		map->sample.count = kept->count;
	}
	*count = map->sample.count;
	return map->sample.path;
}

uint32_t phase_map_set_at(struct phase_map *map, int64_t t_ns)
{
	if (!map->rules.sets || map->rules.closed)
		return PATH_SET_NONE;
	return paths_of_span(map, span_of_time(map, t_ns), true)->set;
}

const uint32_t *phase_map_set(const struct phase_map *map, uint32_t set, size_t *count)
{
	return path_sets_get(&map->sets, set, count);
}

static struct phase_part *part_of(struct phase_map *map, uint32_t path)
{
	size_t old_cap = map->part_cap;
	struct phase_part *part;

	if (map->cut[path] == map->slice)
		return &map->part[map->place[path]];
	map->cut[path] = map->slice;
	map->place[path] = (uint32_t)map->part_count;
	ALLOC_GROW(map->part, map->part_count + 1, map->part_cap);
	for (size_t i = old_cap; i < map->part_cap; i++)
		map->part[i] = (struct phase_part){.piece = NULL};
	part = &map->part[map->part_count++];
	part->path = path;
	part->part = (struct part){.pieces = 0};
	return part;
}

/* Joins what touches. */
static void add_piece(struct phase_part *part, int64_t from_ns, int64_t to_ns)
{
	size_t count = part->part.pieces;

	if (count && part->piece[count - 1].to_ns == from_ns) {
		part->piece[count - 1].to_ns = to_ns;
		return;
	}
	ALLOC_GROW(part->piece, count + 1, part->piece_cap);
	part->piece[count] = (struct stretch){from_ns, to_ns};
	part->part.pieces++;
}

/* (b - a)(a + b - 2 from) / (to - from), in 2^-16 ns. */
static int128 tilt_of(const struct stretch *piece, int64_t from_ns, int64_t dt_ns)
{
	int64_t length = piece->to_ns - piece->from_ns;
	int64_t ends = (piece->from_ns - from_ns) + (piece->to_ns - from_ns);
	uint64_t product, rest;

	if (length == dt_ns)
		return (int128)dt_ns * TILT_FRACTION;
	if (dt_ns >= INT64_C(1) << 50) /* days: no fraction, no overflow */
		return (int128)length * ends / dt_ns * TILT_FRACTION;
	if (dt_ns >= INT64_C(1) << 31)
		return (int128)length * ends * TILT_FRACTION / dt_ns;
	product = (uint64_t)length * (uint64_t)ends;
	rest = product % (uint64_t)dt_ns;
	return (int128)(product / (uint64_t)dt_ns) * TILT_FRACTION +
		(int64_t)(rest * TILT_FRACTION / (uint64_t)dt_ns);
}

static void finish_parts(struct phase_map *map, int64_t from_ns, int64_t dt_ns)
{
	for (size_t i = 0; i < map->part_count; i++) {
		struct phase_part *part = &map->part[i];

		part->part.piece = part->piece;
		for (size_t k = 0; k < part->part.pieces; k++) {
			part->part.time_ns +=
				part->piece[k].to_ns - part->piece[k].from_ns;
			part->part.tilt += tilt_of(&part->piece[k], from_ns, dt_ns);
		}
	}
}

static void add_by_set(struct phase_map *map, const struct phase_part *part)
{
	ALLOC_GROW(map->by_set, map->by_set_count + 1, map->by_set_cap);
	map->by_set[map->by_set_count++] = *part;
}

static void find_by_set(struct phase_map *map, int64_t dt_ns)
{
	const struct phase_part *whole = NULL;
	uint32_t set;

	map->by_set_count = map->whole.count = 0;
	for (size_t i = 0; i < map->part_count; i++) {
		if (map->part[i].part.time_ns < dt_ns)
			continue;
		whole = &map->part[i];
		ALLOC_GROW(map->whole.path, map->whole.count + 1, map->whole.cap);
		map->whole.path[map->whole.count++] = whole->path;
	}
	set = path_sets_number(&map->sets, map->whole.path, map->whole.count);
	for (size_t i = 0; i < map->part_count; i++)
		if (set == PATH_SET_NONE || map->part[i].part.time_ns < dt_ns)
			add_by_set(map, &map->part[i]);
	if (set == PATH_SET_NONE)
		return;
	add_by_set(map, whole);
	map->by_set[map->by_set_count - 1].path = set;
}

const struct phase_part *phase_map_parts(
	struct phase_map *map, int64_t from_ns, int64_t to_ns, size_t *count)
{
	*count = map->part_count;
	if (from_ns == map->from_ns && to_ns == map->to_ns)
		return map->part;
	map->slice++;
	map->part_count = 0;
	map->from_ns = from_ns;
	map->to_ns = to_ns;
	map->by_set_from_ns = 1;
	map->by_set_to_ns = 0;
	for (size_t span = span_of_time(map, from_ns);; span++) {
		const struct span_paths *paths = paths_of_span(map, span, false);
		int64_t a = span ? map->edge_ns[span - 1] : INT64_MIN;
		int64_t b = span < map->edge_count ? map->edge_ns[span] : INT64_MAX;

		a = a < from_ns ? from_ns : a;
		b = b > to_ns ? to_ns : b;
		for (size_t i = 0; i < paths->count; i++)
			add_piece(part_of(map, paths->path[i]), a, b);
		if (b == to_ns)
			break;
	}
	finish_parts(map, from_ns, to_ns - from_ns);
	*count = map->part_count;
	return map->part;
}

/* Most slices lie between two edges: their set has all of it, and nothing is cut. */
static bool find_entire(struct phase_map *map, int64_t from_ns, int64_t to_ns)
{
	size_t span = span_of_time(map, from_ns);
	const struct span_paths *paths;

	if (span < map->edge_count && to_ns > map->edge_ns[span])
		return false;
	paths = paths_of_span(map, span, false);
	if (paths->set == PATH_SET_NONE)
		return false;
	map->entire = (struct stretch){from_ns, to_ns};
	map->by_set_count = 0;
	add_by_set(map,
		&(struct phase_part){.path = paths->set,
			.part = {&map->entire, 1, to_ns - from_ns,
				(int128)(to_ns - from_ns) * TILT_FRACTION}});
	return true;
}

const struct phase_part *phase_map_set_parts(
	struct phase_map *map, int64_t from_ns, int64_t to_ns, size_t *count)
{
	if (!map->rules.sets)
		return phase_map_parts(map, from_ns, to_ns, count);
	if (from_ns != map->by_set_from_ns || to_ns != map->by_set_to_ns) {
		if (!find_entire(map, from_ns, to_ns)) {
			phase_map_parts(map, from_ns, to_ns, count);
			find_by_set(map, to_ns - from_ns);
		}
		map->by_set_from_ns = from_ns;
		map->by_set_to_ns = to_ns;
	}
	*count = map->by_set_count;
	return map->by_set;
}
