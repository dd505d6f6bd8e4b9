/*
 * The levels of a row of numbers: where they change, and which of the pieces between
 * two changes are at one level. Knows neither time nor what the numbers are.
 * README.md, "Steady state".
 *
 * Optimal partitioning: of all ways to cut, that with the smallest sum of squared
 * deviations from the pieces' means and a penalty for each cut (B. Jackson et al.,
 * IEEE Signal Processing Letters 12, 2005; R. Killick, P. Fearnhead and I. A. Eckley,
 * J. Am. Stat. Assoc. 107, 2012, prune the same search, which 500 numbers don't need).
 * Pieces of nearly the same mean are one state, whatever lies between (E. Barrett et
 * al., Proc. ACM Program. Lang. 1, OOPSLA, article 52, 2017): in the order of their
 * means they are cut once more, with the same penalty, and a level is what no cut
 * parts.
 */
#ifndef COMPUTE_NUMBERS_CHANGES_H
#define COMPUTE_NUMBERS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * level[count]: receives the level that each number is at, 0 the lowest; the number of
 * levels is returned, 0 of no numbers. All of x are finite. Quadratic in count.
 */
size_t changes_levels(const double *x, size_t count, size_t *level);

/*
 * Where a few numbers, such as one per run, change their level. Uses ranks only: no
 * distribution is assumed, and an outlier is one number. For many samples use the
 * levels above.
 *
 * Candidates: of all ways to cut, that with the smallest cost of the pieces' empirical
 * distributions and a penalty for each cut (K. Haynes, P. Fearnhead and I. A. Eckley,
 * Statistics and Computing 27, 2017; the search of B. Jackson et al., IEEE Signal
 * Processing Letters 12, 2005). A candidate is a change if shuffling the numbers of
 * its two pieces rarely gives any cut whose rank sums (Mann and Whitney) are as far
 * apart. This accounts for having chosen the best of all places.
 */

/* Of fewer numbers no cut can be significant. */
#define CHANGE_POINTS_LEAST 8

/* Of more numbers the medians of as many equal blocks are searched, as time and memory
 * grow with the square: a level that is shorter than a block may be missed. Where a
 * change stands is then looked for among the numbers of the blocks beside it. */
#define CHANGE_POINTS_MOST 2000

struct change_point {
	size_t at; /* the first number behind it */
	double p; /* the part of all orders of its two pieces' numbers that have as clear
		     a cut: exact up to 40,320 orders, equal numbers alike; else of 10,000
		     shuffles */
};

/*
 * point[count]: receives the changes, ascending; how many is returned. All of x are
 * finite. border[count]: may a piece begin at this number? NULL: at each. Quadratic in
 * the lesser of count and CHANGE_POINTS_MOST. The same numbers give the same result.
 */
size_t change_points_find(
	const double *x, size_t count, const bool *border, struct change_point *point);

/*
 * Where numbers change their level once and for good: the values after the change
 * don't overlap with those before.
 */

struct shift {
	size_t at; /* the first number behind it */
	double before, behind; /* the medians of both parts */
	double from, to; /* of the first `least` numbers, and of the last */
	double cost; /* the sum of the distances of all numbers from their part's median
		      */
};

/*
 * Of all cuts that leave `least` numbers or more on both sides, and whose parts differ by
 * the part `change` of the first one's median and lie apart, that with the least cost.
 * Parts lie apart if all numbers of the one are above all of the other, but for strays.
 * False: there is none. Quadratic in count; all of x are finite.
 */
bool shift_find(
	const double *x, size_t count, size_t least, double change, struct shift *shift);

#endif
