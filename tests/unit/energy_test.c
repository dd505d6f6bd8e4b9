/*
 * Which energy is that of a GPU, in the run, its phases, calls and units of work, in
 * closed forms: each expected number is worked out beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "energy_fixture.h"

/*
 * The counter is t^2 J at t s, so that power is 2t W; between two samples it is a line:
 * at 10.25 s 100 + 21 / 4 = 105.25 J, at 60.5 s 3600 + 121 / 2 = 3660.5 J. The integral
 * of power, which is not taken, is 105.0625 J up to 10.25 s.
 */
static void a_ramp_in_tiles(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "a", 0, 10.25);
	phase(&made, "b", 10.25, 60.5);
	phase(&made, "c", 60.5, 100);
	for (int t = 0; t <= 100; t++)
		row(&made, t, 0, 2 * t, 7e9 + t * t);
	finish(&made);
	expect_phase(&made, "a", "counter", 105.25, 1);
	expect_phase(&made, "b", "counter", 3660.5 - 105.25, 1);
	expect_phase(&made, "c", "counter", 10000 - 3660.5, 1);
	expect_run(&made, "counter", 10000, 1);
	near(made.report.summary[SUMMARY_energy_partial_j].number, 10000);
	near(made.report.summary[SUMMARY_energy_uncovered_s].number, 0);
	/* what is in no call has no length */
	expect_phase(&made, "(outside)", NULL, NAN, NAN);
	assert_true(stats_of(&made, 0, METRIC_gpu_energy_j)->energy_chosen);
	assert_false(stats_of(&made, 0, METRIC_power_w)->energy_chosen);
	near(stats_of(&made, 0, METRIC_power_w)->energy_j, 10000);
	release(&made);
}

/* 100 J a second; a phase between two samples has half a second of it, and no sample. */
static void between_two_samples(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "short", 4.25, 4.75);
	for (int t = 0; t <= 10; t++)
		row(&made, t, 0, NAN, 100 * t);
	finish(&made);
	expect_phase(&made, "short", "counter", 50, 1);
	expect_run(&made, "counter", 1000, 1);
	release(&made);
}

/*
 * No row from 5 to 15 s; the limit is 3 s. The counter goes on over it: 2200 J in 22 s,
 * where power covers 5 + 7. A phase that has all of the gap has its energy; of one that
 * ends in it, 3 to 10 s, only the two seconds before are known; one in it knows nothing.
 */
static void over_a_gap(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "all of it", 3, 17);
	for (int t = 0; t <= 22; t++)
		if (t <= 5 || t >= 15)
			row(&made, t, 0, 100, 100 * t);
	finish(&made);
	expect_run(&made, "counter", 2200, 1);
	near(stats_of(&made, 0, METRIC_power_w)->energy_j, 1200);
	expect_phase(&made, "all of it", "counter", 1400, 1);
	/* 0 to 3, 17 to 22 */
	expect_phase(&made, "(outside)", "counter", 800, 1);
	release(&made);

	begin(&made, 1);
	phase(&made, "into it", 3, 10);
	phase(&made, "in it", 10, 12);
	for (int t = 0; t <= 22; t++)
		if (t <= 5 || t >= 15)
			row(&made, t, 0, 100, 100 * t);
	finish(&made);
	expect_phase(&made, "into it", "counter", 200, 2.0 / 7);
	expect_phase(&made, "in it", NULL, NAN, 0);
	near(path_of(&made, "in it")->summary[PHASE_energy_uncovered_s].number, 2);
	release(&made);
}

/*
 * 100 J a second from 1000 J; at 20 s the driver is loaded again. 19 steps before, 19
 * behind, the one between is left out: 3800 J in 38 s of 39. Of a phase around it, 18.5
 * to 21.5 s, a half, and one and a half are left: 200 J in 2 s of 3. That power covers
 * all of it, 330 J, changes nothing: the run is told by the counter, and so is each part.
 */
