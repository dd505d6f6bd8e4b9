/* Calls as a tree: which is in which, phase_parents.c finds; here are their paths. */
#include "compute/phases/phase_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "compute/phases/overlaps.h"
#include "compute/phases/phase_parents.h"
#include "model/phase_name.h"

#define DEPTH_MAX 64 /* of a path; deeper calls belong to the one above */

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
	tree->outside = count - kept;
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
		phase_parents_find(tree);
	event_processes_release(&tree->calls.processes); /* nobody else asks */
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
