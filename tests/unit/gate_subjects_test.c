/*
 * Of which numbers of a comparison a rule is: devices, phases, kinds of log, states.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate_fixture.h"

/* Of a glob each number is judged; a new phase alone is no regression. */
static void globs(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"phases\", \"metric\": \"duration_s\", \"phase\": \"t*\", "
		"\"max_increase_pct\": 5" EXACT "}",
		1, 1);
	gate_row(&made, of_phase("duration_s", "train"), ROW(10, 11));
	gate_row(&made, of_phase("mean_s", "train"), ROW(10, 99));
	gate_row(&made, of_phase("duration_s", "load"), ROW(10, 99));
	gate_row(&made, of_phase("duration_s", "test"), ROW(10, 10));
	gate_row(&made, of_phase("duration_s", "tune"), ROW(NAN, 10));
	gate_row(&made, of_phase("duration_s", "tidy"), ROW(10, NAN));
	gate_decide(&made);
	assert_int_equal(made.gate.count, 4);
	assert_gate(&made, 0, GATE_BROKEN, NULL);
	assert_gate(&made, 1, GATE_KEPT, NULL);
	assert_gate(&made, 2, GATE_NEW, "10.0 s, new: the base has none");
	assert_gate(&made, 3, GATE_VANISHED, NULL);
	assert_int_equal(made.gate.outcomes[GATE_PASS], 2);
	assert_int_equal(made.gate.outcomes[GATE_REGRESSION], 2);
	gate_unmake(&made);
}

/* A phase is known by its path, or by its last name. */
static void names_of_phases(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"r\", \"metric\": \"duration_s\", \"phase\": \"step\", "
		"\"at_most\": 5}",
		0, 1);
	gate_row(&made, of_phase("duration_s", "train/step"), ROW(1));
	gate_row(&made, of_phase("duration_s", "step"), ROW(9));
	gate_row(&made, of_phase("duration_s", "steps"), ROW(9));
	gate_decide(&made);
	assert_int_equal(made.gate.count, 2);
	assert_gate(&made, 0, GATE_KEPT, NULL);
	assert_gate(&made, 1, GATE_BROKEN, NULL);
	gate_unmake(&made);
}

/* A rule says whether it means a run, a device, a phase; of two logs the first counts. */
static void subjects(void **state)
{
	struct measure dmon = of_device("power_w", "mean", "gpu0");
	struct measure in_phase = of_device("power_w", "mean", "gpu0");
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"all\", \"metric\": \"power_w\", \"at_most\": 5},"
		"{\"name\": \"gpu1\", \"metric\": \"power_w\", \"device\": \"gpu1\", "
		"\"statistic\": \"max\", \"at_most\": 5},"
		"{\"name\": \"dmon\", \"metric\": \"power_w\", \"source\": "
		"\"nvidia-dmon\", \"at_most\": 5},"
		"{\"name\": \"phase\", \"metric\": \"power_w\", \"phase\": \"*\", "
		"\"at_most\": 5}",
		0, 1);
	dmon.source = "nvidia-dmon";
	in_phase.phase = "train";
	gate_row(&made, of_device("power_w", "mean", "gpu0"), ROW(1));
	gate_row(&made, of_device("power_w", "max", "gpu0"), ROW(2));
	gate_row(&made, dmon, ROW(3));
	gate_row(&made, of_device("power_w", "mean", "gpu1"), ROW(4));
	gate_row(&made, of_device("power_w", "max", "gpu1"), ROW(5));
	gate_row(&made, in_phase, ROW(6));
	gate_decide(&made);
	assert_int_equal(made.gate.count, 5);
	for (size_t i = 0; i < 5; i++) {
		static const double expected[] = {1, 4, 5, 3, 6};

		assert_true(made.gate.result[i].row->value[0] == expected[i]);
	}
	gate_unmake(&made);
}

static bool is_wanted(void *context, const struct measure *measure)
{
	const struct gate_rules *rules = context;

	return gate_rule_reads(&rules->rule[0], measure);
}

