/* A hash table of counts, and an array for the usual values. Sorted once at the end. */
#include "compute/numbers/tally.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"

void tally_release(struct tally *tally)
{
	free(tally->entry);
	free(tally->dense);
	*tally = (struct tally){0};
}

/* Fibonacci hashing: the high bits of value * 2^64/phi. */
static size_t first_place(const struct tally *tally, int64_t value)
{
	uint64_t hash = (uint64_t)value * 0x9e3779b97f4a7c15u;

	return (size_t)(hash >> 32) & (tally->cap - 1);
}

static size_t place(const struct tally *tally, int64_t value)
{
	size_t at = first_place(tally, value);

	while (tally->entry[at].count && tally->entry[at].value != value)
		at = (at + 1) & (tally->cap - 1);
	return at;
}

static void rehash(struct tally *tally, size_t cap)
{
	struct tally old = *tally;

	tally->cap = cap;
	tally->entry = xcalloc(cap, sizeof *tally->entry);
	for (size_t i = 0; i < old.cap; i++)
		if (old.entry[i].count)
			tally->entry[place(tally, old.entry[i].value)] = old.entry[i];
	free(old.entry);
}

/* Places of the array: at most, and for each value that is known. */
#define DENSE_MAX	131072
#define DENSE_PER_VALUE 64
#define DENSE_BLOCK	8 /* that are added in a few instructions */

/*
 * The place of a value in the array; dense_count or more: none. A multiple of an odd
 * number times that number's inverse is the quotient, and a rotation divides by the power
 * of two; whatever is no multiple comes out larger than any quotient (Granlund and
 * Montgomery, PLDI 1994, section 9).
 */
