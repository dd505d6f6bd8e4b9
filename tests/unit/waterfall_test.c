/*
 * What the difference of two sides is made of, worked out by hand beside each
 * expectation; and that it always sums.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdlib.h>

#include "compared.h"
#include "made_run.h"
#include "model/phase_name.h"

static struct event *phase(
	struct made *made, const char *name, double from_s, double to_s)
{
	struct event *event = run_add_event(&made->run);

	event->type = EVENT_PHASE;
	event->t_ns = at_ns(from_s);
	event->end_ns = at_ns(to_s);
	event->name = run_keep(&made->run, name);
	return event;
}

static void of_process(struct made *made, struct event *event, int pid)
{
	char extras[32];

	snprintf(extras, sizeof extras, "{\"pid\": %d}", pid);
	event->extras = run_keep(&made->run, extras);
}

static void start(struct made *made, const char *key)
{
	begin(made, 1);
	run_set_string(&made->run.key, key);
}

static void power(struct made *made, double from_s, double to_s, double power_w)
{
	for (double t = from_s; t <= to_s; t++)
		sample(made, t, 0, METRIC_power_w, power_w);
}

/* The first n are the base; finishes and releases them all. */
static void compare(struct comparison *c, struct made *run, size_t n, size_t count)
{
	struct comparing *comparing;
	struct error err;

	*c = COMPARISON_INIT;
	comparing = compare_begin(c, count, NULL, NULL);
	for (size_t i = 0; i < count; i++) {
		finish(&run[i]);
		if (compare_add(comparing, run[i].run.key, i < n ? SIDE_BASE : SIDE_NEW,
			    &run[i].report, &err) < 0)
			fail_msg("%s", err.message);
		release(&run[i]);
	}
	compare_end(comparing);
}

/* NULL: what is left. */
static const struct waterfall_step *step(const struct waterfall *w, const char *phase)
{
	for (size_t i = 0; i < w->count; i++)
		if (phase && w->step[i].phase ? strcmp(w->step[i].phase, phase) == 0
					      : w->step[i].phase == phase)
			return &w->step[i];
	fail_msg("no step %s", phase ? phase : "of what is left");
	return NULL;
}

static double or_nothing(double x)
{
	return isnan(x) ? 0 : x;
}

static void assert_mean(double mean, double expected)
{
	if (isnan(expected))
		assert_true(isnan(mean));
	else
		near(mean, expected);
}

/* NAN: no run of the side has it. */
static void assert_step(
	const struct waterfall *w, const char *phase, double base, double new)
{
	const struct waterfall_step *s = step(w, phase);

	assert_mean(s->base, base);
	assert_mean(s->new, new);
	near(s->difference, or_nothing(new) - or_nothing(base));
}

static void assert_sums(const struct waterfall *w)
{
	double base = 0, new = 0, difference = 0;

	for (size_t i = 0; i < w->count; i++) {
		base += or_nothing(w->step[i].base);
		new += or_nothing(w->step[i].new);
		difference += w->step[i].difference;
	}
	assert_near(base, w->base, 1e-9 * w->base);
	assert_near(new, w->new, 1e-9 * w->new);
	assert_near(difference, w->difference, 1e-9 * (w->base + w->new));
}

/*
 * 100 W all the time. Base, 50 s: train [0, 40) with save [30, 40) in it, 10 s outside.
 * New, 60 s: train [0, 55) with save [30, 55). So train without save has 30 s on both
 * sides, save 10 and 25 s, the outside 10 and 5 s; as many 100 J.
 */
static void nested(void **state)
{
	const struct waterfall *w;
	struct comparison c;
	struct made run[2];

	(void)state;
	start(&run[0], "base");
	phase(&run[0], "train", 0, 40);
	phase(&run[0], "save", 30, 40);
	power(&run[0], 0, 50, 100);
	start(&run[1], "new");
	phase(&run[1], "train", 0, 55);
	phase(&run[1], "save", 30, 55);
	power(&run[1], 0, 60, 100);
	compare(&c, run, 1, 2);
	for (int which = 0; which < WATERFALLS; which++) {
		double each = which == WATERFALL_TIME ? 1 : 100;

		w = &c.waterfall[which];
		assert_int_equal(w->count, 3); /* nothing is left */
		near(w->base, 50 * each);
		near(w->new, 60 * each);
		near(w->difference, 10 * each);
		assert_step(w, "train/save", 10 * each, 25 * each);
		assert_step(w, "(outside)", 10 * each, 5 * each);
		assert_step(w, "train", 30 * each, 30 * each);
		assert_string_equal(w->step[0].phase, "train/save");
		assert_string_equal(w->step[2].phase, "train");
		assert_sums(w);
	}
	assert_string_equal(c.waterfall[WATERFALL_TIME].key, "duration_s");
	assert_string_equal(c.waterfall[WATERFALL_ENERGY].unit, "J");
	comparison_release(&c);
}

