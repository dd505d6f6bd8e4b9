/*
 * The distributions that comparisons of runs need. Pure functions of numbers.
 * (M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964, chapter 26.)
 */
#ifndef COMPUTE_DISTRIBUTION_H
#define COMPUTE_DISTRIBUTION_H

#include <stddef.h>

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

#endif
