/*
 * The tree of calls (parents, overlaps, paths and sets of paths), and which phases an
 * instant lies in: looked up once per span between two edges.
 */
#include "compute/phases/phase_map.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

/*
 * All calls, each behind those that it is in; the caller frees it.
 *
 * Without recursion: calls may be in one another a hundred thousand times.
 */
static uint32_t *phase_tree_outer_first(const struct phase_tree *tree)
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

/*
 * Parents: the parent of a call is the last call that begins before it and ends after
 * it, of a process that doesn't contradict its own.
 *
 * The calls of one process are a balanced tree by start, longer calls first. Each node
 * knows the latest end below it, so a search takes logarithmic time.
 */

#define TOLERANCE_NS 2000000
#define LATER_STARTS 64 /* calls that begin within the tolerance and are looked at */

static int64_t length_of(const struct call *call)
{
	return call->end_ns - call->start_ns;
}

/* By how much it may seem to stick out of a call that it is in. */
static int64_t slack_of(const struct call *call)
{
	int64_t half = length_of(call) / 2;

	return half < TOLERANCE_NS ? half : TOLERANCE_NS;
}

/* `first`: it comes before the call in their order, and of equal spans is the outer. */
static bool contains(const struct calls *calls, const struct call *outer,
	const struct call *call, bool first)
{
	int64_t length = length_of(call), slack = slack_of(call);

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
	uint32_t *own; /* [processes.count] what is known of each */
	uint64_t *key; /* ... of that what the searching ones may say, too */
	struct place *place; /* [calls->count] by process, then in the calls' order */
	int64_t *latest_ns; /* [calls->count] the latest end in the tree below */
	bool latest_known;
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

/*
 * Calls by start are a balanced tree: the root of those [low, high) is the middle one.
 * end_ns becomes the latest end in the tree below each; the root's is returned.
 */
static int64_t latest_in_tree(int64_t *end_ns, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	int64_t before, behind;

	if (low == high)
		return INT64_MIN;
	before = latest_in_tree(end_ns, low, middle);
	behind = latest_in_tree(end_ns, middle + 1, high);
	end_ns[middle] = time_later(end_ns[middle], time_later(before, behind));
	return end_ns[middle];
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

/* As a single process's are. */
static bool is_in_order(const struct search *s)
{
	size_t i = 1;

	while (i < s->calls->count && by_process(&s->place[i - 1], &s->place[i]) <= 0)
		i++;
	return i >= s->calls->count;
}

/* Places the calls for those of processes of which so much is known. */
static void search_by(struct search *s, uint32_t known)
{
	const struct calls *calls = s->calls;

	for (size_t i = 0; i < calls->processes.count; i++)
		s->key[i] = event_process_key(
			&calls->processes, (uint32_t)i, s->own[i] & known);
	for (size_t i = 0; i < calls->count; i++) {
		uint32_t process = calls->at[i].process;

		s->place[i] =
			(struct place){s->key[process], s->own[process], (uint32_t)i};
	}
	if (!is_in_order(s))
		SORT(s->place, calls->count, by_process);
	s->latest_known = false;
}

static void find_all_latest(struct search *s)
{
	for (size_t i = 0; i < s->calls->count; i++)
		s->latest_ns[i] = s->calls->at[s->place[i].call].end_ns;
	for (size_t from = 0, to; from < s->calls->count; from = to) {
		to = behind(s, from);
		latest_in_tree(s->latest_ns, from, to);
	}
	s->latest_known = true;
}

/* The last call before `of` that contains it, of the places [low, high) of a process. */
static uint32_t find_before(const struct search *s, size_t low, size_t high, size_t of)
{
	const struct call *call = &s->calls->at[of];
	int64_t slack = slack_of(call);

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
static uint32_t *find_known(const struct search *s, size_t *count)
{
	uint32_t *known = NULL;
	size_t cap = 0, k;

	*count = 0;
	for (size_t i = 0; i < s->calls->count; i++) {
		uint32_t own = s->own[s->calls->at[i].process];

		for (k = 0; k < *count && known[k] != own; k++)
			;
		if (k < *count)
			continue;
		ALLOC_NEXT(known, *count, cap) = own;
	}
	return known;
}

/* The places of a process, as far as one may be the same as another. */
struct range {
	size_t low, high;
};

/* ... of all that don't differ from a process: range[count], of each that is known. */
static void find_ranges(const struct search *s, uint32_t process, const uint32_t *known,
	size_t count, struct range *range)
{
	for (size_t k = 0; k < count; k++) {
		struct place place = {event_process_key(&s->calls->processes, process,
					      s->own[process] & known[k]),
			known[k], 0};

		range[k].low = sorted_before(
			&place, s->place, s->calls->count, sizeof *s->place, by_process);
		place.call = PHASE_NONE;
		range[k].high = sorted_before(
			&place, s->place, s->calls->count, sizeof *s->place, by_process);
	}
}

/* The last call before one that contains it. */
static uint32_t find_around(
	struct search *s, const struct range *range, size_t count, size_t of)
{
	uint32_t last = PHASE_NONE;

	if (!s->latest_known)
		find_all_latest(s);
	for (size_t k = 0; k < count; k++) {
		uint32_t found = find_before(s, range[k].low, range[k].high, of);

		if (found != PHASE_NONE && (last == PHASE_NONE || found > last))
			last = found;
	}
	return last;
}

static uint32_t find_parent(
	struct search *s, const struct range *range, size_t count, uint32_t call)
{
	uint32_t later = find_behind(s->calls, call);

	return later != PHASE_NONE ? later : find_around(s, range, count, call);
}

/* Of the calls of processes of which so much is known, each process at a time. */
static void find_parents_of(struct phase_tree *tree, struct search *s, uint32_t own,
	const uint32_t *known, size_t known_count)
{
	struct range *range = xcalloc(known_count, sizeof *range);

	for (size_t from = 0, to; from < s->calls->count; from = to) {
		to = behind(s, from);
		if (s->place[from].known != own)
			continue;
		find_ranges(s, s->calls->at[s->place[from].call].process, known,
			known_count, range);
		for (size_t i = from; i < to; i++) {
			uint32_t call = s->place[i].call;

			tree->of[call].parent = find_parent(s, range, known_count, call);
		}
	}
	free(range);
}

/*
 * Sets the parent of each of the tree's calls, of which there is one; else PHASE_NONE.
 */
static void phase_parents_find(struct phase_tree *tree)
{
	const struct calls *calls = &tree->calls;
	struct search s = {.calls = calls};
	size_t known_count;
	uint32_t *known;

	s.own = xcalloc(calls->processes.count, sizeof *s.own);
	s.key = xcalloc(calls->processes.count, sizeof *s.key);
	for (size_t i = 0; i < calls->processes.count; i++)
		s.own[i] = event_process_known(&calls->processes, (uint32_t)i);
	s.place = xcalloc(calls->count, sizeof *s.place);
	s.latest_ns = xcalloc(calls->count, sizeof *s.latest_ns);
	known = find_known(&s, &known_count);
	for (size_t k = 0; k < known_count; k++) {
		search_by(&s, known[k]);
		find_parents_of(tree, &s, known[k], known, known_count);
	}
	free(known);
	free(s.own);
	free(s.key);
	free(s.place);
	free(s.latest_ns);
}

/*
 * Overlaps: two calls that are active at one time and neither contains the other.
 * README.md, "Phases".
 *
 * A sweep in order of time that lists no pairs: a call overlaps others if more calls
 * are active at its start than contain it; it is overlapped if more calls begin during
 * it than it contains.
 */

#define ROUNDING_NS 2000000 /* calls in a row may seem to overlap by so much */

/* A call within those that it is in: what rounding lets stick out of them is cut off. */
struct life {
	int64_t from_ns, to_ns;
	int64_t until_ns; /* what begins before that overlaps it, or is in it */
	uint32_t call, depth;
	uint32_t around; /* a call that it is in; PHASE_NONE: none. Skips ended ones */
	size_t inside; /* that begin before until_ns */
};

static void set_life(const struct phase_tree *tree, const struct call_time *time,
	struct life *life, uint32_t call)
{
	uint32_t parent = tree->of[call].parent;
	struct life *own = &life[call];

	*own = (struct life){.from_ns = tree->calls.at[call].start_ns,
		.to_ns = time[call].end_ns,
		.call = call,
		.around = parent};
	if (parent != PHASE_NONE) {
		const struct life *outer = &life[parent];

		own->depth = outer->depth + 1;
		if (own->from_ns < outer->from_ns)
			own->from_ns = outer->from_ns;
		if (own->to_ns > outer->to_ns)
			own->to_ns = outer->to_ns;
	}
	own->until_ns = own->to_ns - ROUNDING_NS;
}

/* A call behind those that it is in. */
static int by_start(const void *a, const void *b)
{
	const struct life *x = *(const struct life *const *)a;
	const struct life *y = *(const struct life *const *)b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	if (x->to_ns != y->to_ns)
		return x->to_ns > y->to_ns ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* The innermost of a call and those around it that is active; later ones skip those that
 * are not, as they never will be again. */
static uint32_t active_from(struct life *life, uint32_t call, int64_t t_ns)
{
	while (call != PHASE_NONE && life[call].until_ns <= t_ns) {
		uint32_t next = life[call].around;

		if (next != PHASE_NONE && life[next].until_ns <= t_ns)
			life[call].around = life[next].around;
		call = life[call].around;
	}
	return call;
}

/* What overlaps one that began before it. until_ns[untils]: of all, ascending. */
static void overlaps_find_behind(struct life *life, struct life *const *order,
	size_t count, const int64_t *until_ns, size_t untils, struct call_time *time)
{
	size_t begun = 0, ended = 0;

	for (size_t i = 0; i < count; i++) {
		struct life *own = order[i];
		uint32_t around = active_from(life, own->around, own->from_ns);
		size_t active_around = 0;

		while (ended < untils && until_ns[ended] <= own->from_ns)
			ended++;
		if (around != PHASE_NONE) {
			active_around = life[around].depth + 1;
			life[around].inside++;
		}
		time[own->call].overlaps = begun - ended > active_around;
		begun += own->until_ns > own->from_ns;
	}
}

/* How many of order[count] begin before an instant. */
static size_t begun_before(struct life *const *order, size_t count, int64_t t_ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order[middle]->from_ns < t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What one overlaps that begins behind it. */
static void overlaps_find_before(const struct phase_tree *tree, struct life *life,
	struct life *const *order, size_t count, struct call_time *time)
{
	for (size_t i = count; i-- > 0;) {
		const struct life *own = order[i];
		uint32_t parent = tree->of[own->call].parent;

		if (parent != PHASE_NONE)
			life[parent].inside += own->inside;
		if (own->until_ns > own->from_ns)
			time[own->call].overlaps |=
				begun_before(order, count, own->until_ns) - i - 1 >
				own->inside;
	}
}

/*
 * time[calls.count], with the ends of the calls; sets `overlaps` of each. Takes O(n
 * log n), however deep they nest and however many overlap.
 */
static void overlaps_find(const struct phase_tree *tree, struct call_time *time)
{
	size_t calls = tree->calls.count, count = 0, untils = 0;
	uint32_t *outer_first = phase_tree_outer_first(tree);
	struct life *life = xcalloc(calls + 1, sizeof *life);
	struct life **order = xcalloc(calls + 1, sizeof *order);
	int64_t *until_ns = xcalloc(calls + 1, sizeof *until_ns);

	for (size_t i = 0; i < calls; i++) {
		struct life *own = &life[outer_first[i]];

		set_life(tree, time, life, outer_first[i]);
		time[own->call].overlaps = false;
		if (own->to_ns > own->from_ns)
			order[count++] = own; /* else it is active at no time */
		if (own->until_ns > own->from_ns)
			until_ns[untils++] = own->until_ns;
	}
	SORT(order, count, by_start);
	sort_int64(until_ns, untils);
	overlaps_find_behind(life, order, count, until_ns, untils, time);
	overlaps_find_before(tree, life, order, count, time);
	free(until_ns);
	free(order);
	free(life);
	free(outer_first);
}

#define DEPTH_MAX 64 /* of a path; deeper calls belong to the one above */

static uint32_t add_path(
	struct phase_tree *tree, bool flat, uint32_t parent, const char *last)
{
	struct tree_path *path;
	struct strbuf name = strbuf_new();

	ALLOC_GROW(tree->path, tree->path_count + 1, tree->path_cap);
	path = &tree->path[tree->path_count];
	*path = (struct tree_path){.last = last, .parent = parent};
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

/* The paths, and where they are by their parent and last name. */
struct path_finder {
	struct phase_tree *tree;
	bool flat; /* a path is a name as it is */
	struct lookup paths; /* of the tree */
};

/* A path of that parent and name, which may be new. */
static uint32_t path_in(struct path_finder *finder, uint32_t parent, const char *last)
{
	struct phase_tree *tree = finder->tree;
	uint64_t hash = span_hash(span_of(last), SPAN_HASH ^ parent);

	if (parent != PHASE_NONE && tree->path[parent].depth + 1 == DEPTH_MAX)
		return parent;
	for (size_t at = lookup_first(&finder->paths, hash); at != LOOKUP_NONE;
		at = lookup_next(&finder->paths, at))
		if (tree->path[at].parent == parent &&
			strcmp(tree->path[at].last, last) == 0)
			return (uint32_t)at;
	lookup_add(&finder->paths, hash);
	return add_path(tree, finder->flat, parent, last);
}

/* Those of the calls in the order of these; a parent's path before its children's. */
static void find_paths(struct path_finder *finder)
{
	struct phase_tree *tree = finder->tree;
	uint32_t *order = phase_tree_outer_first(tree);

	for (size_t i = 0; i < tree->calls.count; i++) {
		struct tree_call *call = &tree->of[order[i]];

		call->path = path_in(finder,
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
static void add_names(struct path_finder *finder)
{
	const struct phase_tree *tree = finder->tree;
	size_t count = tree->calls.count;
	const char **name = xcalloc(count, sizeof *name);

	for (size_t i = 0; i < count; i++)
		name[i] = call_name(&tree->calls.at[i]);
	SORT(name, count, by_name);
	for (size_t i = 0; i < count; i++)
		path_in(finder, PHASE_NONE, name[i]);
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
	struct path_finder finder = {.tree = tree, .flat = flat};

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
	if (flat)
		add_names(&finder);
	find_paths(&finder);
	lookup_release(&finder.paths);
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

/* Sets of paths, in the order of their first use. */

/*
 * Of each path itself, and more than nested phases of one process have; several that
 * overlap have far more.
 */
#define SETS_A_PATH 3

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

static void path_sets_release(struct path_sets *sets)
{
	free(sets->set);
	free(sets->path);
	lookup_release(&sets->lookup);
	*sets = (struct path_sets){0};
}

static uint32_t add_set(
	struct path_sets *sets, uint64_t hash, const uint32_t *path, size_t count)
{
	ALLOC_NEXT(sets->set, sets->count, sets->cap) =
		(struct path_set){sets->path_count, count};
	ALLOC_GROW(sets->path, sets->path_count + count, sets->path_cap);
	memcpy(&sets->path[sets->path_count], path, count * sizeof *path);
	sets->path_count += count;
	return sets->paths + (uint32_t)lookup_add(&sets->lookup, hash);
}

/* PATH_SET_NONE: of no path, or there are enough sets without this one. */
static uint32_t path_sets_number(
	struct path_sets *sets, const uint32_t *path, size_t count)
{
	const struct span bytes = {(const char *)path, count * sizeof *path};
	uint64_t hash;

	if (!count || !sets->paths)
		return PATH_SET_NONE;
	hash = span_hash(bytes, SPAN_HASH);
	for (size_t at = lookup_first(&sets->lookup, hash); at != LOOKUP_NONE;
		at = lookup_next(&sets->lookup, at))
		if (sets->set[at].count == count &&
			memcmp(&sets->path[sets->set[at].first], path, bytes.len) == 0)
			return sets->paths + (uint32_t)at;
	return sets->count < (size_t)SETS_A_PATH * sets->paths
		? add_set(sets, hash, path, count)
		: PATH_SET_NONE;
}

/* The paths of a number beyond all paths; valid until a number is asked for. */
static const uint32_t *path_sets_get(
	const struct path_sets *sets, uint32_t number, size_t *count)
{
	const struct path_set *set = &sets->set[number - sets->paths];

	*count = set->count;
	return &sets->path[set->first];
}

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
	SORT(length, map->paths, longest_first);
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
