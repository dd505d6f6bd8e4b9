/*
 * The median of the slopes of all pairs of points and how many rise, to the last bit
 * those of all slopes listed and sorted: of values of all kinds, at times of all kinds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "compute/numbers/rank.h"
#include "compute/numbers/slopes.h"
#include "often.h"

#define POINTS 500

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed >> 11;
}

static double uniform(uint64_t *seed)
{
	return (double)next_random(seed) * 0x1p-53;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Every slope, sorted: the definition. */
static struct slopes sorted_slopes(const struct point *point, size_t count)
{
	double *slope = malloc((count * count + 1) * sizeof *slope);
	struct slopes slopes = {.rise = 0};
	size_t pairs = 0;

	assert_non_null(slope);
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			if (point[k].t_s > point[i].t_s)
				slope[pairs++] = (point[k].value - point[i].value) /
					(point[k].t_s - point[i].t_s);
	qsort(slope, pairs, sizeof *slope, ascending);
	for (size_t i = 0; i < pairs; i++)
		slopes.rise += (slope[i] > 0) - (slope[i] < 0);
	slopes.median = slope[pairs / 2];
	if (pairs % 2 == 0)
		slopes.median = slope[pairs / 2 - 1] +
			(slope[pairs / 2] - slope[pairs / 2 - 1]) / 2;
	free(slope);
	return slopes;
}

enum times {
	EVEN,
	LATE, /* the same, long after the origin */
	JITTER,
	GAPS, /* now and then a long one */
	NEARBY, /* two of three within a millionth of the third's step */
	TWICE, /* every seventh at the time before */
	TIMES_COUNT
};

enum values {
	LEVEL,
	NOISE,
	WHOLE_NOISE, /* of ten whole values */
	TWO_VALUES,
	SELDOM, /* level, but for one of ten */
	ASCENDING, /* whole, without noise: nearly all slopes are equal */
	DESCENDING, /* the same, thirds */
	RAMP, /* with little noise */
	STEEP, /* the same, downwards */
	STEP, /* between two levels */
	SAW,
	FALLING, /* ever slower */
	OUTLIERS,
	HUGE_LEVEL, /* noise that is small beside it */
	VALUES_COUNT
};

static double time_of(enum times times, size_t i, double before, uint64_t *seed)
{
	switch (times) {
	case LATE:
		return 1e9 + 8.589934592 * (double)i;
	case JITTER:
		return before + 8 + uniform(seed);
	case GAPS:
		return before + (next_random(seed) % 20 ? 1 : 500 * uniform(seed));
	case NEARBY:
		return before + (i % 3 ? 1e-6 : 1);
	case TWICE:
		return before + (i % 7 != 6);
	case EVEN:
	case TIMES_COUNT:
		break;
	}
	return 8.589934592 * (double)i;
}

static double value_of(enum values values, size_t i, uint64_t *seed)
{
	double x = (double)i, noise = uniform(seed) - 0.5;

	switch (values) {
	case LEVEL:
		return 81559;
	case NOISE:
		return 500 + 40 * noise;
	case WHOLE_NOISE:
		return floor(10 * noise);
	case TWO_VALUES:
		return noise < 0 ? 1410 : 1980;
	case SELDOM:
		return noise < 0.4 ? 1980 : 1000 * noise;
	case ASCENDING:
		return x;
	case DESCENDING:
		return -x / 3;
	case RAMP:
		return 300 + 0.01 * x + noise;
	case STEEP:
		return 1000 - 70 * x + noise;
	case STEP:
		return (i < 200 ? 300 : 600) + noise;
	case SAW:
		return (double)(i % 17 + i % 5);
	case FALLING:
		return 1400 + 600 * exp(-x / 50) + noise;
	case OUTLIERS:
		return i % 10 == 5 ? 1e9 : x + noise;
	case HUGE_LEVEL:
		return 1e15 + floor(8 * noise);
	case VALUES_COUNT:
		break;
	}
	return 0;
}

static void make(struct point *point, size_t count, enum times times, enum values values,
	uint64_t seed)
{
	double t_s = 0;

	for (size_t i = 0; i < count; i++) {
		t_s = time_of(times, i, t_s, &seed);
		point[i] = (struct point){t_s, value_of(values, i, &seed)};
	}
}

static void all_kinds(void **state)
{
	static const size_t counts[] = {
		2, 3, 4, 5, 10, 23, 24, 25, 26, 27, 60, 61, 100, 368, POINTS};
	static struct point point[POINTS];

	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
		for (enum times times = 0; times < TIMES_COUNT; times++)
			for (enum values values = 0; values < VALUES_COUNT; values++) {
				struct slopes slopes, sorted;
				uint64_t seed = 77 + 1000 * c + 50 * times + values;

				make(point, counts[c], times, values, seed);
				slopes = slopes_of(point, counts[c]);
				sorted = sorted_slopes(point, counts[c]);
				if (slopes.median != sorted.median ||
					slopes.rise != sorted.rise)
					fail_msg("%zu points, times %d, values %d: %.17g "
						 "and %lld, not %.17g and %lld",
						counts[c], (int)times, (int)values,
						slopes.median, (long long)slopes.rise,
						sorted.median, (long long)sorted.rise);
				slopes = slopes_of_each(point, counts[c]);
				assert_true(slopes.median == sorted.median &&
					slopes.rise == sorted.rise);
			}
}

