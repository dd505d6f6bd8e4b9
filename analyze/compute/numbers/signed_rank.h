/*
 * The signed-rank test of paired numbers: is the median of the differences x[n] of the
 * pairs 0? No distribution is assumed but that the differences are symmetric. Pure
 * functions; all numbers are finite.
 *
 * F. Wilcoxon, Biometrics Bulletin 1, 1945; its interval (J. W. Tukey): M. Hollander,
 * D. A. Wolfe and E. Chicken, Nonparametric Statistical Methods, 2014, chapter 3.
 */
#ifndef COMPUTE_NUMBERS_SIGNED_RANK_H
#define COMPUTE_NUMBERS_SIGNED_RANK_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/numbers/rank.h"

struct signed_rank_test {
	double w; /* sum of the ranks of differences above 0; ties have their mean rank */
	double p; /* two-sided; 1 if all differences are 0 */
	bool exact; /* counted over all signs, ties included; else by the normal
		       distribution with corrections for ties and continuity */
};

/* Differences of 0 are dropped. */
struct signed_rank_test signed_rank_test(const double *x, size_t n);

/* The smallest p that n pairs can have: 2 / 2^n, at most 1. */
double signed_rank_least_p(size_t n);

/*
 * Hodges-Lehmann: the median of the means of any two differences, one with itself
 * included, with the interval that belongs to the test: from six pairs on there is one.
 * n: 1 or more. In memory of n.
 */
struct rank_estimate signed_rank_shift(const double *x, size_t n);

/*
 * The shift that a test of n pairs finds at the level alpha with the power RANK_POWER,
 * where the differences have this standard deviation: as a t test would, widened by the
 * asymptotic relative efficiency 3 / pi. INFINITY: no shift can be significant.
 */
double signed_rank_detectable(double deviation, size_t n, double alpha);

/* The pairs that are needed to find a shift above 0; 0: more than a million. */
size_t signed_rank_pairs_needed(double deviation, double shift, double alpha);

#endif
