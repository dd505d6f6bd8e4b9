/*
 * What a report says about phases, in closed forms: each expected number is worked out
 * beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "made_run.h"

static void phase(struct made *made, const char *name, double from_s, double to_s)
{
	struct event *event = run_add_event(&made->run);

	event->type = isnan(to_s) ? EVENT_BEGIN : EVENT_PHASE;
	event->t_ns = at_ns(from_s);
	event->end_ns = isnan(to_s) ? TIME_NONE : at_ns(to_s);
	event->name = run_keep(&made->run, name);
}

static const struct phase_path *path_of(const struct made *made, const char *name)
{
	for (size_t i = 0; i < made->report.path_count; i++)
		if (strcmp(made->report.path[i].path, name) == 0)
			return &made->report.path[i];
	fail_msg("no phase %s", name);
	return NULL;
}

static const struct metric_stats *stats_of(
	const struct made *made, const char *path, uint32_t device, enum metric_id metric)
{
	const struct phase_path *p = path_of(made, path);

	for (size_t i = 0; i < p->stats_count; i++)
		if (p->stats[i].device == device && p->stats[i].metric == metric)
			return &p->stats[i];
	fail_msg("nothing of %s in %s", metric_get(metric)->name, path);
	return NULL;
}

static double energy(const struct made *made, const char *path)
{
	return path_of(made, path)->summary[PHASE_energy_j].number;
}

/* P(t) = t over 100 s: the energy of [a, b) is (b^2 - a^2) / 2, its mean (a + b) / 2. */
static void a_ramp_in_tiles(void **state)
{
	static const double edge[] = {0, 10.25, 60.5, 100};
	static const char *const name[] = {"a", "b", "c"};
	static const uint64_t n[] = {11, 50, 39}; /* 0..10, 11..60, 61..99 */
	const struct metric_stats *s;
	struct made made;
	double sum = 0;

	(void)state;
	begin(&made, 1);
	for (int i = 0; i < 3; i++)
		phase(&made, name[i], edge[i], edge[i + 1]);
	for (int t = 0; t <= 100; t++)
		sample(&made, t, 0, METRIC_power_w, t);
	finish(&made);
	assert_int_equal(made.report.path_count, 4);
	for (int i = 0; i < 3; i++) {
		double a = edge[i], b = edge[i + 1];

		s = stats_of(&made, name[i], 0, METRIC_power_w);
		assert_int_equal(s->n, n[i]);
		near(s->mean, (a + b) / 2);
		near(s->energy_j, (b * b - a * a) / 2);
		near(s->covered_s, b - a);
		near(energy(&made, name[i]), s->energy_j);
		near(made.report.call[i].energy_j, s->energy_j);
		near(made.report.call[i].power_total_mean_w, s->mean);
		assert_true(isnan(made.report.call[i].gpu_util_mean_pct));
		near(path_of(&made, name[i])->duration_s, b - a);
		near(path_of(&made, name[i])->exclusive_s, b - a);
		near(path_of(&made, name[i])->summary[PHASE_energy_coverage].number, 1);
		sum += s->energy_j;
	}
	near(sum, 5000);
	s = stats_of(&made, "b", 0, METRIC_power_w);
	near(s->p50, 35.5);
	assert_true(s->min == 10.25 && s->max == 60.5 && s->mean_samples == 35.5);
	assert_int_equal(s->min_at_ns, at_ns(10.25));
	near(s->stddev, sqrt(50.0 * 51 / 12)); /* n (n + 1) / 12 of n in a row */
	/* the last sample lies in no phase, and there is no time behind it */
	assert_int_equal(stats_of(&made, "(outside)", 0, METRIC_power_w)->n, 1);
	assert_true(isnan(energy(&made, "(outside)")));
	near(path_of(&made, "(outside)")->duration_s, 0);
	release(&made);
}

