/*
 * Gauges and interval averages in closed forms: a ramp, a square wave, gaps, a log
 * without times; each expected number is worked out beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "base/timestamp.h"
#include "compute/series/series.h"

#define S     NS_PER_S
#define UNIT  1000000 /* quanta of a watt and of a per cent */
#define LIMIT (3 * S)

/* A row of a gauge that looks at all of the time. */
static void add_row(
	struct gauge *g, int64_t t_ns, int segment, int64_t value, int64_t short_ns)
{
	struct slice slice;

	if (gauge_follow(g, t_ns, segment, value, &slice)) {
		const struct slice_piece whole = slice_whole(&slice);

		gauge_cover(g, &slice, &whole, slice_area(&slice), short_ns);
	}
	gauge_value(g, t_ns, segment, value);
}

static void add(struct gauge *g, double t_s, int segment, int64_t value)
{
	add_row(g, (int64_t)(t_s * 1e9), segment, value * UNIT, 2 * S);
}

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
		fail_msg("%.17g, not %.17g", value, expected);
}

static void ramp(void **state)
{
	struct metric_stats stats = {0};
	struct gauge g;

	(void)state;
	gauge_init(&g, METRIC_power_w);
	for (int i = 0; i <= 100; i++)
		add(&g, i, 0, i);
	gauge_finish(&g, LIMIT, -1, &stats);
	assert_int_equal(stats.n, 101);
	assert_true(stats.covered_s == 100);
	assert_true(stats.mean == 50);
	assert_true(stats.mean_samples == 50);
	assert_true(stats.energy_j == 5000); /* half of 100 s * 100 W */
	assert_true(stats.sum == 5050);
	assert_true(stats.min == 0 && stats.max == 100);
	assert_int_equal(stats.min_at_ns, 0);
	assert_int_equal(stats.max_at_ns, 100 * S);
	assert_true(stats.p50 == 50 && stats.p90 == 90);
	assert_true(stats.p95 == 95 && stats.p99 == 99);
	near(stats.stddev, sqrt(858.5)); /* n (n + 1) / 12 of 0 .. n - 1 */
	assert_false(stats.has_above);
	gauge_release(&g);

	/* the crossings lie on the line */
	gauge_init(&g, METRIC_gpu_util_pct);
	add(&g, 0, 0, 0);
	add(&g, 1, 0, 100);
	gauge_finish(&g, LIMIT, -1, &stats);
	assert_true(stats.has_above && !stats.has_energy);
	assert_true(stats.above[ABOVE_0] == 1);
	near(stats.above[ABOVE_20], 0.8);
	near(stats.above[ABOVE_50], 0.5);
	near(stats.above[ABOVE_80], 0.2);
	near(stats.above[ABOVE_95], 0.05);
	gauge_release(&g);
}

/*
 * Ten seconds 0, ten 100, twice, at 1 Hz: of 39 slices 18 are at 0, 18 at 100, three
 * edges: (18 * 100 + 3 * 50) / 39 = 50.
 */
static void square_wave(void **state)
{
	struct metric_stats stats = {0};
	struct gauge g;

	(void)state;
	gauge_init(&g, METRIC_gpu_util_pct);
	for (int i = 0; i < 40; i++)
		add(&g, i, 0, i / 10 % 2 * 100);
	gauge_finish(&g, LIMIT, -1, &stats);
	assert_true(stats.covered_s == 39);
	assert_true(stats.mean == 50);
	near(stats.above[ABOVE_0], 21.0 / 39);
	near(stats.above[ABOVE_50], 19.5 / 39);
	near(stats.above[ABOVE_80], 18.6 / 39);
	near(stats.above[ABOVE_95], 18.15 / 39);
	assert_int_equal(stats.min_at_ns, 0); /* the first wins */
	assert_int_equal(stats.max_at_ns, 10 * S);
	near(stats.stddev, sqrt(40 * 2500.0 / 39));
	gauge_release(&g);
}