/* Run 0 is the base. */
static void add_states(struct comparing *comparing, int nth, struct error *err)
{
	const struct state_time states[2] = {
		{.name = "Not Active", .share = nth ? 1 : 0.75},
		{.name = "Active", .share = 0.25}};
	struct metric_stats stats = {0};
	struct run run;
	struct report report;
	char name[] = {(char)('0' + nth), 0};

	run_init(&run, name);
	run.key = name;
	run_add_device(&run, DEVICE_GPU, 0);
	report_init(&report, &run);
	metric_stats_init(&stats, metric_find(span_of("reason_sw_thermal_slowdown")));
	stats.source = SOURCE_NVIDIA_QUERY;
	stats.state = (struct state_time *)states;
	stats.state_count = nth ? 1 : 2;
	report.stats = &stats;
	report.stats_count = nth < 2;
	assert_int_equal(
		compare_add(comparing, name, nth ? SIDE_NEW : SIDE_BASE, &report, err),
		0);
	report.stats = NULL;
	report.stats_count = 0;
	report_release(&report);
	run.key = NULL;
	run_release(&run);
}

/*
 * A state that does not occur has the share 0 where the metric was recorded, and none
 * where it was not: run 1 was never held by heat, run 2 does not say.
 */
static void states(void **state)
{
	struct made_gate made;
	struct comparing *comparing;
	struct error err;

	(void)state;
	gate_make(&made,
		"{\"name\": \"heat\", \"metric\": \"reason_sw_thermal_slowdown\", "
		"\"state\": \"Active\", \"max_increase\": 0.1" EXACT "},"
		"{\"name\": \"never\", \"metric\": \"reason_sw_thermal_slowdown\", "
		"\"state\": \"On Fire\", \"max_increase\": 0" EXACT "}",
		0, 0);
	comparing = compare_begin(&made.comparison, 3, is_wanted, &made.rules);
	for (int i = 0; i < 3; i++)
		add_states(comparing, i, &err);
	compare_end(comparing);
	gate_complete(&made.comparison, &made.rules);
	gate_decide(&made);
	assert_int_equal(made.gate.count, 2);
	assert_true(made.gate.result[0].row->value[0] == 0.25);
	assert_true(made.gate.result[1].row->value[0] == 0);
	for (size_t i = 0; i < 2; i++) {
		assert_true(made.gate.result[i].row->value[1] == 0);
		assert_true(isnan(made.gate.result[i].row->value[2]));
		assert_gate(&made, i, GATE_VANISHED, "1 of 2 new runs has it");
	}
	gate_unmake(&made);
}

/*
 * What a run lacks of a number it takes of the other, of the same device: of gpu0 the
 * base has the one and the new run the other, of gpu1 both have the other alone, and of
 * gpu2 the number's own value stays. 0 against 0.5 breaks the limit.
 */
static void instead(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"power\", \"metric\": \"power_w\", \"instead\": "
		"{\"metric\": "
		"\"power_average_w\"}, \"max_increase\": 0.1" EXACT "}",
		1, 1);
	gate_row(&made, of_device("power_average_w", "mean", "gpu0"), ROW(9, 0.5));
	gate_row(&made, of_device("power_w", "mean", "gpu0"), ROW(0, NAN));
	gate_row(&made, of_device("power_average_w", "mean", "gpu1"), ROW(1, 1));
	gate_row(&made, of_device("power_w", "mean", "gpu2"), ROW(2, 2));
	gate_row(&made, of_device("power_average_w", "mean", "gpu2"), ROW(NAN, 7));
	gate_complete(&made.comparison, &made.rules);
	gate_decide(&made);
	assert_int_equal(made.gate.count, 3);
	assert_gate(&made, 0, GATE_BROKEN, "0.0 % -> 0.5 %");
	assert_gate(&made, 1, GATE_KEPT, "1.0 % -> 1.0 %");
	assert_gate(&made, 2, GATE_KEPT, "2.0 % -> 2.0 %");
	gate_unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globs),
		cmocka_unit_test(names_of_phases),
		cmocka_unit_test(subjects),
		cmocka_unit_test(states),
		cmocka_unit_test(instead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
