/*
 * Units of work: which reading of the events' numbers is taken, and what a unit took;
 * each expected number is worked out beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timestamp.h"
#include "compute/phases/work.h"
#include "compute/report/report.h"

#define T0_NS (1740823200LL * NS_PER_S)

static int64_t at_ns(double s)
{
	return T0_NS + (int64_t)llround(s * 1e9);
}

/* n: NAN: it has none. process: what it says of it, as JSON keys; "": nothing. */
static void event_of(struct run *run, double s, const char *type, const char *name,
	const char *process, double n)
{
	struct event *event = run_add_event(run);
	char extras[96];

	event->t_ns = at_ns(s);
	event->type_name = run_keep(run, type);
	event->name = run_keep(run, name);
	if (isnan(n))
		snprintf(extras, sizeof extras, "{%s}", process);
	else
		snprintf(extras, sizeof extras, "{%s%s\"n\":%.17g}", process,
			*process ? "," : "", n);
	event->extras = run_keep(run, extras);
}

static void event(struct run *run, double s, const char *type, const char *name, double n)
{
	event_of(run, s, type, name, isnan(n) ? "" : "\"rank\":0", n);
}

/* Events a second apart; the numbers end with a NAN. */
static struct work_kinds kinds_of(struct run *run, const double *n)
{
	struct work_kinds kinds;

	run_init(run, "run");
	for (int i = 0; !isnan(n[i]); i++)
		event(run, i, "step", NULL, n[i]);
	work_find(&kinds, run, NULL);
	assert_int_equal(kinds.count, 1);
	return kinds;
}

static void near(double value, double expected)
{
	if (isnan(expected)
			? !isnan(value)
			: !(fabs(value - expected) <= 1e-9 * fmax(fabs(expected), 1e-3)))
		fail_msg("%.17g, not %.17g", value, expected);
}

