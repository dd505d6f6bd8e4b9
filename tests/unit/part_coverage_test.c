/*
 * How much of their time the numbers of a part of a run are of, where a GPU falls silent;
 * worked out by hand beside each expectation. h is 1 s, so that 3 s are forgiven at the
 * ends of what a GPU has rows of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "compared.h"
#include "made_run.h"
#include "model/coverage.h"

static void phase(struct made *made, double from_s, double to_s)
{
	struct event *event = run_add_event(&made->run);

	event->type = EVENT_PHASE;
	event->t_ns = at_ns(from_s);
	event->end_ns = at_ns(to_s);
	event->name = run_keep(&made->run, "train");
}

static void step(struct made *made, double s)
{
	struct event *event = run_add_event(&made->run);

	event->t_ns = at_ns(s);
	event->type_name = run_keep(&made->run, "step");
}

static void sample_util(struct made *made, double from_s, double to_s, uint32_t gpu)
{
	for (double t = from_s; t <= to_s; t++)
		sample(made, t, gpu, METRIC_gpu_util_pct, 80);
}

static const struct comparison_row *row_at(
	const struct comparison *c, const char *key, const char *phase, const char *work)
{
	for (size_t i = 0; i < c->row_count; i++) {
		const struct measure *m = &c->row[i].measure;

		if (strcmp(m->key, key) == 0 && !m->phase == !phase &&
			!m->work == !work && (!phase || strcmp(m->phase, phase) == 0))
			return &c->row[i];
	}
	fail_msg("no %s", key);
	return NULL;
}

/*
 * Of two GPUs one is silent from 43 s on, of 100 s. Train lasts from 0 to 80 s: of what
 * it can have, 80 s less 3 s behind its last row, it has 43 s: 43/77. In what is outside,
 * [80, 100), it has none of 20 s. Of the steps, from 20 s to 60 s, it has 23 of 37 s.
 */
static void silent_gpu(void **state)
{
	static const struct {
		const char *phase, *work;
		double coverage;
	} cases[] = {{"train", NULL, 43.0 / 77}, {"(outside)", NULL, 0},
		{NULL, "step", 23.0 / 37}};
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 1, NULL, NULL);
	struct made made;
	struct error err;

	(void)state;
	begin(&made, 2);
	run_set_string(&made.run.key, "r");
	phase(&made, 0, 80);
	for (double s = 20; s <= 60; s += 10)
		step(&made, s);
	for (double t = 0; t <= 100; t++) {
		sample_util(&made, t, t, 0);
		if (t <= 43)
			sample_util(&made, t, t, 1);
	}
	finish(&made);
	assert_int_equal(compare_add(comparing, "r", SIDES, &made.report, &err), 0);
	release(&made);
	compare_end(comparing);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct comparison_row *row =
			row_at(&c, "gpu_util_mean_pct", cases[i].phase, cases[i].work);

		near(row->covered[0].coverage, cases[i].coverage);
		assert_int_equal(row->covered[0].doubt, DOUBT_EITHER);
		assert_true(row->best == SIZE_MAX);
	}
	assert_int_equal(c.gpu_count, 2);
	assert_true(c.gpu[1].lost[0] && !c.gpu[0].lost[0]);
	comparison_release(&c);
}

/*
 * Nobody wrote down when it ended: samples end at 40 s, a phase at 50 s. The outside is
 * the forgiven lead of what begins with a row.
 */
static void time_of_samples(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);
	struct error err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct made made;

		begin(&made, 1);
		run_set_string(&made.run.key, i ? "b" : "a");
		phase(&made, 0, i ? 39 : 50);
		sample_util(&made, 0, 40, 0);
		finish(&made);
		assert_int_equal(
			compare_add(comparing, i ? "b" : "a", SIDES, &made.report, &err),
			0);
		release(&made);
	}
	compare_end(comparing);
	near(row_of(&c, "duration_s", NULL)->covered[0].coverage, 0.8);
	assert_int_equal(row_of(&c, "duration_s", NULL)->covered[0].doubt, DOUBT_MORE);
	near(row_of(&c, "duration_s", NULL)->covered[1].coverage, 1);
	assert_int_equal(row_of(&c, "duration_s", NULL)->covered[1].doubt, DOUBT_NONE);
	comparison_release(&c);
}

/* Of two GPUs with logs of their own one has too few rows to tell their interval: nobody
 * knows what is a gap. */
static void untold_gpu(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 1, NULL, NULL);
	const struct comparison_row *mean, *most;
	struct made made;
	struct error err;

	(void)state;
	begin(&made, 2);
	made.run.interval_ns = -1;
	part_logs(&made, 2);
	run_set_string(&made.run.key, "r");
	sample_util(&made, 0, 100, 0);
	sample_util(&made, 0, 3, 1);
	finish(&made);
	near(made.report.evidence.device[0].coverage, 1);
	assert_true(isnan(made.report.evidence.device[1].coverage));
	assert_true(isnan(made.report.evidence.device[1].covered_s));
	assert_true(isnan(made.report.evidence.coverage));
	assert_int_equal(made.report.evidence.grade, 'F');
	assert_int_equal(compare_add(comparing, "r", SIDES, &made.report, &err), 0);
	release(&made);
	compare_end(comparing);
	mean = row_of(&c, "gpu_util_mean_pct", NULL);
	most = row_of(&c, "gpu_util_max_pct", NULL);
	assert_true(isnan(mean->covered[0].coverage) && isnan(most->covered[0].coverage));
	assert_int_equal(mean->covered[0].doubt, DOUBT_EITHER);
	assert_int_equal(most->covered[0].doubt, DOUBT_MORE);
	comparison_release(&c);
}

/* 1,000 s of samples, 1 s apart: 3 s at either end are forgiven. */
static void assert_said(double from_s, double to_s, double step_s, const char *expected)
{
	struct strbuf text;
	struct made made;

	strbuf_init(&text);
	begin(&made, 1);
	phase(&made, from_s, to_s);
	step(&made, 100);
	step(&made, step_s);
	sample_util(&made, 0, 1000, 0);
	finish(&made);
	overhang_say(&text, &made.report);
	assert_string_equal(text.text, expected);
	strbuf_release(&text);
	release(&made);
}

static void said_beyond(void **state)
{
	(void)state;
	assert_said(0, 1000, 1000, "");
	assert_said(-2, 1003, 1003, "");
	assert_said(10, 1004, 900, ", but phases go on 4.0 s after the last");
	assert_said(10, 1004, 1009, ", but events go on 9.0 s after the last");
	assert_said(-20, 900, 900, ", but phases begin 20.0 s before the first");
	assert_said(-20, 1005, 900,
		", but phases begin 20.0 s before the first and go on 5.0 s after the "
		"last");
	assert_said(-20, 1005, 1009,
		", but phases begin 20.0 s before the first and events go on 9.0 s "
		"after "
		"the last");
	/* 1,000 of 1,022 s: of a lower bound nothing is forgiven. */
	assert_said(-20, 1002, 900,
		", but phases begin 20.0 s before the first and go on 2.0 s after the "
		"last");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silent_gpu),
		cmocka_unit_test(time_of_samples),
		cmocka_unit_test(untold_gpu),
		cmocka_unit_test(said_beyond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
