/*
 * The signed-rank test: against counting by brute force over all signs, and against
 * values worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "compute/numbers/rank.h"

static void assert_near(double x, double expected, double within)
{
	if (isnan(x) != isnan(expected) || fabs(x - expected) > within)
		fail_msg("%.17g is not %.17g", x, expected);
}

/* Twice the mean rank of the size of x[i], where 0 has none. */
static unsigned twice_rank(const double *x, size_t n, size_t i)
{
	unsigned twice = 1;

	for (size_t k = 0; k < n; k++)
		if (x[k] != 0)
			twice += fabs(x[k]) < fabs(x[i]) ? 2 : fabs(x[k]) == fabs(x[i]);
	return twice;
}

/* Over every way to give the numbers but 0 a sign. *w: the sum of the ranks above 0. */
static double brute_p(const double *x, size_t n, double *w)
{
	size_t below = 0, above = 0, ways = 0;
	unsigned observed = 0;

	for (size_t i = 0; i < n; i++)
		observed += x[i] > 0 ? twice_rank(x, n, i) : 0;
	for (size_t signs = 0; signs < (size_t)1 << n; signs++) {
		unsigned sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += signs >> i & 1 && x[i] != 0 ? twice_rank(x, n, i) : 0;
		below += sum <= observed;
		above += sum >= observed;
		ways++;
	}
	*w = observed / 2.0;
	return fmin(1, 2 * (double)(below < above ? below : above) / (double)ways);
}

static void as_by_brute_force(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t n = 1 + (size_t)round % 10;
		struct signed_rank_test test;
		double x[10], w, p;

		/* Few sizes give many ties; of some rounds 0 is one. */
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			x[i] = (double)(seed >> 16 & 7) - (round % 3 ? 3 : 2.5);
		}
		p = brute_p(x, n, &w);
		test = signed_rank_test(x, n);
		assert_true(test.exact);
		assert_near(test.w, w, 0);
		assert_near(test.p, p, 1e-14);
		assert_true(test.p >= signed_rank_least_p(n) - 1e-15);
	}
}

/*
 * Six of one sign: 2 of 64 ways. 1, 2, 3, -4 has W = 6: of 16 ways the sums 6 (twice), 7
 * (twice), 8, 9 and 10 are as large, so p = min(1, 14/16).
 */
static void by_hand(void **state)
{
	const double same[] = {3, 3, 3, 3, 3, 3}, mixed[] = {1, 2, 3, -4},
		     zero[] = {0, 0};
	const double up[] = {1, 2, 3, 4, 5, 6}, few[] = {1, 2, 0, 3, 4, 5};

	(void)state;
	assert_near(signed_rank_test(same, 6).p, 0.03125, 1e-16);
	assert_near(signed_rank_test(up, 6).p, 0.03125, 1e-16);
	assert_near(signed_rank_test(up, 5).p, 0.0625, 1e-16);
	assert_near(signed_rank_test(few, 6).p, 0.0625, 1e-16);
	assert_near(signed_rank_test(mixed, 4).w, 6, 0);
	assert_near(signed_rank_test(mixed, 4).p, 0.875, 1e-15);
	assert_near(signed_rank_test(zero, 2).p, 1, 0);
	assert_near(signed_rank_test(zero, 0).p, 1, 0);
	assert_near(signed_rank_least_p(6), 0.03125, 0);
	assert_near(signed_rank_least_p(0), 1, 0);
	assert_near(signed_rank_least_p(1), 1, 0);
}

/*
 * Counting and the normal distribution meet: one pair more, the smallest, changes little.
 * A turned sign changes nothing but W.
 */
static void near_the_normal(void **state)
{
	double x[101] = {0}, turned[101];
	struct signed_rank_test exact, normal;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		x[i] = (double)(i + 1) * (i % 5 < 2 ? -1 : 1);
		turned[i] = -x[i];
	}
	x[100] = 0.5;
	exact = signed_rank_test(x, 100);
	normal = signed_rank_test(x, 101);
	assert_true(exact.exact);
	assert_false(normal.exact);
	assert_near(normal.p, exact.p, 0.002);
	assert_near(signed_rank_test(turned, 100).p, exact.p, 1e-12);
	assert_near(signed_rank_test(turned, 100).w, 5050 - exact.w, 0);
}

/*
 * 1 2 4: the means of two are 1 1.5 2 2.5 3 4, their median 2.25. Of six the interval is
 * the smallest and the largest, of confidence 62/64; of eight W <= 3 has 5 of 256, so
 * the fourth from either end.
 */
static void intervals(void **state)
{
	const double three[] = {4, 1, 2}, eight[] = {8, 7, 6, 5, 4, 3, 2, 1};
	struct rank_estimate shift = signed_rank_shift(three, 3);

	(void)state;
	assert_near(shift.value, 2.25, 0);
	assert_true(isnan(shift.low) && isnan(shift.high) && isnan(shift.confidence));
	shift = signed_rank_shift(eight + 2, 6);
	assert_near(shift.value, 3.5, 0);
	assert_near(shift.low, 1, 0);
	assert_near(shift.high, 6, 0);
	assert_near(shift.confidence, 62.0 / 64, 1e-15);
	/* In order: 1 1.5 2 2 2.5 2.5 ... */
	shift = signed_rank_shift(eight, 8);
	assert_near(shift.value, 4.5, 0);
	assert_near(shift.low, 2, 0);
	assert_near(shift.high, 7, 0);
	assert_near(shift.confidence, 1 - 10.0 / 256, 1e-15);
	assert_near(signed_rank_shift(three, 1).value, 4, 0);
}

/* The interval holds 0 exactly where the test finds nothing, as long as no two tie. */
static void interval_belongs_to_test(void **state)
{
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 500; round++) {
		size_t n = 6 + (size_t)round % 120;
		struct rank_estimate shift;
		double x[126];

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			x[i] = (double)(seed >> 8) / (1 << 24) - 0.35;
		}
		shift = signed_rank_shift(x, n);
		assert_true(shift.low <= shift.value && shift.value <= shift.high);
		assert_int_equal(shift.low > 0 || shift.high < 0,
			signed_rank_test(x, n).p <= RANK_ALPHA);
	}
}

/* (1.95996 + 0.84162) sqrt(pi / 3 / 6) = 1.17040. */
static void what_would_show(void **state)
{
	(void)state;
	assert_near(signed_rank_detectable(1, 6, RANK_ALPHA), 1.1704, 1e-4);
	assert_true(isinf(signed_rank_detectable(1, 5, RANK_ALPHA)));
	assert_int_equal(signed_rank_pairs_needed(0, 1, RANK_ALPHA), 6);
	assert_int_equal(signed_rank_pairs_needed(0, 1, RANK_ALPHA / 2), 7);
	/* 8.2194: the square of 1.1704 / sqrt(1/6) */
	assert_int_equal(signed_rank_pairs_needed(1, 1, RANK_ALPHA), 9);
	assert_int_equal(signed_rank_pairs_needed(1, 1e-9, RANK_ALPHA), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_by_brute_force),
		cmocka_unit_test(by_hand),
		cmocka_unit_test(near_the_normal),
		cmocka_unit_test(intervals),
		cmocka_unit_test(interval_belongs_to_test),
		cmocka_unit_test(what_would_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
