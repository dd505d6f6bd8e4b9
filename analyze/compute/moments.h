/*
 * Count, sum and sum of squares of values in quanta: what mean and deviation come
 * from, whatever the order of the values.
 */
#ifndef COMPUTE_MOMENTS_H
#define COMPUTE_MOMENTS_H

#include <stdint.h>

#include "base/number.h"

struct moments {
	uint64_t n;
	int128 sum;
	uint128 squares;
};

static inline void moments_add(struct moments *m, int64_t value)
{
	m->n++;
	m->sum += value;
	m->squares += (uint128)((int128)value * value);
}

static inline void moments_join(struct moments *m, const struct moments *other)
{
	m->n += other->n;
	m->sum += other->sum;
	m->squares += other->squares;
}

/* In the unit of which per_unit quanta make one; of no values NAN. */
double moments_mean(const struct moments *m, int64_t per_unit);
/* Of the sample (n - 1); NAN for n < 2. */
double moments_deviation(const struct moments *m, int64_t per_unit);

#endif
