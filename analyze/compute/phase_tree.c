/*
 * The calls of a process by start, the longer first, are a balanced tree that is implied
 * by their order; each node knows the latest end below it, so that the last call that
 * begins before another one and ends behind it is found in the logarithm of their number.
 */
#include "compute/phase_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "compute/overlaps.h"
#include "model/phase_name.h"

#define TOLERANCE_NS 2000000
#define DEPTH_MAX    64 /* of a path; deeper calls belong to the one above */
#define LATER_STARTS 64 /* calls that begin within the tolerance and are looked at */

static int64_t length_of(const struct call *call)
{
	return call->end_ns - call->start_ns;
}

/* `first`: it comes before the call in their order, and of equal spans is the outer. */
static bool contains(const struct calls *calls, const struct call *outer,
	const struct call *call, bool first)
{
	int64_t length = length_of(call);
	int64_t slack = length / 2 < TOLERANCE_NS ? length / 2 : TOLERANCE_NS;

	if (length_of(outer) < length || (length_of(outer) == length && !first))
		return false;
	return outer->start_ns - slack <= call->start_ns &&
		outer->end_ns >= call->end_ns - slack &&
		!event_processes_differ(&calls->processes, outer->process, call->process);
}

/* A call, where those of a process stand together. */
struct place {
	uint64_t key; /* of what its process and the searching ones both may say */
	uint32_t known; /* of its process */
	uint32_t call; /* index */
};

/* For the calls of processes of which the same is known. */
struct search {
	const struct calls *calls;
	struct place *place; /* [calls->count] by process, then in the calls' order */
	int64_t *latest_ns; /* [calls->count] the latest end in the tree below */
};

static int by_process(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->known != y->known)
		return x->known < y->known ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

static int64_t find_latest(struct search *s, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	int64_t latest = INT64_MIN, below;

	if (low == high)
		return latest;
	latest = s->calls->at[s->place[middle].call].end_ns;
	below = find_latest(s, low, middle);
	latest = below > latest ? below : latest;
	below = find_latest(s, middle + 1, high);
	latest = below > latest ? below : latest;
	return s->latest_ns[middle] = latest;
}

/* Behind the places of the same process. */
static size_t behind(const struct search *s, size_t from)
{
	const struct place *place = &s->place[from];
	size_t to = from;

	while (to < s->calls->count && s->place[to].known == place->known &&
		s->place[to].key == place->key)
		to++;
	return to;
}

/* Places the calls for those of processes of which so much is known. */
static void search_by(struct search *s, uint32_t known)
{
	const struct calls *calls = s->calls;

	for (size_t i = 0; i < calls->count; i++) {
		uint32_t process = calls->at[i].process;
		uint32_t own = event_process_known(&calls->processes, process);

		s->place[i] = (struct place){
			event_process_key(&calls->processes, process, own & known), own,
			(uint32_t)i};
	}
	qsort(s->place, calls->count, sizeof *s->place, by_process);
	for (size_t from = 0, to; from < calls->count; from = to) {
		to = behind(s, from);
		find_latest(s, from, to);
	}
}

/* The first place that is not before one. */
static size_t find_place(const struct search *s, const struct place *place)
{
	size_t low = 0, high = s->calls->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_process(&s->place[middle], place) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last call before `of` that contains it, of the places [low, high) of a process. */
static uint32_t find_before(const struct search *s, size_t low, size_t high, size_t of)
{
	const struct call *call = &s->calls->at[of];
	int64_t length = length_of(call);
	int64_t slack = length / 2 < TOLERANCE_NS ? length / 2 : TOLERANCE_NS;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t found, outer = s->place[middle].call;

		if (s->latest_ns[middle] < call->end_ns - slack)
			break;
		if (outer < of) {
			found = find_before(s, middle + 1, high, of);
			if (found != PHASE_NONE)
				return found;
			if (contains(s->calls, &s->calls->at[outer], call, true))
				return outer;
		}
		high = middle;
	}
	return PHASE_NONE;
}

