/* Slices by length; see the header for why. */
#include "compute/series/slices.h"

#include <stdlib.h>

#include "base/alloc.h"

void slices_release(struct slices *slices)
{
	free(slices->far);
	*slices = (struct slices){0};
}

static struct slice_length *place(struct slices *slices, int64_t dt_ns)
{
	uint64_t hash = (uint64_t)dt_ns * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32) & (slices->cap - 1);

	while (slices->far[at].dt_ns && slices->far[at].dt_ns != dt_ns)
		at = (at + 1) & (slices->cap - 1);
	return &slices->far[at];
}

static void grow(struct slices *slices)
{
	struct slices old = *slices;

	slices->cap = old.cap ? old.cap * 2 : 2;
	slices->far = xcalloc(slices->cap, sizeof *slices->far);
	for (size_t i = 0; i < old.cap; i++)
		if (old.far[i].dt_ns)
			*place(slices, old.far[i].dt_ns) = old.far[i];
	free(old.far);
}

struct slice_sum *slices_far(struct slices *slices, int64_t dt_ns)
{
	struct slice_length *entry;

	if (slices->lengths * 2 >= slices->cap)
		grow(slices);
	entry = place(slices, dt_ns);
	slices->lengths += !entry->dt_ns;
	entry->dt_ns = dt_ns;
	return &entry->sum;
}

static void add(struct slice_sum *to, const struct slice_sum *sum)
{
	to->count += sum->count;
	to->time_ns += sum->time_ns;
	to->area += sum->area;
	for (int i = 0; i < BAND_COUNT; i++)
		to->band[i] += sum->band[i];
}

void slices_join(struct slices *slices, const struct slices *other)
{
	add(&slices->near, &other->near);
	for (size_t i = 0; i < other->cap; i++)
		if (other->far[i].dt_ns)
			add(slices_far(slices, other->far[i].dt_ns), &other->far[i].sum);
}

struct slice_sum slices_within(const struct slices *slices, int64_t limit_ns)
{
	struct slice_sum all = slices->near;

	for (size_t i = 0; i < slices->cap; i++)
		if (slices->far[i].dt_ns && slices->far[i].dt_ns <= limit_ns)
			add(&all, &slices->far[i].sum);
	return all;
}

/* How many are shorter than that length, or as long. */
static uint64_t count_within(const struct slices *slices, int64_t dt_ns)
{
	uint64_t count = slices->near.count;

	for (size_t i = 0; i < slices->cap; i++)
		if (slices->far[i].sum.count && slices->far[i].dt_ns <= dt_ns)
			count += slices->far[i].sum.count;
	return count;
}

int64_t slices_far_median(const struct slices *slices)
{
	uint64_t half =
		count_within(slices, INT64_MAX) / 2 + count_within(slices, INT64_MAX) % 2;
	int64_t median_ns = -1;

	if (!half || slices->near.count >= half)
		return -1;
	for (size_t i = 0; i < slices->cap; i++) {
		int64_t dt_ns = slices->far[i].dt_ns;

		if (slices->far[i].sum.count && (median_ns < 0 || dt_ns < median_ns) &&
			count_within(slices, dt_ns) >= half)
			median_ns = dt_ns;
	}
	return median_ns;
}

int128 slice_ramp(int64_t at_ns, int64_t dt_ns)
{
	uint64_t square, rest;

	if (at_ns == dt_ns)
		return (int128)dt_ns * RAMP_FRACTION;
	if (dt_ns >= INT64_C(1) << 50) /* days: no fraction, no overflow */
		return (int128)at_ns * at_ns / dt_ns * RAMP_FRACTION;
	if (dt_ns >= INT64_C(1) << 31)
		return (int128)at_ns * at_ns * RAMP_FRACTION / dt_ns;
	square = (uint64_t)at_ns * (uint64_t)at_ns;
	rest = square % (uint64_t)dt_ns;
	return (int128)(square / (uint64_t)dt_ns) * RAMP_FRACTION +
		(int64_t)(rest * RAMP_FRACTION / (uint64_t)dt_ns);
}
