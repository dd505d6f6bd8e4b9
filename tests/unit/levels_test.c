/*
 * Levels: which rows count, rounds of GPUs, shares of CPUs, by hand; ranges of cells as
 * they are asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "foreign/shared.h"
#include "made_run.h"

/* The number behind a path of keys, "levels.system.metrics.memory.avg"; fails: none. */
static double item(const struct made *made, const char *path)
{
	const struct foreign_object *object = made->report.foreign;
	size_t i = 0, depth = 0, at = 0;
	const char *key = path;

	for (; object && i < object->count; i++) {
		const struct item *d = &object->item[i];
		size_t len = strcspn(key, ".");
		bool here = depth == at && d->key && strlen(d->key) == len &&
			strncmp(d->key, key, len) == 0;

		if (here && !key[len])
			return d->number;
		if (here) {
			key += len + 1;
			at++;
		}
		depth += d->kind == ITEM_OBJECT || d->kind == ITEM_ARRAY;
		depth -= d->kind == ITEM_CLOSE;
	}
	fail_msg("there is no %s", path);
	return NAN;
}

static void begin_jumper(struct made *made, int gpus)
{
	begin(made, gpus);
	made->tool = &tool_jumper;
}

static void phase(struct made *made, const char *name, double from_s, double to_s)
{
	struct event *event = run_add_event(&made->run);

	event->type = EVENT_PHASE;
	event->t_ns = at_ns(from_s);
	event->end_ns = at_ns(to_s);
	event->type_name = run_keep(&made->run, "phase");
	event->name = run_keep(&made->run, name);
}

static uint32_t device(struct made *made, enum device_kind kind, const char *name)
{
	struct device *d = run_add_device(&made->run, kind, -1);

	snprintf(d->name, sizeof d->name, "%s", name);
	return (uint32_t)(made->run.device_count - 1);
}

static void ranges_are_read(void **state)
{
	static const struct {
		const char *text;
		int32_t first, last;
	} good[] = {{"5", 5, 5}, {"0", 0, 0}, {"2:8", 2, 8}, {":5", -1, 5}, {"3:", 3, -1},
		{":", -1, -1}, {"4:4", 4, 4}, {"2147483647", INT32_MAX, INT32_MAX}};
	static const char *const bad[] = {
		"", "x", "5:2", "-1", "1:-1", "1:2:3", "1.5", " 1", "2147483648", "1-2"};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		struct cell_range range = {.first = 77};
		struct error err;

		assert_int_equal(
			cell_range_parse(&range, span_of(good[i].text), &err), 0);
		assert_true(range.set);
		assert_int_equal(range.first, good[i].first);
		assert_int_equal(range.last, good[i].last);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct cell_range range = {.first = 77};
		struct error err;

		assert_int_equal(cell_range_parse(&range, span_of(bad[i]), &err), -1);
		assert_int_equal(range.first, 77);
	}
}

/* Of a round the mean over those that answer; three rounds: 15 %, 40 %, 90 %. */
static void a_sample_is_a_round_of_gpus(void **state)
{
	struct made made;

	(void)state;
	begin_jumper(&made, 2);
	sample(&made, 0, 0, METRIC_gpu_util_pct, 10);
	also(&made, METRIC_mem_used_mib, 1024);
	sample(&made, 0.01, 1, METRIC_gpu_util_pct, 20);
	also(&made, METRIC_mem_used_mib, 3072);
	sample(&made, 1, 0, METRIC_gpu_util_pct, NAN);
	sample(&made, 1.01, 1, METRIC_gpu_util_pct, 40);
	sample(&made, 2, 0, METRIC_gpu_util_pct, 90);
	also(&made, METRIC_mem_used_mib, 512);
	finish(&made);
	near(item(&made, "levels.system.num_samples"), 3);
	near(item(&made, "levels.system.metrics.gpu_util_avg.avg"), 145.0 / 3);
	near(item(&made, "levels.system.metrics.gpu_util_avg.min"), 15);
	near(item(&made, "levels.system.metrics.gpu_util_avg.max"), 90);
	near(item(&made, "levels.system.metrics.gpu_mem_avg.avg"), 1.25);
	near(item(&made, "levels.system.metrics.gpu_mem_avg.min"), 0.5);
	assert_true(isnan(item(&made, "levels.system.metrics.gpu_mem_avg.total")));
	release(&made);
}

