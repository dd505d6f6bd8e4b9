/*
 * Comparisons of reports of made-up runs: which rows there are, which run is the best of
 * them, what counts as the same run, and what differs besides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "compared.h"
#include "made_run.h"

/* GPUs of this power and utilization for so many seconds, in all of which is a phase. */
static void make(struct made *made, const char *key, int gpus, double power_w,
	double util_pct, int seconds)
{
	struct event *event;

	begin(made, gpus);
	run_set_string(&made->run.key, key);
	event = run_add_event(&made->run);
	event->type = EVENT_PHASE;
	event->t_ns = at_ns(0);
	event->end_ns = at_ns(seconds);
	event->name = run_keep(&made->run, "train");
	for (int t = 0; t <= seconds; t++)
		for (int gpu = 0; gpu < gpus; gpu++) {
			sample(made, t, (uint32_t)gpu, METRIC_power_w, power_w);
			also(made, METRIC_gpu_util_pct, util_pct);
		}
}

/* 10 s of it are in an inner one. */
static void also_phase(struct made *made, const char *name, int from)
{
	struct event *event = run_add_event(&made->run);

	event->type = EVENT_PHASE;
	event->t_ns = at_ns(from);
	event->end_ns = at_ns(from + 10);
	event->name = run_keep(&made->run, name);
}

static void add(struct comparing *comparing, const char *name, enum side side,
	const struct made *made)
{
	struct error err;

	if (compare_add(comparing, name, side, &made->report, &err) < 0)
		fail_msg("%s", err.message);
}

/*
 * One GPU of 100 W for 50 s against one of 150 W for 40 s: 5000 J and 6000 J. By what is
 * better low: 40/50 of the time, 3/2 of the power (three keys: mean, max, of all), 6/5 of
 * the energy. By what is better high: 90/60 of the utilization.
 */
static void rows_of_reports(void **state)
{
	const struct comparison_row *row;
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);
	struct made base, new;

	(void)state;
	make(&base, "base", 1, 100, 60, 50);
	make(&new, "new", 1, 150, 90, 40);
	finish(&base);
	finish(&new);
	add(comparing, "a", SIDE_BASE, &base);
	add(comparing, "b", SIDE_NEW, &new);
	compare_end(comparing);
	release(&base);
	release(&new);

	assert_int_equal(c.run_count, 2);
	assert_string_equal(c.run[0].name, "a");
	assert_string_equal(c.run[1].key, "new");
	assert_int_equal(c.run[0].grade, 'A');
	near(c.run[1].duration_s, 40);
	assert_false(c.chosen);

	row = row_of(&c, "duration_s", NULL);
	assert_int_equal(row->measure.part, MEASURE_SUMMARY);
	near(row->value[0], 50);
	near(row->value[1], 40);
	near(row->difference, -10);
	near(row->ratio, 0.8);
	assert_int_equal(row->best, 1);
	row = row_of(&c, "energy_j", NULL);
	near(row->difference, 1000);
	near(row->ratio, 1.2);
	assert_int_equal(row->best, 0);
	near(comparison_factor(&c, row, 0), 1);
	near(comparison_factor(&c, row, 1), 1.2);
	row = row_of(&c, "gpu_util_mean_pct", NULL);
	near(row->difference, 30);
	near(comparison_factor(&c, row, 0), 1.5);
	row = row_of(&c, "duration_s", "train");
	assert_int_equal(row->measure.part, MEASURE_PHASE);
	near(row->difference, -10);
	row = row_of(&c, "power_w", NULL);
	assert_int_equal(row->measure.part, MEASURE_METRIC);
	assert_string_equal(row->measure.device, "gpu0");
	assert_string_equal(row->measure.statistic, "mean");
	near(row->ratio, 1.5);
	for (size_t i = 0; i < c.row_count; i++)
		assert_false(c.row[i].measure.part == MEASURE_METRIC &&
			c.row[i].measure.phase);

	assert_int_equal(c.ratio[BETTER_HIGHER].rows, 1);
	near(c.ratio[BETTER_HIGHER].ratio, 1.5);
	assert_int_equal(c.ratio[BETTER_LOWER].rows, 5);
	near(c.ratio[BETTER_LOWER].ratio, pow(0.8 * 1.2 * 1.5 * 1.5 * 1.5, 0.2));
	comparison_release(&c);
}

