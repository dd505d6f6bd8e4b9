/*
 * Where the level of a row of numbers changes: the pieces of constant mean that explain
 * it best. Knows neither time nor what the numbers are. README.md, "Steady state".
 *
 * Optimal partitioning: of all ways to cut, that with the smallest sum of squared
 * deviations from the pieces' means and a penalty for each cut (B. Jackson et al., IEEE
 * Signal Processing Letters 12, 2005; R. Killick, P. Fearnhead and I. A. Eckley, J. Am.
 * Stat. Assoc. 107, 2012, prune the same search, which 500 numbers don't need).
 */
#ifndef COMPUTE_CHANGES_H
#define COMPUTE_CHANGES_H

#include <stddef.h>

/*
 * begin[count]: receives where each piece begins, ascending from 0; the number of pieces
 * is returned, 0 of no numbers. All of x are finite. Quadratic in count.
 */
size_t changes_find(const double *x, size_t count, size_t *begin);

#endif