/* At a threshold: ">= 20" holds, "> 0" does not. */
static void on_a_threshold(void **state)
{
	static const struct {
		int64_t value;
		double above[ABOVE_COUNT];
	} levels[] = {{0, {0, 0, 0, 0, 0}}, {1, {1, 0, 0, 0, 0}}, {20, {1, 1, 0, 0, 0}},
		{50, {1, 1, 1, 0, 0}}, {95, {1, 1, 1, 1, 1}}, {100, {1, 1, 1, 1, 1}}};

	(void)state;
	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
		struct metric_stats stats = {0};
		struct gauge g;

		gauge_init(&g, METRIC_gpu_util_pct);
		for (int t = 0; t < 5; t++)
			add(&g, t, 0, levels[i].value);
		gauge_finish(&g, LIMIT, -1, &stats);
		for (int a = 0; a < ABOVE_COUNT; a++)
			assert_true(stats.above[a] == levels[i].above[a]);
		gauge_release(&g);
	}
}

/* 10 10 10 W at 0 1 2 s, 30 and 40 W at 100 and 101 s. */
static void gaps(void **state)
{
	static const struct {
		int64_t limit_ns;
		double covered_s, energy_j;
	} limits[] = {
		{3 * S, 3, 10 + 10 + 35},
		{98 * S, 101, 20 + 98 * 20 + 35}, /* not longer than the limit */
		{98 * S - 1, 3, 55}, {0, 0, NAN}, {-1, NAN, NAN}, /* no gap can be told */
	};

	(void)state;
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		struct metric_stats stats = {0};
		int64_t short_ns = limits[i].limit_ns ? 2 * S : 0;
		struct gauge g;

		gauge_init(&g, METRIC_power_w);
		add_row(&g, 0, 0, 10 * UNIT, short_ns);
		add_row(&g, S, 0, 10 * UNIT, short_ns);
		add_row(&g, 2 * S, 0, 10 * UNIT, short_ns);
		add_row(&g, 100 * S, 0, 30 * UNIT, short_ns);
		add_row(&g, 101 * S, 0, 40 * UNIT, short_ns);
		gauge_finish(&g, limits[i].limit_ns, -1, &stats);
		assert_true(stats.covered_s == limits[i].covered_s ||
			(isnan(stats.covered_s) && isnan(limits[i].covered_s)));
		assert_true(stats.mean_samples == 20);
		if (limits[i].covered_s > 0) {
			near(stats.mean, limits[i].energy_j / limits[i].covered_s);
			near(stats.energy_j, limits[i].energy_j);
		} else {
			assert_true(stats.mean == 20);
			assert_true(isnan(stats.energy_j));
		}
		gauge_release(&g);
	}
}

/* No slice between equal times, backwards, or over a segment's border. */
static void what_is_no_slice(void **state)
{
	struct metric_stats stats = {0};
	struct gauge g;

	(void)state;
	gauge_init(&g, METRIC_power_w);
	add(&g, 10, 0, 10);
	add(&g, 11, 0, 20); /* 15 J */
	add(&g, 11, 0, 90);
	add(&g, 12, 0, 10); /* 50 J */
	add(&g, 2, 1, 1000);
	add(&g, 3, 1, 0); /* 500 J */
	add(&g, 4, 2, 1000); /* later by chance: its neighbors had no value */
	gauge_finish(&g, LIMIT, -1, &stats);
	assert_int_equal(stats.n, 7);
	assert_true(stats.covered_s == 3);
	assert_true(stats.energy_j == 565);
	assert_int_equal(stats.max_at_ns, 2 * S);
	gauge_release(&g);
}

/* A printed share is the average of the time before: 10 over 1 s, 40 over 2 s. */
static void interval_average(void **state)
{
	struct metric_stats stats = {0};
	struct gauge g;

	(void)state;
	gauge_init(&g, METRIC_cpu_usr_pct);
	add(&g, 0, 0, 50);
	add(&g, 1, 0, 10);
	add(&g, 3, 0, 40);
	add(&g, 60, 0, 80); /* after a gap: no dt */
	gauge_finish(&g, LIMIT, -1, &stats);
	assert_true(stats.mean == 30);
	assert_true(stats.mean_samples == 45);
	assert_true(stats.covered_s == 3);
	assert_true(stats.min == 10 && stats.max == 80);
	gauge_release(&g);
}