/* 0 % up to 4 s, 100 % from 5 s on: between them 25 % at 4.25 s, 75 % at 4.75 s. */
static void a_square_wave(void **state)
{
	const struct metric_stats *s;
	const struct phase_path *path;
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "edge", 4.25, 4.75);
	phase(&made, "falling", 9.5, 10.5); /* 50 % to 0, then 0 */
	phase(&made, "all", 0, 20);
	for (int t = 0; t <= 20; t++)
		sample(&made, t, 0, METRIC_gpu_util_pct, t / 5 % 2 ? 100 : 0);
	finish(&made);
	s = stats_of(&made, "all/edge", 0, METRIC_gpu_util_pct);
	assert_int_equal(s->n, 0);
	near(s->mean, 50);
	near(s->covered_s, 0.5);
	near(s->above[ABOVE_0], 1);
	near(s->above[ABOVE_20], 1);
	near(s->above[ABOVE_50], 0.5);
	near(s->above[ABOVE_80], 0);
	assert_true(s->min == 25 && s->max == 75);
	assert_true(isnan(s->p50) && isnan(s->mean_samples));
	path = path_of(&made, "all/edge");
	assert_true(path->too_short && !path->non_empty_calls && path->calls == 1);
	near(path->summary[PHASE_gpu_util_mean_pct].number, 50);

	s = stats_of(&made, "all/falling", 0, METRIC_gpu_util_pct);
	assert_int_equal(s->n, 1); /* at 10 s */
	near(s->mean, 12.5);
	near(s->above[ABOVE_20], 0.3); /* 50 % at 9.5 s, 20 % at 9.8 s */
	near(s->above[ABOVE_0], 0.5);

	path = path_of(&made, "all");
	near(path->duration_s, 20);
	near(path->exclusive_s, 18.5);
	assert_false(path->too_short);
	release(&made);
}

/* 10 W from 0 to 10 s, 20 W from 30 to 40 s; the limit is 3 s. */
static void phases_over_a_gap(void **state)
{
	const struct metric_stats *s;
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "over", 5, 35);
	phase(&made, "in", 12, 28);
	phase(&made, "open", 36, NAN);
	for (int t = 0; t <= 40; t++)
		if (t <= 10 || t >= 30)
			sample(&made, t, 0, METRIC_power_w, t <= 10 ? 10 : 20);
	finish(&made);
	s = stats_of(&made, "over", 0, METRIC_power_w);
	near(s->covered_s, 10);
	near(s->energy_j, 5 * 10 + 5 * 20);
	near(s->energy_coverage, 10.0 / 30);
	near(s->mean, 15);
	assert_int_equal(s->n, 11); /* 5..10, 30..34 */
	near(path_of(&made, "over")->summary[PHASE_energy_coverage].number, 10.0 / 30);
	near(path_of(&made, "over")->summary[PHASE_energy_uncovered_s].number, 20);
	assert_true(isnan(energy(&made, "over/in")));
	assert_int_equal(path_of(&made, "over/in")->non_empty_calls, 0);
	assert_true(path_of(&made, "open")->unfinished);
	near(path_of(&made, "open")->duration_s, 4);
	near(energy(&made, "open"), 80);
	/* 0..5, and 35..36 */
	near(energy(&made, "(outside)"), 5 * 10 + 1 * 20);
	near(path_of(&made, "(outside)")->duration_s, 6);
	release(&made);
}

/* P(t) = t; x is called from 0 to 10 and from 5 to 15: an instant counts once. */
static void calls_that_overlap(void **state)
{
	const struct phase_path *path;
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "x", 0, 10);
	phase(&made, "x", 5, 15);
	phase(&made, "x", 20, 21);
	for (int t = 0; t <= 30; t++)
		sample(&made, t, 0, METRIC_power_w, t);
	finish(&made);
	path = path_of(&made, "x");
	assert_int_equal(path->calls, 3);
	assert_int_equal(path->non_empty_calls, 3);
	near(path->duration_s, 21);
	near(path->union_s, 16);
	near(path->mean_s, 7);
	assert_true(path->min_s == 1 && path->max_s == 10 && path->overlapping);
	near(energy(&made, "x"), 15 * 15 / 2.0 + 20.5);
	assert_int_equal(stats_of(&made, "x", 0, METRIC_power_w)->n, 16);
	near(energy(&made, "x") + energy(&made, "(outside)"), 450);
	assert_int_equal(made.report.call_count, 3);
	assert_true(made.report.call[1].overlapping && !made.report.call[2].overlapping);
	/* each call for itself: (b^2 - a^2) / 2 */
	near(made.report.call[0].energy_j, 50);
	near(made.report.call[1].energy_j, (225 - 25) / 2.0);
	near(made.report.call[2].energy_j, 20.5);
	near(made.report.call[2].energy_coverage, 1);
	release(&made);
}