/* A phase that one side does not have is unknown there, not 0; its difference counts. */
static void new_and_gone(void **state)
{
	struct comparison c;
	struct made run[2];

	(void)state;
	start(&run[0], "base");
	phase(&run[0], "compile", 0, 20);
	phase(&run[0], "train", 20, 50);
	power(&run[0], 0, 50, 100);
	start(&run[1], "new");
	phase(&run[1], "train", 0, 30);
	phase(&run[1], "check", 30, 45);
	power(&run[1], 0, 45, 100);
	compare(&c, run, 1, 2);
	assert_step(&c.waterfall[WATERFALL_TIME], "compile", 20, NAN);
	assert_step(&c.waterfall[WATERFALL_TIME], "check", NAN, 15);
	assert_step(&c.waterfall[WATERFALL_TIME], "train", 30, 30);
	assert_sums(&c.waterfall[WATERFALL_TIME]);
	assert_sums(&c.waterfall[WATERFALL_ENERGY]);
	comparison_release(&c);
}

/*
 * Of two processes that are in the same phase at once, [0, 40) and [10, 50), the phase
 * has the time in which any is: 50 s. In two phases at once the time counts twice: load
 * [0, 40) and wait [0, 30) of 50 s, 10 s outside: -30 s are left.
 */
static void processes_at_once(void **state)
{
	const struct waterfall *w;
	struct comparison c;
	struct made run[2];

	(void)state;
	start(&run[0], "base");
	of_process(&run[0], phase(&run[0], "train", 0, 40), 1);
	of_process(&run[0], phase(&run[0], "train", 10, 50), 2);
	power(&run[0], 0, 50, 100);
	start(&run[1], "new");
	of_process(&run[1], phase(&run[1], "load", 0, 40), 1);
	of_process(&run[1], phase(&run[1], "wait", 0, 30), 2);
	power(&run[1], 0, 50, 100);
	compare(&c, run, 1, 2);
	for (int which = 0; which < WATERFALLS; which++) {
		double each = which == WATERFALL_TIME ? 1 : 100;

		w = &c.waterfall[which];
		assert_step(w, "train", 50 * each, NAN);
		assert_step(w, "load", NAN, 40 * each);
		assert_step(w, "wait", NAN, 30 * each);
		assert_step(w, "(outside)", 0, 10 * each);
		assert_step(w, NULL, 0, -30 * each);
		assert_null(w->step[w->count - 1].phase); /* the last */
		assert_sums(w);
	}
	comparison_release(&c);
}

/*
 * Inner phases of two processes that have more time than the one around them: of that
 * nothing is its own.
 */
static void inner_ones_at_once(void **state)
{
	const struct waterfall *w;
	struct comparison c;
	struct made run[2];

	(void)state;
	start(&run[0], "base");
	phase(&run[0], "epoch", 0, 40);
	of_process(&run[0], phase(&run[0], "a", 5, 35), 1);
	of_process(&run[0], phase(&run[0], "b", 5, 30), 2);
	power(&run[0], 0, 50, 100);
	start(&run[1], "new");
	phase(&run[1], "epoch", 0, 40);
	power(&run[1], 0, 50, 100);
	compare(&c, run, 1, 2);
	w = &c.waterfall[WATERFALL_TIME];
	assert_step(w, "epoch/a", 30, NAN);
	assert_step(w, "epoch/b", 25, NAN);
	assert_step(w, "epoch", 0, 40); /* 40 - 55 */
	assert_step(w, NULL, -15, 0);
	assert_sums(w);
	assert_sums(&c.waterfall[WATERFALL_ENERGY]);
	comparison_release(&c);
}

/*
 * 50 s of samples. Base: train [10, 80) and load [60, 100): of these 50 s lie behind the
 * last sample, and of [60, 80) 20 s in both. New: early [-30, 10), of which 30 s lie
 * before the first sample; nothing is counted twice.
 */
