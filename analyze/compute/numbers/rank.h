/*
 * Rank tests for two samples (Mann-Whitney, Hodges-Lehmann, Holm) and for pairs
 * (Wilcoxon), the distributions they need, and medians. No distribution is assumed. Pure
 * functions; all numbers are finite.
 *
 * H. B. Mann and D. R. Whitney, Ann. Math. Stat. 18, 1947; J. L. Hodges and E. L.
 * Lehmann, Ann. Math. Stat. 34, 1963; M. Hollander, D. A. Wolfe and E. Chicken,
 * Nonparametric Statistical Methods, 2014, chapters 3 and 4; S. Holm, Scand. J. Stat.
 * 6, 1979.
 */
#ifndef COMPUTE_NUMBERS_RANK_H
#define COMPUTE_NUMBERS_RANK_H

#include <stdbool.h>
#include <stddef.h>

#define RANK_ALPHA 0.05 /* level of all tests; intervals are of 1 - RANK_ALPHA */
#define RANK_POWER 0.8

struct rank_test {
	double u; /* pairs in which the number of b is the larger, an equal one half */
	double p; /* two-sided: twice that of a u as small, or as large, if less; <= 1 */
	bool exact; /* counted, ties included; else by the normal distribution with
		       corrections for ties and continuity */
};

/* n, m: 1 or more. */
struct rank_test rank_test(const double *a, size_t n, const double *b, size_t m);

/* The smallest p that samples of these sizes can have: 2 / choose(n + m, n), at most 1.
 */
double rank_least_p(size_t n, size_t m);

/* A number with its interval; without one low and high are NAN. */
struct rank_estimate {
	double value, low, high;
	double confidence; /* that the interval reaches, RANK_ALPHA or less missing; NAN
			    */
};

/*
 * The median, between order statistics of at least 1 - RANK_ALPHA confidence: from six
 * numbers on there are such.
 */
struct rank_estimate rank_median(const double *x, size_t n);

/*
 * Hodges-Lehmann: how much larger b is, the median of all differences between a pair,
 * with the interval that belongs to the test of Mann and Whitney. In memory of n + m.
 */
struct rank_estimate rank_shift(const double *a, size_t n, const double *b, size_t m);

/*
 * Holm's step-down: p[count] become the smallest levels at which each would be
 * significant if all were tested together. Of NAN, which is not tested, nothing.
 */
void rank_holm(double *p, size_t count);

/*
 * The shift that a test of samples of these sizes finds at the level alpha with the
 * power RANK_POWER, where both have this standard deviation: as a t test would, widened
 * by the asymptotic relative efficiency 3 / pi. INFINITY: no shift can be significant.
 */
double rank_detectable(double deviation, size_t n, size_t m, double alpha);

/* The runs on each side that are needed to find a shift above 0; 0: beyond a million. */
size_t rank_runs_needed(double deviation, double shift, double alpha);

/*
 * The signed-rank test of paired numbers: is the median of the differences x[n] of the
 * pairs 0? No distribution is assumed but that the differences are symmetric.
 *
 * F. Wilcoxon, Biometrics Bulletin 1, 1945; its interval (J. W. Tukey): M. Hollander,
 * D. A. Wolfe and E. Chicken, Nonparametric Statistical Methods, 2014, chapter 3.
 */

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

/*
 * Distributions for tests. (M. Abramowitz and I. A. Stegun, Handbook of Mathematical
 * Functions, 1964, chapter 26.)
 */

/* Of the standard normal distribution what lies below z. */
double normal_below(double z);

/* Its inverse; 0 < p < 1. */
double normal_quantile(double p);

/* Of Student's t with df > 0 degrees of freedom; exact to about 1e-12. */
double t_below(double t, double df);
double t_quantile(double p, double df); /* 0 < p < 1 */

/* Ways to choose k of n; beyond the range of a double INFINITY. */
double choose(size_t n, size_t k);

/*
 * That of n drawn from `all` without putting back, of which `have` are marked, at most k
 * are: Fisher's exact test, one-sided (R. A. Fisher, 1935; hypergeometric). n, have <=
 * all.
 */
double drawn_at_most(size_t k, size_t n, size_t have, size_t all);

/* That of n throws of a fair coin at most k are heads. */
double coin_at_most(size_t n, size_t k);

/* The k-th smallest number and the median, without sorting all. */

/*
 * Puts the k-th smallest, from 0, in its place, no larger ones before it and no smaller
 * ones behind. k < count; none is NAN.
 */
void median_select(double *x, size_t count, size_t k);

/* Of an even number the mean of the middle two. Sorts x in part; count > 0. */
double median_of(double *x, size_t count);

/* That mean, of the lower one and the upper one. */
static inline double median_between(double low, double high)
{
	return low + (high - low) / 2;
}

#endif
