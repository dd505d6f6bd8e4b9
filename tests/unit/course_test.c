/*
 * Values over time: which bin they fall into, bins that double, and the trend. Each
 * expected number is worked out beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/timestamp.h"
#include "compute/series/course.h"

#define S    NS_PER_S
#define BIN  (INT64_C(1) << COURSE_SHIFT)
#define UNIT 1048576 /* quanta of a MiB */
#define T0   (INT64_C(1700000000) * S)

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
		fail_msg("%.17g, not %.17g", value, expected);
}

static uint64_t total(const struct course *course)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < course->count; i++)
		n += course->bin[i].n;
	return n;
}

static void same(const struct course *a, const struct course *b)
{
	assert_int_equal(a->origin_ns, b->origin_ns);
	assert_int_equal(a->shift, b->shift);
	assert_int_equal(a->before, b->before);
	assert_int_equal(a->first, b->first);
	assert_int_equal(a->count, b->count);
	assert_true(a->first_ns == b->first_ns && a->last_ns == b->last_ns);
	for (uint64_t i = 0; i < a->count; i++) {
		assert_int_equal(a->bin[i].n, b->bin[i].n);
		assert_true(a->bin[i].sum == b->bin[i].sum);
		assert_true(a->bin[i].time == b->bin[i].time);
	}
}

/*
 * Four bins at most. At 0, 1, 3 bins' lengths all fit; at 4 the length doubles: {0, 1},
 * {3}, {4}; at 31 it becomes 8: {0, 1, 3, 4}, {}, {}, {31}.
 */
static void doubling(void **state)
{
	struct course c;

	(void)state;
	course_init(&c, T0, 4);
	course_add(&c, T0, 1);
	course_add(&c, T0 + BIN, 10);
	course_add(&c, T0 + 3 * BIN, 100);
	assert_int_equal(c.shift, COURSE_SHIFT);
	assert_int_equal(c.count, 4);
	assert_int_equal(c.bin[2].n, 0);
	course_add(&c, T0 + 4 * BIN, 1000);
	assert_int_equal(c.shift, COURSE_SHIFT + 1);
	assert_int_equal(c.count, 3);
	assert_int_equal(c.bin[0].n, 2);
	assert_true(c.bin[0].sum == 11 && c.bin[0].time == BIN);
	assert_true(c.bin[1].sum == 100 && c.bin[1].time == 3 * BIN);
	assert_true(c.bin[2].sum == 1000);
	course_add(&c, T0 + 32 * BIN - 1, 10000);
	assert_int_equal(c.shift, COURSE_SHIFT + 3);
	assert_int_equal(c.count, 4);
	assert_true(c.bin[0].n == 4 && c.bin[0].sum == 1111);
	assert_true(!c.bin[1].n && !c.bin[2].n && c.bin[3].n == 1);
	assert_true(course_border_ns(&c, 3) == T0 + 24 * BIN);
	assert_true(course_border_ns(&c, 4) == T0 + 32 * BIN);
	assert_true(course_sum(&c, (bool[]){false, true, true, true}).sum == 10000);
	assert_true(course_sum(&c, (bool[]){true, true, true, false}).sum == 1111);
	assert_true(c.first_ns == T0 && c.last_ns == T0 + 32 * BIN - 1);
	course_release(&c);
}

/* A clock that stepped back; the largest times there are. */
static void ends_of_time(void **state)
{
	struct course c;

	(void)state;
	course_init(&c, T0, COURSE_BINS);
	course_add(&c, T0 - 1, 5);
	course_add(&c, INT64_MIN, 5);
	assert_int_equal(c.before, 2);
	assert_int_equal(c.count, 0);
	course_add(&c, T0, 5);
	course_add(&c, T0 - 1, 5);
	course_add(&c, INT64_MAX, 5);
	assert_int_equal(c.before, 3);
	assert_int_equal(total(&c), 2);
	assert_true(c.count <= COURSE_BINS);
	course_release(&c);

	course_init(&c, INT64_MIN, 2);
	course_add(&c, INT64_MIN, 1);
	course_add(&c, INT64_MAX, 2);
	assert_int_equal(c.count, 2);
	assert_true(course_border_ns(&c, 1) == 0);
	assert_true(course_border_ns(&c, 2) == INT64_MAX);
	course_release(&c);
}

/* Only what lies between the first and the last value is kept. */
static void late_and_short(void **state)
{
	struct course c;

	(void)state;
	course_init(&c, T0, COURSE_BINS);
	course_add(&c, T0 + 3600 * S, 1);
	course_add(&c, T0 + 3601 * S, 2);
	/* 3,600 s are 429.15 bins of 2^33 ns; 2^32 ns would make 838 */
	assert_int_equal(c.shift, 33);
	assert_int_equal(c.first, 419);
	assert_int_equal(c.count, 1);
	assert_true(c.bin[0].sum == 3);
	course_add(&c, T0 + 3500 * S, 4);
	assert_int_equal(c.first, 407);
	assert_int_equal(c.count, 13);
	assert_true(c.bin[0].sum == 4 && c.bin[12].sum == 3);
	course_release(&c);
}

