/*
 * Count, sum and sum of squares of values in quanta, from which mean and deviation
 * follow. Independent of the order of the values.
 */
#ifndef COMPUTE_MOMENTS_H
#define COMPUTE_MOMENTS_H

#include <stdint.h>

#include "base/number.h"
#include "compute/numbers/tally.h"

struct moments {
	uint64_t n;
	int128 sum;
	uint128 squares;
};

/* Of a sorted tally's values. */
struct moments moments_of(const struct tally *tally);

/* In the unit of which per_unit quanta make one; of no values NAN. */
double moments_mean(const struct moments *m, int64_t per_unit);
/* Of the sample (n - 1); NAN for n < 2. */
double moments_deviation(const struct moments *m, int64_t per_unit);

#endif