/* A call that seems to begin a little later may still be around it. */
static uint32_t find_behind(const struct calls *calls, size_t of)
{
	const struct call *call = &calls->at[of];
	uint32_t found = PHASE_NONE;

	for (size_t i = of + 1; i < calls->count && i <= of + LATER_STARTS &&
		calls->at[i].start_ns <= call->start_ns + TOLERANCE_NS;
		i++)
		if (contains(calls, &calls->at[i], call, false))
			found = (uint32_t)i;
	return found;
}

/* What is known of the calls' processes, each once. The array is the caller's. */
static uint32_t *find_known(const struct calls *calls, size_t *count)
{
	uint32_t *known = NULL;
	size_t cap = 0, k;

	*count = 0;
	for (size_t i = 0; i < calls->count; i++) {
		uint32_t own =
			event_process_known(&calls->processes, calls->at[i].process);

		for (k = 0; k < *count && known[k] != own; k++)
			;
		if (k < *count)
			continue;
		ALLOC_GROW(known, *count + 1, cap);
		known[(*count)++] = own;
	}
	return known;
}

/* The last call before one, of all processes that don't differ from its own. */
static uint32_t find_around(
	const struct search *s, const uint32_t *known, size_t count, size_t of)
{
	const struct event_processes *processes = &s->calls->processes;
	uint32_t process = s->calls->at[of].process, last = PHASE_NONE;
	uint32_t own = event_process_known(processes, process);

	for (size_t k = 0; k < count; k++) {
		struct place place = {
			event_process_key(processes, process, own & known[k]), known[k],
			0};
		size_t from = find_place(s, &place), to;
		uint32_t found;

		place.call = PHASE_NONE;
		to = find_place(s, &place);
		found = find_before(s, from, to, of);
		if (found != PHASE_NONE && (last == PHASE_NONE || found > last))
			last = found;
	}
	return last;
}

static void find_parents(struct phase_tree *tree)
{
	const struct calls *calls = &tree->calls;
	struct search s = {.calls = calls};
	size_t count, known_count;
	uint32_t *known = find_known(calls, &known_count);

	count = calls->count;
	s.place = xcalloc(count, sizeof *s.place);
	s.latest_ns = xcalloc(count, sizeof *s.latest_ns);
	for (size_t k = 0; k < known_count; k++) {
		search_by(&s, known[k]);
		for (size_t i = 0; i < count; i++) {
			if (event_process_known(
				    &calls->processes, calls->at[i].process) != known[k])
				continue;
			tree->of[i].parent = find_behind(calls, i);
			if (tree->of[i].parent == PHASE_NONE)
				tree->of[i].parent =
					find_around(&s, known, known_count, i);
		}
	}
	free(known);
	free(s.place);
	free(s.latest_ns);
}

/* Paths by their parent and last name. */
struct path_table {
	bool flat; /* a path is a name as it is */
	uint32_t *at; /* [cap] index + 1; 0: free */
	size_t cap; /* a power of two */
};

static uint32_t *place_of(const struct path_table *table, const struct phase_tree *tree,
	uint32_t parent, const char *last)
{
	uint64_t hash = span_hash(span_of(last), SPAN_HASH ^ parent);
	size_t at = (hash ^ hash >> 32) & (table->cap - 1);

	while (table->at[at]) {
		const struct tree_path *path = &tree->path[table->at[at] - 1];

		if (path->parent == parent && strcmp(path->last, last) == 0)
			break;
		at = (at + 1) & (table->cap - 1);
	}
	return &table->at[at];
}

static uint32_t add_path(
	struct phase_tree *tree, bool flat, uint32_t parent, const char *last)
{
	struct tree_path *path;
	struct strbuf name;

