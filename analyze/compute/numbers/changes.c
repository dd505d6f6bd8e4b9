/* The noise, the spikes, the search; see the header for the sources. */
#include "compute/numbers/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A difference in level of less than this part of the largest number is none. */
#define TOLERANCE 0.05

/* Of what is taken for a spike: this many deviations from the median of five. */
#define SPIKE 3

/* A number, or a piece of them. */
struct item {
	double value; /* of a piece the mean */
	double weight;
	size_t first, count; /* which numbers these are */
};

/* The square of the tolerance. */
static double least_variance(const double *x, size_t count)
{
	double largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(x[i]));
	return TOLERANCE * largest * TOLERANCE * largest;
}

/*
 * The variance of the noise, from successive differences, which a change of level is in
 * but once (J. von Neumann, Ann. Math. Stat. 12, 1941). Not their median deviation: most
 * of a busy GPU's values are equal, and that would be 0. Not below the tolerance, so that
 * rounding is no change. Of two numbers or more.
 */
static double noise(const double *x, size_t count, double least)
{
	double squares = 0;

	for (size_t i = 1; i < count; i++)
		squares += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
	return fmax(squares / (2 * (double)(count - 1)), least);
}

/* Of 2 reach + 1 numbers, 5 at most. */
static double median_around(const double *x, size_t reach)
{
	size_t count = 2 * reach + 1;
	double sorted[5];

	for (size_t i = 0; i < count; i++) {
		double value = x[i];
		size_t at = i;

		for (; at > 0 && sorted[at - 1] > value; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = value;
	}
	return sorted[reach];
}

/*
 * A spike of one or two numbers is no change of level: it becomes the median of the five
 * around it (F. R. Hampel's identifier). At the ends the five are fewer.
 */
static void without_spikes(
	const double *x, size_t count, double variance, struct item *item)
{
	for (size_t i = 0; i < count; i++) {
		size_t reach = i < 2 ? i : 2;
		double median, value;

		if (count - 1 - i < reach)
			reach = count - 1 - i;
		median = median_around(x + i - reach, reach);
		value = fabs(x[i] - median) > SPIKE * sqrt(variance) ? median : x[i];
		item[i] = (struct item){value, 1, i, 1};
	}
}

/* What the search keeps for each end of a piece: items [0, i). */
struct prefix {
	double weight, sum, squares; /* of the values, less the first one */
	double cost; /* of the best way to cut them, with a penalty a piece */
	size_t begin; /* of its last piece */
};

static double deviation(const struct prefix *from, const struct prefix *to)
{
	double sum = to->sum - from->sum;

	return to->squares - from->squares - sum * sum / (to->weight - from->weight);
}

static void search(
	struct prefix *prefix, const struct item *item, size_t count, double penalty)
{
	for (size_t end = 1; end <= count; end++) {
		double value = item[end - 1].value - item[0].value;
		double weight = item[end - 1].weight;
		struct prefix *to = &prefix[end];

		*to = prefix[end - 1];
		to->weight += weight;
		to->sum += weight * value;
		to->squares += weight * value * value;
		to->cost = INFINITY;
		for (size_t begin = 0; begin < end; begin++) {
			const struct prefix *from = &prefix[begin];
			double cost = from->cost + deviation(from, to) + penalty;

			if (cost < to->cost) {
				to->cost = cost;
				to->begin = begin;
			}
		}
	}
}

/* begin[count + 1]: receives where each piece begins, and count; how many is returned. */
static size_t cut(const struct item *item, size_t count, double penalty, size_t *begin)
{
	struct prefix *prefix = xcalloc(count + 1, sizeof *prefix);
	size_t pieces = 0, at;

	search(prefix, item, count, penalty);
	for (size_t end = count; end > 0; end = prefix[end].begin)
		pieces++;
	begin[pieces] = count;
	at = pieces;
	for (size_t end = count; end > 0; end = prefix[end].begin)
		begin[--at] = prefix[end].begin;
	free(prefix);
	return pieces;
}

/*
 * The items become pieces. Each weighs at most `most`: that of two which differ by the
 * tolerance a cut saves what it costs, however long they are.
 */
static void join(struct item *item, size_t pieces, const size_t *begin, double most)
{
	for (size_t i = 0; i < pieces; i++) {
		size_t count = begin[i + 1] - begin[i];
		double sum = 0;

		for (size_t k = begin[i]; k < begin[i + 1]; k++)
			sum += item[k].value;
		item[i] = (struct item){
			sum / (double)count, fmin((double)count, most), begin[i], count};
	}
}

static int by_value(const void *a, const void *b)
{
	const struct item *p = a, *q = b;

	return (p->value > q->value) - (p->value < q->value);
}

size_t changes_levels(const double *x, size_t count, size_t *level)
{
	double least = least_variance(x, count), variance, penalty;
	size_t *begin, pieces, levels;
	struct item *item;

	memset(level, 0, count * sizeof *level);
	if (count < 2 || least == 0)
		return count > 0;
	item = xcalloc(count, sizeof *item);
	begin = xcalloc(count + 1, sizeof *begin);
	variance = noise(x, count, least);
	penalty = 3 * variance * log((double)count);
	without_spikes(x, count, variance, item);
	pieces = cut(item, count, penalty, begin);
	join(item, pieces, begin, 2 * penalty / least);
	qsort(item, pieces, sizeof *item, by_value);
	levels = cut(item, pieces, penalty, begin);
	for (size_t i = 0; i < levels; i++)
		for (size_t k = begin[i]; k < begin[i + 1]; k++)
			for (size_t n = 0; n < item[k].count; n++)
				level[item[k].first + n] = i;
	free(begin);
	free(item);
	return levels;
}