static void reset_in_the_middle(void **state)
{
	struct made made;

	(void)state;
	for (int power = 0; power < 2; power++) {
		begin(&made, 1);
		phase(&made, "reset", 18.5, 21.5);
		for (int t = 0; t < 40; t++)
			row(&made, t, 0, power ? 110 : NAN,
				t < 20 ? 1000 + 100 * t : 100 * (t - 20));
		finish(&made);
		expect_run(&made, "counter", 3800, 38.0 / 39);
		near(made.report.summary[SUMMARY_energy_uncovered_s].number, 1);
		assert_int_equal(stats_of(&made, 0, METRIC_gpu_energy_j)->resets, 1);
		expect_phase(&made, "reset", "counter", 200, 2.0 / 3);
		release(&made);
	}
}

/*
 * 100 J a second from 5 MJ, but at 30 s and 31 s the logger writes 0: of 60 steps those
 * to it and from it are left out, the one between them is 0.
 */
static void zeros_between(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int t = 0; t <= 60; t++)
		row(&made, t, 0, 100, t == 30 || t == 31 ? 0 : 5e6 + 100 * t);
	finish(&made);
	expect_run(&made, "counter", 2900 + 2800, 58.0 / 60);
	assert_int_equal(stats_of(&made, 0, METRIC_gpu_energy_j)->resets, 1);
	release(&made);
}

/*
 * 100 J a second from 1000 J; at 10 s the driver is loaded again, and at 29 s the counter
 * is where it was before that: of 60 steps only the one of the reset is left out.
 */
static void past_where_it_was(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int t = 0; t <= 60; t++)
		row(&made, t, 0, 100, t < 10 ? 1000 + 100 * t : 100 * (t - 10));
	finish(&made);
	expect_run(&made, "counter", 5900, 59.0 / 60);
	assert_int_equal(stats_of(&made, 0, METRIC_gpu_energy_j)->resets, 1);
	release(&made);
}

/* One counts 100 J a second, the other draws 50 W, for ten seconds. */
static void two_gpus(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 2);
	phase(&made, "half", 2.5, 7.5);
	for (int t = 0; t <= 10; t++) {
		row(&made, t, 0, 100, 100 * t);
		row(&made, t, 1, 50, NAN);
	}
	finish(&made);
	expect_run(&made, "mixed", 1500, 1);
	expect_phase(&made, "half", "mixed", 750, 1);
	assert_true(stats_of(&made, 0, METRIC_gpu_energy_j)->energy_chosen);
	assert_true(stats_of(&made, 1, METRIC_power_w)->energy_chosen);
	release(&made);

	/* the other says nothing at all */
	begin(&made, 2);
	for (int t = 0; t <= 10; t++) {
		row(&made, t, 0, 100, 100 * t);
		row(&made, t, 1, NAN, NAN);
	}
	finish(&made);
	expect_run(&made, "counter", NAN, 0.5);
	near(made.report.summary[SUMMARY_energy_partial_j].number, 1000);
	release(&made);
}

/*
 * A counter that stands still counts nothing, whatever the power; where it rises it does.
 * In a phase in which it stands still nothing is known, as the run has what it counts.
 */
static void standing_still(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int t = 0; t <= 10; t++)
		row(&made, t, 0, 100, 777);
	finish(&made);
	expect_run(&made, "integrated", 1000, 1);
	assert_true(isnan(stats_of(&made, 0, METRIC_gpu_energy_j)->energy_j));
	near(stats_of(&made, 0, METRIC_gpu_energy_j)->increase, 0);
	release(&made);

	begin(&made, 1);
	for (int t = 0; t <= 10; t++)
		row(&made, t, 0, NAN, 777);
	finish(&made);
	expect_run(&made, NULL, NAN, NAN);
	release(&made);

	/* still for five seconds, then 100 J a second */
	begin(&made, 1);
	phase(&made, "still", 0, 5);
	phase(&made, "rising", 5, 10);
	for (int t = 0; t <= 10; t++)
		row(&made, t, 0, 60, t < 5 ? 777 : 777 + 100 * (t - 5));
	finish(&made);
	expect_run(&made, "counter", 500, 1);
	expect_phase(&made, "still", NULL, NAN, 0);
	expect_phase(&made, "rising", "counter", 500, 1);
	release(&made);
}

