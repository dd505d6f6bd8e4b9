/* Growth and slope in a report: of which metrics, over what. Worked out beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>

#include "compute/series/course.h"
#include "made_run.h"

static const struct metric_stats *stats_of(const struct metric_stats *stats, size_t count,
	uint32_t device, enum metric_id metric)
{
	for (size_t i = 0; i < count; i++)
		if (stats[i].device == device && stats[i].metric == metric)
			return &stats[i];
	fail_msg("nothing of %s", metric_get(metric)->name);
	return NULL;
}

/* 100 + 2 t MiB: 198 MiB in 99 s, 7,200 MiB an hour; power has neither; nor has a phase.
 */
static void of_memory(void **state)
{
	const struct metric_stats *s;
	struct event *event;
	struct made made;

	(void)state;
	begin(&made, 1);
	event = run_add_event(&made.run);
	event->type = EVENT_PHASE;
	event->t_ns = at_ns(10);
	event->end_ns = at_ns(60);
	event->name = run_keep(&made.run, "train");
	for (int t = 0; t < 100; t++) {
		sample(&made, t, 0, METRIC_mem_used_mib, 100 + 2 * t);
		also(&made, METRIC_power_w, t);
	}
	finish(&made);
	s = stats_of(made.report.stats, made.report.stats_count, 0, METRIC_mem_used_mib);
	assert_true(s->has_growth);
	assert_true(s->growth == 198);
	near(s->slope_per_h, 7200);
	s = stats_of(made.report.stats, made.report.stats_count, 0, METRIC_power_w);
	assert_false(s->has_growth);
	assert_true(isnan(s->growth) && isnan(s->slope_per_h));
	s = stats_of(made.report.path[0].stats, made.report.path[0].stats_count, 0,
		METRIC_mem_used_mib);
	assert_true(s->has_growth && s->n == 50);
	assert_true(isnan(s->growth) && isnan(s->slope_per_h));
	release(&made);
}

/* Of a window what is in it: 10, 12, 14 of 0 to 98; of one value nothing. */
static void in_a_window(void **state)
{
	(void)state;
	for (int rows = 1; rows <= 3; rows++) {
		const struct metric_stats *s;
		struct made made;

		begin(&made, 1);
		made.options.window.set = true;
		made.options.window.from_ns = at_ns(5);
		made.options.window.to_ns = at_ns(5 + rows);
		for (int t = 0; t < 50; t++)
			sample(&made, t, 0, METRIC_mem_used_mib, 2 * t);
		finish(&made);
		s = stats_of(made.report.stats, made.report.stats_count, 0,
			METRIC_mem_used_mib);
		assert_int_equal(s->n, rows);
		if (rows == 1)
			assert_true(isnan(s->growth));
		else
			assert_true(s->growth == 2 * (rows - 1));
		if (rows < TREND_BINS)
			assert_true(isnan(s->slope_per_h));
		else
			near(s->slope_per_h, 7200);
		release(&made);
	}
}

/* Without times there is an order, and so a growth, but no slope. */
static void without_times(void **state)
{
	const struct metric_stats *s;
	struct made made;

	(void)state;
	begin(&made, 1);
	made.batch.timed = false;
	for (int i = 0; i < 10; i++)
		sample_at(&made, 0, 0, METRIC_mem_used_mib, 50 - i);
	finish(&made);
	s = stats_of(made.report.stats, made.report.stats_count, 0, METRIC_mem_used_mib);
	assert_true(s->growth == -9);
	assert_true(isnan(s->slope_per_h));
	release(&made);
}

/* A clock that stepped back by an hour: the last value is that of the last row. */
static void after_a_step_back(void **state)
{
	const struct metric_stats *s;
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int t = 0; t < 10; t++)
		sample(&made, t, 0, METRIC_mem_used_mib, t);
	for (int t = 0; t < 10; t++) {
		sample(&made, t - 3600, 0, METRIC_mem_used_mib, 100 + t);
		made.batch.segment[made.batch.rows - 1] = 1;
	}
	finish(&made);
	s = stats_of(made.report.stats, made.report.stats_count, 0, METRIC_mem_used_mib);
	assert_true(s->growth == 109);
	near(s->slope_per_h, 3600); /* of the ten rows that are not before the origin */
	release(&made);
}

/* rss_growth_mib is that of all processes together. */
static void of_a_tree(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 0);
	made.batch.source = SOURCE_GPU_TRACKER;
	for (int i = 0; i < 2; i++)
		snprintf(run_add_device(&made.run, DEVICE_TREE, i)->name,
			sizeof made.run.device->name, "%s", i ? "combined" : "main");
	for (int t = 0; t < 20; t++) {
		sample(&made, t, 0, METRIC_rss_mib, 10);
		sample(&made, t, 1, METRIC_rss_mib, 20 + t * t);
	}
	finish(&made);
	near(made.report.summary[SUMMARY_rss_growth_mib].number, 361);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_memory),
		cmocka_unit_test(in_a_window),
		cmocka_unit_test(without_times),
		cmocka_unit_test(after_a_step_back),
		cmocka_unit_test(of_a_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