/* The same bins, in whatever order the values come, at once or laid over one another. */
static void order_does_not_matter(void **state)
{
	struct course ahead, back, odd, even, strides;
	int64_t t_ns[5000], value[5000];
	uint64_t seed = 12345;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		t_ns[i] = T0 + i * S / 10 + (int64_t)(seed >> 40);
		value[i] = (int64_t)(seed >> 33) - (INT64_C(1) << 30);
	}
	course_init(&ahead, T0, COURSE_BINS);
	course_init(&back, T0, COURSE_BINS);
	course_init(&odd, T0, COURSE_BINS);
	course_init(&even, T0, COURSE_BINS);
	course_init(&strides, T0, COURSE_BINS);
	for (int i = 0; i < 5000; i++)
		course_add(&ahead, t_ns[i], value[i]);
	for (int i = 5000; i-- > 0;)
		course_add(&back, t_ns[i], value[i]);
	for (int i = 0; i < 5000; i++)
		course_add(i % 2 ? &odd : &even, t_ns[i], value[i]);
	for (int i = 0; i < 5000; i++)
		course_add(&strides, t_ns[i * 1237 % 5000], value[i * 1237 % 5000]);
	same(&back, &ahead);
	same(&strides, &ahead);
	course_merge(&odd, &even);
	same(&odd, &ahead);
	assert_int_equal(total(&ahead), 5000);
	course_release(&ahead);
	course_release(&back);
	course_release(&odd);
	course_release(&even);
	course_release(&strides);
}

/* A fine course over a coarse one, a coarse one over a fine one, an empty one. */
static void merging_lengths(void **state)
{
	struct course whole, a, b, none;

	(void)state;
	course_init(&whole, T0, 8);
	course_init(&a, T0, 8);
	course_init(&b, T0, 8);
	course_init(&none, T0, 8);
	for (int i = 0; i < 8; i++)
		course_add(&a, T0 + i * BIN, 1);
	for (int i = 40; i < 64; i++)
		course_add(&b, T0 + i * BIN, 2);
	for (int i = 0; i < 8; i++)
		course_add(&whole, T0 + i * BIN, 1);
	for (int i = 40; i < 64; i++)
		course_add(&whole, T0 + i * BIN, 2);
	course_merge(&none, &a);
	same(&none, &a);
	course_merge(&none, &b);
	same(&none, &whole);
	course_merge(&b, &a);
	same(&b, &whole);
	course_release(&none);
	course_init(&none, T0, 8);
	course_merge(&b, &none);
	same(&b, &whole);
	course_release(&whole);
	course_release(&a);
	course_release(&b);
	course_release(&none);
}

