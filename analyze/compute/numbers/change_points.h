/*
 * Where numbers that came one after the other change their level, by their order alone:
 * no distribution is assumed, and an outlier is one number. For few of them, as of runs;
 * what becomes of many samples is the business of changes.h.
 *
 * Candidates: of all ways to cut, that with the smallest cost of the pieces' empirical
 * distributions and a penalty for each cut (K. Haynes, P. Fearnhead and I. A. Eckley,
 * Statistics and Computing 27, 2017; the search of B. Jackson et al., IEEE Signal
 * Processing Letters 12, 2005). A candidate is a change if shuffling the numbers of its
 * two pieces seldom gives a cut anywhere between them whose rank sums (Mann and Whitney)
 * are as far apart: so it is paid for that the best of all places was looked for.
 */
#ifndef COMPUTE_CHANGE_POINTS_H
#define COMPUTE_CHANGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The level of a change. Not RANK_ALPHA: a series has several candidates, and of series
 * of noise at most RANK_ALPHA are to have a change.
 */
#define CHANGE_POINTS_LEVEL 0.04

/* Of fewer numbers no cut can be significant. */
#define CHANGE_POINTS_LEAST 8

struct change_point {
	size_t at; /* the first number behind it */
	double p; /* the part of shuffles that have as clear a cut; a multiple of 1/10000
		   */
};

/*
 * point[count]: receives the changes, ascending; how many is returned. All of x are
 * finite. border[count]: may a piece begin at this number? NULL: at each. Quadratic in
 * count. The same numbers give the same result.
 */
size_t change_points_find(
	const double *x, size_t count, const bool *border, struct change_point *point);

#endif
