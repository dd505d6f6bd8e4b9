/* CPU shares out of tick counters, with windows worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/timestamp.h"
#include "compute/series/counter.h"

#define S NS_PER_S

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
		fail_msg("%.17g, not %.17g", value, expected);
}

/* A snapshot of user and idle; all other fields stay 0. */
static void add(struct shares *s, double t_s, int segment, int64_t user, int64_t idle)
{
	int64_t ticks[TICK_COUNT] = {[TICK_USER] = user, [TICK_IDLE] = idle};

	shares_add(s, (int64_t)(t_s * 1e9), segment, ticks, true);
}

/* False: not published. */
static bool get(struct shares *s, enum metric_id metric, struct metric_stats *stats)
{
	for (int i = 0; i < SHARE_COUNT; i++)
		if (shares_get(s, i, stats) && stats->metric == metric)
			return true;
	return false;
}

/*
 * At 2 Hz: [0, 1] has 40 of 100 ticks, [1, 2] 100 of 100; the half second that remains,
 * with 0 of 50, joins the latter: 100 of 150.
 */
static void windows(void **state)
{
	struct metric_stats stats = {0};
	struct shares s;

	(void)state;
	shares_init(&s, -1);
	add(&s, 0.0, 0, 1000, 5000);
	add(&s, 0.5, 0, 1010, 5040);
	add(&s, 1.0, 0, 1040, 5060);
	add(&s, 1.5, 0, 1090, 5060);
	add(&s, 2.0, 0, 1140, 5060);
	add(&s, 2.5, 0, 1140, 5110);
	shares_finish(&s);
	assert_true(get(&s, METRIC_cpu_user_pct, &stats));
	assert_int_equal(stats.n, 2);
	near(stats.mean, 56); /* 140 of 250 */
	near(stats.min, 40);
	near(stats.max, 200.0 / 3);
	assert_int_equal(stats.min_at_ns, S);
	assert_int_equal(stats.max_at_ns, 5 * S / 2);
	assert_int_equal(stats.min_window.from_ns, 0);
	assert_int_equal(stats.max_window.from_ns, S);
	near(stats.mean_samples, (40 + 200.0 / 3) / 2);
	near(stats.stddev, (200.0 / 3 - 40) / sqrt(2));
	/* of 40.00 and 66.67, rounded; 66.67 is above the largest window */
	near(stats.p50, 53.335);
	near(stats.p99, 40 + 0.99 * 26.67);
	assert_true(get(&s, METRIC_cpu_idle_pct, &stats));
	near(stats.mean, 44);
	assert_true(get(&s, METRIC_cpu_busy_pct, &stats));
	near(stats.mean, 56);
	shares_release(&s);
}

/* A window ends at the first sample that is at least a second later. */
static void uneven_windows(void **state)
{
	struct metric_stats stats = {0};
	struct shares s;

	(void)state;
	shares_init(&s, -1);
	add(&s, 0.0, 0, 0, 0);
	add(&s, 0.9, 0, 90, 0);
	add(&s, 1.8, 0, 90, 90); /* 90 of 180 */
	add(&s, 2.8, 0, 190, 90); /* 100 of 100 */
	add(&s, 7.8, 0, 190, 590); /* 0 of 500: a gap is a valid slice */
	shares_finish(&s);
	assert_true(get(&s, METRIC_cpu_usr_pct, &stats));
	assert_int_equal(stats.n, 3);
	assert_true(stats.min == 0 && stats.max == 100);
	assert_true(stats.p50 == 50);
	near(stats.mean, 100 * 190.0 / 780);
	assert_int_equal(stats.max_at_ns, (int64_t)(2.8e9));
	assert_int_equal(stats.max_window.from_ns, (int64_t)(1.8e9));
	assert_int_equal(stats.min_window.from_ns, (int64_t)(2.8e9));
	shares_release(&s);
}

/* A log shorter than a window has one; one of one sample has none. */
static void short_logs(void **state)
{
	struct metric_stats stats = {0};
	struct shares s;

	(void)state;
	shares_init(&s, -1);
	add(&s, 0, 0, 5, 5);
	shares_finish(&s);
	assert_true(get(&s, METRIC_cpu_user_pct, &stats));
	assert_int_equal(stats.n, 0);
	assert_true(isnan(stats.mean) && isnan(stats.max));
	shares_release(&s);

	shares_init(&s, -1);
	add(&s, 0, 0, 5, 5);
	add(&s, 0.1, 0, 8, 12);
	shares_finish(&s);
	assert_true(get(&s, METRIC_cpu_user_pct, &stats));
	assert_int_equal(stats.n, 1);
	near(stats.mean, 30);
	assert_true(isnan(stats.stddev));
	shares_release(&s);
}