/* Odd and even numbers of pairs, of whole values, where ties meet the middle in all ways.
 */
static void many_small(void **state)
{
	static struct point point[64];
	uint64_t seed = 4711;

	(void)state;
	for (int round = 0; round < often(600, 3000); round++) {
		size_t count = 24 + next_random(&seed) % 40;
		double range = 1 + (double)(next_random(&seed) % 12);
		double trend = (double)(next_random(&seed) % 9) / 4 - 1;
		struct slopes slopes, sorted;

		for (size_t i = 0; i < count; i++)
			point[i] = (struct point){(double)i,
				floor(range * uniform(&seed) + trend * (double)i)};
		slopes = slopes_of(point, count);
		sorted = sorted_slopes(point, count);
		assert_true(slopes.median == sorted.median);
		assert_int_equal(slopes.rise, sorted.rise);
	}
}

/*
 * 0, 3, 1, 1 at 0, 1, 2, 4 s: slopes 3, 1/2, 1/4, -2, -2/3 and 0; the mean of 0 and 1/4;
 * three rise, two fall.
 */
static void by_hand(void **state)
{
	static const struct point point[] = {{0, 0}, {1, 3}, {2, 1}, {4, 1}};
	struct slopes slopes = slopes_of(point, 4);

	(void)state;
	assert_true(slopes.median == 0.125);
	assert_int_equal(slopes.rise, 1);
	slopes = slopes_of(point, 3); /* 3, 1/2, -2 */
	assert_true(slopes.median == 0.5);
	assert_int_equal(slopes.rise, 1);
}

static uint64_t count_below(const struct point *point, size_t count, double slope)
{
	uint64_t below = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			below += (point[k].value - point[i].value) /
					(point[k].t_s - point[i].t_s) <
				slope;
	return below;
}

/* Up and down again: what it counts, and that what it lists lies between. */
static void sweeping(void **state)
{
	static const double slopes[] = {0, 0.001, 0.0035, 0.003, -0.0005, -0.002, 0.0001};
	static struct point point[300];
	struct sweep sweep;

	(void)state;
	make(point, 300, JITTER, NOISE, 5);
	assert_true(sweep_init(&sweep, point, 300));
	sweep_begin(&sweep, slopes[0]);
	assert_int_equal(sweep_level_pairs(&sweep), 0);
	for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
		double from = sweep.slope, to = slopes[i];
		uint64_t below = sweep.below;

		if (i)
			assert_true(sweep_move(&sweep, to));
		assert_int_equal(sweep.below, count_below(point, 300, to));
		assert_int_equal(sweep.pair_count,
			to > from ? sweep.below - below : below - sweep.below);
		for (size_t k = 0; k < sweep.pair_count; k++) {
			const struct point *a = sweep.pair[k].a, *b = sweep.pair[k].b;
			double slope = (b->value - a->value) / (b->t_s - a->t_s);

			assert_true(a < b);
			assert_true(slope >= fmin(from, to) && slope <= fmax(from, to));
		}
	}
	/* nearly all pairs at once are too many */
	assert_false(sweep_move(&sweep, 1000));
	/* and these two are one */
	sweep_begin(&sweep, 0.001);
	assert_false(sweep_move(&sweep, 0.001 + 1e-16));
	sweep_release(&sweep);
	point[7].t_s = point[6].t_s;
	assert_false(sweep_init(&sweep, point, 300));
	sweep_release(&sweep);

	/* 1 1 2 2 2: one pair and three */
	for (size_t i = 0; i < 5; i++)
		point[i] = (struct point){(double)i, i % 2 ? 1 : 2};
	assert_true(sweep_init(&sweep, point, 5));
	sweep_begin(&sweep, 0);
	assert_int_equal(sweep_level_pairs(&sweep), 4);
	sweep_release(&sweep);
}

/* Any place of any numbers, against sorting them. */
static void selecting(void **state)
{
	static double x[1000], sorted[1000];
	uint64_t seed = 99;

	(void)state;
	for (size_t count = 1; count <= 1000; count += 1 + count / 7)
		for (uint64_t range = 1; range < 1000000; range *= 30)
			for (int kind = 0; kind < 3; kind++) {
				size_t k = next_random(&seed) % count;

				for (size_t i = 0; i < count; i++)
					x[i] = sorted[i] = kind == 0 ? (double)i
						: kind == 1
						? -(double)i
						: (double)(next_random(&seed) % range);
				qsort(sorted, count, sizeof *sorted, ascending);
				median_select(x, count, k);
				for (size_t i = 0; i < count; i++)
					assert_true(i < k ? x[i] <= x[k] : x[i] >= x[k]);
				assert_true(x[k] == sorted[k]);
				assert_true(median_of(x, count) ==
					(sorted[(count - 1) / 2] + sorted[count / 2]) /
						2);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds),
		cmocka_unit_test(many_small),
		cmocka_unit_test(by_hand),
		cmocka_unit_test(sweeping),
		cmocka_unit_test(selecting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
