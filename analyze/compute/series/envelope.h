/*
 * A value over time in constant memory, as the least and the largest of each bin: what is
 * left of a course when it is drawn, so that one sample of a day is still seen. Bins are
 * 2^shift ns long and begin at multiples of that since 1970, so that those of all devices
 * and logs lie over one another. When the values no longer fit, the length doubles and
 * neighbouring pairs become one: what a bin holds depends neither on batches nor on the
 * order of the rows. Knows no metric.
 */
#ifndef COMPUTE_ENVELOPE_H
#define COMPUTE_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/number.h"

/* The shortest bin is 2^20 ns, 1.048576 ms long. */
#define ENVELOPE_SHIFT 20

struct envelope_bin {
	uint64_t n; /* values in it; 0: none, and the rest means nothing */
	int64_t min, max; /* in quanta */
	int64_t first_ns, last_ns; /* the earliest and the latest of their times */
	int128 sum;
};

struct envelope {
	unsigned shift; /* a bin is 2^shift ns long */
	int64_t limit; /* bins at most */
	int64_t first; /* number of the first bin in memory: its times >> shift */
	int64_t count; /* bins in memory; the first and the last one have a value */
	size_t cap;
	struct envelope_bin *bin; /* [count] owned */
};

/* limit: 2 or more. */
void envelope_init(struct envelope *envelope, int64_t limit);
void envelope_release(struct envelope *envelope); /* zeroed is empty */

/* The bin of a time, which may be longer afterwards: the slow way. */
struct envelope_bin *envelope_make_bin(struct envelope *envelope, int64_t t_ns);

/* The number of the bin of 2^shift ns that a time lies in; towards minus infinity. */
static inline int64_t envelope_number(int64_t t_ns, unsigned shift)
{
	return t_ns < 0 ? ~(~t_ns >> shift) : t_ns >> shift;
}

/* Lays a bin over another one. */
static inline void envelope_bin_add(
	struct envelope_bin *to, const struct envelope_bin *bin)
{
	if (!bin->n)
		return;
	if (!to->n || bin->min < to->min)
		to->min = bin->min;
	if (!to->n || bin->max > to->max)
		to->max = bin->max;
	if (!to->n || bin->first_ns < to->first_ns)
		to->first_ns = bin->first_ns;
	if (!to->n || bin->last_ns > to->last_ns)
		to->last_ns = bin->last_ns;
	to->n += bin->n;
	to->sum += bin->sum;
}

/* A value in quanta at a time in ns. */
static inline void envelope_add(struct envelope *envelope, int64_t t_ns, int64_t value)
{
	const struct envelope_bin one = {1, value, value, t_ns, t_ns, value};
	int64_t number = envelope_number(t_ns, envelope->shift);
	uint64_t at = (uint64_t)number - (uint64_t)envelope->first;

	envelope_bin_add(at < (uint64_t)envelope->count
			? &envelope->bin[at]
			: envelope_make_bin(envelope, t_ns),
		&one);
}

/* Doubles the bins until they are 2^shift ns long, or longer. */
void envelope_widen(struct envelope *envelope, unsigned shift);

#endif
