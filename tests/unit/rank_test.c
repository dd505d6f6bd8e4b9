/*
 * The statistics of comparisons: against counting by brute force, over all subsets, and
 * against published values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute/numbers/rank.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void assert_near(double x, double expected, double within)
{
	if (isnan(x) != isnan(expected) || fabs(x - expected) > within)
		fail_msg("%.17g is not %.17g", x, expected);
}

/*
 * Quantiles as in every table of the two distributions; of one and two degrees of
 * freedom t has closed forms: tan(pi (p - 1/2)) and (2p - 1) / sqrt(2p (1 - p)).
 */
static void quantiles(void **state)
{
	static const struct {
		double p, df, t;
	} table[] = {{0.975, 4, 2.7764451052}, {0.975, 9, 2.2621571628},
		{0.975, 30, 2.0422724563}, {0.95, 5, 2.0150483733},
		{0.995, 10, 3.1692726726}, {0.025, 9, -2.2621571628}};

	(void)state;
	assert_near(normal_quantile(0.975), 1.9599639845, 1e-9);
	assert_near(normal_quantile(0.8), 0.8416212336, 1e-9);
	assert_near(normal_quantile(0.5), 0, 1e-12);
	assert_near(normal_quantile(1e-9), -5.9978070150, 1e-8);
	assert_near(normal_below(1.9599639845), 0.975, 1e-10);
	for (size_t i = 0; i < COUNT(table); i++)
		assert_near(t_quantile(table[i].p, table[i].df), table[i].t, 1e-9);
	for (double p = 0.01; p < 1; p += 0.07) {
		assert_near(t_quantile(p, 1), tan(acos(-1) * (p - 0.5)), 1e-9);
		assert_near(t_quantile(p, 2), (2 * p - 1) / sqrt(2 * p * (1 - p)), 1e-10);
		assert_near(t_below(t_quantile(p, 7.5), 7.5), p, 1e-12);
		assert_near(t_quantile(p, 1e7), normal_quantile(p), 1e-5);
	}
	assert_near(choose(20, 10), 184756, 0);
	assert_near(choose(5, 9), 0, 0);
	assert_true(isinf(choose(5000, 2500)));
	assert_near(coin_at_most(10, 1), 11.0 / 1024, 1e-15);
	/* Four cups of eight: all but the one way of 70. */
	assert_near(drawn_at_most(3, 4, 4, 8), 69.0 / 70, 1e-12);
	assert_near(drawn_at_most(1, 6, 6, 12), 37.0 / 924, 1e-12);
	assert_near(drawn_at_most(1, 5, 20, 25), 101.0 / 53130, 1e-12);
	assert_near(drawn_at_most(0, 9, 9, 29), choose(20, 9) / choose(29, 9), 1e-12);
	assert_near(drawn_at_most(2, 3, 2, 5), 1, 0); /* there are no more */
	assert_near(drawn_at_most(0, 3, 3, 5), 0, 0); /* of two without it three */
	assert_true(drawn_at_most(2000, 4000, 4000, 8000) > 0.5);
	assert_near(coin_at_most(4000, 1999) +
			0.5 * (coin_at_most(4000, 2000) - coin_at_most(4000, 1999)),
		0.5, 1e-9);
}

/* Pairs in which b is larger, ties one half; a mask tells which of x are b. */
static double u_of(const double *x, size_t n, unsigned mask)
{
	double u = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			if ((mask >> i & 1) && !(mask >> k & 1))
				u += x[i] > x[k] ? 1 : x[i] == x[k] ? 0.5 : 0;
	return u;
}

/* Every labeling of the numbers with m of b, counted. */
static double p_by_force(const double *x, size_t n, size_t m)
{
	unsigned observed = ((1u << m) - 1) << (n - m);
	double u = u_of(x, n, observed), all = 0, below = 0, above = 0;

	for (unsigned mask = 0; mask < 1u << n; mask++) {
		if ((size_t)__builtin_popcount(mask) != m)
			continue;
		all++;
		below += u_of(x, n, mask) <= u;
		above += u_of(x, n, mask) >= u;
	}
	return fmin(1, 2 * fmin(below, above) / all);
}

static double random_below(uint64_t *seed, double most)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return most * (double)(*seed >> 11) / 9007199254740992.0;
}

static void tests_by_force(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t n = 1 + (size_t)random_below(&seed, 5);
		size_t m = 1 + (size_t)random_below(&seed, 5);
		double x[10], most = round % 3 ? 4 : 1e6;
		struct rank_test test;

		for (size_t i = 0; i < n + m; i++)
			x[i] = floor(random_below(&seed, most)) - 2;
		test = rank_test(x, n, x + n, m);
		assert_true(test.exact);
		assert_near(test.p, p_by_force(x, n + m, m), 1e-15);
		assert_near(test.u, u_of(x, n + m, ((1u << m) - 1) << n), 0);
		assert_true(test.p >= rank_least_p(n, m));
	}
}

