/* Looks up the phases at an instant once per span between two edges. */
#include "compute/phases/phase_map.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

/* The calls near an instant: forward in time from the last one, else by search. */

#define STEPS_MOST 64 /* of calls that begin, before a search is quicker */

int64_t *nearby_calls_latest(const struct calls *calls)
{
	int64_t *latest_ns = xcalloc(calls->count, sizeof *latest_ns);

	for (size_t i = 0; i < calls->count; i++)
		latest_ns[i] = calls->at[i].end_ns;
	latest_in_tree(latest_ns, 0, calls->count);
	return latest_ns;
}

void nearby_calls_release(struct nearby_calls *nearby)
{
	free(nearby->call);
	*nearby = (struct nearby_calls){0};
}

static void add(struct nearby_calls *nearby, size_t call)
{
	ALLOC_NEXT(nearby->call, nearby->count, nearby->cap) = (uint32_t)call;
}

/* Has it not ended yet? */
static bool lasts(const struct call *call, bool closed, int64_t t_ns)
{
	return t_ns < call->end_ns || (closed && t_ns == call->end_ns);
}

/* Adds the calls of a range that t_ns lies in. */
static void find(struct nearby_calls *nearby, const struct calls *calls,
	const int64_t *latest_ns, size_t low, size_t high, bool closed, int64_t t_ns)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct call *call = &calls->at[middle];

		if (latest_ns[middle] < t_ns)
			return;
		find(nearby, calls, latest_ns, low, middle, closed, t_ns);
		if (call->start_ns > t_ns)
			return;
		if (lasts(call, closed, t_ns))
			add(nearby, middle);
		low = middle + 1;
	}
}

/* Is it a few calls ahead, or none? */
static bool is_near(
	const struct nearby_calls *nearby, const struct calls *calls, int64_t t_ns)
{
	return nearby->known && t_ns >= nearby->t_ns &&
		(nearby->next + STEPS_MOST >= calls->count ||
			calls->at[nearby->next + STEPS_MOST].start_ns > t_ns);
}

static void around_step(
	struct nearby_calls *nearby, const struct calls *calls, bool closed, int64_t t_ns)
{
	size_t kept = 0;

	while (nearby->next < calls->count && calls->at[nearby->next].start_ns <= t_ns)
		add(nearby, nearby->next++);
	for (size_t i = 0; i < nearby->count; i++)
		if (lasts(&calls->at[nearby->call[i]], closed, t_ns))
			nearby->call[kept++] = nearby->call[i];
	nearby->count = kept;
}

void nearby_calls_move(struct nearby_calls *nearby, const struct calls *calls,
	const int64_t *latest_ns, bool closed, int64_t t_ns)
{
	if (is_near(nearby, calls, t_ns)) {
		around_step(nearby, calls, closed, t_ns);
	} else {
		nearby->count = 0;
		find(nearby, calls, latest_ns, 0, calls->count, closed, t_ns);
		nearby->next = sorted_up_to(calls->at, calls->count, sizeof *calls->at,
			offsetof(struct call, start_ns), t_ns);
		nearby->known = true;
	}
	nearby->t_ns = t_ns;
}

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
	bool borrows; /* tree, latest_ns and edge_ns */
	struct phase_tree tree;
	size_t paths; /* without "(outside)" */
	int64_t *latest_ns; /* nearby_calls_latest */
	bool *sampled; /* [calls.count] a sample lies in it */
	bool *counted; /* [path_count + 1] */
	int64_t *edge_ns; /* [edge_count] starts and ends, ascending, each once */
	size_t edge_count;
	struct span_paths kept[SPANS_KEPT]; /* by span modulo SPANS_KEPT */
	size_t near_sample, near_slice; /* spans that were asked for last */
	struct nearby_calls at_sample, in_slice;

	struct span_paths sample; /* of the last instant that was asked for */
	struct phase_piece *piece;
	size_t piece_count, piece_cap;
	bool in_sets; /* all of them */
	int64_t from_ns, to_ns; /* of the slice that they are of; from > to: none */
	uint32_t *listed; /* the paths of those pieces that have no set */
	size_t listed_count, listed_cap;
	struct phase_part *part;
	size_t part_count, part_cap;
	/* [path_count + 1] the question in which it was last met; NULL: it is of a single
	 * call, and met once in each. */
	uint64_t *seen;
	uint64_t question;
	struct path_sets sets;
	uint64_t *cut; /* [path_count + 1] the slice of which it last had a part */
	uint32_t *place; /* [path_count + 1] that part */
	uint64_t slice;
};