static bool is_power(void *context, const struct measure *measure)
{
	(void)context;
	return strcmp(measure->key, "power_w") == 0;
}

/* Who asks gets what headlines leave out: in phases, and every statistic. */
static void rows_that_are_asked_for(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, is_power, NULL);
	struct made base, new;
	bool phase = false, p50 = false;

	(void)state;
	make(&base, "base", 1, 100, 60, 50);
	make(&new, "new", 1, 150, 90, 40);
	finish(&base);
	finish(&new);
	add(comparing, "a", SIDE_BASE, &base);
	add(comparing, "b", SIDE_NEW, &new);
	compare_end(comparing);
	assert_true(c.chosen);
	for (size_t i = 0; i < c.row_count; i++) {
		assert_string_equal(c.row[i].measure.key, "power_w");
		phase |= c.row[i].measure.phase != NULL;
		p50 |= strcmp(c.row[i].measure.statistic, "p50") == 0;
	}
	assert_true(phase && p50);
	assert_int_equal(c.waterfall[WATERFALL_TIME].count, 0);
	comparison_release(&c);
	release(&base);
	release(&new);
}

/* The same key, or the same logs elsewhere, is the same run; the same name is not. */
static void the_same_run(void **state)
{
	struct made one, copy, other;
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 4, NULL, NULL);
	struct run_file *file;
	struct error err;

	(void)state;
	make(&one, "/runs/one", 1, 100, 60, 50);
	make(&copy, "/elsewhere/one", 1, 100, 60, 50);
	make(&other, "/runs/other", 1, 100, 60, 50);
	file = run_add_file(&one.run, "gpu.csv");
	*file = (struct run_file){
		.path = file->path, .rows = 51, .size = 1234, .hash = 99};
	file = run_add_file(&copy.run, "gpu.csv");
	*file = (struct run_file){
		.path = file->path, .rows = 51, .size = 1234, .hash = 99};
	file = run_add_file(&other.run, "gpu.csv");
	*file = (struct run_file){
		.path = file->path, .rows = 51, .size = 1234, .hash = 98};
	file = run_add_file(&copy.run, "run.json");
	*file = (struct run_file){
		.path = file->path, .kind = SOURCE_MANIFEST, .rows = 1, .hash = 7};
	finish(&one);
	finish(&copy);
	finish(&other);
	add(comparing, "one", SIDE_BASE, &one);
	add(comparing, "copy", SIDE_BASE, &copy);
	assert_int_equal(c.run_count, 1);
	assert_int_equal(c.on_side[SIDE_BASE], 1);
	assert_string_equal(c.remark[0], "one and copy are the same run; it counts once");
	add(comparing, "again", SIDE_BASE, &one);
	assert_int_equal(c.run_count, 1);
	assert_int_equal(
		compare_add(comparing, "copy", SIDE_NEW, &copy.report, &err), -1);
	assert_string_equal(
		err.message, "one and copy are the same run; give it on one side only");
	assert_int_equal(
		compare_add(comparing, "one", SIDE_NEW, &other.report, &err), -1);
	assert_string_equal(
		err.message, "two runs are called one; name one of them: NAME=RUN");
	add(comparing, "other", SIDE_NEW, &other);
	compare_end(comparing);
	assert_int_equal(c.run_count, 2);
	comparison_release(&c);
	release(&one);
	release(&copy);
	release(&other);
}

static const char *said(const struct comparison *c, const char *what, size_t run)
{
	for (size_t i = 0; i < c->difference_count; i++)
		if (strcmp(c->difference[i].what, what) == 0)
			return c->difference[i].said[run] ? c->difference[i].said[run]
							  : "";
	return "alike";
}

static void model(struct made *made, size_t gpu, const char *name)
{
	run_set_string(&made->run.device[gpu].model, name);
}