static void beyond_the_samples(void **state)
{
	const struct waterfall *w;
	struct comparison c;
	struct made run[2];

	(void)state;
	start(&run[0], "base");
	of_process(&run[0], phase(&run[0], "train", 10, 80), 1);
	of_process(&run[0], phase(&run[0], "load", 60, 100), 2);
	power(&run[0], 0, 50, 100);
	start(&run[1], "new");
	phase(&run[1], "early", -30, 10);
	power(&run[1], 0, 50, 100);
	compare(&c, run, 1, 2);
	w = &c.waterfall[WATERFALL_TIME];
	assert_step(w, "train", 70, NAN);
	assert_step(w, "load", 40, NAN);
	assert_step(w, "early", NAN, 40);
	assert_step(w, "(outside)", 10, 40);
	assert_step(w, PHASE_BEYOND, -50, -30);
	assert_step(w, NULL, -20, 0);
	assert_string_equal(w->step[w->count - 2].phase, PHASE_BEYOND);
	assert_sums(w);
	comparison_release(&c);
}

/* Means over the runs of a side: 40 and 50 s of train, 60, 70 and 80 s. */
static void several_runs(void **state)
{
	static const double train_s[] = {40, 50, 60, 70, 80};
	struct comparison c;
	struct made run[5];

	(void)state;
	for (int i = 0; i < 5; i++) {
		start(&run[i], (const char *[]){"a", "b", "c", "d", "e"}[i]);
		phase(&run[i], "train", 0, train_s[i]);
		if (i == 4)
			phase(&run[i], "save", 80, 89);
		power(&run[i], 0, 90, 100 + i);
	}
	compare(&c, run, 2, 5);
	assert_step(&c.waterfall[WATERFALL_TIME], "train", 45, 70);
	assert_step(&c.waterfall[WATERFALL_TIME], "save", NAN, 3);
	assert_step(&c.waterfall[WATERFALL_TIME], "(outside)", 45, 17);
	near(c.waterfall[WATERFALL_TIME].difference, 0);
	assert_step(&c.waterfall[WATERFALL_ENERGY], "train", (40 * 100 + 50 * 101) / 2.0,
		(60 * 102 + 70 * 103 + 80 * 104) / 3.0);
	assert_sums(&c.waterfall[WATERFALL_TIME]);
	assert_sums(&c.waterfall[WATERFALL_ENERGY]);
	comparison_release(&c);
}

static const char *remark_with(const struct comparison *c, const char *part)
{
	for (size_t i = 0; i < c->remark_count; i++)
		if (strstr(c->remark[i], part))
			return c->remark[i];
	return NULL;
}

/*
 * 100 W for 4,000 s, but in the base no rows from 10 to 30 s, in which lost [15, 20)
 * lies, in train or alone; the new run has its 500 J. Beside 500 J nothing may stand for
 * the unknown ones: they stay with train, or in no phase, on both sides.
 */
static void compare_lost(struct comparison *c, double train_from_s)
{
	struct made run[2];

	for (int i = 0; i < 2; i++) {
		start(&run[i], i ? "new" : "base");
		phase(&run[i], "train", train_from_s, 3900);
		phase(&run[i], "lost", 15, 20);
		power(&run[i], 0, i ? 4000 : 10, 100);
		if (i == 0)
			power(&run[i], 30, 4000, 100);
	}
	compare(c, run, 1, 2);
}

static void unknown_energy(void **state)
{
	const struct waterfall *w;
	struct comparison c;

	(void)state;
	compare_lost(&c, 5);
	w = &c.waterfall[WATERFALL_ENERGY];
	near(w->base, 398000);
	assert_int_equal(w->count, 2);
	assert_step(w, "train", 387500, 389500);
	assert_step(w, "(outside)", 10500, 10500);
	assert_sums(w);
	assert_string_equal(remark_with(&c, "energy_j"),
		"Not all energy_j of train/lost is known in every run; its part of the "
		"difference is counted in the phase around it");
	assert_step(&c.waterfall[WATERFALL_TIME], "train", 3890, 3890);
	assert_step(&c.waterfall[WATERFALL_TIME], "train/lost", 5, 5);
	comparison_release(&c);

	compare_lost(&c, 40);
	w = &c.waterfall[WATERFALL_ENERGY];
	/* Of the 135 s outside, 20 s are of the gap, 15 of them beside lost. */
	assert_int_equal(w->count, 2);
	assert_step(w, "train", 386000, 386000);
	assert_step(w, NULL, 12000, 14000);
	assert_sums(w);
	assert_non_null(remark_with(&c, " of lost, (outside) is"));
	comparison_release(&c);
}

