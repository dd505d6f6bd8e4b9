/*
 * Where numbers change their level once and for good: what comes behind lies apart from
 * what was before, not only on average. Knows neither time nor what the numbers are.
 */
#ifndef COMPUTE_SHIFT_H
#define COMPUTE_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

/* Of both parts so much may lie on the other side, as of dips and spikes. */
#define SHIFT_STRAYS 0.05

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