	ALLOC_GROW(tree->path, tree->path_count + 1, tree->path_cap);
	path = &tree->path[tree->path_count];
	*path = (struct tree_path){.last = last, .parent = parent};
	strbuf_init(&name);
	if (parent != PHASE_NONE) {
		path->depth = tree->path[parent].depth + 1;
		strbuf_addf(&name, "%s/", tree->path[parent].name);
	}
	if (flat)
		strbuf_adds(&name, last);
	else
		phase_path_add(&name, last);
	path->name = strbuf_detach(&name);
	return (uint32_t)tree->path_count++;
}

/* A path of that parent and name, which may be new. */
static uint32_t path_of(struct phase_tree *tree, const struct path_table *table,
	uint32_t parent, const char *last)
{
	uint32_t *place;

	if (parent != PHASE_NONE && tree->path[parent].depth + 1 == DEPTH_MAX)
		return parent;
	place = place_of(table, tree, parent, last);
	if (!*place)
		*place = add_path(tree, table->flat, parent, last) + 1;
	return *place - 1;
}

/* Without recursion: calls may be in one another a hundred thousand times. */
uint32_t *phase_tree_outer_first(const struct phase_tree *tree)
{
	size_t count = tree->calls.count, placed = 0;
	uint32_t *order = xmalloc((count + 1) * sizeof *order);
	bool *is_placed = xcalloc(count + 1, sizeof *is_placed);

	for (size_t i = 0; i < count; i++) {
		size_t depth = 0;

		/* from the end of the free room, so that the outermost is met first */
		for (uint32_t call = (uint32_t)i; call != PHASE_NONE && !is_placed[call];
			call = tree->of[call].parent) {
			is_placed[call] = true;
			order[count - ++depth] = call;
		}
		memmove(&order[placed], &order[count - depth], depth * sizeof *order);
		placed += depth;
	}
	free(is_placed);
	return order;
}

