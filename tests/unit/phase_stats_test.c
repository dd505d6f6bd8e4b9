/*
 * Samples inside phases: both readings of a call's end, calls that overlap and nest, and
 * many of them against a plain look at every call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/phase_stats.h"

static void add_phase(struct run *run, const char *name, int64_t from_ns, int64_t to_ns)
{
	struct event *event = run_add_event(run);

	event->type = to_ns == TIME_NONE ? EVENT_BEGIN : EVENT_PHASE;
	event->t_ns = from_ns;
	event->end_ns = to_ns;
	run_set_string(&event->name, name);
}

/* The names around an instant, in the order of the paths. */
static void expect_at(struct phase_stats *stats, int64_t t_ns, const char *expected)
{
	struct report report;
	struct run run;
	struct strbuf sb;
	size_t count;
	const uint32_t *path = phase_stats_at(stats, t_ns, &count);
	bool in[8] = {false};

	run_init(&run, "");
	report_init(&report, &run);
	phase_stats_report(stats, &report);
	strbuf_init(&sb);
	for (size_t i = 0; i < count; i++) {
		assert_false(in[path[i]]); /* each once */
		in[path[i]] = true;
	}
	for (size_t i = 0; i < report.path_count; i++)
		if (in[i])
			strbuf_addf(&sb, "%s ", report.path[i].name);
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
	report_release(&report);
	run_release(&run);
}

static void ends_belong_by_rule(void **state)
{
	const struct phase_rules half_open = {false, false}, closed = {true, true};
	struct phase_stats *stats;
	struct run run;

	(void)state;
	run_init(&run, "run");
	add_phase(&run, "b", 10, 20);
	add_phase(&run, "a", 15, 30);
	add_phase(&run, "b", 18, 25);
	add_phase(&run, "point", 20, 20);
	add_phase(&run, "open", 28, TIME_NONE);
	stats = phase_stats_new(&run, &half_open);
	expect_at(stats, 9, "");
	expect_at(stats, 10, "b ");
	expect_at(stats, 14, "b ");
	expect_at(stats, 15, "a b ");
	expect_at(stats, 19, "a b ");
	expect_at(stats, 20, "a b ");
	expect_at(stats, 25, "a ");
	expect_at(stats, 30, "open ");
	expect_at(stats, INT64_MAX - 1, "open ");
	expect_at(stats, 9, ""); /* back again */
	phase_stats_free(stats);
	stats = phase_stats_new(&run, &closed);
	expect_at(stats, 20, "a b point ");
	expect_at(stats, 25, "a b ");
	expect_at(stats, 26, "a ");
	expect_at(stats, 30, "a ");
	expect_at(stats, 31, "");
	phase_stats_free(stats);
	run_release(&run);
}

static void calls_are_counted(void **state)
{
	const struct phase_rules rules = {true, true};
	struct phase_cells cells = {0};
	struct phase_stats *stats;
	struct report report;
	struct run run;
	size_t count;

	(void)state;
	run_init(&run, "run");
	add_phase(&run, "x", 10, 20);
	add_phase(&run, "x", 15, 30);
	add_phase(&run, "x", 40, 50);
	add_phase(&run, "x", 60, TIME_NONE);
	stats = phase_stats_new(&run, &rules);
	for (int64_t t_ns = 12; t_ns < 40; t_ns += 6) { /* 12 18 24 30 36 */
		const uint32_t *path = phase_stats_at(stats, t_ns, &count);

		for (size_t i = 0; i < count; i++)
			phase_cells_add(&cells, path[i], METRIC_threads, t_ns);
	}
	report_init(&report, &run);
	phase_stats_report(stats, &report);
	phase_cells_report(&cells, SOURCE_GPU_TRACKER, 0, &report);
	assert_int_equal(report.path_count, 1);
	assert_int_equal(report.path[0].calls, 3);
	assert_int_equal(report.path[0].non_empty_calls, 2);
	assert_int_equal(report.path[0].stats_count, 1);
	assert_int_equal(report.path[0].stats[0].n, 4);
	assert_true(report.path[0].stats[0].min == 12);
	assert_true(report.path[0].stats[0].max == 30);
	assert_true(report.path[0].stats[0].mean_samples == 21);
	assert_true(fabs(report.path[0].stats[0].stddev - sqrt(60)) < 1e-12);
	assert_true(isnan(report.path[0].stats[0].mean));
	phase_cells_release(&cells);
	report_release(&report);
	phase_stats_free(stats);
	run_release(&run);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static bool lies_in(const struct event *event, int64_t t_ns, bool closed)
{
	return t_ns >= event->t_ns &&
		(t_ns < event->end_ns || (closed && t_ns == event->end_ns));
}

static void many_calls_as_a_plain_look_finds_them(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 40; round++) {
		const struct phase_rules rules = {round % 2 != 0, false};
		struct phase_stats *stats;
		struct run run;

		run_init(&run, "run");
		for (int i = 0; i < round * 3; i++) {
			int64_t from = next_random(&seed) % 60;
			char name[8];

			snprintf(name, sizeof name, "%d", (int)(next_random(&seed) % 5));
			add_phase(&run, name, from, from + next_random(&seed) % 20);
		}
		stats = phase_stats_new(&run, &rules);
		for (int i = 0; i < 200; i++) {
			int64_t t_ns = i < 90 ? i : (int64_t)(next_random(&seed) % 90);
			const struct calls *calls = phase_stats_calls(stats);
			bool in[5] = {false};
			size_t count, expected = 0;
			const uint32_t *path = phase_stats_at(stats, t_ns, &count);

			for (size_t c = 0; c < calls->count; c++)
				if (lies_in(calls->at[c].event, t_ns, rules.closed))
					in[phase_stats_path(stats, c)] = true;
			for (int p = 0; p < 5; p++)
				expected += in[p];
			assert_int_equal(count, expected);
			for (size_t p = 0; p < count; p++)
				assert_true(in[path[p]]);
		}
		phase_stats_free(stats);
		run_release(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_belong_by_rule),
		cmocka_unit_test(calls_are_counted),
		cmocka_unit_test(many_calls_as_a_plain_look_finds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
