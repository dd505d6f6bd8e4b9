/*
 * The levels of a row of numbers. Each expected number is worked out beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "compute/numbers/changes.h"

static double random_in(uint64_t *seed, double low, double high)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* All the numbers [from, to) are at that level. */
static void at_level(const size_t *level, size_t from, size_t to, size_t expected)
{
	for (size_t i = from; i < to; i++)
		if (level[i] != expected)
			fail_msg("%zu is at level %zu, not %zu", i, level[i], expected);
}

static void levels_of(void **state)
{
	double x[24] = {5};
	size_t level[24];
	uint64_t seed = 1;

	(void)state;
	assert_int_equal(changes_levels(x, 0, level), 0);
	assert_int_equal(changes_levels(x, 1, level), 1);
	at_level(level, 0, 1, 0);
	for (size_t i = 0; i < 12; i++)
		x[i] = 0;
	assert_int_equal(changes_levels(x, 12, level), 1);
	at_level(level, 0, 12, 0);
	/*
	 * One step of d: the noise is taken for d^2 / 22, the penalty is 3 ln 12 / 22 d^2
	 * = 0.34 d^2, and the cut saves 4 * 8 / 12 d^2 = 2.7 d^2.
	 */
	for (size_t i = 0; i < 12; i++)
		x[i] = i < 4 ? -30 : 70;
	assert_int_equal(changes_levels(x, 12, level), 2);
	at_level(level, 0, 4, 0);
	at_level(level, 4, 12, 1);
	/* ... of a twentieth is below the tolerance: 7.5 times it squared, saved 2.7 */
	for (size_t i = 0; i < 12; i++)
		x[i] = i < 4 ? 95 : 100;
	assert_int_equal(changes_levels(x, 12, level), 1);
	for (size_t i = 0; i < 12; i++)
		x[i] = random_in(&seed, 0, 100);
	assert_int_equal(changes_levels(x, 12, level), 1);
	/*
	 * There and back: the noise is d^2 / 23, the penalty 3 ln 24 / 23 d^2 = 0.41 d^2,
	 * the cut in time and that between the levels each save 8 * 16 / 24 d^2.
	 */
	for (size_t i = 0; i < 24; i++)
		x[i] = i / 8 == 1 ? 10 : 60;
	assert_int_equal(changes_levels(x, 24, level), 2);
	at_level(level, 0, 8, 1);
	at_level(level, 8, 16, 0);
	at_level(level, 16, 24, 1);
}

/* Noise alone is one piece; noise around a step is cut at the step. */
static void levels_of_noise(void **state)
{
	double x[500];
	size_t level[500], cut_well = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t random = seed;

		for (size_t i = 0; i < 500; i++)
			x[i] = random_in(&random, 50, 100);
		assert_int_equal(changes_levels(x, 500, level), 1);
		for (size_t i = 0; i < 100; i++)
			x[i] -= 50;
		assert_int_equal(changes_levels(x, 500, level), 2);
		at_level(level, 0, 98, 0);
		at_level(level, 102, 500, 1);
		cut_well += level[99] == 0 && level[100] == 1;
	}
	assert_true(cut_well > 10);
}

/*
 * What differs by less than a twentieth of the largest number is at one level, however
 * long the pieces are and whether or not something lies between: 4.5 of 94.5, not 5
 * of 95.
 */
static void levels_within_tolerance(void **state)
{
	static const double high[] = {94.5, 95};
	double x[500];
	size_t level[500];

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < 500; i++)
			x[i] = i < 200 ? 90 : high[k];
		assert_int_equal(changes_levels(x, 500, level), 1 + k);
		for (size_t i = 200; i < 300; i++)
			x[i] = 0;
		assert_int_equal(changes_levels(x, 500, level), 2 + k);
		at_level(level, 0, 200, 1);
		at_level(level, 200, 300, 0);
		at_level(level, 300, 500, 1 + k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_of),
		cmocka_unit_test(levels_of_noise),
		cmocka_unit_test(levels_within_tolerance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
