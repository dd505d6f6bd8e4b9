/* Rows without times that get them by an interval, and what is then known of them, worked
 * out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "compute/run/timing.h"
#include "made_run.h"

#define S NS_PER_S

/* Rows of dmon without times: devices as digits, the power 100 W more each row. */
static void make(struct made *made, const char *rows)
{
	begin(made, 2);
	made->run.interval_ns = -1;
	made->options.interval_ns = 2 * S;
	made->batch.source = SOURCE_NVIDIA_DMON;
	made->batch.timed = false;
	for (uint32_t i = 0; rows[i]; i++) {
		sample_at(made, 0, (uint32_t)(rows[i] - '0'), METRIC_power_w,
			100 * (i + 1));
		made->batch.ordinal[i] = i;
	}
}

static void give_times(struct made *made)
{
	struct tick_times times = {.step_ns = 2 * S};

	tick_times_put(&times, &made->run, &made->batch);
	tick_times_release(&times);
}

static void rows_of_a_tick_share_a_time(void **state)
{
	static const double expected[] = {0, 0, 2, 4, 4, 6};
	struct made made;

	(void)state;
	make(&made, "010010");
	give_times(&made);
	assert_true(made.batch.timed);
	for (size_t i = 0; i < 6; i++)
		near(number_ratio(made.batch.t_ns[i] - TIME_BEGIN, S), expected[i]);
	assert_false(time_is_dated(made.batch.t_ns[5]));
	flush(&made);
	release(&made);
}

static void rows_with_times_keep_theirs(void **state)
{
	struct made made;

	(void)state;
	make(&made, "01");
	made.batch.timed = true;
	give_times(&made);
	assert_int_equal(made.batch.t_ns[0], 0);
	flush(&made);
	release(&made);
}

static void a_log_of_centuries_stays_without(void **state)
{
	struct tick_times times = {.step_ns = INT64_MAX / 16};
	struct made made;

	(void)state;
	make(&made, "01");
	tick_times_put(&times, &made.run, &made.batch);
	assert_false(made.batch.timed);
	tick_times_release(&times);
	assert_false(tick_times_has_room(1, INT64_MAX / 16));
	flush(&made);
	release(&made);
}

/* Of gpu0 200 W for 2 s, then 400 W for 2 s; of gpu1, away in the last tick, 300 W for 2
 * s. */
static void what_gets_times_is_covered(void **state)
{
	struct made made;

	(void)state;
	make(&made, "01010");
	made.agg = aggregate_new(&made.run, &made.options);
	aggregate_add(made.agg, &made.batch);
	assert_true(aggregate_use_interval(made.agg));
	give_times(&made);
	finish(&made);
	assert_string_equal(made.report.duration_source, "ticks");
	near(made.report.duration_s, 4);
	near(made.report.evidence.coverage, 1);
	assert_int_equal(made.report.evidence.grade, 'A');
	assert_string_equal(made.report.evidence.device[0].interval_source, "option");
	near(made.report.evidence.device[0].covered_s, 4);
	near(made.report.stats[0].energy_j, 200 * 2 + 400 * 2);
	near(made.report.stats[1].energy_j, 300 * 2);
	release(&made);
}

static void what_has_a_clock_keeps_it(void **state)
{
	(void)state;
	for (int clock = 0; clock < 3; clock++) {
		struct made made;

		make(&made, "01010");
		if (clock == 0)
			made.run.started_ns = T0_NS;
		if (clock == 1)
			run_add_event(&made.run)->t_ns = T0_NS;
		made.batch.timed = clock == 2;
		flush(&made);
		assert_false(aggregate_use_interval(made.agg));
		release(&made);
	}
}

static void without_an_interval_no_times(void **state)
{
	struct made made;

	(void)state;
	make(&made, "01010");
	made.options.interval_ns = -1;
	finish(&made);
	assert_false(aggregate_use_interval(made.agg));
	assert_true(isnan(made.report.evidence.coverage));
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_tick_share_a_time),
		cmocka_unit_test(rows_with_times_keep_theirs),
		cmocka_unit_test(a_log_of_centuries_stays_without),
		cmocka_unit_test(what_gets_times_is_covered),
		cmocka_unit_test(what_has_a_clock_keeps_it),
		cmocka_unit_test(without_an_interval_no_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
