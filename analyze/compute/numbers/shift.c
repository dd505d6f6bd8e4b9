/*
 * Both parts of every cut, sorted as they grow from the ends. Few cuts have parts that
 * lie apart, and only theirs are asked for what they cost.
 */
#include "compute/numbers/shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/numbers/median.h"

/* What a cut needs to know of one of its parts. */
struct part {
	double low, high; /* without strays */
	double median;
};

/* A cut that can be the one. */
struct cut {
	size_t at;
	double behind; /* the median of what is behind it */
	double cost; /* of both parts */
};

/*
 * Puts a number where it belongs among count sorted ones. The search has no branches: no
 * processor could foretell them.
 */
static void insert(double *sorted, size_t count, double x)
{
	size_t below = 0;

	for (size_t left = count, half; left > 1; left -= half) {
		half = left / 2;
		below += half * (size_t)(sorted[below + half - 1] < x);
	}
	below += count > 0 && sorted[below] < x;
	memmove(&sorted[below + 1], &sorted[below], (count - below) * sizeof *sorted);
	sorted[below] = x;
}

static size_t strays_of(size_t count)
{
	return (size_t)(SHIFT_STRAYS * (double)count);
}

static struct part part_of(const double *sorted, size_t count)
{
	size_t strays = strays_of(count);

	return (struct part){.low = sorted[strays],
		.high = sorted[count - 1 - strays],
		.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2};
}

static double cost_of(const double *sorted, size_t count, double median)
{
	double cost = 0;

	for (size_t i = 0; i < count; i++)
		cost += fabs(sorted[i] - median);
	return cost;
}

static bool may_be(const struct part *a, const struct part *b, double change)
{
	return (a->low > b->high || a->high < b->low) &&
		!(fabs(b->median - a->median) < change * fabs(a->median));
}

/* Where numbers lie in their order. */
struct spread {
	double least, most; /* no median of so many numbers lies beyond these */
	double middle; /* as many at most are below it, and less are above */
};

/* room[count] */
static struct spread spread_of(const double *x, size_t count, size_t least, double *room)
{
	size_t k = (least - 1) / 2, middle = count / 2, most = count - 1 - k;

	memcpy(room, x, count * sizeof *x);
	median_select(room, count, middle);
	median_select(room, middle, k);
	median_select(room + middle, count - middle, most - middle);
	return (struct spread){room[k], room[most], room[middle]};
}

/* Can two medians differ by so much? */
static bool differs(const struct spread *spread, double change)
{
	double low = spread->least, high = spread->most;

	return (low < 0) != (high < 0) ||
		!(high - low < change * fmin(fabs(low), fabs(high)));
}

static size_t beyond(size_t count, size_t number)
{
	return count > number ? count - number : 0;
}

/*
 * Can all of `high` numbers, but for strays, be above all of the `low` other ones, if so
 * many of them are not below the middle of all, and of the others not above? Those of the
 * upper part that are below it nevertheless have all others of the lower part below them.
 */
static bool may_be_above(size_t high, size_t not_below, size_t low, size_t not_above)
{
	size_t half = (high + low) / 2, other_half = high + low - 1 - half;
	size_t highs = high - strays_of(high), lows = low - strays_of(low);

	return not_below + beyond(half, lows) >= highs &&
		not_above + beyond(other_half, highs) >= lows;
}

/* Is there a cut whose parts may lie apart? */
static bool may_be_cut(const double *x, size_t count, size_t least, double middle)
{
	size_t below = 0, above = 0; /* of the numbers before the cut */
	size_t all_below = 0, all_above = 0;

	for (size_t i = 0; i < count; i++) {
		all_below += x[i] < middle;
		all_above += x[i] > middle;
	}
	for (size_t at = 0; at <= count - least; at++) {
		size_t behind = count - at;

		if (at >= least &&
			(may_be_above(
				 at, at - below, behind, behind - (all_above - above)) ||
				may_be_above(behind, behind - (all_below - below), at,
					at - above)))
			return true;
		below += x[at] < middle;
		above += x[at] > middle;
	}
	return false;
}

/* cut[count]: those that can be the one, from the last; how many is returned. */
static size_t find_cuts(const double *x, size_t count, size_t least, double change,
	const struct part *before, double *sorted, struct cut *cut)
{
	size_t cuts = 0;

	for (size_t at = count; at-- > least;) {
		size_t behind = count - at;
		struct part part;

		insert(sorted, behind - 1, x[at]);
		if (behind < least)
			continue;
		part = part_of(sorted, behind);
		if (may_be(&before[at], &part, change))
			cut[cuts++] = (struct cut){
				at, part.median, cost_of(sorted, behind, part.median)};
	}
	return cuts;
}

/* Adds what the parts before the cuts cost. */
static void add_costs(const double *x, const struct part *before, double *sorted,
	struct cut *cut, size_t cuts)
{
	size_t count = 0;

	while (cuts-- > 0) {
		for (; count < cut[cuts].at; count++)
			insert(sorted, count, x[count]);
		cut[cuts].cost += cost_of(sorted, count, before[count].median);
	}
}

/* The median of numbers. */
static double median_of_all(const double *x, size_t count, double *sorted)
{
	for (size_t i = 0; i < count; i++)
		insert(sorted, i, x[i]);
	return part_of(sorted, count).median;
}

bool shift_find(
	const double *x, size_t count, size_t least, double change, struct shift *shift)
{
	const struct cut *best;
	struct spread spread;
	struct part *before;
	double *sorted;
	struct cut *cut;
	size_t cuts;

	if (least == 0 || count < 2 * least)
		return false;
	sorted = xmalloc(count * sizeof *sorted);
	spread = spread_of(x, count, least, sorted);
	if (!differs(&spread, change) || !may_be_cut(x, count, least, spread.middle)) {
		free(sorted);
		return false;
	}
	before = xmalloc((count + 1) * sizeof *before);
	cut = xmalloc(count * sizeof *cut);
	for (size_t i = 0; i < count; i++) {
		insert(sorted, i, x[i]);
		before[i + 1] = part_of(sorted, i + 1);
	}
	cuts = find_cuts(x, count, least, change, before, sorted, cut);
	add_costs(x, before, sorted, cut, cuts);
	best = cut;
	for (size_t i = 1; i < cuts; i++)
		best = cut[i].cost < best->cost ? &cut[i] : best;
	if (cuts)
		*shift = (struct shift){best->at, before[best->at].median, best->behind,
			before[least].median,
			median_of_all(x + count - least, least, sorted), best->cost};
	free(cut);
	free(before);
	free(sorted);
	return cuts > 0;
}