/* 100 W and 50 W; the second GPU is lost at 50 s. */
static void one_of_two_gpus_is_lost(void **state)
{
	const struct phase_path *path;
	struct made made;

	(void)state;
	begin(&made, 2);
	phase(&made, "both", 0, 40);
	phase(&made, "losing", 40, 60);
	phase(&made, "one", 60, 80);
	for (int t = 0; t <= 80; t++) {
		sample(&made, t, 0, METRIC_power_w, 100);
		sample(&made, t, 1, METRIC_power_w, t <= 50 ? 50 : NAN);
	}
	finish(&made);
	near(energy(&made, "both"), 40 * 150);
	near(path_of(&made, "both")->summary[PHASE_power_total_mean_w].number, 150);
	path = path_of(&made, "losing");
	near(path->summary[PHASE_energy_j].number, 20 * 100 + 10 * 50);
	near(path->summary[PHASE_energy_coverage].number, 30.0 / 40);
	/* each GPU's own: 20 s and 10 s of 20 s */
	near(stats_of(&made, "losing", 0, METRIC_power_w)->energy_coverage, 1);
	near(stats_of(&made, "losing", 1, METRIC_power_w)->energy_coverage, 0.5);
	assert_int_equal(stats_of(&made, "losing", 1, METRIC_power_w)->missing, 9);
	path = path_of(&made, "one");
	assert_true(isnan(path->summary[PHASE_energy_j].number));
	near(path->summary[PHASE_energy_partial_j].number, 20 * 100);
	assert_true(isnan(path->summary[PHASE_power_total_mean_w].number));
	near(path->summary[PHASE_power_mean_w].number, 100);
	release(&made);
}

/* A counter that rises by 10 a second, reset at 20 s; a state that changes at 6 s. */
static void counters_and_states(void **state)
{
	const struct metric_stats *s;
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "a", 2.5, 8.25);
	phase(&made, "b", 15, 25);
	phase(&made, "c", 29, 45); /* a gap from 30 to 40 lies in it */
	phase(&made, "d", 35, 36); /* ... and this in the gap */
	for (int t = 0; t <= 50; t++) {
		if (t > 30 && t < 40)
			continue;
		sample(&made, t, 0, METRIC_held_sw_power_cap_us,
			t < 20 ? 10 * t : 10 * (t - 20));
		sample(&made, t + 0.001, 0, METRIC_clock_reasons, t < 6 ? 4 : 0);
	}
	finish(&made);
	s = stats_of(&made, "a", 0, METRIC_held_sw_power_cap_us);
	near(s->increase, 57.5);
	near(s->rate_per_s, 10);
	near(s->covered_s, 5.75);
	/* without the slice of the reset, from 19 s to 20 s */
	s = stats_of(&made, "b", 0, METRIC_held_sw_power_cap_us);
	near(s->increase, 90);
	near(s->covered_s, 9);
	/* a counter counts while nobody looks, but not evenly */
	near(stats_of(&made, "c", 0, METRIC_held_sw_power_cap_us)->increase, 160);
	assert_true(
		isnan(stats_of(&made, "c/d", 0, METRIC_held_sw_power_cap_us)->increase));
	/* until 6.001 s */
	s = stats_of(&made, "a", 0, METRIC_clock_reasons);
	assert_int_equal(s->state_count, 2);
	near(s->state[0].seconds, 6.001 - 2.5);
	near(s->state[1].seconds, 8.25 - 6.001);
	near(s->covered_s, 5.75);
	release(&made);
}