/* A second without a tick has no share, and is counted. */
static void empty_windows(void **state)
{
	struct metric_stats stats = {0};
	struct shares s;

	(void)state;
	shares_init(&s, -1);
	add(&s, 0, 0, 10, 10);
	add(&s, 1, 0, 20, 20);
	add(&s, 2, 0, 20, 20);
	add(&s, 3, 0, 20, 30);
	shares_finish(&s);
	assert_true(get(&s, METRIC_cpu_user_pct, &stats));
	assert_int_equal(stats.n, 2);
	assert_int_equal(stats.missing, 1);
	near(stats.mean, 100.0 / 3);
	shares_release(&s);
}

/* iowait goes down by 5: clamped at 0 and counted, the other fields count on. */
static void decreases(void **state)
{
	int64_t before[TICK_COUNT] = {100, 0, 0, 100, 50, 0, 0, 0, 0, 0};
	int64_t after[TICK_COUNT] = {130, 0, 0, 170, 45, 0, 0, 0, 0, 0};
	struct metric_stats stats = {0};
	struct shares s;

	(void)state;
	shares_init(&s, -1);
	shares_add(&s, 0, 0, before, true);
	shares_add(&s, S, 0, after, true);
	shares_finish(&s);
	assert_int_equal(s.clamped, 1);
	assert_true(get(&s, METRIC_cpu_iowait_pct, &stats));
	assert_true(stats.mean == 0);
	assert_true(get(&s, METRIC_cpu_user_pct, &stats));
	near(stats.mean, 30);
	shares_release(&s);
}

/* A CPU that was away has no slice over its absence; neither has a step back in time. */
static void slices_that_are_none(void **state)
{
	int64_t later[TICK_COUNT] = {[TICK_USER] = 900, [TICK_IDLE] = 900};
	int64_t last[TICK_COUNT] = {[TICK_USER] = 900, [TICK_IDLE] = 1000};
	struct metric_stats stats = {0};
	struct shares s;

	(void)state;
	shares_init(&s, -1);
	add(&s, 0, 0, 0, 0);
	add(&s, 1, 0, 50, 50);
	shares_add(&s, 9 * S, 0, later, false);
	shares_add(&s, 10 * S, 0, last, true);
	add(&s, 5, 1, 0, 0); /* a segment begins */
	add(&s, 6, 1, 100, 0);
	shares_finish(&s);
	assert_true(get(&s, METRIC_cpu_user_pct, &stats));
	assert_int_equal(stats.n, 3);
	near(stats.mean, 50); /* 50 + 0 + 100 of 300 */
	assert_int_equal(s.clamped, 0);
	shares_release(&s);
}

/* Four fields, as before Linux 2.5.41: what was never there is not published. */
static void old_kernels(void **state)
{
	static const struct {
		enum metric_id metric;
		bool published;
	} metrics[] = {{METRIC_cpu_usr_pct, true}, {METRIC_cpu_sys_pct, true},
		{METRIC_cpu_user_pct, true}, {METRIC_cpu_nice_pct, true},
		{METRIC_cpu_system_pct, true}, {METRIC_cpu_idle_pct, true},
		{METRIC_cpu_busy_pct, true}, {METRIC_cpu_iowait_pct, false},
		{METRIC_cpu_irq_pct, false}, {METRIC_cpu_softirq_pct, false},
		{METRIC_cpu_steal_pct, false}, {METRIC_cpu_guest_pct, false}};
	int64_t ticks[TICK_COUNT] = {1, 2, 3, 4, -1, -1, -1, -1, -1, -1};
	struct metric_stats stats = {0};
	struct shares s;

	(void)state;
	shares_init(&s, -1);
	shares_add(&s, 0, 0, ticks, true);
	for (int i = 0; i < 4; i++)
		ticks[i] += 10 * (i + 1);
	shares_add(&s, S, 0, ticks, true);
	shares_finish(&s);
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
		assert_int_equal(
			get(&s, metrics[i].metric, &stats), metrics[i].published);
	assert_true(get(&s, METRIC_cpu_usr_pct, &stats));
	near(stats.mean, 30); /* 10 + 20 of 100 */
	assert_true(get(&s, METRIC_cpu_busy_pct, &stats));
	near(stats.mean, 60);
	shares_release(&s);
}