static void without_times(void **state)
{
	static const struct {
		int64_t limit_ns, step_ns;
		double covered_s, energy_j;
	} steps[] = {
		{5 * S / 2, S / 2, 1, 20}, /* two steps of half a second at 20 W */
		{5 * S / 2, S / 4, 0.5, 10}, {15 * S, 5 * S, 10, 200}, {1, 1, 2e-9, 4e-8},
		{-1, 0, NAN, NAN}, /* nobody knows */
		{100, 0, NAN, NAN},
		{S, 5 * S, 0, NAN}, /* --gap below the interval: all are gaps */
	};

	(void)state;
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		struct metric_stats stats = {0};
		struct gauge g;

		gauge_init(&g, METRIC_power_w);
		for (int row = 0; row < 3; row++)
			add_row(&g, row * UNTIMED_STEP_NS, 0, (10 + 10 * row) * UNIT, 0);
		gauge_finish(&g, steps[i].limit_ns, steps[i].step_ns, &stats);
		assert_true(stats.mean == 20);
		assert_int_equal(stats.min_at_ns, TIME_NONE);
		if (isnan(steps[i].covered_s))
			assert_true(isnan(stats.covered_s));
		else
			near(stats.covered_s, steps[i].covered_s);
		if (isnan(steps[i].energy_j))
			assert_true(isnan(stats.energy_j));
		else
			near(stats.energy_j, steps[i].energy_j);
		gauge_release(&g);
	}
}

static void nothing_and_one(void **state)
{
	struct metric_stats stats = {0};
	struct gauge g;

	(void)state;
	gauge_init(&g, METRIC_gpu_util_pct);
	g.missing = 7;
	gauge_finish(&g, LIMIT, -1, &stats);
	assert_int_equal(stats.n, 0);
	assert_int_equal(stats.missing, 7);
	assert_true(isnan(stats.mean) && isnan(stats.min) && isnan(stats.p50));
	assert_true(isnan(stats.covered_s) && isnan(stats.above[ABOVE_0]));
	assert_int_equal(stats.min_at_ns, TIME_NONE);
	gauge_release(&g);

	gauge_init(&g, METRIC_gpu_util_pct);
	add(&g, 5, 0, 42);
	gauge_finish(&g, LIMIT, -1, &stats);
	assert_int_equal(stats.n, 1);
	assert_true(stats.mean == 42 && stats.p99 == 42);
	assert_true(stats.covered_s == 0);
	assert_true(isnan(stats.stddev) && isnan(stats.above[ABOVE_0]));
	gauge_release(&g);
}

/* Two values that differ by a quantum, far from nought: no cancellation. */
static void deviation_without_cancellation(void **state)
{
	static const int64_t offsets[] = {0, 100000000000000, -100000000000000};

	(void)state;
	for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
		struct metric_stats stats = {0};
		struct gauge g;

		gauge_init(&g, METRIC_power_w);
		for (int row = 0; row < 1000; row++)
			add_row(&g, row * S, 0, offsets[i] + row % 2, 2 * S);
		gauge_finish(&g, LIMIT, -1, &stats);
		near(stats.stddev, sqrt(250.0 / 999) / UNIT);
		gauge_release(&g);
	}
}

/* The mean of a constant is that constant, to the last bit, whatever the steps. */
static void mean_of_a_constant(void **state)
{
	uint64_t seed = 314159;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct metric_stats stats = {0};
		int64_t t_ns = 0, value;
		struct gauge g;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		value = (int64_t)(seed >> 18);
		gauge_init(&g, METRIC_mem_used_mib);
		for (int row = 0; row < 5; row++) {
			add_row(&g, t_ns, 0, value, 2 * S);
			t_ns += (int64_t)(seed >> (30 + row)) + 1;
		}
		gauge_finish(&g, INT64_MAX, -1, &stats);
		assert_true(stats.mean == stats.min && stats.mean == stats.max);
		assert_true(stats.mean_samples == stats.min && stats.p95 == stats.min);
		gauge_release(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ramp),
		cmocka_unit_test(square_wave),
		cmocka_unit_test(on_a_threshold),
		cmocka_unit_test(gaps),
		cmocka_unit_test(what_is_no_slice),
		cmocka_unit_test(interval_average),
		cmocka_unit_test(without_times),
		cmocka_unit_test(nothing_and_one),
		cmocka_unit_test(deviation_without_cancellation),
		cmocka_unit_test(mean_of_a_constant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