static uint64_t dense_place(const struct tally *tally, int64_t value)
{
	uint64_t q = (uint64_t)value * tally->inverse;

	return q >> tally->twos | (q << 1) << (63 - tally->twos);
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void set_step(struct tally *tally, int64_t step)
{
	uint64_t odd = (uint64_t)step, inverse;

	for (tally->twos = 0; odd % 2 == 0; tally->twos++)
		odd /= 2;
	inverse = odd; /* right in its last three bits; each step doubles their number */
	for (int bits = 3; bits < 64; bits *= 2)
		inverse *= 2 - odd * inverse;
	tally->step = step;
	tally->inverse = inverse;
}

bool tally_next(const struct tally *tally, size_t *at, struct tally_entry *entry)
{
	for (; *at < tally->cap; ++*at) {
		if (!tally->entry[*at].count)
			continue;
		*entry = tally->entry[(*at)++];
		return true;
	}
	for (; *at - tally->cap < tally->dense_count; ++*at) {
		size_t i = *at - tally->cap;

		if (!tally->dense[i])
			continue;
		*entry = (struct tally_entry){tally->step * (int64_t)i, tally->dense[i]};
		++*at;
		return true;
	}
	return false;
}

/* If all values are small multiples of one step they move into an array. */
static bool make_dense(struct tally *tally)
{
	struct tally old = *tally;
	struct tally_entry entry;
	uint64_t high = 0, step = 0;
	size_t values = 0, at = 0;

	for (; tally_next(&old, &at, &entry); values++) {
		if (entry.value < 0)
			return false;
		step = divisor(step, (uint64_t)entry.value);
		high = (uint64_t)entry.value > high ? (uint64_t)entry.value : high;
	}
	if (!step || high / step > DENSE_MAX || high / step > values * DENSE_PER_VALUE)
		return false;
	*tally = (struct tally){.cap = old.cap};
	tally->entry = xcalloc(tally->cap, sizeof *tally->entry);
	set_step(tally, (int64_t)step);
	tally->dense_count = (size_t)(high / step) + 1;
	tally->dense_count += tally->dense_count / 4; /* larger ones will come */
	tally->dense_count += -tally->dense_count % DENSE_BLOCK;
	tally->dense = xcalloc(tally->dense_count, sizeof *tally->dense);
	for (at = 0; tally_next(&old, &at, &entry);)
		tally_add(tally, entry.value, entry.count);
	tally_release(&old);
	return true;
}

static void make_room(struct tally *tally)
{
	if (!tally->cap)
		rehash(tally, 16);
	else if (!make_dense(tally))
		rehash(tally, tally->cap * 2);
}

/* False: it has no place in the array. */
static inline bool add_dense(struct tally *tally, int64_t value, uint64_t count)
{
	uint64_t at = tally->dense ? dense_place(tally, value) : 0;

	if (at >= tally->dense_count || count > UINT32_MAX - tally->dense[at])
		return false;
	tally->dense[at] += (uint32_t)count;
	tally->total += count;
	return true;
}

void tally_add(struct tally *tally, int64_t value, uint64_t count)
{
	struct tally_entry *entry;

	if (add_dense(tally, value, count))
		return;
	if (tally->distinct * 2 >= tally->cap)
		make_room(tally);
	entry = &tally->entry[place(tally, value)];
	tally->distinct += !entry->count;
	entry->value = value;
	entry->count += count;
	tally->total += count;
}

#define SMALL_BYTES 16384

/* Where its count stands, as far as one can tell without a look. */
static void *likely_place(const struct tally *tally, int64_t value)
{
	uint64_t at = tally->dense ? dense_place(tally, value) : 0;

	return at < tally->dense_count ? (void *)&tally->dense[at]
				       : &tally->entry[first_place(tally, value)];
}

/* Does a cache hold all of it, as a rule? */
static bool is_small(const struct tally *tally)
{
	return tally->cap * sizeof *tally->entry +
		tally->dense_count * sizeof *tally->dense <=
		SMALL_BYTES;
}

/* Those at the front that have places in the array; how many. */
static size_t add_all_dense(struct tally *tally, const int64_t *value, size_t count)
{
	const struct tally t = *tally;
	size_t i = 0;

	if (!t.dense)
		return 0;
	for (; i < count; i++) {
		uint64_t at = dense_place(&t, value[i]);

		if (at >= t.dense_count || t.dense[at] == UINT32_MAX)
			break;
		t.dense[at]++;
	}
	tally->total += i;
	return i;
}

void tally_add_each(struct tally *tally, const int64_t *value, size_t count)
{
	size_t i = 0;

	for (size_t k = 0; tally->cap && !is_small(tally) && k < count; k++)
		__builtin_prefetch(likely_place(tally, value[k]), 1);
	while ((i += add_all_dense(tally, value + i, count - i)) < count) {
		size_t same = i;

		while (same < count && value[same] == value[i])
			same++;
		tally_add(tally, value[i], same - i);
		i = same;
	}
}

static void add_block(uint32_t *restrict to, const uint32_t *restrict from)
{
	for (size_t i = 0; i < DENSE_BLOCK; i++)
		to[i] += from[i];
}

/* An array of the same step is added place by place. False: it has another, or none. */
static bool join_dense(struct tally *tally, const struct tally *other)
{
	size_t old = tally->dense_count;
	uint64_t hashed = 0;

	if (!tally->dense || tally->step != other->step ||
		other->total > UINT32_MAX - tally->total)
		return false;
	if (old < other->dense_count) {
		tally->dense =
			xrealloc(tally->dense, other->dense_count, sizeof *tally->dense);
		tally->dense_count = other->dense_count;
		memset(&tally->dense[old], 0,
			(tally->dense_count - old) * sizeof *tally->dense);
	}
	for (size_t i = 0; i < other->dense_count; i += DENSE_BLOCK)
		add_block(&tally->dense[i], &other->dense[i]);
	for (size_t i = 0; i < other->cap; i++)
		hashed += other->entry[i].count;
	tally->total += other->total - hashed;
	return true;
}

static void *copy_of(const void *from, size_t count, size_t size)
{
	return from ? memcpy(xmalloc(count * size), from, count * size) : NULL;
}

/* Into an empty one. */
static void copy(struct tally *tally, const struct tally *other)
{
	*tally = *other;
	tally->entry = copy_of(other->entry, other->cap, sizeof *other->entry);
	tally->dense = copy_of(other->dense, other->dense_count, sizeof *other->dense);
}

void tally_join(struct tally *tally, const struct tally *other)
{
	struct tally rest = *other; /* that is not in yet */
	struct tally_entry entry;
	size_t at = 0;

	if (!tally->total) {
		copy(tally, other);
		return;
	}
	if (join_dense(tally, other))
		rest.dense_count = 0;
	while (tally_next(&rest, &at, &entry))
		tally_add(tally, entry.value, entry.count);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = ((const struct tally_entry *)a)->value;
	int64_t y = ((const struct tally_entry *)b)->value;

	return (x > y) - (x < y);
}

/* entry[0 .. first-1] and those behind them ascend already. */
static void merge(struct tally *tally, size_t first)
{
	struct tally_entry *head;
	size_t a = 0, b = first, to = 0;

	if (!first || first == tally->distinct)
		return;
	head = xmalloc(first * sizeof *head);
	memcpy(head, tally->entry, first * sizeof *head);
	while (a < first)
		if (b < tally->distinct && tally->entry[b].value < head[a].value)
			tally->entry[to++] = tally->entry[b++];
		else
			tally->entry[to++] = head[a++];
	free(head);
}

/* Are all of a block 0? */
static bool is_empty(const uint32_t *block)
{
	uint32_t any = 0;

	for (size_t i = 0; i < DENSE_BLOCK; i++)
		any |= block[i];
	return !any;
}

/* The array, ascending, behind the entries that are there; there is room for it. */
static void take_dense(struct tally *tally, const struct tally *from)
{
	struct tally_entry *to = tally->entry + tally->distinct;

	for (size_t i = 0; i < from->dense_count; i += DENSE_BLOCK) {
		if (is_empty(&from->dense[i]))
			continue;
		for (size_t k = i; k < i + DENSE_BLOCK; k++)
			if (from->dense[k])
				*to++ = (struct tally_entry){
					from->step * (int64_t)k, from->dense[k]};
	}
	tally->distinct = (size_t)(to - tally->entry);
}

void tally_sort(struct tally *tally)
{
	struct tally old, hashed;
	size_t at = 0, most; /* in the array; what it has less is never touched */

	old = hashed = *tally;
	hashed.dense_count = 0;
	most = old.total < old.dense_count ? (size_t)old.total : old.dense_count;
	*tally = (struct tally){.total = old.total};
	tally->entry = xmalloc((old.distinct + most) * sizeof *tally->entry);
	while (tally->distinct < old.distinct &&
		tally_next(&hashed, &at, &tally->entry[tally->distinct]))
		tally->distinct++;
	SORT(tally->entry, old.distinct, by_value);
	take_dense(tally, &old);
	tally->cap = tally->distinct;
	tally_release(&old);
	merge(tally, hashed.distinct);
}

/* The entry of a rank, which becomes the rank among its values. */
static const struct tally_entry *entry_at(const struct tally *tally, uint64_t *rank)
{
	const struct tally_entry *entry = tally->entry;

	assert(*rank < tally->total);
	for (; *rank >= entry->count; entry++)
		*rank -= entry->count;
	return entry;
}

int64_t tally_at(const struct tally *tally, uint64_t rank)
{
	return entry_at(tally, &rank)->value;
}

double tally_percentile(const struct tally *tally, unsigned percent, int64_t per_unit)
{
	const struct tally_entry *entry;
	uint64_t scaled, rank;
	int64_t low, high, part;

	if (!tally->total)
		return NAN;
	scaled = (tally->total - 1) * percent;
	rank = scaled / 100;
	part = (int64_t)(scaled % 100);
	entry = entry_at(tally, &rank);
	low = high = entry->value;
	if (part && rank + 1 == entry->count)
		high = entry[1].value;
	return number_ratio(
		(int128)low * (100 - part) + (int128)high * part, (int128)100 * per_unit);
}
