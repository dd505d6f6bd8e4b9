/*
 * The k-th smallest of numbers, and their median, without sorting them all. Knows nothing
 * of what the numbers are.
 */
#ifndef COMPUTE_MEDIAN_H
#define COMPUTE_MEDIAN_H

#include <stddef.h>

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
