/*
 * Why there are gaps, and how a run ended: made-up rows, events and clocks, each with the
 * answer that they were made for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/timestamp.h"
#include "compute/report/report.h"

#define T0_NS (1740823200LL * NS_PER_S)

static int64_t at_ns(double s)
{
	return T0_NS + (int64_t)llround(s * 1e9);
}

/* Two GPUs and a CPU, all of them with a row a second. */
struct made {
	struct run run;
	struct aggregate *agg;
	struct sample_batch gpus, cpu;
	struct report report;
};

static void begin(struct made *made)
{
	*made = (struct made){.agg = NULL};
	run_init(&made->run, "run");
	made->run.interval_ns = NS_PER_S;
	run_add_device(&made->run, DEVICE_GPU, 0);
	run_add_device(&made->run, DEVICE_GPU, 1);
	run_add_device(&made->run, DEVICE_CPU, -1);
	sample_batch_init(&made->gpus);
	sample_batch_init(&made->cpu);
	made->gpus.source = SOURCE_NVIDIA_QUERY;
	made->cpu.source = SOURCE_PROC_STAT;
	made->gpus.timed = made->cpu.timed = true;
}

static void put(struct sample_batch *batch, size_t row, enum metric_id metric, double x)
{
	size_t column = sample_batch_column(batch, metric);

	if (isnan(x))
		batch->column[column].presence[row] = PRESENCE_MISSING;
	else
		sample_batch_put(batch, row, column,
			llround(x * (double)metric_get(metric)->per_unit));
}

/* util: NAN: the GPU is lost. */
static void gpu_row(struct made *made, double s, uint32_t device, double util)
{
	size_t row = sample_batch_add(&made->gpus, at_ns(s + 0.005 * device), device);

	put(&made->gpus, row, METRIC_gpu_util_pct, util);
	put(&made->gpus, row, METRIC_power_w, 3 * util);
}

static void cpu_row(struct made *made, double s)
{
	put(&made->cpu, sample_batch_add(&made->cpu, at_ns(s), 2), METRIC_cpu_user_ticks,
		10 * s);
}

static void finish(struct made *made, const struct compute_window *window)
{
	struct compute_options options = {.gap_ns = -1, .interval_ns = -1};

	if (window)
		options.window = *window;
	made->agg = aggregate_new(&made->run, &options);
	aggregate_add(made->agg, &made->gpus);
	aggregate_add(made->agg, &made->cpu);
	report_init(&made->report, &made->run);
	aggregate_report(made->agg, &made->report);
}

static void release(struct made *made)
{
	report_release(&made->report);
	aggregate_free(made->agg);
	sample_batch_release(&made->gpus);
	sample_batch_release(&made->cpu);
	run_release(&made->run);
}

/* Of the gap of a device that begins within a second behind that. */
static const char *cause(const struct made *made, uint32_t device, double after_s)
{
	const struct evidence *e = &made->report.evidence;

	for (size_t i = 0; i < e->gap_listed; i++)
		if (e->gap[i].device == device && e->gap[i].start_ns >= at_ns(after_s) &&
			e->gap[i].start_ns < at_ns(after_s + 1)) {
			const char *name = gap_cause_name(e->gap[i].cause);

			return name ? name : "";
		}
	fail_msg("device %u has no gap after %g s", (unsigned)device, after_s);
	return NULL;
}

static bool in(int s, int from_s, int to_s)
{
	return s > from_s && s < to_s;
}

/* Who is silent when: see the loop. */
static void causes_by_witnesses(void **state)
{
	struct event *event;
	struct made made;

	(void)state;
	begin(&made);
	for (int s = 0; s <= 140; s++) {
		bool all = in(s, 10, 20) || in(s, 70, 80);
		bool query = all || in(s, 30, 40) || in(s, 100, 110);

		if (!query)
			gpu_row(&made, s, 0, 50);
		if (s == 110)
			made.gpus.header[made.gpus.rows - 1] = 1;
		if (!query && !in(s, 50, 60))
			gpu_row(&made, s, 1, 50);
		if (!all && !in(s, 120, 130))
			cpu_row(&made, s + 0.5);
	}
	/* somebody said something between 70 and 80 s, and right behind 10 s */
	event = run_add_event(&made.run);
	event->t_ns = at_ns(75);
	event = run_add_event(&made.run);
	event->t_ns = at_ns(10.75);
	finish(&made, NULL);
	assert_int_equal(made.report.evidence.gap_count, 4 + 5 + 3);
	assert_string_equal(cause(&made, 0, 10), "all silent");
	assert_string_equal(cause(&made, 1, 10), "all silent");
	assert_string_equal(cause(&made, 2, 10), "all silent");
	assert_string_equal(cause(&made, 0, 30), "log silent");
	assert_string_equal(cause(&made, 1, 30), "log silent");
	assert_string_equal(cause(&made, 1, 50), "GPU lost");
	assert_string_equal(cause(&made, 0, 70), "log silent");
	assert_string_equal(cause(&made, 2, 70), "log silent");
	assert_string_equal(cause(&made, 0, 100), "recorder restarted");
	assert_string_equal(cause(&made, 1, 100), "recorder restarted");
	assert_string_equal(cause(&made, 2, 120), "log silent");
	assert_false(made.report.ending.abrupt);
	release(&made);
}

