/* Sorts in place, numbers in ascending order; finds a place in a sorted array. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* In time that grows with count only, since most are times of one day. */
void sort_int64(int64_t *at, size_t count);

void sort_double(double *at, size_t count); /* none of them NAN */
int compare_doubles(const void *a, const void *b); /* likewise */

/* By the int64_t that the items begin with, as a struct stretch with from_ns. */
int compare_int64(const void *a, const void *b);

/* As qsort, of an array that may be NULL where its count is 0. */
void sort_items(void *at, size_t count, size_t size,
	int (*compare)(const void *a, const void *b));
#define SORT(at, count, compare) sort_items((at), (count), sizeof *(at), (compare))

/* How many of an array's items come before a key. compare: as of bsearch and qsort. */
size_t sorted_before(const void *key, const void *at, size_t count, size_t size,
	int (*compare)(const void *key, const void *item));

/* How many are at most x of an array that ascends by an int64_t at an offset of its
 * items.
 */
size_t sorted_up_to(const void *at, size_t count, size_t size, size_t offset, int64_t x);

#endif