/* Batches of one row give the same. */
static void batches_do_not_matter(void **state)
{
	struct made made[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		begin_jumper(&made[i], 3);
		made[i].batch_rows = i ? 1 : SAMPLE_BATCH_ROWS;
		for (int t = 0; t < 9; t++)
			for (uint32_t gpu = 0; gpu < 3; gpu++)
				sample(&made[i], t + gpu / 100.0, gpu,
					METRIC_gpu_util_pct,
					(t * 37 + (int)gpu * 11) % 101);
		finish(&made[i]);
	}
	assert_true(item(&made[0], "levels.system.metrics.gpu_util_avg.avg") ==
		item(&made[1], "levels.system.metrics.gpu_util_avg.avg"));
	release(&made[0]);
	release(&made[1]);
}

/* Two GPUs, together 30, 140 and 60 %, and a round in which one of them says nothing. */
static void begin_tracker(struct made *made, int gpus, int asked)
{
	begin(made, gpus);
	made->tool = &tool_gpu_tracker;
	made->asked.expected_gpus = asked;
	sample(made, 0, 0, METRIC_gpu_util_pct, NAN);
	sample(made, 0.01, 1, METRIC_gpu_util_pct, 99);
	sample(made, 1, 0, METRIC_gpu_util_pct, 10);
	sample(made, 1.01, 1, METRIC_gpu_util_pct, 20);
	sample(made, 2, 0, METRIC_gpu_util_pct, 90);
	sample(made, 2.01, 1, METRIC_gpu_util_pct, 50);
	sample(made, 3, 0, METRIC_gpu_util_pct, 60);
	sample(made, 3.01, 1, METRIC_gpu_util_pct, 0);
}

/* gpu_tracker's percentages are of all GPUs in one round; where that lacks one they are
 * not known, nor of a part of the GPUs, as nobody knows which. */
static void percentages_are_of_all_gpus_together(void **state)
{
	static const struct {
		int gpus, asked; /* -1: not asked for */
		bool known;
	} cases[] = {{2, -1, true}, {2, 2, true}, {2, 1, false}, {3, -1, false}};
	static const struct {
		const char *path;
		double is;
	} wanted[] = {
		{"gpu_utilization.gpu_percentages.max_sum_percent", 140},
		{"gpu_utilization.gpu_percentages.max_hardware_percent", 70},
		{"gpu_utilization.gpu_percentages.mean_sum_percent", 230.0 / 3},
		{"gpu_utilization.gpu_percentages.mean_hardware_percent", 115.0 / 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made made;

		begin_tracker(&made, cases[i].gpus, cases[i].asked);
		finish(&made);
		for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
			double is = item(&made, wanted[k].path);

			if (cases[i].known)
				near(is, wanted[k].is);
			else
				assert_true(isnan(is));
		}
		release(&made);
	}
}

/* The deviation is that of a population: of 30, 140 and 60 by hand. */
static void percentages_deviate_as_a_population(void **state)
{
	struct made made;

	(void)state;
	begin_tracker(&made, 2, -1);
	made.asked.compared = true;
	finish(&made);
	near(item(&made, "overall.gpu_sum_utilization_percent.min"), 30);
	near(item(&made, "overall.gpu_sum_utilization_percent.std"), sqrt(19400.0 / 9));
	near(item(&made, "overall.gpu_hardware_utilization_percent.std"),
		sqrt(19400.0 / 9) / 2);
	release(&made);
}

static void ticks_at(struct made *made, double s, uint32_t cpu, double user, double idle,
	double iowait)
{
	sample(made, s, cpu, METRIC_cpu_user_ticks, user);
	also(made, METRIC_cpu_idle_ticks, idle);
	also(made, METRIC_cpu_iowait_ticks, iowait);
	also(made, METRIC_cpu_guest_ticks, user); /* in user already */
}

/* Waiting is not busy; what comes within half a second is told with what follows. */
static void shares_are_of_half_a_second_at_least(void **state)
{
	struct made made;
	uint32_t cpu;

	(void)state;
	begin_jumper(&made, 0);
	made.batch.source = SOURCE_PROC_STAT;
	cpu = (uint32_t)made.run.device_count;
	run_add_device(&made.run, DEVICE_CPU, -1);
	ticks_at(&made, 0, cpu, 1000, 5000, 100);
	ticks_at(&made, 1, cpu, 1050, 5040, 110); /* 50 of 100 */
	ticks_at(&made, 1.25, cpu, 1060, 5055, 110);
	ticks_at(&made, 1.5, cpu, 1090, 5060, 115); /* 40 of 65 */
	ticks_at(&made, 2.5, cpu, 1090, 5150, 125); /* 0 of 100 */
	finish(&made);
	near(item(&made, "levels.system.metrics.cpu_util_avg.avg"),
		(50 + 100 * 40.0 / 65 + 0) / 3);
	near(item(&made, "levels.system.metrics.cpu_util_avg.max"), 100 * 40.0 / 65);
	near(item(&made, "levels.system.metrics.cpu_util_avg.min"), 0);
	release(&made);
}