/* A log that has a row each 10 s need not have one within 5 s. */
static void a_slow_witness(void **state)
{
	struct made made;

	(void)state;
	begin(&made);
	made.run.interval_ns = -1; /* the median: 1 s, and 10 s */
	for (int s = 0; s <= 100; s++) {
		if (s <= 40 || s >= 47)
			gpu_row(&made, s, 0, 50);
		if (s % 10 == 9)
			cpu_row(&made, s);
	}
	finish(&made, NULL);
	/* 41 to 46 s; the CPU has rows at 39 and 49 s, as always */
	assert_string_equal(cause(&made, 0, 40), "");
	release(&made);
}

static void change(struct run *run, enum clock_change_kind kind, double from_s,
	double to_s, double by_s)
{
	run_add_clock_change(run,
		&(struct clock_change){
			kind, at_ns(from_s), at_ns(to_s), (int64_t)llround(by_s * 1e9)});
}

/* Gaps of 10 s: the limit is 3 s, so that the clocks must explain 7 of them. */
static void causes_by_clocks(void **state)
{
	struct made made;

	(void)state;
	begin(&made);
	for (int s = 0; s <= 140; s++)
		if (s % 20 <= 10 || s % 20 == 0)
			gpu_row(&made, s, 0, 50);
	change(&made.run, CLOCK_SUSPENDED, 10.5, 20.5, 9);
	change(&made.run, CLOCK_SUSPENDED, 30.5, 40.5, 6.5);
	change(&made.run, CLOCK_STEPPED, 50.5, 60.5, 7);
	change(&made.run, CLOCK_STEPPED, 70.5, 80.5, -9);
	change(&made.run, CLOCK_SUSPENDED, 90.5, 100.5, 4);
	change(&made.run, CLOCK_STEPPED, 90.5, 100.5, 5);
	change(&made.run, CLOCK_SUSPENDED, 103, 105, 600); /* in none */
	finish(&made, NULL);
	assert_string_equal(cause(&made, 0, 10), "suspend");
	assert_string_equal(cause(&made, 0, 30), "all silent");
	assert_string_equal(cause(&made, 0, 50), "clock step");
	assert_string_equal(cause(&made, 0, 70), "all silent");
	assert_string_equal(cause(&made, 0, 90), "clock step"); /* 5 of 9 s */
	assert_string_equal(cause(&made, 0, 110), "all silent");
	release(&made);
}

/* Every log of a recording has markers, each at times of its own. */
static void a_change_of_many_logs(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, "run");
	/* Set back by 30 s between 10.50 and 11.00 s: logs of 1 s, 0.5 s and 1 s. */
	change(&run, CLOCK_STEPPED, 10.25, -18.75, -30);
	change(&run, CLOCK_STEPPED, 10.50, -19.00, -30.0001);
	change(&run, CLOCK_STEPPED, 10.75, -18.25, -29.9999);
	assert_int_equal(run.clock_change_count, 1);
	assert_int_equal(run.clock_change[0].from_ns, at_ns(10.5));
	assert_int_equal(run.clock_change[0].to_ns, at_ns(-19));
	/* Once more, from -18.75 s, and asleep at that time: no log tells of both. */
	change(&run, CLOCK_STEPPED, -18.75, -47.75, -30);
	change(&run, CLOCK_SUSPENDED, 10.25, 40.25, 29);
	change(&run, CLOCK_SUSPENDED, 10.5, 40, 29);
	change(&run, CLOCK_SUSPENDED, 10.5, 41, 29.5);
	assert_int_equal(run.clock_change_count, 4);
	assert_int_equal(run.clock_change[2].from_ns, at_ns(10.5));
	assert_int_equal(run.clock_change[3].by_ns, at_ns(29.5) - at_ns(0));
	run_release(&run);
}