/* Those of the calls in the order of these; a parent's path before its children's. */
static void find_paths(struct phase_tree *tree, const struct path_table *table)
{
	uint32_t *order = phase_tree_outer_first(tree);

	for (size_t i = 0; i < tree->calls.count; i++) {
		struct tree_call *call = &tree->of[order[i]];

		call->path = path_of(tree, table,
			call->parent == PHASE_NONE ? PHASE_NONE
						   : tree->of[call->parent].path,
			call_name(&tree->calls.at[order[i]]));
	}
	free(order);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All names first, so that they stand in their order. */
static void add_names(struct phase_tree *tree, const struct path_table *table)
{
	size_t count = tree->calls.count;
	const char **name = xcalloc(count, sizeof *name);

	for (size_t i = 0; i < count; i++)
		name[i] = call_name(&tree->calls.at[i]);
	if (count)
		qsort(name, count, sizeof *name, by_name);
	for (size_t i = 0; i < count; i++)
		path_of(tree, table, PHASE_NONE, name[i]);
	free(name);
}

static bool lies_outside(const struct call *call, const struct compute_window *window)
{
	return call->start_ns >= window->to_ns ||
		(call->end_ns <= window->from_ns && call->start_ns < window->from_ns);
}

/* The call that is kept around one: a few ms of rounding may have put its parent outside.
 */
static uint32_t kept_parent(
	const struct phase_tree *tree, const uint32_t *place, uint32_t parent)
{
	while (parent != PHASE_NONE && place[parent] == PHASE_NONE)
		parent = tree->of[parent].parent;
	return parent == PHASE_NONE ? PHASE_NONE : place[parent];
}

/* What of the calls lies in a window; which is in which was found out before. */
static void cut_to(struct phase_tree *tree, const struct compute_window *window)
{
	size_t count = tree->calls.count, kept = 0;
	uint32_t *place = xmalloc((count + 1) * sizeof *place);
	struct tree_call *of = xcalloc(count + 1, sizeof *of);

	for (size_t i = 0; i < count; i++)
		place[i] = lies_outside(&tree->calls.at[i], window) ? PHASE_NONE
								    : (uint32_t)kept++;
	for (size_t i = 0; i < count; i++) {
		struct call call = tree->calls.at[i];

		if (place[i] == PHASE_NONE)
			continue;
		if (call.start_ns < window->from_ns)
			call.start_ns = window->from_ns;
		if (call.end_ns > window->to_ns && !call.unfinished)
			call.end_ns = window->to_ns;
		tree->calls.at[place[i]] = call;
		of[place[i]] = (struct tree_call){
			PHASE_NONE, kept_parent(tree, place, tree->of[i].parent)};
	}
	tree->calls.count = kept;
	free(tree->of);
	tree->of = of;
	free(place);
}

void phase_tree_build(struct phase_tree *tree, const struct run *run, bool flat,
	const struct compute_window *window)
{
	struct path_table table = {.flat = flat, .cap = 64};

	*tree = (struct phase_tree){.path = NULL};
	calls_find(&tree->calls, run);
	tree->of = xcalloc(tree->calls.count, sizeof *tree->of);
	for (size_t i = 0; i < tree->calls.count; i++)
		tree->of[i] = (struct tree_call){PHASE_NONE, PHASE_NONE};
	if (!flat)
		find_parents(tree);
	if (window)
		cut_to(tree, window);
	while (table.cap < 2 * tree->calls.count)
		table.cap *= 2;
	table.at = xcalloc(table.cap, sizeof *table.at);
	if (flat)
		add_names(tree, &table);
	find_paths(tree, &table);
	free(table.at);
}

void phase_tree_release(struct phase_tree *tree)
{
	for (size_t i = 0; i < tree->path_count; i++)
		free(tree->path[i].name);
	free(tree->path);
	free(tree->of);
	calls_release(&tree->calls);
	*tree = (struct phase_tree){.path = NULL};
}

/* What of a parent its children, which come by start, have taken so far. */
static void take_child(const struct phase_tree *tree, struct call_time *time,
	int64_t *taken_until_ns, uint32_t child, uint32_t parent)
{
	int64_t from_ns = tree->calls.at[child].start_ns, to_ns = time[child].end_ns;

	if (from_ns < *taken_until_ns)
		from_ns = *taken_until_ns;
	if (to_ns > time[parent].end_ns)
		to_ns = time[parent].end_ns;
	if (to_ns <= from_ns)
		return;
	time[parent].own_ns -= to_ns - from_ns;
	*taken_until_ns = to_ns;
}

void phase_tree_times(
	const struct phase_tree *tree, int64_t run_end_ns, struct call_time *time)
{
	size_t count = tree->calls.count;
	int64_t *taken_until_ns = xcalloc(count + 1, sizeof *taken_until_ns);

	for (size_t i = 0; i < count; i++) {
		const struct call *call = &tree->calls.at[i];
		int64_t end_ns = call->end_ns;

		if (call->unfinished)
			end_ns =
				run_end_ns > call->start_ns ? run_end_ns : call->start_ns;
		time[i] = (struct call_time){end_ns, end_ns - call->start_ns, false};
		taken_until_ns[i] = call->start_ns;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = tree->of[i].parent;

		if (parent != PHASE_NONE)
			take_child(tree, time, &taken_until_ns[parent], i, parent);
	}
	free(taken_until_ns);
	overlaps_find(tree, time);
}

int128 phase_tree_covered_ns(const struct phase_tree *tree, const struct call_time *time,
	int64_t from_ns, int64_t to_ns)
{
	int128 sum = 0;

	for (size_t i = 0; i < tree->calls.count; i++) {
		int64_t start_ns = tree->calls.at[i].start_ns;
		int64_t end_ns = time[i].end_ns < to_ns ? time[i].end_ns : to_ns;

		start_ns = start_ns < from_ns ? from_ns : start_ns;
		if (end_ns <= start_ns)
			continue;
		sum += end_ns - start_ns;
		from_ns = end_ns;
	}
	return sum;
}
