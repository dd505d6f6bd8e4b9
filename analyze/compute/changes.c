/* The noise, the spikes, the search; see the header for the sources. */
#include "compute/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A change of the level by less than this part of the largest number is none, if short.
 */
#define TOLERANCE 0.05

/* Of what is taken for a spike: this many deviations from the median of five. */
#define SPIKE 3

/*
 * The variance of the noise, from successive differences, which a change of level is in
 * but once (J. von Neumann, Ann. Math. Stat. 12, 1941). Not their median deviation: most
 * of a busy GPU's values are equal, and that would be 0. Not below the tolerance, so that
 * rounding is no change.
 */
static double noise(const double *x, size_t count)
{
	double squares = 0, largest = fabs(x[0]), least;

	for (size_t i = 1; i < count; i++) {
		squares += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
		largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
	}
	least = TOLERANCE * largest * TOLERANCE * largest;
	if (count > 1)
		squares /= 2 * (double)(count - 1);
	return squares > least ? squares : least;
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
static void without_spikes(const double *x, size_t count, double variance, double *level)
{
	for (size_t i = 0; i < count; i++) {
		size_t reach = i < 2 ? i : 2;
		double median;

		if (count - 1 - i < reach)
			reach = count - 1 - i;
		median = median_around(x + i - reach, reach);
		level[i] = fabs(x[i] - median) > SPIKE * sqrt(variance) ? median : x[i];
	}
}

/* What the search keeps for each end of a piece: numbers [0, i). */
struct prefix {
	double sum, squares; /* of the numbers, less the first one */
	double cost; /* of the best way to cut them, with a penalty a piece */
	size_t begin; /* of its last piece */
};

static double deviation(const struct prefix *from, const struct prefix *to, size_t count)
{
	double sum = to->sum - from->sum;

	return to->squares - from->squares - sum * sum / (double)count;
}

static void search(struct prefix *prefix, const double *x, size_t count, double penalty)
{
	for (size_t end = 1; end <= count; end++) {
		double value = x[end - 1] - x[0];
		struct prefix *to = &prefix[end];

		*to = prefix[end - 1];
		to->sum += value;
		to->squares += value * value;
		to->cost = INFINITY;
		for (size_t begin = 0; begin < end; begin++) {
			const struct prefix *from = &prefix[begin];
			double cost =
				from->cost + deviation(from, to, end - begin) + penalty;

			if (cost < to->cost) {
				to->cost = cost;
				to->begin = begin;
			}
		}
	}
}

size_t changes_find(const double *x, size_t count, size_t *begin)
{
	struct prefix *prefix;
	double *level, variance;
	size_t pieces = 0, at;

	if (!count)
		return 0;
	prefix = xcalloc(count + 1, sizeof *prefix);
	level = xcalloc(count, sizeof *level);
	variance = noise(x, count);
	without_spikes(x, count, variance, level);
	search(prefix, level, count, 3 * variance * log((double)count));
	for (size_t end = count; end > 0; end = prefix[end].begin)
		pieces++;
	at = pieces;
	for (size_t end = count; end > 0; end = prefix[end].begin)
		begin[--at] = prefix[end].begin;
	free(level);
	free(prefix);
	return pieces;
}