/* 1 MiB a second is 3,600 MiB/h, to the digit, however many samples share a bin. */
static void slope_of_a_ramp(void **state)
{
	static const int samples[] = {3, 4, 100, 500, 501, 20000};

	(void)state;
	for (size_t k = 0; k < sizeof samples / sizeof samples[0]; k++) {
		struct course c;

		course_init(&c, T0, COURSE_BINS);
		for (int i = 0; i < samples[k]; i++)
			course_add(&c, T0 + i * S, (int64_t)i * UNIT);
		near(course_slope_per_h(&c, UNIT), 3600);
		course_release(&c);
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * 0, 1, 2, 0, 1, 2 MiB, one a second. Of the 15 slopes -2, -1/2 twice, 0 three times, 1/4
 * twice, 2/5 and 1 six times the eighth is 1/4 MiB/s. A long saw-tooth against all its
 * slopes, sorted.
 */
static void slope_of_a_sawtooth(void **state)
{
	static double slope[300 * 299 / 2];
	size_t pairs = 0;
	struct course c;

	(void)state;
	course_init(&c, T0, COURSE_BINS);
	for (int i = 0; i < 6; i++)
		course_add(&c, T0 + i * S, (int64_t)(i % 3) * UNIT);
	near(course_slope_per_h(&c, UNIT), 900);
	course_release(&c);

	course_init(&c, T0, COURSE_BINS);
	for (int i = 0; i < 300; i++)
		course_add(&c, T0 + i * S, (int64_t)(i % 17 + i % 5) * UNIT);
	for (int i = 0; i < 300; i++)
		for (int k = i + 1; k < 300; k++)
			slope[pairs++] =
				(double)(k % 17 + k % 5 - i % 17 - i % 5) / (k - i);
	qsort(slope, pairs, sizeof *slope, ascending);
	near(course_slope_per_h(&c, UNIT),
		1800 * (slope[pairs / 2 - 1] + slope[pairs / 2]));
	course_release(&c);
}

/* A ramp on which every tenth sample is far off: the median does not see them. */
static void slope_with_outliers(void **state)
{
	struct course c;

	(void)state;
	course_init(&c, T0, COURSE_BINS);
	for (int i = 0; i < 200; i++)
		course_add(&c, T0 + i * S,
			i % 10 == 5 ? INT64_C(100000) * UNIT : (int64_t)i * UNIT);
	near(course_slope_per_h(&c, UNIT), 3600);
	course_release(&c);

	/* 0, 3, 4 at 0, 1, 2 s: slopes 3, 1, 2: the median is 2 MiB/s */
	course_init(&c, T0, COURSE_BINS);
	course_add(&c, T0, 0);
	course_add(&c, T0 + S, 3 * UNIT);
	course_add(&c, T0 + 2 * S, 4 * UNIT);
	near(course_slope_per_h(&c, UNIT), 7200);
	/* and 0 at 3 s: 3, 1, 2, 0, -3/2, -4: the mean of 0 and 1 */
	course_add(&c, T0 + 3 * S, 0);
	near(course_slope_per_h(&c, UNIT), 1800);
	course_release(&c);
}

/*
 * Of 100 values, one a second, the medians of tenths are those of the fifth and sixth: on
 * a line 10 apart. A saw-tooth of 50: 4.5, ... 44.5, and the sixth is 4.5 - 44.5. A rise
 * to 60 that lasts: the sixth is 54.5, the seventh 60, the eighth no more. Nineteen bins
 * are too few.
 */
static void least_rise_of_tenths(void **state)
{
	static const double expected[] = {10, -40, 0};
	struct course c;

	(void)state;
	for (int k = 0; k < 3; k++) {
		course_init(&c, T0, COURSE_BINS);
		for (int i = 0; i < 100; i++) {
			int64_t value = k == 1 ? i % 50 : k == 2 && i > 60 ? 60 : i;

			if (i == 19)
				assert_true(isnan(course_least_rise(&c, UNIT)));
			course_add(&c, T0 + i * S, value * UNIT);
		}
		near(course_least_rise(&c, UNIT), expected[k]);
		course_release(&c);
	}
}

static void slope_of_nothing(void **state)
{
	struct course c;

	(void)state;
	course_init(&c, T0, COURSE_BINS);
	assert_true(isnan(course_slope_per_h(&c, UNIT)));
	course_add(&c, T0, 1);
	course_add(&c, T0 + S, 2);
	assert_true(isnan(course_slope_per_h(&c, UNIT)));
	/* many values, in two bins */
	course_add(&c, T0 + S, 3);
	assert_true(isnan(course_slope_per_h(&c, UNIT)));
	course_add(&c, T0 + 2 * S, 3);
	assert_true(course_slope_per_h(&c, UNIT) > 0);
	course_release(&c);

	course_init(&c, T0, COURSE_BINS);
	for (int i = 0; i < 1000; i++)
		course_add(&c, T0 + i * S, 7 * UNIT);
	assert_true(course_slope_per_h(&c, UNIT) == 0);
	course_release(&c);
}

/*
 * Kendall's S of n values in order is n (n - 1) / 2, and 2 less for each pair in reverse;
 * chance makes |S| - 1 as large as 2.576 sqrt(n (n - 1) (2 n + 5) / 18) in 1 % of all
 * cases: 10.5 of five, 13.7 of six, 17.2 of seven.
 */
static void chance(void **state)
{
	static const struct {
		const char *values;
		bool is_sure;
	} expected[] = {{"01234", false}, {"012345", true}, {"543210", true},
		{"0123456", true}, {"1023456", true}, {"1032456", false},
		{"0123455", true}, {"0123444", false}, {"0000001", false},
		{"0000000", false}};

	(void)state;
	for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
		struct course c;

		course_init(&c, T0, COURSE_BINS);
		for (int i = 0; expected[k].values[i]; i++)
			course_add(&c, T0 + i * S, (expected[k].values[i] - '0') * UNIT);
		assert_int_equal(course_trend(&c, UNIT, T0).is_sure, expected[k].is_sure);
		course_release(&c);
	}
}

/* Bins 3 to 6 of 0 to 9 and what is added later are as if there had been no others. */
static void forgetting(void **state)
{
	struct course c;

	(void)state;
	course_init(&c, T0, COURSE_BINS);
	for (int i = 0; i < 7; i++)
		course_add(&c, T0 + i * BIN, i);
	course_forget(&c, 3);
	course_forget(&c, 1);
	assert_int_equal(c.first, 3);
	assert_int_equal(total(&c), 4);
	assert_true(c.bin[0].sum == 3 && c.bin[3].sum == 6);
	course_add(&c, T0 + 8 * BIN, 8);
	assert_int_equal(c.count, 6);
	assert_true(c.bin[4].n == 0 && c.bin[5].sum == 8);
	course_forget(&c, 100);
	assert_int_equal(c.count, 0);
	course_add(&c, T0 + 200 * BIN, 9);
	assert_int_equal(c.first, 200);
	assert_int_equal(total(&c), 1);
	course_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubling),
		cmocka_unit_test(ends_of_time),
		cmocka_unit_test(late_and_short),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(merging_lengths),
		cmocka_unit_test(slope_of_a_ramp),
		cmocka_unit_test(slope_of_a_sawtooth),
		cmocka_unit_test(slope_with_outliers),
		cmocka_unit_test(least_rise_of_tenths),
		cmocka_unit_test(slope_of_nothing),
		cmocka_unit_test(chance),
		cmocka_unit_test(forgetting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