/* The same of the interval: the test would not have refused any shift within it. */
static void shifts_by_force(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (int round = 0; round < 200; round++) {
		size_t n = 3 + (size_t)random_below(&seed, 4);
		size_t m = 3 + (size_t)random_below(&seed, 4);
		double a[7], b[7], moved[7], all[49];
		struct rank_estimate shift;

		for (size_t i = 0; i < n; i++)
			a[i] = random_below(&seed, 10);
		for (size_t i = 0; i < m; i++)
			b[i] = 3 + random_below(&seed, 10);
		for (size_t i = 0; i < n * m; i++)
			all[i] = b[i % m] - a[i / m];
		shift = rank_shift(a, n, b, m);
		assert_near(shift.value, rank_median(all, n * m).value, 1e-15);
		if (rank_least_p(n, m) > RANK_ALPHA) {
			assert_true(isnan(shift.low) && isnan(shift.confidence));
			continue;
		}
		assert_true(shift.confidence >= 1 - RANK_ALPHA);
		for (int side = -1; side <= 1; side += 2) {
			double edge = side < 0 ? shift.low : shift.high;

			for (size_t i = 0; i < m; i++)
				moved[i] = b[i] - edge - side * 1e-9;
			assert_true(rank_test(a, n, moved, m).p <= RANK_ALPHA);
			for (size_t i = 0; i < m; i++)
				moved[i] = b[i] - edge + side * 1e-9;
			assert_true(rank_test(a, n, moved, m).p > RANK_ALPHA);
		}
	}
}

/*
 * Frozen: the example of scipy.stats.mannwhitneyu (ages of 5 men and 4 women, U 17 of the
 * first and p 0.1111); that of R's wilcox.test (depth of placentas, Hollander and Wolfe,
 * page 110: W 35 of the first sample, one-sided p 0.1272).
 */
static void published(void **state)
{
	static const double men[] = {19, 22, 16, 29, 24}, women[] = {20, 11, 17, 12};
	static const double term[] = {
		0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
	static const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};
	struct rank_test test = rank_test(women, 4, men, 5);

	(void)state;
	assert_near(test.u, 17, 0);
	assert_near(test.p, 1.0 / 9, 1e-15);
	test = rank_test(early, 5, term, 10);
	assert_near(test.u, 35, 0);
	assert_near(test.p, 2 * 0.1272, 2e-4);
	assert_near(rank_shift(early, 5, term, 10).value, 0.305, 1e-12);
}

/*
 * The example in benchstat's documentation (golang.org/x/perf/cmd/benchstat): times of an
 * operation in ns. There: 1.718 and 1.423 us, -17.20 %, p 0.000; 3.066 and 3.070 us, "~",
 * p 0.446; intervals of 1 %, 1 %, 0 % and 2 %; geometric means 2.295 and 2.090, -8.94 %.
 */
static void benchstat(void **state)
{
	static const double json_old[] = {
		1726, 1723, 1707, 1707, 1713, 1729, 1736, 1707, 1705, 1774};
	static const double json_new[] = {
		1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425};
	static const double gob_old[] = {
		3069, 3075, 3069, 3067, 3207, 3064, 3064, 3058, 3059, 3062};
	static const double gob_new[] = {
		3075, 3065, 3059, 3065, 3060, 3081, 3186, 3135, 3087, 3062};
	struct rank_estimate old = rank_median(json_old, 10);
	struct rank_estimate new = rank_median(json_new, 10);
	struct rank_estimate other_old = rank_median(gob_old, 10);
	struct rank_estimate other_new = rank_median(gob_new, 10);

	(void)state;
	assert_near(old.value, 1718, 0);
	assert_near(new.value, 1422.5, 0);
	assert_near(100 * (new.value / old.value - 1), -17.20, 0.005);
	assert_near(rank_test(json_old, 10, json_new, 10).p, 2.0 / 184756, 1e-18);
	assert_near(other_old.value, 3065.5, 0);
	assert_near(other_new.value, 3070, 0);
	assert_near(rank_test(gob_old, 10, gob_new, 10).p, 0.446, 0.0005);
	/* of ten the second and the ninth: 1 - 2 * 11 / 1024 */
	assert_near(new.confidence, 0.978515625, 1e-15);
	assert_near(new.low, 1412, 0);
	assert_near(new.high, 1426, 0);
	assert_near(other_new.low, 3060, 0);
	assert_near(other_new.high, 3135, 0);
	assert_near(sqrt(new.value *other_new.value / (old.value * other_old.value)) - 1,
		-0.0894, 0.00005);
}

