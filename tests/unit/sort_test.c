/* Sorted numbers, against the C library's sort: few and many, of all sizes and signs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#define MOST 5000

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 11 ^ *seed << 29;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void expect_sorted(int64_t *number, size_t count)
{
	int64_t expected[MOST];

	memcpy(expected, number, count * sizeof *number);
	if (count)
		qsort(expected, count, sizeof *expected, by_number);
	sort_int64(number, count);
	assert_memory_equal(number, expected, count * sizeof *number);
}

static void whole_numbers(void **state)
{
	int64_t number[MOST];
	uint64_t seed = 1;

	(void)state;
	for (unsigned bits = 1; bits <= 64; bits++)
		for (size_t count = 0; count <= MOST; count = 3 * count / 2 + 1) {
			for (size_t i = 0; i < count; i++)
				number[i] = (int64_t)(next_random(&seed) >> (64 - bits));
			expect_sorted(number, count);
		}
}

/* The ends of the range, both orders, and numbers that are all alike. */
static void whole_numbers_in_order(void **state)
{
	const int64_t ends[] = {INT64_MAX, 0, INT64_MIN, -1, 1, INT64_MIN, INT64_MAX};
	int64_t number[MOST];

	(void)state;
	memcpy(number, ends, sizeof ends);
	expect_sorted(number, sizeof ends / sizeof *ends);
	for (int64_t step = -1; step <= 1; step++) {
		for (size_t i = 0; i < MOST; i++)
			number[i] = step * ((int64_t)i - MOST / 2);
		expect_sorted(number, MOST);
	}
}

static void doubles(void **state)
{
	double number[] = {2.5, -1, 1e300, 0, -1e300, 2.5};
	const double expected[] = {-1e300, -1, 0, 2.5, 2.5, 1e300};

	(void)state;
	sort_double(number, 0);
	assert_true(number[0] == 2.5);
	sort_double(number, 6);
	assert_memory_equal(number, expected, sizeof expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(whole_numbers_in_order),
		cmocka_unit_test(doubles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
