/*
 * A sweep in the order of time that knows no pairs: where a call begins, it overlaps if
 * more calls are active than those that it is in; and those are overlapped in which more
 * calls begin than lie in them.
 */
#include "compute/phases/overlaps.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

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
static void find_behind(struct life *life, struct life *const *order, size_t count,
	const int64_t *until_ns, size_t untils, struct call_time *time)
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
static void find_before(const struct phase_tree *tree, struct life *life,
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

void overlaps_find(const struct phase_tree *tree, struct call_time *time)
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
	qsort(order, count, sizeof *order, by_start);
	sort_int64(until_ns, untils);
	find_behind(life, order, count, until_ns, untils, time);
	find_before(tree, life, order, count, time);
	free(until_ns);
	free(order);
	free(life);
	free(outer_first);
}