/* Starts ascend already, as calls are by start. */
static void find_edges(struct phase_map *map)
{
	const struct calls *calls = &map->tree.calls;
	int64_t *end_ns = xcalloc(calls->count, sizeof *end_ns);
	size_t kept = 0;

	map->edge_ns = xcalloc(calls->count, 2 * sizeof *map->edge_ns);
	for (size_t i = 0; i < calls->count; i++)
		end_ns[i] = calls->at[i].end_ns;
	sort_int64(end_ns, calls->count);
	for (size_t i = 0, k = 0; i < calls->count || k < calls->count;) {
		int64_t edge_ns = i < calls->count &&
				(k == calls->count || calls->at[i].start_ns <= end_ns[k])
			? calls->at[i++].start_ns
			: end_ns[k++];

		if (!kept || map->edge_ns[kept - 1] != edge_ns)
			map->edge_ns[kept++] = edge_ns;
	}
	map->edge_count = kept;
	free(end_ns);
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

/* Once its calls are known. */
static void set_paths(struct phase_map *map)
{
	size_t calls = map->tree.calls.count, paths;

	map->paths = map->rules.single ? calls : map->tree.path_count;
	paths = map->paths + 1;
	map->sampled = xcalloc(calls, sizeof *map->sampled);
	map->counted = xcalloc(paths, sizeof *map->counted);
	if (!map->rules.single)
		map->seen = xcalloc(paths, sizeof *map->seen);
	map->cut = xcalloc(paths, sizeof *map->cut);
	map->place = xcalloc(paths, sizeof *map->place);
	map->from_ns = 1;
	if (phase_map_divides(map))
		map->sets.paths = (uint32_t)paths;
	choose_paths(map);
}

struct phase_map *phase_map_new(const struct run *run, const struct phase_rules *rules)
{
	struct phase_map *map = xcalloc(1, sizeof *map);

	map->rules = *rules;
	phase_tree_build(&map->tree, run, rules->flat, rules->window);
	find_edges(map);
	map->latest_ns = nearby_calls_latest(&map->tree.calls);
	set_paths(map);
	return map;
}

struct phase_map *phase_map_of_calls(const struct phase_map *of)
{
	struct phase_map *map = xcalloc(1, sizeof *map);

	map->rules = of->rules;
	map->rules.single = true;
	map->rules.flat = map->rules.outside = map->rules.sets = false;
	map->borrows = true;
	map->tree = of->tree;
	map->edge_ns = of->edge_ns;
	map->edge_count = of->edge_count;
	map->latest_ns = of->latest_ns;
	set_paths(map);
	return map;
}

void phase_map_free(struct phase_map *map)
{
	if (!map)
		return;
	if (!map->borrows) {
		phase_tree_release(&map->tree);
		free(map->edge_ns);
		free(map->latest_ns);
	}
	for (size_t i = 0; i < SPANS_KEPT; i++)
		free(map->kept[i].path);
	free(map->piece);
	free(map->listed);
	free(map->part);
	free(map->sample.path);
	nearby_calls_release(&map->at_sample);
	nearby_calls_release(&map->in_slice);
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
	if (!map->counted[path] || (map->seen && map->seen[path] == map->question))
		return;
	if (map->seen)
		map->seen[path] = map->question;
	ALLOC_NEXT(answer->path, answer->count, answer->cap) = path;
}

/* The paths nearby an instant. sampled: a sample lies there. */
static void ask(
	struct phase_map *map, struct span_paths *answer, int64_t t_ns, bool sampled)
{
	struct nearby_calls *nearby = sampled ? &map->at_sample : &map->in_slice;
	uint32_t outside = (uint32_t)map->paths;

	map->question++;
	answer->count = 0;
	nearby_calls_move(
		nearby, &map->tree.calls, map->latest_ns, map->rules.closed, t_ns);
	for (size_t i = 0; i < nearby->count; i++)
		if (phase_map_takes(map, nearby->call[i]))
			meet(map, answer, nearby->call[i], sampled);
	if (!answer->count && map->counted[outside]) {
		ALLOC_GROW(answer->path, 1, answer->cap);
		answer->path[answer->count++] = outside;
	}
	answer->set = path_sets_number(&map->sets, answer->path, answer->count);
}

#define SPANS_AHEAD 4

/* The span of an instant: how many edges are not behind it. near: that of one before. */
static size_t span_of_time(const struct phase_map *map, int64_t t_ns, size_t *near)
{
	size_t span = *near;

	/* nearly always the same, or one of the next */
	if (!span || map->edge_ns[span - 1] <= t_ns)
		for (size_t i = span; i < map->edge_count && i < span + SPANS_AHEAD; i++)
			if (t_ns < map->edge_ns[i])
				return *near = i;
	return *near = sorted_up_to(
		       map->edge_ns, map->edge_count, sizeof *map->edge_ns, 0, t_ns);
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
		kept = paths_of_span(
			map, span_of_time(map, t_ns, &map->near_sample), true);
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
	if (!phase_map_divides(map))
		return PATH_SET_NONE;
	return paths_of_span(map, span_of_time(map, t_ns, &map->near_sample), true)->set;
}

const uint32_t *phase_map_set(const struct phase_map *map, uint32_t set, size_t *count)
{
	return path_sets_get(&map->sets, set, count);
}

bool phase_map_divides(const struct phase_map *map)
{
	return map->rules.sets && !map->rules.closed;
}

bool phase_map_is_closed(const struct phase_map *map)
{
	return map->rules.closed;
}

static void add_piece(struct phase_map *map, size_t span, int64_t from_ns, int64_t to_ns)
{
	const struct span_paths *paths = paths_of_span(map, span, false);
	bool listed = !phase_map_divides(map) || paths->set == PATH_SET_NONE;
	struct phase_piece *piece;

	piece = &ALLOC_NEXT(map->piece, map->piece_count, map->piece_cap);
	*piece = (struct phase_piece){.at = {.from_ns = from_ns, .to_ns = to_ns},
		.set = listed ? PATH_SET_NONE : paths->set,
		.paths = listed ? (uint32_t)paths->count : 0,
		.first = map->listed_count};
	map->in_sets &= !listed;
	if (!piece->paths)
		return;
	ALLOC_GROW(map->listed, map->listed_count + piece->paths, map->listed_cap);
	memcpy(&map->listed[map->listed_count], paths->path,
		piece->paths * sizeof *paths->path);
	map->listed_count += piece->paths;
}

static void cut(struct phase_map *map, int64_t from_ns, int64_t to_ns)
{
	int64_t dt_ns = to_ns - from_ns;

	map->piece_count = map->listed_count = 0;
	map->in_sets = true;
	map->from_ns = from_ns;
	map->to_ns = to_ns;
	for (size_t span = span_of_time(map, from_ns, &map->near_slice);; span++) {
		int64_t a = span ? map->edge_ns[span - 1] : INT64_MIN;
		int64_t b = span < map->edge_count ? map->edge_ns[span] : INT64_MAX;
		struct slice_piece *piece;

		a = a < from_ns ? from_ns : a;
		b = b > to_ns ? to_ns : b;
		add_piece(map, span, a, b);
		piece = &map->piece[map->piece_count - 1].at;
		piece->to_ramp = slice_ramp(b - from_ns, dt_ns);
		if (b == to_ns)
			break;
	}
}

struct phase_pieces phase_map_pieces(
	struct phase_map *map, int64_t from_ns, int64_t to_ns)
{
	if (from_ns != map->from_ns || to_ns != map->to_ns)
		cut(map, from_ns, to_ns);
	return (struct phase_pieces){
		map->piece, map->piece_count, map->listed, map->in_sets};
}

static void add_part(struct phase_map *map, uint32_t path, int64_t time_ns)
{
	if (map->cut[path] != map->slice) {
		map->cut[path] = map->slice;
		map->place[path] = (uint32_t)map->part_count;
		ALLOC_NEXT(map->part, map->part_count, map->part_cap) =
			(struct phase_part){path, 0};
	}
	map->part[map->place[path]].time_ns += time_ns;
}

const struct phase_part *phase_map_parts(
	struct phase_map *map, int64_t from_ns, int64_t to_ns, size_t *count)
{
	struct phase_pieces pieces = phase_map_pieces(map, from_ns, to_ns);

	map->slice++;
	map->part_count = 0;
	for (size_t i = 0; i < pieces.count; i++) {
		const struct phase_piece *piece = &pieces.at[i];
		const uint32_t *path = &pieces.path[piece->first];
		size_t paths = piece->paths;

		if (piece->set != PATH_SET_NONE)
			path = phase_map_set(map, piece->set, &paths);
		for (size_t k = 0; k < paths; k++)
			add_part(map, path[k], piece->at.to_ns - piece->at.from_ns);
	}
	*count = map->part_count;
	return map->part;
}
