/* How fast the last values of a GPU changed. Each rate is worked out beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "made_run.h"

enum {
	UTIL,
	MEM,
	POWER,
	TEMP
}; /* as in ending_metric */

static const struct gpu_ending *ending_of(const struct made *made)
{
	assert_int_equal(made->report.ending.gpu_count, 1);
	return &made->report.ending.gpu[0];
}

/*
 * Cut off at 200 s: from 100 s on memory grows by 2 MiB/s, which is 120 MiB/min, power
 * falls by 0.5 W/s. The temperature stays; the GPU is busy every other second, so that as
 * many slopes rise as fall.
 */
static void of_a_ramp(void **state)
{
	const struct gpu_ending *gpu;
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int t = 0; t <= 200; t++) {
		int since = t < 100 ? 0 : t - 100;

		sample(&made, t, 0, METRIC_mem_used_mib, 1000 + 2 * since);
		also(&made, METRIC_power_w, 300 - 0.5 * since);
		also(&made, METRIC_temperature_c, 60);
		also(&made, METRIC_gpu_util_pct, t % 2 ? 100 : 0);
	}
	finish(&made);
	gpu = ending_of(&made);
	assert_true(gpu->value[MEM] == 1200);
	near(gpu->rate_per_min[MEM], 120);
	near(gpu->rate_per_min[POWER], -30);
	assert_true(gpu->rate_per_min[TEMP] == 0);
	assert_true(fabs(gpu->rate_per_min[UTIL]) < 2);
	assert_true(gpu->is_trend[MEM] && gpu->is_trend[POWER]);
	assert_false(gpu->is_trend[TEMP] || gpu->is_trend[UTIL]);
	release(&made);
}

/* Only the minute before the end, of whatever length a step is. */
static void of_the_last_minute(void **state)
{
	static const double step_s[] = {0.01, 0.1, 1, 2.5, 10, 15};

	(void)state;
	for (size_t i = 0; i < sizeof step_s / sizeof step_s[0]; i++) {
		struct made made;

		begin(&made, 1);
		made.batch_rows = 7;
		made.run.interval_ns = (int64_t)llround(step_s[i] * 1e9);
		for (int k = (int)(240 / step_s[i]); k >= 0; k--) {
			double left_s = k * step_s[i];
			double mib = left_s > 75 ? 5000 - left_s : 2000 + left_s;

			sample(&made, 240 - left_s, 0, METRIC_mem_used_mib, mib);
		}
		finish(&made);
		near(ending_of(&made)->rate_per_min[MEM], -60);
		release(&made);
	}
}

/* rows, a step apart, each 1 MiB above the one before. */
static double rate_of(int rows, double step_s)
{
	struct made made;
	double rate;

	begin(&made, 1);
	made.run.interval_ns = (int64_t)llround(step_s * 1e9);
	for (int i = 0; i < rows; i++)
		sample(&made, i * step_s, 0, METRIC_mem_used_mib, i);
	finish(&made);
	rate = ending_of(&made)->rate_per_min[MEM];
	release(&made);
	return rate;
}

/* It takes five points over half a minute. */
static void of_too_little(void **state)
{
	(void)state;
	assert_true(isnan(rate_of(1, 1)));
	assert_true(isnan(rate_of(29, 1)));
	assert_true(isnan(rate_of(3, 30)));
	assert_true(isnan(rate_of(4, 15)));
	near(rate_of(35, 1), 60);
	assert_true(isnan(rate_of(4, 10)));
	near(rate_of(5, 10), 6);
	near(rate_of(5, 15), 4);
	assert_true(isnan(rate_of(100, 20)));
}

/* Behind a clock that was set back the minute begins anew; behind a hole, too. */
static void behind_a_break(void **state)
{
	struct made made;

	(void)state;
	for (int rows = 20; rows <= 50; rows += 30) {
		begin(&made, 1);
		for (int t = 0; t <= 100; t++)
			sample(&made, t, 0, METRIC_mem_used_mib, 1000 * t);
		for (int t = 0; t < rows; t++) {
			sample(&made, 30 + t, 0, METRIC_mem_used_mib, 3 * t);
			made.batch.segment[made.batch.rows - 1] = 1;
		}
		finish(&made);
		if (rows < 30)
			assert_true(isnan(ending_of(&made)->rate_per_min[MEM]));
		else
			near(ending_of(&made)->rate_per_min[MEM], 180);
		release(&made);

		begin(&made, 1);
		for (int t = 0; t <= 100; t++)
			sample(&made, t, 0, METRIC_mem_used_mib, 1000 * t);
		for (int t = 0; t < rows; t++)
			sample(&made, 1e9 + t, 0, METRIC_mem_used_mib, 3 * t);
		finish(&made);
		if (rows < 30)
			assert_true(isnan(ending_of(&made)->rate_per_min[MEM]));
		else
			near(ending_of(&made)->rate_per_min[MEM], 180);
		release(&made);
	}
}

/* At the end of a window what is in it; of a lost GPU what was before it was lost. */
static void of_a_window(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	made.options.window.set = true;
	made.options.window.from_ns = at_ns(0);
	made.options.window.to_ns = at_ns(80);
	for (int t = 0; t < 200; t++)
		sample(&made, t, 0, METRIC_mem_used_mib, t < 80 ? 3 * t : 7 * t);
	finish(&made);
	near(ending_of(&made)->rate_per_min[MEM], 180);
	release(&made);

	begin(&made, 1);
	for (int t = 0; t < 200; t++)
		sample(&made, t, 0, METRIC_mem_used_mib, t < 80 ? 3 * t : (double)NAN);
	finish(&made);
	assert_true(ending_of(&made)->lost);
	near(ending_of(&made)->rate_per_min[MEM], 180);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_ramp),
		cmocka_unit_test(of_the_last_minute),
		cmocka_unit_test(of_too_little),
		cmocka_unit_test(behind_a_break),
		cmocka_unit_test(of_a_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
