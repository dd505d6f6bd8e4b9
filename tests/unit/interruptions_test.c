/*
 * What lies in a steady state and is none, and what lies before it; see made_levels.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "made_levels.h"

/* What lies between pieces of a level interrupts it; the means are those of the level. */
static void a_pause(void **state)
{
	struct made made;

	(void)state;
	make(&made, (struct level[]){{120, 90}, {60, 0}, {220, 90}, {0}});
	interrupted(&made, 0, LAST, 1, 60);
	assert_true(made.report.steady.warm_up_s == 0);
	near(made.report.steady.gpu_util_mean_pct, 90);
	near(made.report.steady.power_total_mean_w, 550);
	release(&made);

	/* longer than what came before it; of several levels; and what it ends with */
	make(&made,
		(struct level[]){
			{30, 5}, {50, 90}, {80, 0}, {30, 40}, {170, 90}, {40, 0}, {0}});
	interrupted(&made, 30, 360, 1, 110);
	near(made.report.steady.warm_up_s, 30 * 1.073741824);
	near(made.report.steady.gpu_util_mean_pct, 90);
	release(&made);

	/* not quite the same after it: 2.5 of 92.5 */
	make(&made, (struct level[]){{120, 90}, {60, 0}, {220, 92.5}, {0}});
	interrupted(&made, 0, LAST, 1, 60);
	near(made.report.steady.gpu_util_mean_pct, (120 * 90 + 220 * 92.5) / 340);
	release(&made);
}

/*
 * Four bins of every 70, as checkpoints of 15 s every 300 s are in 20 minutes. The noise
 * is (95^2 + 10 * 85^2) / 2 / 399 = 102, the penalty 3 ln 400 times that, 1830; what
 * costs two of them, the cuts around four bins, saves 4 * 85^2 = 28900 at least.
 */
static void checkpoints(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int i = 0; i < BINS; i++)
		sample_at(&made, T0_NS + i * BIN, 0, METRIC_gpu_util_pct,
			i < 20			      ? 0
				: (i - 20) % 70 >= 66 ? 10
						      : 95);
	finish(&made);
	interrupted(&made, 20, LAST, 5, 20);
	near(made.report.steady.warm_up_s, 20 * 1.073741824);
	near(made.report.steady.gpu_util_mean_pct, 95);
	release(&made);
}

/*
 * Fifteen seconds of every 300 whatever the bins are: as long as several of them, or as a
 * part of one; each begins at another place in its bin.
 */
static void checkpoints_of_any_length(void **state)
{
	static const int minutes[] = {10, 20, 30, 45, 60, 90, 120, 240, 1440};

	(void)state;
	for (size_t k = 0; k < sizeof minutes / sizeof minutes[0]; k++) {
		const struct steady *s;
		struct made made;

		begin(&made, 1);
		for (int i = 0; i < 60 * minutes[k]; i++)
			sample(&made, i, 0, METRIC_gpu_util_pct,
				i < 40				? 0
					: (i - 40) % 300 >= 285 ? 5
								: 96 + i % 3);
		finish(&made);
		s = &made.report.steady;
		if (!s->found)
			fail_msg("%d min: %s", minutes[k], s->why_not);
		/* within the bin that it is reached in, a 250th of the run at most */
		assert_true(fabs(s->warm_up_s - 40) <= 60 * minutes[k] / 250.0);
		assert_true(s->to_s >= 60 * minutes[k] - 20 - 60 * minutes[k] / 250.0);
		assert_true(s->gpu_util_mean_pct > 90 && s->gpu_util_mean_pct < 97.5);
		release(&made);
	}
}

/*
 * Ten bins of twenty make a state: fewer neither begin nor end the steady one, and don't
 * count.
 */
static void a_touch(void **state)
{
	struct made made;

	(void)state;
	make(&made, (struct level[]){{9, 90}, {51, 0}, {300, 90}, {31, 0}, {9, 90}, {0}});
	found(&made, 60, 360);
	near(made.report.steady.warm_up_s, 60 * 1.073741824);
	release(&made);
	make(&made,
		(struct level[]){{10, 90}, {50, 0}, {300, 90}, {30, 0}, {10, 90}, {0}});
	interrupted(&made, 0, LAST, 2, 80);
	assert_true(made.report.steady.warm_up_s == 0);
	release(&made);
	/* eleven of the first twenty, twelve of the last */
	make(&made,
		(struct level[]){{7, 90}, {9, 0}, {4, 90}, {40, 0}, {308, 90}, {12, 0},
			{5, 90}, {8, 0}, {7, 90}, {0}});
	interrupted(&made, 0, LAST, 4, 69);
	release(&made);
	/* half of the time with the touches, less without */
	make(&made, (struct level[]){{9, 90}, {100, 0}, {191, 90}, {100, 40}, {0}});
	not_found(&made, "no level was held for half of the time");
	release(&made);
}

/* GPUs that do more than in their steady state have warmed up. */
static void more_before(void **state)
{
	struct made made;

	(void)state;
	make(&made, (struct level[]){{100, 95}, {300, 50}, {0}});
	found(&made, 100, LAST);
	assert_true(made.report.steady.warm_up_s == 0);
	near(made.report.steady.gpu_util_mean_pct, 50);
	release(&made);
	make(&made, (struct level[]){{30, 5}, {100, 95}, {270, 50}, {0}});
	found(&made, 130, LAST);
	near(made.report.steady.warm_up_s, 30 * 1.073741824);
	release(&made);
}

/* Of two levels that hold half of the time each the higher one is the steady state. */
static void taking_turns(void **state)
{
	struct made made;

	(void)state;
	make(&made, (struct level[]){{100, 90}, {100, 30}, {100, 90}, {100, 30}, {0}});
	interrupted(&made, 0, 300, 1, 100);
	near(made.report.steady.gpu_util_mean_pct, 90);
	release(&made);
	make(&made, (struct level[]){{99, 90}, {101, 30}, {99, 90}, {101, 30}, {0}});
	interrupted(&made, 99, LAST, 1, 99);
	assert_true(made.report.steady.warm_up_s == 0);
	near(made.report.steady.gpu_util_mean_pct, 30);
	release(&made);
	make(&made,
		(struct level[]){
			{80, 90}, {80, 30}, {40, 60}, {80, 90}, {80, 30}, {40, 60}, {0}});
	not_found(&made, "no level was held for half of the time");
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pause),
		cmocka_unit_test(checkpoints),
		cmocka_unit_test(checkpoints_of_any_length),
		cmocka_unit_test(a_touch),
		cmocka_unit_test(more_before),
		cmocka_unit_test(taking_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
