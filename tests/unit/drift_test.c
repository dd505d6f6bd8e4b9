/*
 * What drifts in a steady state of utilization, and what does not; see made_levels.h. A
 * line from the first bin to the last has its values there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "made_levels.h"

typedef double value_of(int bin);

/* At 97 %, of one GPU. */
static void make_of(struct made *made, int bins, value_of *power, value_of *clock)
{
	begin(made, 1);
	for (int i = 0; i < bins; i++) {
		sample_at(made, T0_NS + i * BIN, 0, METRIC_gpu_util_pct, 97);
		also(made, METRIC_power_w, power(i));
		if (clock)
			also(made, METRIC_sm_clock_mhz, clock(i));
	}
	finish(made);
	found(made, 0, bins - 1);
}

static double falls(int i)
{
	return 600 - i * 0.25;
}

static double clock_falls(int i)
{
	return 1700 - i * 0.75;
}

static void drifts(const struct drift *drift, uint32_t device, enum metric_id metric,
	double from, double to)
{
	assert_int_equal(drift->device, device);
	assert_int_equal(drift->metric, metric);
	near(drift->from, from);
	near(drift->to, to);
	near(drift->change, (to - from) / from);
}

/* 600 to 500.25 W, 1700 to 1400.75 MHz. */
static void heat(void **state)
{
	struct made made;

	(void)state;
	make_of(&made, BINS, falls, clock_falls);
	assert_int_equal(made.report.steady.drift_count, 2);
	drifts(&made.report.steady.drift[0], 0, METRIC_power_w, 600, 500.25);
	drifts(&made.report.steady.drift[1], 0, METRIC_sm_clock_mhz, 1700, 1400.75);
	near(made.report.steady.power_total_mean_w, (600 + 500.25) / 2);
	release(&made);
}

static double rises(int i)
{
	return 500 + i * 0.25;
}

static double rises_less(int i)
{
	return 1000 + i * 0.125;
}

/* In 400 bins 49.875: of 997.5 it is 5 %. */
static double falls_5(int i)
{
	return 997.5 - i * 0.125;
}

static double falls_less(int i)
{
	return 998 - i * 0.125;
}

/* Of ten bins each, so that a tenth has two of both. */
static double epochs(int i)
{
	return i / 10 % 2 ? 600 : 300;
}

static double half(int i)
{
	return i < BINS / 2 ? 600 : 500;
}

static double quarter(int i)
{
	return i < BINS / 4 ? 600 : 500;
}

/* Goes and comes back. */
static double valley(int i)
{
	return 600 - (i < 200 ? i : 399 - i) * 0.5;
}

static double dice(int i)
{
	return 300 + (double)(i * 7919LL % 5003 % 301);
}

/* By 100 W, among noise of 60. */
static double noisy(int i)
{
	return 600 - i * 0.25 + (double)(i * 7919LL % 5003 % 61) - 30;
}

static double same(int i)
{
	(void)i;
	return 700;
}

static void what_is_one(void **state)
{
	static const struct {
		value_of *power;
		bool drifts;
	} cases[] = {{falls, true}, {falls_5, true}, {falls_less, false}, {rises, true},
		{rises_less, false}, {epochs, false}, {half, true}, {quarter, true},
		{valley, false}, {dice, false}, {noisy, true}, {same, false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made made;

		make_of(&made, BINS, cases[i].power, NULL);
		assert_int_equal(made.report.steady.drift_count, 1);
		if ((made.report.steady.drift[0].change != 0) != cases[i].drifts)
			fail_msg(
				"case %zu: %.17g", i, made.report.steady.drift[0].change);
		release(&made);
	}
}

static double steep(int i)
{
	return 600 - i * 5;
}

/* Of 20 bins it can be told. */
static void too_few(void **state)
{
	struct made made;

	(void)state;
	make_of(&made, 19, steep, NULL);
	assert_int_equal(made.report.steady.drift_count, 0);
	release(&made);
	make_of(&made, 20, steep, NULL);
	assert_int_equal(made.report.steady.drift_count, 1);
	drifts(&made.report.steady.drift[0], 0, METRIC_power_w, 600, 505);
	release(&made);
}

/* Each GPU has its own; what lies at other levels is not asked. */
static void of_each_gpu(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 2);
	for (int i = 0; i < BINS; i++)
		for (uint32_t gpu = 0; gpu < 2; gpu++) {
			bool pause = i >= 100 && i < 180;

			sample_at(&made, T0_NS + i * BIN, gpu, METRIC_gpu_util_pct,
				pause ? 0 : 97);
			also(&made, METRIC_sm_clock_mhz,
				pause	      ? 345
					: gpu ? clock_falls(i)
					      : 1700);
		}
	finish(&made);
	interrupted(&made, 0, LAST, 1, 80);
	assert_int_equal(made.report.steady.drift_count, 2);
	assert_true(made.report.steady.drift[0].change == 0);
	drifts(&made.report.steady.drift[1], 1, METRIC_sm_clock_mhz, 1700, 1400.75);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heat),
		cmocka_unit_test(what_is_one),
		cmocka_unit_test(too_few),
		cmocka_unit_test(of_each_gpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
