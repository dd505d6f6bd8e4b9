/* What is good of the time in a state, and that a comparison says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "compared.h"
#include "made_run.h"

static void of_states(void **state)
{
	static const struct {
		enum metric_id metric;
		const char *state;
		enum direction better;
	} cases[] = {
		{METRIC_reason_hw_thermal_slowdown, "Active", BETTER_LOWER},
		{METRIC_reason_hw_thermal_slowdown, "Not Active", BETTER_NEITHER},
		{METRIC_reason_gpu_idle, "Active", BETTER_NEITHER},
		{METRIC_reason_sw_power_cap, "Active", BETTER_NEITHER},
		{METRIC_clock_reasons, "sw_thermal_slowdown", BETTER_LOWER},
		{METRIC_clock_reasons, "hw_power_brake_slowdown", BETTER_LOWER},
		{METRIC_clock_reasons, "gpu_idle", BETTER_NEITHER},
		{METRIC_clock_reasons, "display_clocks", BETTER_NEITHER},
		{METRIC_clock_reasons, "bit 40", BETTER_NEITHER},
		{METRIC_clock_reasons_supported, "hw_slowdown", BETTER_NEITHER},
		{METRIC_pstate, "P0", BETTER_NEITHER},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(metric_state_better(cases[i].metric, cases[i].state),
			cases[i].better);
}

static bool is_reason(void *context, const struct measure *measure)
{
	(void)context;
	return strcmp(measure->key, "clock_reasons") == 0;
}

/*
 * Four runs of 20 s that are too hot (bit 5) for 1, 2, 3, 4 s and idle (bit 0) for the
 * same, four for 11 to 14 s: p is 2 / choose(8, 4).
 */
static void hotter_is_worse(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 8, is_reason, NULL);
	size_t hot = 0, idle = 0;

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct made made;
		struct error err;
		char key[16];

		begin(&made, 1);
		snprintf(key, sizeof key, "r%d", i);
		run_set_string(&made.run.key, key);
		for (int t = 0; t <= 20; t++)
			sample(&made, t, 0, METRIC_clock_reasons,
				t < i % 4 + 1 + (i < 4 ? 0 : 10) ? 33 : 4);
		finish(&made);
		assert_int_equal(compare_add(comparing, key, i < 4 ? SIDE_BASE : SIDE_NEW,
					 &made.report, &err),
			0);
		release(&made);
	}
	compare_end(comparing);
	for (size_t i = 0; i < c.row_count; i++) {
		const struct comparison_row *row = &c.row[i];

		if (strcmp(row->measure.state, "sw_thermal_slowdown") == 0) {
			hot++;
			assert_near(row->p, 2.0 / 70, 1e-12);
			assert_int_equal(row->change, CHANGE_WORSE);
		} else if (strcmp(row->measure.state, "gpu_idle") == 0) {
			idle++;
			assert_int_equal(row->change, CHANGE_OTHER);
		}
	}
	assert_int_equal(hot, 1);
	assert_int_equal(idle, 1);
	comparison_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_states),
		cmocka_unit_test(hotter_is_worse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