/* What two runs say differently is listed; what one does not say is no difference. */
static void circumstances(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 3, NULL, NULL);
	struct made run[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		static const char *const key[] = {"a", "b", "c"};

		make(&run[i], key[i], 3, 100, 60, 50);
		run[i].run.cpu_count = 64;
		run_set_string(&run[i].run.driver, i ? "555.42" : "550.54");
	}
	model(&run[0], 0, "H100");
	model(&run[0], 1, "A100");
	model(&run[0], 2, "H100");
	for (size_t gpu = 0; gpu < 3; gpu++)
		model(&run[1], gpu, "H100");
	run_set_string(&run[0].run.kernel, "6.1");
	run_set_string(&run[2].run.kernel, "6.1");
	run[2].run.interval_ns = NS_PER_S / 2;
	for (int i = 0; i < 3; i++) {
		sample(&run[i], 51, 0, METRIC_power_limit_w, i == 2 ? 500 : 700);
		finish(&run[i]);
		add(comparing, run[i].run.key, SIDES, &run[i]);
	}
	compare_end(comparing);
	assert_string_equal(said(&c, "driver", 0), "550.54");
	assert_string_equal(said(&c, "driver", 2), "555.42");
	assert_string_equal(said(&c, "GPUs", 0), "2 x H100, 1 x A100");
	assert_string_equal(said(&c, "GPUs", 1), "3 x H100");
	assert_string_equal(said(&c, "GPUs", 2), "3 x GPU");
	assert_string_equal(said(&c, "power limit", 0), "700 W");
	assert_string_equal(said(&c, "power limit", 2), "500 W");
	assert_string_equal(said(&c, "sampling interval", 0), "1 s");
	assert_string_equal(said(&c, "sampling interval", 2), "0.5 s");
	assert_string_equal(said(&c, "kernel", 0), "alike");
	assert_string_equal(said(&c, "number of CPUs", 0), "alike");
	assert_true(isnan(c.least_p)); /* no sides, nothing to test */
	comparison_release(&c);
	for (int i = 0; i < 3; i++)
		release(&run[i]);
}

/* Of the same power, but one run has the GPU's own counter. */
static void energies_of_two_methods(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);
	struct made run[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(&run[i], 1);
		run_set_string(&run[i].run.key, i ? "b" : "a");
		for (int t = 0; t <= 10; t++) {
			sample(&run[i], t, 0, METRIC_power_w, 100);
			if (i)
				also(&run[i], METRIC_gpu_energy_j, 100 * t);
		}
		finish(&run[i]);
		add(comparing, run[i].run.key, SIDES, &run[i]);
	}
	compare_end(comparing);
	assert_string_equal(said(&c, "energy", 0), "integrated");
	assert_string_equal(said(&c, "energy", 1), "counter");
	comparison_release(&c);
	for (int i = 0; i < 2; i++)
		release(&run[i]);
}

/*
 * Two runs of unknown work: x is faster, and y better in what explains that, and in
 * energy. Time alone decides; nothing does where only explanations differ.
 */
static void explanations_do_not_decide(void **state)
{
	struct measure measure[] = {key_of("duration_s", BETTER_LOWER),
		key_of("energy_j", BETTER_LOWER), key_of("power_mean_w", BETTER_LOWER),
		key_of("temperature_max_c", BETTER_LOWER)};
	const double x[] = {10, 900, 90, 70}, y[] = {20, 100, 5, 30};

	(void)state;
	measure[2].decides = measure[3].decides = false;
	for (size_t from = 0; from < 2; from++) {
		struct comparison c = COMPARISON_INIT;
		struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);
		struct error err;

		compare_add_numbers(comparing, "x", "x", SIDES, measure + from, x + from,
			COUNT(measure) - from, &err);
		compare_add_numbers(comparing, "y", "y", SIDES, measure + from, y + from,
			COUNT(measure) - from, &err);
		compare_end(comparing);
		assert_int_equal(c.won, from == 0);
		assert_true(c.winner == (from ? SIZE_MAX : 0));
		comparison_release(&c);
	}
}

