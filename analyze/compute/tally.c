/* A hash table of counts, sorted once at the end. */
#include "compute/tally.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"

void tally_release(struct tally *tally)
{
	free(tally->entry);
	*tally = (struct tally){0};
}

/* Fibonacci hashing: the high bits of value * 2^64/phi. */
static size_t place(const struct tally *tally, int64_t value)
{
	uint64_t hash = (uint64_t)value * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32) & (tally->cap - 1);

	while (tally->entry[at].count && tally->entry[at].value != value)
		at = (at + 1) & (tally->cap - 1);
	return at;
}

static void grow(struct tally *tally)
{
	struct tally old = *tally;

	tally->cap = old.cap ? old.cap * 2 : 64;
	tally->entry = xcalloc(tally->cap, sizeof *tally->entry);
	for (size_t i = 0; i < old.cap; i++)
		if (old.entry[i].count)
			tally->entry[place(tally, old.entry[i].value)] = old.entry[i];
	free(old.entry);
}

void tally_add(struct tally *tally, int64_t value, uint64_t count)
{
	struct tally_entry *entry;

	if (tally->distinct * 2 >= tally->cap)
		grow(tally);
	entry = &tally->entry[place(tally, value)];
	tally->distinct += !entry->count;
	entry->value = value;
	entry->count += count;
	tally->total += count;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = ((const struct tally_entry *)a)->value;
	int64_t y = ((const struct tally_entry *)b)->value;

	return (x > y) - (x < y);
}

void tally_sort(struct tally *tally)
{
	size_t used = 0;

	for (size_t i = 0; i < tally->cap; i++)
		if (tally->entry[i].count)
			tally->entry[used++] = tally->entry[i];
	assert(used == tally->distinct);
	if (used)
		qsort(tally->entry, used, sizeof *tally->entry, by_value);
}

int64_t tally_at(const struct tally *tally, uint64_t rank)
{
	size_t i = 0;

	assert(rank < tally->total);
	for (; rank >= tally->entry[i].count; i++)
		rank -= tally->entry[i].count;
	return tally->entry[i].value;
}

double tally_percentile(const struct tally *tally, unsigned percent, int64_t per_unit)
{
	uint64_t scaled, rank;
	int64_t low, high, part;

	if (!tally->total)
		return NAN;
	scaled = (tally->total - 1) * percent;
	rank = scaled / 100;
	part = (int64_t)(scaled % 100);
	low = tally_at(tally, rank);
	high = part ? tally_at(tally, rank + 1) : low;
	return number_ratio(
		(int128)low * (100 - part) + (int128)high * part, (int128)100 * per_unit);
}