static void say(struct run *run, const char *fact, const char *value)
{
	if (value)
		run_add_fact(run, fact, span_of(value));
}

/* Only what processes don't share counts; unknown, if less than half of the samples have
 * it. */
static void memory_is_not_shared(void **state)
{
	static const struct {
		int known;
		double max_gb;
	} cases[] = {{0, NAN}, {4, NAN}, {5, 2.5}, {10, 5}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made made;
		double max_gb;

		begin_jumper(&made, 0);
		made.batch.source = SOURCE_PROCESS_TREE;
		device(&made, DEVICE_TREE, "combined");
		for (int t = 0; t < 10; t++) {
			sample(&made, t, 0, METRIC_rss_mib, 1024 * (t + 1));
			if (t < cases[i].known)
				also(&made, METRIC_uss_mib, 512 * (t + 1));
		}
		finish(&made);
		max_gb = item(&made, "levels.process.metrics.memory.max");
		assert_int_equal(isnan(max_gb), isnan(cases[i].max_gb));
		if (!isnan(max_gb))
			near(max_gb, cases[i].max_gb);
		release(&made);
	}
}

/* From row to row, by the time between; one that goes back has none. In cells those count
 * that end there. Bytes and calls at 0, 1, 3, 4 and 5 s. */
static void counters_become_rates(void **state)
{
	static const struct {
		double s, mib, calls;
	} rows[] = {{0, 7, 100}, {1, 8, 100}, {3, 12, 110}, {4, 1, 111}, {5, 1.5, 111}};
	static const struct {
		struct cell_range cells;
		double bytes, most_bytes, calls;
	} cases[] = {
		{{false, 0, 0}, 1048576 * (1 + 2 + 0.5) / 3, 2097152,
			(0 + 5 + 1 + 0) / 4.0},
		{{true, 0, 0}, 2097152, 2097152, (5 + 1) / 2.0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made made;

		begin_jumper(&made, 0);
		made.batch.source = SOURCE_PROCESS_TREE;
		device(&made, DEVICE_TREE, "combined");
		for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
			sample(&made, rows[r].s, 0, METRIC_disk_read_mib, rows[r].mib);
			also(&made, METRIC_io_write_calls, rows[r].calls);
			also(&made, METRIC_tree_cpu_pct, 10);
		}
		phase(&made, "a", 2, 4.5);
		made.asked.cells = cases[i].cells;
		finish(&made);
		near(item(&made, "levels.process.metrics.io_read.avg"), cases[i].bytes);
		near(item(&made, "levels.process.metrics.io_read.max"),
			cases[i].most_bytes);
		near(item(&made, "levels.process.metrics.io_write_count.avg"),
			cases[i].calls);
		assert_true(isnan(item(&made, "levels.process.metrics.io_write.avg")));
		release(&made);
	}
}

static void begin_tree(struct made *made)
{
	begin_jumper(made, 0);
	made->batch.source = SOURCE_PROCESS_TREE;
	made->run.cpu_count = 8;
	device(made, DEVICE_TREE, "main");
	device(made, DEVICE_TREE, "combined");
	for (int t = 0; t < 10; t++) {
		sample(made, t, 0, METRIC_rss_mib, 10000);
		sample(made, t, 1, METRIC_rss_mib, 20000);
		also(made, METRIC_uss_mib, 1024 * (t + 1));
		also(made, METRIC_tree_cpu_pct, 40 * t);
	}
	phase(made, "a", 1, 3);
	phase(made, "inner", 1.5, 2); /* lies in another: no cell */
	phase(made, "b", 5, 6.5);
	phase(made, "c", 8, 8.25);
}

/* What is asked of cells 1 to 10 GB at 0 to 9 s: the mean memory, and how many samples.
 */