/* One GPU has rows without values from 50 s on, which is 50 s before the end at 100 s. */
static void a_lost_gpu(void **state)
{
	const struct compute_window until_30 = {
		.set = true, .from_ns = at_ns(0), .to_ns = at_ns(30)};
	const struct ending *e;
	struct made made;

	(void)state;
	begin(&made);
	for (int s = 0; s <= 100; s++) {
		gpu_row(&made, s, 0, s);
		gpu_row(&made, s, 1, s < 50 ? 40 : NAN);
		if (s <= 90)
			cpu_row(&made, s);
	}
	made.run.exit_status = 128 + 9;
	finish(&made, NULL);
	e = &made.report.ending;
	assert_true(e->abrupt && e->sign[ENDING_SIGNAL] && e->sign[ENDING_GPU_LOST]);
	assert_false(e->sign[ENDING_NO_END] || e->sign[ENDING_TORN]);
	assert_int_equal(e->signal, 9);
	assert_string_equal(e->signal_name, "SIGKILL");
	assert_int_equal(e->early_log, SOURCE_PROC_STAT);
	assert_int_equal(e->early_ns, at_ns(90));
	assert_int_equal(e->gpu_count, 2);
	assert_false(e->gpu[0].lost);
	assert_true(e->gpu[0].value[0] == 100 && e->gpu[0].value[2] == 300);
	assert_true(isnan(e->gpu[0].value[1]) && isnan(e->gpu[0].value[3]));
	assert_true(fabs(e->gpu[0].silent_s - 0.005) < 1e-12);
	assert_true(e->gpu[1].lost);
	assert_int_equal(e->gpu[1].last_ns, at_ns(49.005));
	assert_true(e->gpu[1].silent_s == 51);
	assert_true(e->gpu[1].value[0] == 40 && e->gpu[1].value[2] == 120);
	report_release(&made.report);
	aggregate_free(made.agg);

	/* a window that ends before the run shows no end */
	finish(&made, &until_30);
	e = &made.report.ending;
	assert_false(e->abrupt || e->signal || e->early_log != SOURCE_NONE);
	assert_true(e->gpu[0].value[0] == 29);
	release(&made);
}

/* Of one GPU the last three seconds have no value; is it lost? */
static bool is_lost_noticed(const char *const words[], const double at_s[], size_t count,
	double last_s, const struct compute_window *window)
{
	struct made made;
	bool lost;

	begin(&made);
	for (int s = 0; s <= 100; s++) {
		gpu_row(&made, s, 0, s);
		gpu_row(&made, s, 1, s <= last_s ? 40 : NAN);
	}
	for (size_t i = 0; i < count; i++) {
		struct event *event = run_add_event(&made.run);

		event->t_ns = at_ns(at_s[i]);
		event->type_name = "recorder";
		event->name = words[i];
		event->extras = "{\"log\":\"nvidia-smi.csv\",\"gpu\":1}";
	}
	finish(&made, window);
	lost = made.report.ending.gpu[1].lost;
	assert_false(made.report.ending.gpu[0].lost);
	release(&made);
	return lost;
}

static void a_loss_that_was_noticed(void **state)
{
	static const char *const words[] = {"GPU lost", "GPU back", "GPU lost", "no row"};
	const double at_s[] = {97.9, 98.5, 99, 99.5};
	const struct compute_window until_99 = {
		.set = true, .from_ns = at_ns(0), .to_ns = at_ns(99)};

	(void)state;
	assert_false(is_lost_noticed(words, at_s, 0, 97, NULL));
	assert_true(is_lost_noticed(words, at_s, 1, 97, NULL));
	assert_false(is_lost_noticed(words, at_s, 2, 97, NULL));
	assert_true(is_lost_noticed(words, at_s, 3, 97, NULL));
	assert_true(is_lost_noticed(words, at_s, 4, 97, NULL));
	assert_false(is_lost_noticed(words + 1, at_s, 1, 97, NULL));
	/* it has values more than the gap limit of 3 s behind the word */
	assert_false(is_lost_noticed(words, (const double[]){93}, 1, 97, NULL));
	assert_false(is_lost_noticed(words, at_s, 1, 97, &until_99));
}

/*
 * What a GPU said last it said at one time, give or take a gap of 3 s: its memory, which
 * its log has to 97 s, but not its temperature, to 96 s; nor what another log has to 20
 * s.
 */
static void values_of_one_time(void **state)
{
	const struct gpu_ending *gpu;
	struct made made;
	size_t row;

	(void)state;
	begin(&made);
	made.cpu.source = SOURCE_NVIDIA_DMON;
	for (int s = 0; s <= 100; s++) {
		row = sample_batch_add(&made.gpus, at_ns(s), 0);
		if (s <= 97)
			put(&made.gpus, row, METRIC_mem_used_mib, 1000 + s);
		if (s <= 96)
			put(&made.gpus, row, METRIC_temperature_c, 50);
		if (s <= 20)
			put(&made.gpus, row, METRIC_power_w, 300);
		row = sample_batch_add(&made.cpu, at_ns(s), 0);
		put(&made.cpu, row, METRIC_power_w, 100 + s);
		put(&made.cpu, row, METRIC_mem_used_mib, 7);
	}
	finish(&made, NULL);
	gpu = &made.report.ending.gpu[0];
	assert_false(gpu->lost);
	assert_int_equal(gpu->last_ns, at_ns(100));
	assert_true(isnan(gpu->value[0]));
	assert_true(gpu->value[1] == 1097);
	assert_true(gpu->value[2] == 200);
	assert_true(isnan(gpu->value[3]));
	release(&made);
}

