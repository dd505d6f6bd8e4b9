/*
 * Counts of values: exact percentiles and medians without keeping the samples, because
 * logs hold decimals with few distinct values. Memory grows with the distinct values
 * only. Small multiples of one step (whole percent, hundredths of a watt) are counted
 * in an array, all others in a hash table.
 */
#ifndef COMPUTE_NUMBERS_TALLY_H
#define COMPUTE_NUMBERS_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_entry {
	int64_t value;
	uint64_t count; /* 0: a free place of the hash table */
};

struct tally {
	struct tally_entry *entry; /* [cap] hashed; [distinct] ascending once sorted */
	size_t distinct; /* of the hash table */
	size_t cap; /* 0 or a power of two */
	uint64_t total;

	uint32_t
		*dense; /* [dense_count] how often step * i occurred; NULL: no step yet */
	size_t dense_count;
	int64_t step;
	uint64_t inverse; /* of the step's odd part, modulo 2^64 */
	unsigned twos; /* the step's even part is 2^twos */
};

void tally_release(struct tally *tally); /* zeroed is empty */
void tally_add(struct tally *tally, int64_t value, uint64_t count);

/* Counts values, whose places in memory, which no cache holds where there are many
 * tallies, are fetched at once. */
void tally_add_each(struct tally *tally, const int64_t *value, size_t count);

void tally_join(struct tally *tally, const struct tally *other); /* of one not sorted */

/* The next value from *at, which begins with 0, in no order. False: none is left. */
bool tally_next(const struct tally *tally, size_t *at, struct tally_entry *entry);

/* Makes entry[0 .. distinct-1] ascending; no tally_add afterwards. */
void tally_sort(struct tally *tally);

/* The value at a rank from 0 of a sorted tally; rank < total. */
int64_t tally_at(const struct tally *tally, uint64_t rank);

/*
 * Hyndman-Fan type 7 (The American Statistician 50:4, 1996): r = percent/100 (n - 1),
 * linear between neighbors. Of a sorted tally, in the unit of which per_unit values
 * make one. NAN if empty.
 */
double tally_percentile(const struct tally *tally, unsigned percent, int64_t per_unit);

/*
 * The smallest or largest value and its first row, in the order of the rows, whatever
 * the order in which values are added.
 */

struct extreme {
	int64_t value, t_ns;
	int32_t segment;
};

static inline bool extreme_is_first(const struct extreme *e, const struct extreme *other)
{
	return e->segment != other->segment ? e->segment < other->segment
					    : e->t_ns < other->t_ns;
}

/* known: there is one already. */
static inline void extreme_least(
	struct extreme *least, bool known, const struct extreme *e)
{
	if (!known || e->value < least->value ||
		(e->value == least->value && extreme_is_first(e, least)))
		*least = *e;
}

static inline void extreme_largest(
	struct extreme *largest, bool known, const struct extreme *e)
{
	if (!known || e->value > largest->value ||
		(e->value == largest->value && extreme_is_first(e, largest)))
		*largest = *e;
}

#endif