/* A snapshot of all CPUs together, with the first five fields. */
static void snapshot(struct made *made, double s, uint32_t device, const double ticks[5])
{
	struct sample_batch *batch = &made->batch;
	size_t column[5], row;

	for (size_t i = 0; i < 5; i++)
		column[i] = sample_batch_column(
			batch, (enum metric_id)(METRIC_cpu_user_ticks + i));
	row = sample_batch_add(batch, at_ns(s), device);
	for (size_t i = 0; i < 5; i++)
		sample_batch_put(batch, row, column[i], llround(ticks[i]));
}

/*
 * User rises by 10 a second up to 10 s, by 40 then; idle by 90 and by 60; what waits for
 * I/O falls, which counts as nothing. No snapshot from 14 s to 19 s.
 */
static void shares_of_cpu_time(void **state)
{
	static const struct {
		const char *path;
		double usr, covered_s;
		uint64_t n;
	} expected[] = {
		{"a", 10, 4.75, 4}, /* windows to 4, 5, 6 and 7.25 s */
		{"f", 10, 0.07, 1}, /* 0.7 of 7 ticks: no binary fraction */
		{"b", 100 * (5 + 80) / 250.0, 2.5, 2}, /* windows to 11 and 12 s */
		{"c", 40, 0.5, 1},
		{"d", NAN, 0, 0}, /* cuts the gap */
		/* has all of it: ticks count on, time does not, as in the run */
		{"e", 40, 0.25 + 0.5, 1},
	};
	const struct metric_stats *s;
	struct made made;

	(void)state;
	begin(&made, 0);
	run_add_device(&made.run, DEVICE_CPU, -1);
	made.batch.source = SOURCE_PROC_STAT;
	phase(&made, "a", 2.5, 7.25);
	phase(&made, "f", 8.37, 8.44);
	phase(&made, "b", 9.5, 12);
	phase(&made, "c", 13.125, 13.625);
	phase(&made, "e", 13.75, 19.5);
	phase(&made, "d", 14.5, 16);
	for (int t = 0; t <= 20; t++) {
		const double ticks[5] = {t < 10 ? 10 * t : 100 + 40 * (t - 10), 0, 0,
			t < 10 ? 90 * t : 900 + 60 * (t - 10), 1000 - t};

		if (t <= 14 || t >= 19)
			snapshot(&made, t, 0, ticks);
	}
	finish(&made);
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		bool inner = strcmp(expected[i].path, "d") == 0;

		s = stats_of(
			&made, inner ? "e/d" : expected[i].path, 0, METRIC_cpu_usr_pct);
		if (isnan(expected[i].usr))
			assert_true(isnan(s->mean));
		else
			near(s->mean, expected[i].usr);
		near(s->covered_s, expected[i].covered_s);
		assert_int_equal(s->n, expected[i].n);
	}
	s = stats_of(&made, "b", 0, METRIC_cpu_usr_pct);
	near(s->min, 100 * (5 + 40) / 150.0);
	near(s->max, 40);
	near(s->p95, 39.5);
	near(stats_of(&made, "b", 0, METRIC_cpu_iowait_pct)->mean, 0);
	near(path_of(&made, "b")->summary[PHASE_cpu_usr_mean_pct].number, 34);
	release(&made);
}

/*
 * A sample a second, but for two gaps, 10 to 50 and 50 to 90 s: what lies around the one
 * sample of 50 s, 300 W, has a sample and no covered time. Nobody knows how long it was
 * at 300 W, so there is no mean and no energy. dmon knows: 200 W all along.
 */