/* The best of a row is one run; of equal ones none; of no direction none. */
static void best_of_a_row(void **state)
{
	const struct measure measure[] = {key_of("a", BETTER_HIGHER),
		key_of("b", BETTER_LOWER), key_of("c", BETTER_LOWER),
		key_of("d", BETTER_NEITHER), key_of("e", BETTER_HIGHER)};
	const double x[] = {3, 1, 5, 1, 0}, y[] = {2, NAN, 5, 2, NAN},
		     z[] = {1, 4, 6, 3, NAN};
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 3, NULL, NULL);
	struct error err;

	(void)state;
	compare_add_numbers(comparing, "x", "x", SIDES, measure, x, 5, &err);
	compare_add_numbers(comparing, "y", "y", SIDES, measure, y, 5, &err);
	compare_add_numbers(comparing, "z", "z", SIDES, measure, z, 5, &err);
	compare_end(comparing);
	assert_int_equal(c.row[0].best, 0);
	assert_int_equal(c.row[1].best, 0); /* of two that are known */
	assert_true(c.row[2].best == SIZE_MAX && c.row[2].best_runs == 2);
	near(comparison_factor(&c, &c.row[2], 0), 1); /* both are the best */
	near(comparison_factor(&c, &c.row[2], 2), 1.2);
	assert_true(c.row[3].best == SIZE_MAX && isnan(c.row[3].best_value));
	assert_true(isnan(comparison_factor(&c, &c.row[3], 0)));
	assert_true(c.row[4].best == SIZE_MAX && c.row[4].best_runs == 1);
	near(c.row[4].best_value, 0);
	assert_true(isnan(comparison_factor(&c, &c.row[4], 0))); /* times 0 */
	assert_true(isnan(comparison_factor(&c, &c.row[4], 1)));
	assert_int_equal(c.won, 1);
	assert_int_equal(c.winner, 0);
	assert_int_equal(c.run[0].best_in, 1);
	assert_int_equal(c.row[0].change, CHANGE_NONE);
	assert_int_equal(c.difference_count, 0);
	assert_int_equal(c.run[0].grade, 0);
	assert_true(isnan(c.run[0].duration_s));
	comparison_release(&c);
}

/* Half of the samples' time is a gap in one of them: that is said. */
static void energies_of_parts(void **state)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);
	struct made whole, half;

	(void)state;
	make(&whole, "whole", 1, 100, 60, 50);
	make(&half, "half", 1, 100, 60, 25);
	sample(&half, 50, 0, METRIC_power_w, 100);
	finish(&whole);
	finish(&half);
	add(comparing, "whole", SIDES, &whole);
	add(comparing, "half", SIDES, &half);
	compare_end(comparing);
	near(row_of(&c, "energy_coverage", NULL)->value[1], 0.5);
	near(row_of(&c, "energy_j", NULL)->covered[1].coverage, 0.5);
	assert_int_equal(row_of(&c, "energy_j", NULL)->covered[1].doubt, DOUBT_MORE);
	assert_int_equal(
		row_of(&c, "power_mean_w", NULL)->covered[1].doubt, DOUBT_EITHER);
	assert_int_equal(c.remark_count, 2);
	assert_string_equal(c.remark[0],
		"Energies cover only the recorded time: 50.0 % of the run in half, at "
		"most 100.0 %");
	assert_string_equal(c.remark[1],
		"Not all of the time was recorded. Sums over less than 98 % of it and "
		"maxima over less than 70 % are lower bounds; means over less than 70 % "
		"are not reliable: half (gpu_util_mean_pct 50.0 % covered)");
	comparison_release(&c);
	release(&whole);
	release(&half);
}