static void readings(void **state)
{
	static const struct {
		double n[16];
		enum work_number n_is;
		double units, timed;
	} expected[] = {
		/* the same again and again, and the rest of it: 32 * 3 + 5 */
		{{32, 32, 32, 5, NAN}, WORK_COUNT, 101, 69},
		{{7, NAN}, WORK_COUNT, 7, 0},
		{{64, 64, NAN}, WORK_COUNT, 128, 64},
		/* two epochs, each with a shorter last batch */
		{{32, 32, 8, 32, 32, 8, NAN}, WORK_COUNT, 144, 112},
		/* lengths of texts: three rises, three falls */
		{{512, 300, 450, 90, 512, 77, 80, NAN}, WORK_COUNT, 2021, 1509},
		{{9, 3, NAN}, WORK_COUNT, 12, 3},
		/* steps: last - first */
		{{1, 2, 3, NAN}, WORK_TOTAL, 2, 2},
		{{100, 200, 300, 350, NAN}, WORK_TOTAL, 250, 250},
		{{1, 100, 200, NAN}, WORK_TOTAL, 199, 199},
		{{0, 0.5, 1, 1.25, NAN}, WORK_TOTAL, 1.25, 1.25},
		{{0, 99, 250, 400, NAN}, WORK_TOTAL, 400, 400}, /* 99, 151, 150 */
		/* ten that only rise, however unevenly */
		{{1, 2, 90, 91, 92, 500, 501, 502, 503, 504, NAN}, WORK_TOTAL, 503, 503},
		/* nine do not do: 1, 88, 1, 1 ... */
		{{1, 2, 90, 91, 92, 500, 501, 502, 503, NAN}, WORK_UNCLEAR, NAN, NAN},
		{{0, 99, 350, 400, NAN}, WORK_UNCLEAR, NAN, NAN}, /* 251 > 2 * 99 */
		{{100, 200, 500, NAN}, WORK_UNCLEAR, NAN, NAN}, /* 300 > 2 * 100 */
		/* two alone are as well two batches */
		{{100, 200, NAN}, WORK_UNCLEAR, NAN, NAN},
		/* begun anew from step 200: four rises, one fall */
		{{100, 200, 300, 200, 300, 400, NAN}, WORK_UNCLEAR, NAN, NAN},
		/* of two processes, both of which log the step */
		{{100, 100, 200, 200, 300, 300, NAN}, WORK_UNCLEAR, NAN, NAN},
		{{3, -1, 3, NAN}, WORK_UNCLEAR, NAN, NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct run run;
		struct work_kinds kinds = kinds_of(&run, expected[i].n);

		if (kinds.at->n_is != expected[i].n_is)
			fail_msg("%zu: %d", i, kinds.at->n_is);
		near(kinds.at->units, expected[i].units);
		near(kinds.at->units_timed, expected[i].timed);
		work_release(&kinds);
		run_release(&run);
	}
}

/* Which event shows that the numbers are neither counts nor a total; its line, 0: none.
 */
static void why_unclear(void **state)
{
	static const struct {
		double n[16];
		const char *why;
		uint64_t line;
	} expected[] = {
		{{3, -1, 3, NAN}, "below 0", 2},
		{{100, 200, 300, 200, 300, 400, NAN}, "not above", 4},
		{{100, 200, 200, 300, 400, NAN}, "not above", 3},
		{{100, 200, NAN}, "two numbers", 0},
		{{100, 200, 500, NAN}, "more than twice", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct work_kinds kinds;
		struct run run;

		run_init(&run, "run");
		for (int k = 0; !isnan(expected[i].n[k]); k++) {
			event(&run, k, "step", NULL, expected[i].n[k]);
			run.event[k].at = (struct event_place){0, (uint64_t)k + 1};
		}
		work_find(&kinds, &run, NULL);
		assert_non_null(strstr(kinds.told->unclear, expected[i].why));
		assert_int_equal(kinds.told->unclear_at.line, expected[i].line);
		work_release(&kinds);
		run_release(&run);
	}
}

/* What two processes log, a line each: when the first event is, and the numbers, to a
 * NAN. */
struct told {
	const char *process;
	double from_s, n[12];
};

static void two_processes(void **state)
{
	static const struct {
		struct told told[2];
		enum work_number n_is;
		int processes;
		double units, timed, least, most;
	} expected[] = {
		/* the same steps: 2, 3, 4 and 5 behind the first */
		{{{"\"rank\":0", 0, {1, 2, 3, 4, 5, NAN}},
			 {"\"rank\":1", 0.01, {1, 2, 3, 4, 5, NAN}}},
			WORK_TOTAL, 2, 4, 4, 4, 4},
		/* one of them is late: 2 to 6 */
		{{{"\"pid\":7", 0, {1, 2, 3, 4, 5, NAN}},
			 {"\"pid\":8", 0.5, {2, 3, 4, 5, 6, NAN}}},
			WORK_TOTAL, 2, 5, 5, 4, 4},
		/* other steps: 2, 3, 4 and 102, 103 */
		{{{"\"rank\":0", 0, {1, 2, 3, 4, NAN}},
			 {"\"rank\":1", 0, {101, 102, 103, NAN}}},
			WORK_TOTAL, 2, 5, 5, 2, 3},
		/* of one that is seen once nobody knows what it counts by itself */
		{{{"\"rank\":0", 0, {1, 2, 3, 4, 5, NAN}}, {"\"rank\":1", 2, {3, NAN}}},
			WORK_TOTAL, 2, 4, 4, 0, 4},
		/* batches: of the same 96 samples, or of 192? */
		{{{"\"rank\":0", 0, {32, 32, 32, NAN}},
			 {"\"rank\":1", 0, {32, 32, 32, NAN}}},
			WORK_COUNT, 2, NAN, NAN, 96, 96},
		{{{"\"rank\":0", 0, {1, 2, 3, NAN}}, {"\"rank\":1", 0, {5, 5, 5, NAN}}},
			WORK_UNCLEAR, 2, NAN, NAN, NAN, NAN},
		/* begun anew from a checkpoint: 1 to 5 is one course */
		{{{"\"rank\":0,\"pid\":7", 0, {1, 2, NAN}},
			 {"\"rank\":0,\"pid\":8", 10, {3, 4, 5, NAN}}},
			WORK_TOTAL, 1, 4, 4, NAN, NAN},
		/* a node alone tells no process: 32 * 4 */
		{{{"\"node\":0", 0, {32, 32, NAN}}, {"\"node\":1", 0, {32, 32, NAN}}},
			WORK_COUNT, 1, 128, 96, NAN, NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct work_kinds kinds;
		struct run run;

		run_init(&run, "run");
		for (size_t k = 0; k < 2; k++) {
			const struct told *told = &expected[i].told[k];

			for (int t = 0; !isnan(told->n[t]); t++)
				event_of(&run, told->from_s + t, "step", NULL,
					told->process, told->n[t]);
		}
		work_find(&kinds, &run, NULL);
		if (kinds.at->n_is != expected[i].n_is ||
			(int)kinds.at->processes != expected[i].processes)
			fail_msg("%zu: %d, %d", i, kinds.at->n_is,
				(int)kinds.at->processes);
		near(kinds.at->units, expected[i].units);
		near(kinds.at->units_timed, expected[i].timed);
		near(kinds.at->units_least, expected[i].least);
		near(kinds.at->units_most, expected[i].most);
		work_release(&kinds);
		run_release(&run);
	}
}

/* 100 steps by 8 ranks are 100 steps; without a number nobody knows what they are. */
static void eight_ranks(void **state)
{
	struct work_kinds kinds;
	struct run run;
	char process[32];

	(void)state;
	run_init(&run, "run");
	for (int rank = 0; rank < 8; rank++)
		for (int step = 1; step <= 100; step++) {
			snprintf(process, sizeof process, "\"rank\":%d", rank);
			event_of(&run, step + 0.01 * rank, "step", NULL, process, step);
			event_of(&run, step + 0.01 * rank, "tick", NULL, process, NAN);
		}
	work_find(&kinds, &run, NULL);
	assert_int_equal(kinds.count, 2);
	assert_int_equal(kinds.at[0].events, 800);
	assert_int_equal(kinds.at[0].processes, 8);
	assert_int_equal(kinds.at[0].n_is, WORK_TOTAL);
	near(kinds.at[0].units_timed, 99);
	assert_int_equal(kinds.at[1].processes, 8);
	assert_int_equal(kinds.at[1].n_is, WORK_NO_NUMBER);
	near(kinds.at[1].units, NAN);
	near(kinds.at[1].units_least, 100);
	near(kinds.at[1].units_most, 100);
	work_release(&kinds);
	run_release(&run);
}

/* Events that say nothing of their process, in a file for each. */
static void a_file_each(void **state)
{
	struct work_kinds kinds;
	struct run run;

	(void)state;
	run_init(&run, "run");
	for (int f = 0; f < 2; f++) {
		struct run_file *file = run_add_file(&run, f ? "b.jsonl" : "a.jsonl");

		file->kind = SOURCE_RUNLOG;
		file->rows = 5;
		for (int step = 1; step <= 5; step++)
			event_of(&run, step, "step", NULL, "", step);
	}
	work_find(&kinds, &run, NULL);
	assert_int_equal(kinds.at->processes, 2);
	near(kinds.at->units_timed, 4);
	work_release(&kinds);
	run_release(&run);
}

/* Out of order in the log, of two types and names, some without a number. */
static void kinds_of_events(void **state)
{
	struct work_kinds kinds;
	struct run run;

	(void)state;
	run_init(&run, "run");
	event(&run, 3, "step", NULL, 30);
	event(&run, 1, "note", "saved", NAN);
	event(&run, 0, "once", NULL, NAN);
	event(&run, 1, "step", NULL, 10);
	event(&run, 2, "step", NULL, 20);
	event(&run, 5, "note", "saved", NAN);
	event(&run, 5, "note", "loaded", NAN);
	event(&run, 6, "part", NULL, 4);
	event(&run, 7, "part", NULL, NAN);
	event(&run, 2, "begin", "step", NAN);
	run.event[run.event_count - 1].type = EVENT_BEGIN;
	event(&run, 2, "step", NULL, 20);
	run.event[run.event_count - 1].t_ns = TIME_NONE;
	work_find(&kinds, &run, NULL);
	assert_int_equal(kinds.count, 3);
	assert_string_equal(kinds.at[0].type_name, "step");
	assert_int_equal(kinds.at[0].events, 3);
	assert_int_equal(kinds.at[0].n_is, WORK_TOTAL);
	assert_int_equal(kinds.at[0].first_ns, at_ns(1));
	assert_int_equal(kinds.at[0].last_ns, at_ns(3));
	assert_string_equal(kinds.at[1].name, "saved");
	assert_int_equal(kinds.at[1].n_is, WORK_NO_NUMBER);
	near(kinds.at[1].units, 2);
	near(kinds.at[1].units_timed, 1);
	/* one of the parts does not say how large it is */
	assert_int_equal(kinds.at[2].n_is, WORK_UNCLEAR);
	work_release(&kinds);

	/* [1, 3): the events at 1 and 2 s */
	work_find(&kinds, &run,
		&(struct compute_window){
			.set = true, .from_ns = at_ns(1), .to_ns = at_ns(3)});
	assert_int_equal(kinds.count, 1);
	assert_int_equal(kinds.at[0].events, 2);
	assert_int_equal(kinds.at[0].last_ns, at_ns(2));
	work_release(&kinds);
	run_release(&run);
}

/* Sixty kinds without a number, of two events; the last has three, and one a number. */
/* Two readings of memory are none; with n they are, as are readings of something else. */
static void memory_is_no_work(void **state)
{
	static const char peak[] = "\"data\":{\"max_memory_allocated\":1048576}";
	struct work_kinds kinds;
	struct run run;

	(void)state;
	run_init(&run, "run");
	for (int i = 0; i < 2; i++) {
		event_of(&run, i, "memory", NULL, peak, NAN);
		event_of(&run, i, "step", NULL, peak, 7);
		event_of(&run, i, "saved", NULL, "\"free_bytes\":1048576", NAN);
	}
	work_find(&kinds, &run, NULL);
	assert_int_equal(kinds.count, 2);
	assert_string_equal(kinds.at[0].type_name, "step");
	assert_string_equal(kinds.at[1].type_name, "saved");
	work_release(&kinds);
	run_release(&run);
}

static void many_kinds(void **state)
{
	struct work_kinds kinds;
	struct run run;
	char name[16];

	(void)state;
	run_init(&run, "run");
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof name, "k%d", i);
		for (int k = 0; k < 2 + (i == 59); k++)
			event(&run, i + k, "note", name, NAN);
	}
	event(&run, 90, "step", NULL, 1);
	work_find(&kinds, &run, NULL);
	assert_int_equal(kinds.count, WORK_KINDS_MAX);
	assert_int_equal(kinds.left_out, 41);
	/* k0 to k17, k59, step: in the order of the log */
	assert_string_equal(kinds.at[17].name, "k17");
	assert_string_equal(kinds.at[18].name, "k59");
	assert_string_equal(kinds.at[19].type_name, "step");
	work_release(&kinds);
	run_release(&run);
}

static const struct work *work_named(const struct report *report, const char *type)
{
	for (size_t i = 0; i < report->work_count; i++)
		if (strcmp(report->work[i].type_name, type) == 0)
			return &report->work[i];
	fail_msg("no %s", type);
	return NULL;
}

/*
 * P(t) = t and P(t) = 2t of two GPUs, at 0 to 60 s, with a gap from 40 to 50 s; their
 * utilization is 30 % and 50 %.
 */
static void report_of_a_ramp(struct run *run, struct report *report)
{
	const struct compute_options options = {.gap_ns = -1, .interval_ns = -1};
	struct aggregate *agg;
	struct sample_batch batch;

	run->interval_ns = NS_PER_S;
	for (int i = 0; i < 2; i++)
		run_add_device(run, DEVICE_GPU, i);
	agg = aggregate_new(run, &options);
	sample_batch_init(&batch);
	batch.source = SOURCE_NVIDIA_QUERY;
	batch.timed = true;
	for (int t = 0; t <= 60; t++)
		for (uint32_t i = 0; i < 2 && (t <= 40 || t >= 50); i++) {
			size_t power = sample_batch_column(&batch, METRIC_power_w);
			size_t util = sample_batch_column(&batch, METRIC_gpu_util_pct);
			size_t row = sample_batch_add(&batch, at_ns(t), i);

			sample_batch_put(&batch, row, power,
				llround((double)(i + 1) * t *
					(double)metric_get(METRIC_power_w)->per_unit));
			sample_batch_put(&batch, row, util,
				llround((i ? 50 : 30) *
					(double)metric_get(METRIC_gpu_util_pct)
						->per_unit));
		}
	aggregate_add(agg, &batch);
	report_init(report, run);
	aggregate_report(agg, report);
	sample_batch_release(&batch);
	aggregate_free(agg);
}

static void what_a_unit_took(void **state)
{
	const struct work *work;
	struct report report;
	struct event *phase;
	struct run run;

	(void)state;
	run_init(&run, "run");
	for (int i = 0; i <= 4; i++)
		event(&run, 10.5 + 5 * i, "step", NULL, 100 * i); /* to 30.5 s */
	for (int i = 0; i <= 3; i++)
		event(&run, 30 + 10 * i, "save", NULL, NAN); /* over the gap */
	event(&run, 20, "once", NULL, 7);
	event(&run, 2, "flash", NULL, 7);
	event(&run, 2, "flash", NULL, 7);
	phase = run_add_event(&run); /* of the same name, and another time */
	phase->type = EVENT_PHASE;
	phase->t_ns = at_ns(1);
	phase->end_ns = at_ns(2);
	phase->name = run_keep(&run, "step");
	report_of_a_ramp(&run, &report);

	assert_int_equal(report.work_count, 4);
	work = work_named(&report, "step");
	near(work->first_s, 10.5);
	near(work->seconds, 20);
	near(work->units_per_s, 20);
	near(work->gpu_s_per_unit, 20 * 2 / 400.0);
	near(work->gpu_util_mean_pct, 40);
	/* 3 (30.5^2 - 10.5^2) / 2 */
	near(work->energy_j, 1230);
	near(work->energy_coverage, 1);
	near(work->energy_j_per_unit, 1230 / 400.0);

	/* 30 to 40 and 50 to 60 s: 3 (1600 - 900 + 3600 - 2500) / 2, of 20 of 30 s */
	work = work_named(&report, "save");
	near(work->units_timed, 3);
	near(work->units_per_s, 0.1);
	near(work->gpu_s_per_unit, 20);
	near(work->energy_j, 2700);
	near(work->energy_coverage, 2 / 3.0);
	near(work->energy_j_per_unit, 900); /* at least */

	work = work_named(&report, "once");
	near(work->units, 7);
	near(work->seconds, 0);
	near(work->units_per_s, NAN);
	near(work->energy_j, NAN);
	work = work_named(&report, "flash");
	near(work->units_timed, 7);
	near(work->units_per_s, NAN);
	near(work->gpu_s_per_unit, NAN);

	/* the phase is as it would be without them */
	assert_int_equal(report.path_count, 2);
	near(report.path[0].summary[PHASE_energy_j].number, 3 * (4 - 1) / 2.0);
	report_release(&report);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings),
		cmocka_unit_test(why_unclear),
		cmocka_unit_test(two_processes),
		cmocka_unit_test(eight_ranks),
		cmocka_unit_test(a_file_each),
		cmocka_unit_test(kinds_of_events),
		cmocka_unit_test(memory_is_no_work),
		cmocka_unit_test(many_kinds),
		cmocka_unit_test(what_a_unit_took),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