/* Half of the base's time is in a gap: what it lacks there is no difference. */
static void whole_in_part(void **state)
{
	struct comparison c;
	struct made run[2];

	(void)state;
	start(&run[0], "base");
	phase(&run[0], "train", 5, 35);
	power(&run[0], 0, 10, 100);
	power(&run[0], 30, 40, 100);
	start(&run[1], "new");
	phase(&run[1], "train", 5, 35);
	power(&run[1], 0, 40, 100);
	compare(&c, run, 1, 2);
	assert_int_equal(c.waterfall[WATERFALL_ENERGY].count, 0);
	assert_true(isnan(c.waterfall[WATERFALL_ENERGY].difference));
	assert_string_equal(remark_with(&c, "energy_j"),
		"The difference in energy_j can't be split by phase: not all is "
		"known of base");
	assert_step(&c.waterfall[WATERFALL_TIME], "train", 30, 30);
	comparison_release(&c);
}

/* Without phases, or where the whole is not known of one run, there is none. */
static void nothing_to_say(void **state)
{
	struct comparison c;
	struct made run[3];

	(void)state;
	start(&run[0], "base");
	power(&run[0], 0, 50, 100);
	start(&run[1], "new");
	power(&run[1], 0, 60, 100);
	compare(&c, run, 1, 2);
	assert_int_equal(c.waterfall[WATERFALL_TIME].count, 0);
	assert_true(isnan(c.waterfall[WATERFALL_TIME].difference));
	comparison_release(&c);

	start(&run[0], "base");
	phase(&run[0], "train", 0, 40);
	power(&run[0], 0, 50, 100);
	start(&run[1], "new");
	phase(&run[1], "train", 0, 40);
	power(&run[1], 0, 50, 100);
	start(&run[2], "blind");
	phase(&run[2], "train", 0, 40);
	for (int t = 0; t <= 50; t++)
		sample(&run[2], t, 0, METRIC_gpu_util_pct, 50);
	compare(&c, run, 1, 3);
	assert_true(c.waterfall[WATERFALL_TIME].count > 0);
	assert_int_equal(c.waterfall[WATERFALL_ENERGY].count, 0);
	comparison_release(&c);
}

static double upto(double most)
{
	return most * (rand() % 1000) / 1000;
}

/*
 * Any phases of any processes: the steps sum, and only what is left, or beyond the
 * samples, may be below 0. Of
 * the energy, which has gaps, there may be no steps, and of most rounds there are.
 */
static void always_sums(void **state)
{
	static const char *const name[] = {"a", "b", "c", "d"};
	int energies = 0;

	(void)state;
	srand(20261120);
	for (int round = 0; round < 100; round++) {
		struct made run[5];
		struct comparison c;
		size_t count = 2 + (size_t)rand() % 4,
		       n = 1 + (size_t)rand() % (count - 1);

		for (size_t i = 0; i < count; i++) {
			int phases = 1 + rand() % 8;

			start(&run[i], (const char *[]){"v", "w", "x", "y", "z"}[i]);
			for (int k = 0; k < phases; k++) {
				double from = upto(40);

				of_process(&run[i],
					phase(&run[i], name[rand() % 4], from,
						from + upto(20)),
					rand() % 3);
			}
			for (int t = 2; t <= 58; t++)
				if (rand() % 20)
					sample(&run[i], t, 0, METRIC_power_w,
						rand() % 500);
		}
		compare(&c, run, n, count);
		for (int which = 0; which < WATERFALLS; which++) {
			const struct waterfall *w = &c.waterfall[which];

			if (which == WATERFALL_TIME)
				assert_true(w->count > 0);
			else
				energies += w->count > 0;
			if (w->count > 0)
				assert_sums(w);
			for (size_t i = 0; i < w->count; i++)
				if (w->step[i].phase &&
					strcmp(w->step[i].phase, PHASE_BEYOND) != 0)
					assert_true(!(w->step[i].base < 0) &&
						!(w->step[i].new < 0) &&
						!(isnan(w->step[i].base) &&
							isnan(w->step[i].new)));
		}
		comparison_release(&c);
	}
	assert_true(energies > 90);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nested),
		cmocka_unit_test(new_and_gone), cmocka_unit_test(processes_at_once),
		cmocka_unit_test(inner_ones_at_once),
		cmocka_unit_test(beyond_the_samples), cmocka_unit_test(several_runs),
		cmocka_unit_test(unknown_energy), cmocka_unit_test(whole_in_part),
		cmocka_unit_test(nothing_to_say), cmocka_unit_test(always_sums)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