/* Each row's own energy, a little more or less: what it rises by at times is nothing. */
static void no_counter(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "a rise", 1, 2);
	for (int t = 0; t <= 10; t++)
		row(&made, t, 0, 100, t % 2 ? 99 : 101);
	finish(&made);
	expect_run(&made, "integrated", 1000, 1);
	expect_phase(&made, "a rise", "integrated", 100, 1);
	assert_true(isnan(stats_of(&made, 0, METRIC_gpu_energy_j)->energy_j));
	release(&made);
}

/* Of 100 s of power at 50 W the counter, 60 J a second, has 95, or a second less. */
static void late_counter(void **state)
{
	struct made made;

	(void)state;
	for (int from = 5; from <= 6; from++) {
		begin(&made, 1);
		for (int t = 0; t <= 100; t++)
			row(&made, t, 0, 50, t < from ? (double)NAN : 60 * t);
		finish(&made);
		if (from == 5)
			expect_run(&made, "counter", 95 * 60, 0.95);
		else
			expect_run(&made, "integrated", 5000, 1);
		release(&made);
	}
}

/* The counter in one kind of log, power in another. */
static void of_two_logs(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int t = 0; t <= 10; t++)
		sample(&made, t, 0, METRIC_gpu_energy_j, 100 * t);
	flush(&made);
	made.batch.source = SOURCE_NVIDIA_DMON;
	for (int t = 0; t <= 10; t++)
		sample(&made, t, 0, METRIC_power_w, 90);
	finish(&made);
	expect_run(&made, "counter", 1000, 1);
	near(made.report.summary[SUMMARY_power_mean_w].number, 90);
	release(&made);
}

/* What a counter rose by is known without times; how much of them that is, is not. */
static void without_times(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	made.run.interval_ns = 0;
	made.batch.timed = false;
	for (int t = 0; t <= 10; t++)
		row(&made, 0, 0, 100, 100 * t);
	finish(&made);
	expect_run(&made, "counter", 1000, NAN);
	release(&made);
}

/*
 * 32 units at 2.5, 5 and 7.5 s: 64 of them in the 5 s from the first to the last, in
 * which the counter rises by 500 J; 500 / 64 = 7.8125 J each.
 */
static void units_of_work(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int i = 1; i <= 3; i++) {
		struct event *event = run_add_event(&made.run);

		event->type = EVENT_POINT;
		event->t_ns = at_ns(2.5 * i);
		event->type_name = run_keep(&made.run, "samples");
		event->extras = run_keep(&made.run, "{\"n\":32}");
	}
	for (int t = 0; t <= 10; t++)
		row(&made, t, 0, 90, 100 * t);
	finish(&made);
	assert_int_equal(made.report.work_count, 1);
	near(made.report.work->energy_j, 500);
	assert_int_equal(made.report.work->energy_method, ENERGY_COUNTER);
	near(made.report.work->energy_coverage, 1);
	near(made.report.work->energy_j_per_unit, 7.8125);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ramp_in_tiles),
		cmocka_unit_test(between_two_samples),
		cmocka_unit_test(over_a_gap),
		cmocka_unit_test(reset_in_the_middle),
		cmocka_unit_test(zeros_between),
		cmocka_unit_test(past_where_it_was),
		cmocka_unit_test(two_gpus),
		cmocka_unit_test(standing_still),
		cmocka_unit_test(no_counter),
		cmocka_unit_test(late_counter),
		cmocka_unit_test(of_two_logs),
		cmocka_unit_test(without_times),
		cmocka_unit_test(units_of_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