static void nothing_covered(void **state)
{
	const struct metric_stats *s;
	const struct phase_path *path;

	(void)state;
	for (int logs = 1; logs <= 2; logs++) {
		struct made made;

		begin(&made, 1);
		phase(&made, "hole", 45, 55);
		for (int t = 0; t <= 100; t += t == 10 || t == 50 ? 40 : 1)
			sample(&made, t, 0, METRIC_power_w, t == 50 ? 300 : 100);
		flush(&made);
		made.batch.source = SOURCE_NVIDIA_DMON;
		for (int t = 0; t <= 100 && logs == 2; t++)
			sample(&made, t, 0, METRIC_power_w, 200);
		finish(&made);
		s = stats_of(&made, "hole", 0, METRIC_power_w);
		assert_int_equal(s->n, 1);
		assert_true(s->min == 300 && s->mean_samples == 300 && s->p50 == 300);
		assert_true(s->covered_s == 0 && isnan(s->mean) && isnan(s->energy_j));
		path = path_of(&made, "hole");
		if (logs == 1) {
			assert_true(isnan(path->summary[PHASE_power_mean_w].number));
			assert_true(
				isnan(path->summary[PHASE_power_total_mean_w].number));
			assert_true(isnan(energy(&made, "hole")));
			assert_true(isnan(made.report.call[0].power_total_mean_w));
		} else {
			near(path->summary[PHASE_power_mean_w].number, 200);
			near(path->summary[PHASE_power_total_mean_w].number, 200);
			near(energy(&made, "hole"), 2000);
			near(made.report.call[0].power_total_mean_w, 200);
		}
		release(&made);
	}
}

/* Of two GPUs one is covered, at 100 W: the mean is its, that of both is not known. */
static void one_of_two_covered(void **state)
{
	const struct phase_path *path;
	struct made made;

	(void)state;
	begin(&made, 2);
	phase(&made, "hole", 45, 55);
	for (int t = 0; t <= 100; t++) {
		sample(&made, t, 0, METRIC_power_w, 100);
		if (t <= 10 || t == 50 || t >= 90)
			sample(&made, t, 1, METRIC_power_w, 300);
	}
	finish(&made);
	path = path_of(&made, "hole");
	near(path->summary[PHASE_power_mean_w].number, 100);
	assert_true(isnan(path->summary[PHASE_power_total_mean_w].number));
	assert_true(isnan(energy(&made, "hole")));
	release(&made);
}

/* The run itself has the mean of its samples where nothing is covered. */
static void a_run_of_one_sample(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 2);
	sample(&made, 1, 0, METRIC_power_w, 100);
	sample(&made, 1, 1, METRIC_power_w, 200);
	finish(&made);
	assert_true(made.report.stats[0].mean == 100);
	assert_true(made.report.stats[0].covered_s == 0);
	assert_true(made.report.summary[SUMMARY_power_mean_w].number == 150);
	assert_true(isnan(made.report.summary[SUMMARY_energy_j].number));
	release(&made);
}

/* 60 s less 55.1 s are 4.9 s, where the difference of these doubles is not. */
static void outside_to_the_nanosecond(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "a", 0, 55.1);
	for (int t = 0; t <= 60; t++)
		sample(&made, t, 0, METRIC_power_w, 100);
	finish(&made);
	assert_true(path_of(&made, "(outside)")->duration_s == 4.9);
	assert_true(path_of(&made, "(outside)")->exclusive_s == 4.9);
	assert_true(path_of(&made, "(outside)")->union_s == 4.9);
	assert_false(60 - 55.1 == 4.9);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ramp_in_tiles),
		cmocka_unit_test(a_square_wave),
		cmocka_unit_test(phases_over_a_gap),
		cmocka_unit_test(calls_that_overlap),
		cmocka_unit_test(one_of_two_gpus_is_lost),
		cmocka_unit_test(counters_and_states),
		cmocka_unit_test(shares_of_cpu_time),
		cmocka_unit_test(nothing_covered),
		cmocka_unit_test(one_of_two_covered),
		cmocka_unit_test(a_run_of_one_sample),
		cmocka_unit_test(outside_to_the_nanosecond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