/* All ten fields: 10 20 30 40 50 60 70 80 of 360, and of which 7 + 8 guests. */
static void all_fields(void **state)
{
	static const struct {
		enum metric_id metric;
		double ticks;
		bool one_of_eight;
	} metrics[] = {{METRIC_cpu_user_pct, 10, true}, {METRIC_cpu_nice_pct, 20, true},
		{METRIC_cpu_system_pct, 30, true}, {METRIC_cpu_idle_pct, 40, true},
		{METRIC_cpu_iowait_pct, 50, true}, {METRIC_cpu_irq_pct, 60, true},
		{METRIC_cpu_softirq_pct, 70, true}, {METRIC_cpu_steal_pct, 80, true},
		{METRIC_cpu_guest_pct, 15, false}, {METRIC_cpu_usr_pct, 30, false},
		{METRIC_cpu_sys_pct, 160, false}, {METRIC_cpu_busy_pct, 270, false}};
	int64_t ticks[TICK_COUNT] = {0};
	struct metric_stats stats = {0};
	struct shares s;
	double sum = 0;

	(void)state;
	shares_init(&s, -1);
	shares_add(&s, 0, 0, ticks, true);
	for (int i = 0; i < TICK_GUEST; i++)
		ticks[i] += 10 * (i + 1);
	ticks[TICK_GUEST] = 7;
	ticks[TICK_GUEST_NICE] = 8;
	shares_add(&s, S, 0, ticks, true);
	shares_finish(&s);
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
		assert_true(get(&s, metrics[i].metric, &stats));
		near(stats.mean, 100 * metrics[i].ticks / 360);
		sum += metrics[i].one_of_eight ? stats.mean : 0;
	}
	near(sum, 100);
	shares_release(&s);
}

/* Whatever the counters do: the mean lies within the windows', percentiles too. */
static void mean_within_windows(void **state)
{
	uint64_t seed = 271828;

	(void)state;
	for (int log = 0; log < 300; log++) {
		int64_t ticks[TICK_COUNT] = {0}, t_ns = 0;
		struct metric_stats stats = {0};
		struct shares s;

		shares_init(&s, -1);
		for (int row = 0; row < 40; row++) {
			for (int i = 0; i < TICK_COUNT; i++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				ticks[i] += (int64_t)(seed >> 58) - 4;
				ticks[i] = ticks[i] < 0 ? 0 : ticks[i];
			}
			t_ns += (int64_t)(seed >> 32) % (3 * S / 2);
			shares_add(&s, t_ns, row / 15, ticks, seed >> 40 & 7);
		}
		shares_finish(&s);
		for (int i = 0; i < SHARE_COUNT; i++) {
			assert_true(shares_get(&s, i, &stats));
			assert_true(stats.n > 5);
			assert_true(stats.min <= stats.mean && stats.mean <= stats.max);
			assert_true(stats.min <= stats.p50 && stats.p50 <= stats.p90);
			assert_true(stats.p90 <= stats.p99 && stats.p99 <= stats.max);
		}
		shares_release(&s);
	}
}

/* Samples of a log without times are added a second apart, whatever their step is. */
static void logs_without_times(void **state)
{
	static const struct {
		int64_t step_ns;
		uint64_t n;
	} steps[] = {{0, 1}, {S / 4, 2}, {S / 3 + 1, 3}, {S, 9}, {5 * S, 9}};

	(void)state;
	for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
		int64_t ticks[TICK_COUNT] = {0};
		struct metric_stats stats = {0};
		struct shares s;

		shares_init(&s, steps[k].step_ns);
		for (int row = 0; row < 10; row++) {
			shares_add(&s, row * S, 0, ticks, true);
			ticks[TICK_USER] += row;
			ticks[TICK_IDLE] += 100 - row;
		}
		shares_finish(&s);
		assert_int_equal(s.slices, 9);
		assert_true(shares_get(&s, 0, &stats));
		assert_int_equal(stats.n, steps[k].n);
		assert_true(stats.mean == 4);
		shares_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(uneven_windows),
		cmocka_unit_test(short_logs),
		cmocka_unit_test(empty_windows),
		cmocka_unit_test(decreases),
		cmocka_unit_test(slices_that_are_none),
		cmocka_unit_test(old_kernels),
		cmocka_unit_test(all_fields),
		cmocka_unit_test(mean_within_windows),
		cmocka_unit_test(logs_without_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