static struct ending ending_of(int32_t status, const char *damage)
{
	struct ending ending;
	struct made made;

	begin(&made);
	for (int s = 0; s <= 10; s++)
		gpu_row(&made, s, 0, 10);
	made.run.exit_status = status;
	if (damage)
		diag_add(&made.run.diags, true, damage, "gpu.csv", 7, span_of(""), "cut");
	finish(&made, NULL);
	ending = made.report.ending;
	assert_true(!ending.torn_file || strcmp(ending.torn_file, "gpu.csv") == 0);
	release(&made);
	return ending;
}

static void signs_of_an_end(void **state)
{
	static const struct {
		int32_t status;
		const char *damage;
		bool sign[ENDING_SIGNS]; /* no end, signal, torn, lost, driver */
	} expected[] = {
		{0, NULL, {0}},
		{1, NULL, {0}},
		{128, NULL, {0}},
		{129, NULL, {0, 1, 0, 0}},
		{192, NULL, {0, 1, 0, 0}},
		{193, NULL, {0}},
		{255, NULL, {0}},
		{-1, "no-end", {1, 0, 0, 0}},
		{0, "torn-line", {0, 0, 1, 0}},
		{0, "torn-field", {0, 0, 1, 0}},
		{0, "driver-gone", {0, 0, 0, 0, 1}},
		{0, "no-newline", {0}},
		{0, "prose", {0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct ending e = ending_of(expected[i].status, expected[i].damage);

		assert_memory_equal(e.sign, expected[i].sign, sizeof e.sign);
		assert_int_equal(e.abrupt, memchr(e.sign, true, sizeof e.sign) != NULL);
		assert_int_equal(e.driver_file != NULL, e.sign[ENDING_DRIVER_GONE]);
	}
	assert_string_equal(ending_of(143, NULL).signal_name, "SIGTERM");
	assert_string_equal(ending_of(159, NULL).signal_name, "SIGSYS");
	assert_null(ending_of(160, NULL).signal_name);
}

/*
 * A log with rows to 10 s, which may be 3 s apart, and is torn; the run is known to have
 * ended at that time: within the 3 s it was stopped with the run. 0: not known.
 */
static bool is_cut_off(double ended_s, const char *file)
{
	struct ending ending;
	struct made made;

	begin(&made);
	for (int s = 0; s <= 10; s++)
		gpu_row(&made, s, 0, 10);
	run_add_file(&made.run, "gpu.csv")->kind = SOURCE_NVIDIA_QUERY;
	run_add_file(&made.run, "events.jsonl")->kind = SOURCE_RUNLOG;
	made.run.exit_status = 0;
	made.run.started_ns = at_ns(0);
	if (ended_s > 0)
		made.run.ended_ns = at_ns(ended_s);
	diag_add(&made.run.diags, true, "torn-line", file, 7, span_of(""), "cut");
	finish(&made, NULL);
	ending = made.report.ending;
	assert_int_equal(ending.abrupt, ending.sign[ENDING_TORN]);
	assert_int_equal(ending.torn_file != NULL, ending.sign[ENDING_TORN]);
	release(&made);
	return ending.abrupt;
}

static void torn_by_the_end(void **state)
{
	(void)state;
	assert_true(is_cut_off(0, "gpu.csv"));
	assert_true(is_cut_off(0, "events.jsonl"));
	assert_false(is_cut_off(10, "gpu.csv"));
	assert_false(is_cut_off(13, "gpu.csv"));
	assert_true(is_cut_off(13.5, "gpu.csv"));
	assert_false(is_cut_off(5, "gpu.csv"));
	/* nobody knows when the next event would have come */
	assert_false(is_cut_off(100, "events.jsonl"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(causes_by_witnesses),
		cmocka_unit_test(a_slow_witness),
		cmocka_unit_test(causes_by_clocks),
		cmocka_unit_test(a_change_of_many_logs),
		cmocka_unit_test(a_lost_gpu),
		cmocka_unit_test(a_loss_that_was_noticed),
		cmocka_unit_test(values_of_one_time),
		cmocka_unit_test(signs_of_an_end),
		cmocka_unit_test(torn_by_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
