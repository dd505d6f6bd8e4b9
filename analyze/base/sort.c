/*
 * Sorts integers: a radix sort for many, an insertion sort for few. Sorts doubles by
 * comparison.
 */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

#define BYTES  8
#define VALUES 256 /* of a byte */
#define FEW    64 /* that counting bytes is not worth */

static bool ascends(const int64_t *at, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (at[i - 1] > at[i])
			return false;
	return true;
}

/* By insertion. */
static void sort_few(int64_t *at, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		int64_t number = at[i];
		size_t k = i;

		for (; k > 0 && at[k - 1] > number; k--)
			at[k] = at[k - 1];
		at[k] = number;
	}
}

/* Negative numbers are the smaller ones. */
static size_t byte_of(int64_t number, int byte)
{
	return ((uint64_t)number ^ UINT64_C(1) << 63) >> 8 * byte & (VALUES - 1);
}

/* Puts the numbers in the order of a byte, else as they were. False: all have the same.
 */
static bool sort_by_byte(const int64_t *from, int64_t *to, size_t count, int byte)
{
	size_t place[VALUES] = {0}, next = 0;

	for (size_t i = 0; i < count; i++)
		place[byte_of(from[i], byte)]++;
	if (place[byte_of(from[0], byte)] == count)
		return false;
	for (size_t v = 0; v < VALUES; v++) {
		size_t of_value = place[v];

		place[v] = next;
		next += of_value;
	}
	for (size_t i = 0; i < count; i++)
		to[place[byte_of(from[i], byte)]++] = from[i];
	return true;
}

void sort_int64(int64_t *at, size_t count)
{
	int64_t *room, *from = at, *to;

	if (ascends(at, count))
		return;
	if (count < FEW) {
		sort_few(at, count);
		return;
	}
	room = to = xmalloc(count * sizeof *room);
	for (int byte = 0; byte < BYTES; byte++) {
		int64_t *sorted = to;

		if (!sort_by_byte(from, to, count, byte))
			continue;
		to = from;
		from = sorted;
	}
	if (from != at)
		memcpy(at, from, count * sizeof *at);
	free(room);
}

int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int compare_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void sort_items(
	void *at, size_t count, size_t size, int (*compare)(const void *a, const void *b))
{
	if (count)
		qsort(at, count, size, compare);
}

void sort_double(double *at, size_t count)
{
	SORT(at, count, compare_doubles);
}

size_t sorted_before(const void *key, const void *at, size_t count, size_t size,
	int (*compare)(const void *key, const void *item))
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (compare(key, (const char *)at + middle * size) > 0)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

size_t sorted_up_to(const void *at, size_t count, size_t size, size_t offset, int64_t x)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;
		int64_t number;

		memcpy(&number, (const char *)at + middle * size + offset, sizeof number);
		if (number <= x)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}