/* Plain numbers know nothing of phases: a side with such a run has no waterfall. */
static void numbers_beside_a_report(void **state)
{
	const struct measure measure = key_of("duration_s", BETTER_LOWER);
	const double value = 60;
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);
	struct made made;
	struct error err;

	(void)state;
	make(&made, "new", 1, 100, 60, 50);
	finish(&made);
	compare_add_numbers(
		comparing, "old", "old", SIDE_BASE, &measure, &value, 1, &err);
	assert_int_equal(compare_add_numbers(comparing, "x", "new", SIDE_BASE, &measure,
				 &value, 1, &err),
		0);
	assert_int_equal(compare_add(comparing, "new", SIDE_NEW, &made.report, &err), -1);
	compare_end(comparing);
	assert_int_equal(c.on_side[SIDE_BASE], 2);
	assert_int_equal(c.waterfall[WATERFALL_TIME].count, 0);
	comparison_release(&c);

	comparing = compare_begin(&c, 2, NULL, NULL);
	compare_add_numbers(
		comparing, "old", "old", SIDE_BASE, &measure, &value, 1, &err);
	add(comparing, "new", SIDE_NEW, &made);
	compare_end(comparing);
	near(row_of(&c, "duration_s", NULL)->difference, -10);
	assert_int_equal(row_of(&c, "energy_j", NULL)->change, CHANGE_NEW);
	assert_int_equal(c.waterfall[WATERFALL_TIME].count, 0);
	comparison_release(&c);
	release(&made);
}

/*
 * Run x has gpu0 in P0 alone, y has it in P8, and gpu1 in P0: of gpu0 each was in the
 * other's state for no time; of gpu1 x knows nothing, and P8 nobody.
 */
static void states_of_others(void **state)
{
#define IN(where, which)                                                       \
	{                                                                      \
		.part = MEASURE_METRIC, .key = "pstate", .statistic = "share", \
		.state = (which), .device = (where), .source = "nvidia-query", \
		.unit = "", .better = BETTER_NEITHER, .headline = true         \
	}
	const struct measure x[] = {IN("gpu0", "P0")},
			     y[] = {IN("gpu0", "P8"), IN("gpu1", "P0")};
#undef IN
	const double of_x[] = {1}, of_y[] = {0.75, 0.5};
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);
	struct error err;

	(void)state;
	compare_add_numbers(comparing, "x", "x", SIDE_BASE, x, of_x, 1, &err);
	compare_add_numbers(comparing, "y", "y", SIDE_NEW, y, of_y, 2, &err);
	compare_end(comparing);
	assert_int_equal(c.row_count, 3);
	near(c.row[0].value[0], 1);
	near(c.row[0].value[1], 0);
	near(c.row[1].value[0], 0);
	near(c.row[1].value[1], 0.75);
	assert_true(isnan(c.row[2].value[0]));
	near(c.row[2].value[1], 0.5);
	comparison_release(&c);
}

/* A base of two runs, of which one failed, and a new one that failed too: a, b and c. */
static void add_ended(struct comparison *c, bool leaves)
{
	static const int32_t status[] = {0, 1, 137};
	struct comparing *comparing = compare_begin(c, 3, NULL, NULL);

	if (leaves)
		compare_leave_undone(comparing);
	for (size_t i = 0; i < 3; i++) {
		char name[] = {(char)('a' + i), '\0'};
		struct made one;

		make(&one, name, 1, 100, 60, 50);
		if (i == 1)
			also_phase(&one, "warm", 10);
		if (i > 0)
			also_phase(&one, "save", 30);
		one.run.exit_status = status[i];
		finish(&one);
		add(comparing, name, i < 2 ? SIDE_BASE : SIDE_NEW, &one);
		release(&one);
	}
	compare_end(comparing);
}

/* Only where it is asked for; a new run stays. Signal 9 is status 128 + 9. Of the phases
 * of what is left out others have "save". */
static void what_failed_is_left_out(void **state)
{
	struct comparison c = COMPARISON_INIT;

	(void)state;
	add_ended(&c, true);
	assert_int_equal(c.on_side[SIDE_BASE], 1);
	assert_int_equal(c.left_out_count, 1);
	assert_string_equal(c.left_out[0], "b (exit status 1)");
	assert_string_equal(c.remark[0], "left out of the base: b (exit status 1)");
	assert_string_equal(
		c.remark[1], "phases that only left-out runs have: train/warm (b)");
	assert_null(c.run[0].outcome.how);
	assert_string_equal(c.run[1].outcome.how, "exit status 137 (SIGKILL)");
	comparison_release(&c);
	add_ended(&c, false);
	assert_int_equal(c.on_side[SIDE_BASE], 2);
	assert_int_equal(c.left_out_count, 0);
	assert_string_equal(c.run[1].outcome.how, "exit status 1");
	assert_string_equal(said(&c, "exit status", 0), "0");
	assert_string_equal(said(&c, "exit status", 2), "137 (SIGKILL)");
	comparison_release(&c);
}