/* Beyond 200,000 arrangements: near what counting would give, ties or not. */
static void large_samples(void **state)
{
	double a[40], b[40], equal[2000];
	struct rank_test test;
	struct rank_estimate shift;

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		a[i] = (double)i;
		b[i] = (double)i + 9.5;
	}
	/* 705,432 arrangements, and 184,756 */
	assert_false(rank_test(a, 11, b, 11).exact);
	assert_true(rank_test(a, 10, b, 10).exact);
	/* of all pairs only 10 > 0 + 9.5 speaks for a */
	test = rank_test(a, 11, b, 11);
	assert_near(test.u, 120, 0);
	/* z = (120 - 60.5 - 0.5) / sqrt(121 * 23 / 12) = 59 / 15.2288 */
	assert_near(test.p, erfc(59 / sqrt(121 * 23.0 / 12) / sqrt(2)), 1e-12);
	shift = rank_shift(a, 40, b, 40);
	assert_near(shift.value, 9.5, 0);
	assert_true(shift.low < 9.5 && shift.high > 9.5);
	assert_near(shift.low + shift.high, 19, 0);
	assert_true(shift.confidence >= 0.95 && shift.confidence < 0.952);
	for (size_t i = 0; i < 2000; i++)
		equal[i] = 5;
	assert_near(rank_test(equal, 1000, equal, 1000).p, 1, 0);
	assert_near(rank_test(equal, 5, equal, 5).p, 1, 0);
	assert_near(rank_shift(equal, 1000, equal, 1000).value, 0, 0);
	assert_near(rank_median(equal, 2000).low, 5, 0);
	/* a few against very many */
	assert_true(rank_test(equal, 1, a, 40).exact);
	assert_near(rank_test(a, 40, equal, 1).u, 5.5, 0);
}

/* The ranks of every table of the sign test: n, the lower rank, the confidence. */
static void median_intervals(void **state)
{
	static const struct {
		size_t n, rank;
		double confidence;
	} table[] = {{6, 1, 0.96875}, {7, 1, 0.984375}, {8, 1, 0.9921875},
		{9, 2, 0.9609375}, {10, 2, 0.978515625}, {20, 6, 0.9586},
		{30, 10, 0.9572}, {50, 18, 0.9672}};
	double x[50];

	(void)state;
	for (size_t i = 0; i < 50; i++)
		x[i] = (double)((i * 7) % 50);
	for (size_t i = 0; i < COUNT(table); i++) {
		double in_order[50];
		struct rank_estimate median;

		for (size_t k = 0; k < table[i].n; k++)
			in_order[k] = (double)(table[i].n - k);
		median = rank_median(in_order, table[i].n);
		assert_near(median.low, (double)table[i].rank, 0);
		assert_near(median.high, (double)(table[i].n + 1 - table[i].rank), 0);
		assert_near(median.confidence, table[i].confidence, 5e-5);
	}
	assert_near(rank_median(x, 50).value, 24.5, 0);
	assert_true(isnan(rank_median(x, 5).low));
	assert_near(rank_median(x, 1).value, 0, 0);
	assert_true(isnan(rank_median(x, 0).value));
}

/* The example of R's p.adjust in many texts: 0.01 0.04 0.03 0.005 by four. */
static void holm(void **state)
{
	double p[] = {0.01, 0.04, NAN, 0.03, 0.005}, one[] = {0.04}, many[] = {0.9, 0.9};

	(void)state;
	rank_holm(p, 5);
	assert_near(p[0], 0.03, 1e-15);
	assert_near(p[1], 0.06, 1e-15);
	assert_true(isnan(p[2]));
	assert_near(p[3], 0.06, 1e-15);
	assert_near(p[4], 0.02, 1e-15);
	rank_holm(one, 1);
	assert_near(one[0], 0.04, 0);
	rank_holm(many, 2);
	assert_near(many[0], 1, 0);
	rank_holm(NULL, 0);
}

/*
 * What sizes can tell: 3 against 3 have 20 arrangements, p is 0.1 at least; 4 against 4
 * have 70. Where the deviation is 1 and the shift 1: (1.95996 + 0.84162)^2 * 2 * 1.047198
 * = 16.4, so 17 on each side; of half the shift 65.8, so 66.
 */
static void sizes(void **state)
{
	(void)state;
	assert_near(rank_least_p(3, 3), 0.1, 1e-15);
	assert_near(rank_least_p(4, 4), 2.0 / 70, 1e-15);
	assert_near(rank_least_p(1, 1), 1, 0);
	assert_true(isinf(rank_detectable(1, 3, 3, RANK_ALPHA)));
	assert_near(rank_detectable(1, 4, 4, RANK_ALPHA), 2.0273, 5e-4);
	assert_int_equal(rank_runs_needed(1, 1, RANK_ALPHA), 17);
	assert_int_equal(rank_runs_needed(1, 0.5, RANK_ALPHA), 66);
	assert_int_equal(rank_runs_needed(0, 1, RANK_ALPHA), 4);
	assert_int_equal(rank_runs_needed(1, 1e-9, RANK_ALPHA), 0);
	/* 20 tests at once: 0.0025; 5 against 5 have 252 arrangements, 6 924 */
	assert_int_equal(rank_runs_needed(0, 1, RANK_ALPHA / 20), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles),
		cmocka_unit_test(tests_by_force), cmocka_unit_test(shifts_by_force),
		cmocka_unit_test(published), cmocka_unit_test(benchstat),
		cmocka_unit_test(large_samples), cmocka_unit_test(median_intervals),
		cmocka_unit_test(holm), cmocka_unit_test(sizes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
