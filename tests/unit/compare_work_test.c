/*
 * Runs that did other amounts of work: each expectation is worked out by hand beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>

#include "compared.h"
#include "made_run.h"

/*
 * A GPU of 100 W for so many seconds, all in a phase but the last 10, and events "step"
 * that count up to `steps`, each beside an event "log" without a number.
 */
static void make(struct made *made, const char *key, int seconds, int steps)
{
	struct event *event;

	begin(made, 1);
	run_set_string(&made->run.key, key);
	event = run_add_event(&made->run);
	event->type = EVENT_PHASE;
	event->t_ns = at_ns(0);
	event->end_ns = at_ns(seconds - 10);
	event->name = run_keep(&made->run, "train");
	for (int i = 0; i <= 10; i++) {
		char extras[32];

		event = run_add_event(&made->run);
		event->t_ns = at_ns(i);
		event->type_name = run_keep(&made->run, "step");
		snprintf(extras, sizeof extras, "{\"n\":%d}", i * steps / 10);
		event->extras = run_keep(&made->run, extras);
		event = run_add_event(&made->run);
		event->t_ns = at_ns(i);
		event->type_name = run_keep(&made->run, "log");
	}
	for (int t = 0; t <= seconds; t++)
		sample(made, t, 0, METRIC_power_w, 100);
	finish(made);
}

static void add(struct comparing *comparing, enum side side, const char *key, int seconds,
	int steps)
{
	struct made made;
	struct error err;

	make(&made, key, seconds, steps);
	if (compare_add(comparing, key, side, &made.report, &err) < 0)
		fail_msg("%s", err.message);
	release(&made);
}

/*
 * 2,000 steps in 210 s against 1,000 in 120 s: 0.105 s of a step and 0.12 s; as many 100
 * J. Of a step train has 200/2000 = 0.1 s and 110/1000 = 0.11 s, what is outside 10/2000
 * and 10/1000 s.
 */
static void totals_and_steps(void **state)
{
	const struct comparison_row *row;
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);
	struct strbuf text;

	(void)state;
	add(comparing, SIDE_BASE, "base", 210, 2000);
	add(comparing, SIDE_NEW, "new", 120, 1000);
	compare_end(comparing);
	assert_string_equal(c.work, "step");
	assert_true(c.work_differs);
	near(c.run[0].units, 2000);
	near(c.run[1].units, 1000);
	strbuf_init(&text);
	comparison_say_work(&text, &c);
	assert_string_equal(text.text, "2,000 step -> 1,000");
	strbuf_release(&text);
	assert_string_equal(c.difference[0].what, "units of work");
	assert_string_equal(c.difference[0].said[1], "1,000 step");

	row = row_of(&c, "duration_s", NULL);
	assert_int_equal(row->change, CHANGE_OTHER_WORK);
	near(row->per_unit[SIDE_BASE], 0.105);
	near(row->per_unit[SIDE_NEW], 0.12);
	assert_true(row->best == SIZE_MAX);
	assert_true(comparison_work_may_undo(&c, row, false));
	assert_false(comparison_work_may_undo(&c, row, true));
	row = row_of(&c, "energy_j", "train");
	assert_int_equal(row->change, CHANGE_OTHER_WORK);
	near(row->per_unit[SIDE_NEW], 11);
	row = row_of(&c, "power_mean_w", NULL);
	assert_int_equal(row->change, CHANGE_UNTESTED);
	assert_true(isnan(row->per_unit[SIDE_BASE]));

	for (int which = 0; which < WATERFALLS; which++) {
		const struct waterfall *w = &c.waterfall[which];
		double each = which == WATERFALL_TIME ? 1 : 100, sum = 0;

		assert_string_equal(w->per, "step");
		near(w->base, 0.105 * each);
		near(w->new, 0.12 * each);
		assert_int_equal(w->count, 2);
		for (size_t i = 0; i < w->count; i++)
			sum += w->step[i].difference;
		near(sum, 0.015 * each);
		assert_string_equal(w->step[0].phase, "train");
		near(w->step[0].difference, 0.01 * each);
	}
	comparison_release(&c);
}

/* 1,000 and 1,009 steps are 0.9 % apart: as much. */
static void as_much(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);

	(void)state;
	add(comparing, SIDE_BASE, "base", 200, 1000);
	add(comparing, SIDE_NEW, "new", 120, 1009);
	compare_end(comparing);
	assert_false(c.work_differs);
	assert_null(c.waterfall[WATERFALL_TIME].per);
	near(c.waterfall[WATERFALL_TIME].base, 200);
	assert_int_equal(row_of(&c, "duration_s", NULL)->change, CHANGE_UNTESTED);
	comparison_release(&c);
}

/* Significant as it may be: five of 1,000 steps against five of 500. */
static void neither_better_nor_worse(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 10, NULL, NULL);
	char key[16];

	(void)state;
	for (int i = 0; i < 10; i++) {
		snprintf(key, sizeof key, "r%d", i);
		add(comparing, i < 5 ? SIDE_BASE : SIDE_NEW, key, (i < 5 ? 100 : 60) + i,
			i < 5 ? 1000 : 500);
	}
	compare_end(comparing);
	assert_int_equal(row_of(&c, "duration_s", NULL)->change, CHANGE_OTHER_WORK);
	assert_int_equal(row_of(&c, "units_per_s", NULL)->change, CHANGE_WORSE);
	assert_int_equal(c.ratio[BETTER_LOWER].rows, 3); /* the powers */
	comparison_release(&c);
}

/* A table of runs crowns none for having done less. */
static void none_is_best(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 3, NULL, NULL);

	(void)state;
	add(comparing, SIDES, "a", 200, 1000);
	add(comparing, SIDES, "b", 190, 1000);
	add(comparing, SIDES, "c", 20, 100);
	compare_end(comparing);
	assert_true(c.work_differs);
	assert_true(row_of(&c, "duration_s", NULL)->best == SIZE_MAX);
	comparison_release(&c);
}

/* Of a history the totals of runs that did as much are left. */
static void history(void **state)
{
	const struct comparison_row *row;
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 4, NULL, NULL);

	(void)state;
	compare_sample_base(comparing);
	add(comparing, SIDE_BASE, "a", 200, 1000);
	add(comparing, SIDE_BASE, "b", 40, 100);
	add(comparing, SIDE_BASE, "c", 210, 1000);
	add(comparing, SIDE_NEW, "d", 220, 1000);
	compare_end(comparing);
	assert_false(c.work_differs);
	row = row_of(&c, "duration_s", NULL);
	assert_int_equal(row->side[SIDE_BASE].n, 2);
	near(row->side[SIDE_BASE].median, 205);
	assert_int_equal(row_of(&c, "power_mean_w", NULL)->side[SIDE_BASE].n, 3);
	assert_int_equal(c.remark_count, 1);
	assert_string_equal(c.remark[0],
		"totals not in the baseline, because the amount of work differs: b (100 "
		"step)");
	near(c.waterfall[WATERFALL_TIME].base, 205);
	comparison_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_and_steps),
		cmocka_unit_test(as_much),
		cmocka_unit_test(neither_better_nor_worse),
		cmocka_unit_test(none_is_best),
		cmocka_unit_test(history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