/* What a run's checks came to, of so many GPUs: of a rule of GPUs, of gpu0 and gpu1. */
struct checked {
	int gpus;
	bool checked;
	enum outcome gpu0, gpu1;
};

static void add_checked(struct comparing *comparing, const char *name, enum side side,
	const struct checked *checked)
{
	static char id[] = "hang", title[] = "A GPU hangs";
	static const struct rule hang = {
		.id = id, .title = title, .severity = SEVERITY_BAD};
	const enum outcome outcome[] = {checked->gpu0, checked->gpu1};
	struct made made;
	struct report *report = &made.report;

	make(&made, name, checked->gpus, 100, 60, 50);
	finish(&made);
	report->checks = checked->checked;
	assert_int_equal(report->finding_count, 0);
	report->finding = xcalloc(2, sizeof *report->finding);
	for (uint32_t i = 0; i < 2; i++)
		if (outcome[i] != OUTCOME_SILENT)
			report->finding[report->finding_count++] = (struct finding){
				.rule = &hang, .outcome = outcome[i], .device = i};
	add(comparing, name, side, &made);
	release(&made);
}

/* How the problem of gpu0 changed; NONE too where there is none. */
static enum change changed(const struct checked *base, const struct checked *new)
{
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, 2, NULL, NULL);
	enum change change = CHANGE_NONE;

	add_checked(comparing, "a", SIDE_BASE, base);
	add_checked(comparing, "b", SIDE_NEW, new);
	compare_end(comparing);
	for (size_t i = 0; i < c.problem_count; i++)
		if (strcmp(c.problem[i].device, "gpu0") == 0)
			change = comparison_problem_change(&c, &c.problem[i]);
	comparison_release(&c);
	return change;
}

/* What is not known of the other side is neither new nor gone. */
static void problems_of_a_side(void **state)
{
	const struct checked fires = {2, true, OUTCOME_FIRES, OUTCOME_SILENT},
			     silent = {2, true, OUTCOME_SILENT, OUTCOME_SILENT},
			     other = {2, true, OUTCOME_SILENT, OUTCOME_FIRES},
			     untold = {2, true, OUTCOME_CANNOT_TELL, OUTCOME_SILENT},
			     unasked = {2, false, OUTCOME_SILENT, OUTCOME_SILENT},
			     without = {0, true, OUTCOME_SILENT, OUTCOME_SILENT};

	(void)state;
	assert_int_equal(changed(&silent, &fires), CHANGE_NEW);
	assert_int_equal(changed(&fires, &silent), CHANGE_GONE);
	assert_int_equal(changed(&fires, &fires), CHANGE_NONE);
	assert_int_equal(changed(&other, &fires), CHANGE_NEW);
	assert_int_equal(changed(&untold, &fires), CHANGE_NONE);
	assert_int_equal(changed(&unasked, &fires), CHANGE_NONE);
	assert_int_equal(changed(&fires, &unasked), CHANGE_NONE);
	assert_int_equal(changed(&fires, &without), CHANGE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_reports),
		cmocka_unit_test(rows_that_are_asked_for), cmocka_unit_test(the_same_run),
		cmocka_unit_test(what_failed_is_left_out),
		cmocka_unit_test(circumstances),
		cmocka_unit_test(energies_of_two_methods),
		cmocka_unit_test(best_of_a_row),
		cmocka_unit_test(explanations_do_not_decide),
		cmocka_unit_test(energies_of_parts),
		cmocka_unit_test(numbers_beside_a_report),
		cmocka_unit_test(states_of_others), cmocka_unit_test(problems_of_a_side)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
