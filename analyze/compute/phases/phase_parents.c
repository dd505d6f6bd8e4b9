/*
 * The calls of a process by start, the longer first, pass by in that order: of those
 * before, a stack has each that ends behind all that came later, and so the last one that
 * ends behind another call's end. Where that is not its parent, or calls of processes may
 * be in one another of which not the same is known, a search: the calls are a balanced
 * tree that is implied by their order; each node knows the latest end below it, so that
 * the last call that begins before another one and ends behind it is found in the
 * logarithm of their number.
 */
#include "compute/phases/phase_parents.h"

#include <stdlib.h>

#include "base/alloc.h"

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
	uint32_t *stack; /* [depth] calls before, each ends behind all above it */
	size_t depth;
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
		qsort(s->place, calls->count, sizeof *s->place, by_process);
	s->latest_known = false;
}

static void find_all_latest(struct search *s)
{
	for (size_t from = 0, to; from < s->calls->count; from = to) {
		to = behind(s, from);
		find_latest(s, from, to);
	}
	s->latest_known = true;
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
		ALLOC_GROW(known, *count + 1, cap);
		known[(*count)++] = own;
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

		range[k].low = find_place(s, &place);
		place.call = PHASE_NONE;
		range[k].high = find_place(s, &place);
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

/*
 * A call joins the stack of those before it, all of its process. The last one that ends
 * behind it is its parent; false, if that does not contain it: an earlier one may.
 */
static bool find_stacked(struct search *s, uint32_t of, uint32_t *parent)
{
	const struct call *at = s->calls->at;
	int64_t least_ns = at[of].end_ns - slack_of(&at[of]);
	bool found;

	while (s->depth && at[s->stack[s->depth - 1]].end_ns < least_ns)
		s->depth--;
	*parent = s->depth ? s->stack[s->depth - 1] : PHASE_NONE;
	found = !s->depth || contains(s->calls, &at[*parent], &at[of], true);
	while (s->depth && at[s->stack[s->depth - 1]].end_ns <= at[of].end_ns)
		s->depth--;
	s->stack[s->depth++] = of;
	return found;
}

/* The calls of a process come one after the other. */
static uint32_t find_parent(
	struct search *s, const struct range *range, size_t count, uint32_t call)
{
	uint32_t later = find_behind(s->calls, call), before;
	bool found = count == 1 && find_stacked(s, call, &before);

	if (later != PHASE_NONE)
		return later;
	return found ? before : find_around(s, range, count, call);
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
		s->depth = 0;
		for (size_t i = from; i < to; i++) {
			uint32_t call = s->place[i].call;

			tree->of[call].parent = find_parent(s, range, known_count, call);
		}
	}
	free(range);
}

void phase_parents_find(struct phase_tree *tree)
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
	s.stack = xcalloc(calls->count, sizeof *s.stack);
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
	free(s.stack);
}