static void cells_choose_the_rows(void **state)
{
	static const struct {
		struct cell_range cells;
		bool no_idle;
		double samples, memory_gb, duration_s, cells_count;
	} cases[] = {
		{{false, 0, 0}, false, 10, 5.5, 9, 3},
		{{true, -1, -1}, false, 8, 5.5, 3.75, 3}, /* 1 to 8 s */
		{{false, 0, 0}, true, 6, (2 + 3 + 4 + 6 + 7 + 9) / 6.0, 3.75, 3},
		{{true, 0, 0}, false, 3, 3, 2, 1},
		{{true, 0, 1}, false, 6, 4.5, 3.5, 2}, /* 1 to 6 s */
		{{true, 0, 1}, true, 5, (2 + 3 + 4 + 6 + 7) / 5.0, 3.5, 2},
		{{true, 2, -1}, false, 1, 9, 0.25, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made made;

		begin_tree(&made);
		made.asked.cells = cases[i].cells;
		made.asked.no_idle = cases[i].no_idle;
		finish(&made);
		near(item(&made, "levels.process.num_samples"), cases[i].samples);
		near(item(&made, "levels.process.metrics.memory.avg"),
			cases[i].memory_gb);
		near(item(&made, "levels.process.metrics.cpu_util_avg.avg"),
			5 * (cases[i].memory_gb - 1)); /* 40 % a second, of 8 CPUs */
		near(item(&made, "duration"), cases[i].duration_s);
		near(item(&made, "n_cells"), cases[i].cells_count);
		near(item(&made, "n_measurements"), 10);
		release(&made);
	}
}

static void cells_that_are_not_there_are_refused(void **state)
{
	static const struct cell_range asked[] = {
		{true, 3, 3}, {true, 0, 3}, {true, 3, -1}};

	(void)state;
	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
		struct made made;

		begin_tree(&made);
		made.asked.cells = asked[i];
		finish(&made);
		assert_non_null(strstr(refusal_of(&made.report), "3 cells, 0 to 2"));
		assert_int_equal(made.report.foreign->count, 0);
		release(&made);
	}
}

/*
 * 40 % a second of nine seconds, so 180 % of one CPU: by those that were asked for, else
 * that the process could use, else that its command began with; by all of 8, where that
 * is not known. Of a process that ran already the manifest has the recorder's.
 */
static void the_cpus_that_a_process_may_use_divide(void **state)
{
	static const struct {
		const char *manifest, *process, *followed; /* NULL: not said */
		int expected_cores; /* -1: not asked for */
		double cpus;
	} cases[] = {
		{NULL, NULL, NULL, -1, 8},
		{NULL, NULL, NULL, 2, 2},
		{"1", NULL, NULL, -1, 1},
		{"0-3,6", NULL, NULL, -1, 5},
		{"0-7", NULL, NULL, -1, 8},
		{"0-7", "2-5", NULL, -1, 4},
		{"0-3", "0", NULL, 2, 2},
		{"0-3", NULL, "4711", -1, 8},
		{"0-3", "6", "4711", -1, 1},
		{"all", NULL, NULL, -1, 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made made;

		begin_tree(&made);
		made.asked.expected_cores = cases[i].expected_cores;
		say(&made.run, RUN_FACT_CPUS_ALLOWED, cases[i].manifest);
		say(&made.run, RUN_FACT_PROCESS_CPUS, cases[i].process);
		say(&made.run, RUN_FACT_FOLLOWED, cases[i].followed);
		finish(&made);
		near(item(&made, "levels.process.metrics.cpu_util_avg.avg"),
			180 / cases[i].cpus);
		near(item(&made, "levels.process.metrics.cpu_util_avg.max"),
			360 / cases[i].cpus);
		near(item(&made, "levels.process.num_cpus"), cases[i].cpus);
		near(item(&made, "num_cpus"), cases[i].cpus);
		near(item(&made, "num_system_cpus"), 8);
		release(&made);
	}
}

/* The user's processes and the job's by the same, as JUmPER counts them. */
static void levels_divide_as_the_process_does(void **state)
{
	struct made made;

	(void)state;
	begin_tree(&made);
	device(&made, DEVICE_TREE, "user");
	device(&made, DEVICE_TREE, "slurm");
	say(&made.run, RUN_FACT_PROCESS_CPUS, "0-1");
	sample(&made, 10, 2, METRIC_tree_cpu_pct, 150);
	sample(&made, 11, 3, METRIC_tree_cpu_pct, 120);
	finish(&made);
	near(item(&made, "levels.user.metrics.cpu_util_avg.avg"), 75);
	near(item(&made, "levels.user.num_cpus"), 2);
	near(item(&made, "levels.slurm.metrics.cpu_util_avg.avg"), 60);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_read),
		cmocka_unit_test(a_sample_is_a_round_of_gpus),
		cmocka_unit_test(batches_do_not_matter),
		cmocka_unit_test(percentages_are_of_all_gpus_together),
		cmocka_unit_test(percentages_deviate_as_a_population),
		cmocka_unit_test(shares_are_of_half_a_second_at_least),
		cmocka_unit_test(memory_is_not_shared),
		cmocka_unit_test(counters_become_rates),
		cmocka_unit_test(cells_choose_the_rows),
		cmocka_unit_test(cells_that_are_not_there_are_refused),
		cmocka_unit_test(the_cpus_that_a_process_may_use_divide),
		cmocka_unit_test(levels_divide_as_the_process_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
