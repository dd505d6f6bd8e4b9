/*
 * The levels of a row of numbers: where they change, and which of the pieces between two
 * changes are at one level. Knows neither time nor what the numbers are. README.md,
 * "Steady state".
 *
 * Optimal partitioning: of all ways to cut, that with the smallest sum of squared
 * deviations from the pieces' means and a penalty for each cut (B. Jackson et al., IEEE
 * Signal Processing Letters 12, 2005; R. Killick, P. Fearnhead and I. A. Eckley, J. Am.
 * Stat. Assoc. 107, 2012, prune the same search, which 500 numbers don't need). Pieces of
 * nearly the same mean are one state, whatever lies between (E. Barrett et al., Proc. ACM
 * Program. Lang. 1, OOPSLA, article 52, 2017): in the order of their means they are cut
 * once more, with the same penalty, and a level is what no cut parts.
 */
#ifndef COMPUTE_CHANGES_H
#define COMPUTE_CHANGES_H

#include <stddef.h>

/*
 * level[count]: receives the level that each number is at, 0 the lowest; the number of
 * levels is returned, 0 of no numbers. All of x are finite. Quadratic in count.
 */
size_t changes_levels(const double *x, size_t count, size_t *level);

#endif
