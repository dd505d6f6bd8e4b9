/*
 * The steady state: whether there is one, from when to when, and of which samples; see
 * made_levels.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "made_levels.h"

static double random_in(uint64_t *seed, double low, double high)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

static void a_step(void **state)
{
	struct made made;

	(void)state;
	make(&made, (struct level[]){{100, 10}, {300, 95}, {0}});
	found(&made, 100, LAST);
	assert_int_equal(made.report.steady.metric, METRIC_gpu_util_pct);
	assert_int_equal(made.report.steady.source, SOURCE_NVIDIA_QUERY);
	near(made.report.steady.warm_up_s, 100 * 1.073741824);
	near(made.report.steady.gpu_util_mean_pct, 95);
	near(made.report.steady.power_total_mean_w, 575);
	release(&made);

	/* cold, warm, at work, saving: the work is 251 of 400 */
	make(&made, (struct level[]){{30, 0}, {40, 50}, {251, 95}, {79, 5}, {0}});
	found(&made, 70, 321);
	near(made.report.steady.warm_up_s, 70 * 1.073741824);
	release(&made);

	/* dips of two bins are no change, but count: 12 dips of 2 in 400 */
	make(&made,
		(struct level[]){{40, 20}, {58, 90}, {2, 30}, {98, 90}, {2, 30}, {98, 90},
			{2, 30}, {100, 90}, {0}});
	found(&made, 40, LAST);
	near(made.report.steady.gpu_util_mean_pct, (354 * 90.0 + 6 * 30) / 360);
	release(&made);
}

static void one_level(void **state)
{
	struct made made;
	uint64_t seed = 7;

	(void)state;
	make(&made, (struct level[]){{BINS, 50}, {0}});
	found(&made, 0, LAST);
	assert_true(made.report.steady.warm_up_s == 0);
	release(&made);

	/* 97, 98, 97, ...; and 97 first, then 98 */
	begin(&made, 1);
	for (int i = 0; i < BINS; i++)
		sample_at(&made, T0_NS + i * BIN, 0, METRIC_gpu_util_pct, 97 + i % 2);
	finish(&made);
	found(&made, 0, LAST);
	near(made.report.steady.gpu_util_mean_pct, 97.5);
	release(&made);
	make(&made, (struct level[]){{200, 97}, {200, 98}, {0}});
	found(&made, 0, LAST);
	release(&made);

	begin(&made, 1);
	for (int i = 0; i < BINS; i++)
		sample_at(&made, T0_NS + i * BIN, 0, METRIC_gpu_util_pct,
			floor(random_in(&seed, 20, 100)));
	finish(&made);
	found(&made, 0, LAST);
	release(&made);
}

static void no_level(void **state)
{
	struct made made;

	(void)state;
	make(&made, (struct level[]){{9, 50}, {0}});
	not_found(&made, "too few samples");
	release(&made);
	make(&made, (struct level[]){{10, 50}, {0}});
	assert_true(made.report.steady.found);
	release(&made);
	/* twelve rows in 1.1 s; and 86 in 8.5 s */
	for (int k = 0; k < 3; k++) {
		begin(&made, 1);
		for (int i = 0; i < (int[]){12, 85, 86}[k]; i++)
			sample(&made, i * 0.1, 0, METRIC_gpu_util_pct, 97);
		finish(&made);
		if (k < 2)
			not_found(&made, "too short a recording");
		else
			assert_true(made.report.steady.found);
		release(&made);
	}
	make(&made, (struct level[]){{100, 10}, {100, 90}, {100, 30}, {100, 60}, {0}});
	not_found(&made, "no level was held for half of the time");
	release(&made);
	make(&made, (struct level[]){{100, 90}, {300, 0}, {0}});
	not_found(&made, "the GPUs idled for half of the time or more");
	release(&made);

	/* without times, without values */
	begin(&made, 1);
	made.batch.timed = false;
	for (int i = 0; i < 100; i++)
		sample_at(&made, 0, 0, METRIC_gpu_util_pct, 50);
	finish(&made);
	not_found(&made, "no GPU utilization and no power over time");
	assert_int_equal(made.report.steady.metric, METRIC_none);
	release(&made);
	begin(&made, 1);
	for (int i = 0; i < 100; i++)
		sample(&made, i, 0, METRIC_gpu_util_pct, NAN);
	finish(&made);
	not_found(&made, "no GPU utilization and no power over time");
	release(&made);
}

/*
 * The second GPU is recorded from the 100th bin on, at the level of the first one or at
 * another one: before that nobody knows what both did.
 */
static void two_gpus(void **state)
{
	static const double util[] = {90, 20};

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct made made;

		begin(&made, 2);
		for (int i = 0; i < BINS; i++) {
			sample_at(&made, T0_NS + i * BIN, 0, METRIC_gpu_util_pct, 90);
			also(&made, METRIC_power_w, 500);
			if (i < 100)
				continue;
			sample_at(
				&made, T0_NS + i * BIN, 1, METRIC_gpu_util_pct, util[k]);
			also(&made, METRIC_power_w, i % 2 ? 200 : 300);
		}
		finish(&made);
		found(&made, 100, LAST);
		assert_true(made.report.steady.warm_up_s == 0);
		near(made.report.steady.gpu_util_mean_pct, k ? 55 : 90);
		near(made.report.steady.power_total_mean_w, 750);
		release(&made);
	}
}

/* Without utilization by power; of one GPU not known, then not of all. */
static void power(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 2);
	for (int i = 0; i < BINS; i++) {
		sample_at(&made, T0_NS + i * BIN, 0, METRIC_power_w, i < 80 ? 70 : 600);
		also(&made, METRIC_gpu_util_pct, NAN);
		sample_at(&made, T0_NS + i * BIN, 1, METRIC_power_w, i < 80 ? 80 : 610);
	}
	finish(&made);
	found(&made, 80, LAST);
	assert_int_equal(made.report.steady.metric, METRIC_power_w);
	assert_true(isnan(made.report.steady.gpu_util_mean_pct));
	near(made.report.steady.power_total_mean_w, 1210);
	release(&made);

	begin(&made, 2);
	for (int i = 0; i < BINS; i++) {
		sample_at(&made, T0_NS + i * BIN, 0, METRIC_gpu_util_pct, 80);
		also(&made, METRIC_power_w, 600);
		sample_at(&made, T0_NS + i * BIN, 1, METRIC_gpu_util_pct, 80);
	}
	finish(&made);
	found(&made, 0, LAST);
	assert_true(isnan(made.report.steady.power_total_mean_w));
	release(&made);
}

/*
 * Utilization that ends in the 246th of 480 bins leaves its own bins finer than those of
 * power: all is said in the borders of the coarser. The bin that the last of it begins
 * lies in the silence behind, and is not of the state.
 */
static void of_uneven_length(void **state)
{
	const struct steady *s;
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int i = 0; i < 480; i++) {
		sample_at(&made, T0_NS + i * BIN, 0, METRIC_power_w, i);
		if (i < 246)
			also(&made, METRIC_gpu_util_pct, i < 20 ? 5 : 85);
	}
	finish(&made);
	s = &made.report.steady;
	found(&made, 20, 245);
	near(s->gpu_util_mean_pct, 85);
	near(s->power_total_mean_w, (20 + 244) / 2.0);
	release(&made);
}

/* From the first value on, which is not the first row's, to the last one. */
static void between_samples(void **state)
{
	const struct steady *s;
	struct made made;

	(void)state;
	for (int k = 0; k < 2; k++) {
		begin(&made, 1);
		for (int i = 0; i < 2 * BINS; i++)
			sample_at(&made, T0_NS + i * (BIN / 2), 0, METRIC_gpu_util_pct,
				i < 1 || i > 2 * BINS - 3 ? NAN
					: k && i < 100	  ? 0
							  : 80);
		finish(&made);
		s = &made.report.steady;
		assert_true(s->found);
		near(s->from_s, k ? 50 * 1.073741824 : 0.536870912);
		near(s->to_s, (BINS - 1.5) * 1.073741824);
		near(s->warm_up_s, k ? 49.5 * 1.073741824 : 0);
		release(&made);
	}
}

/*
 * The recorder began before the command, when the GPUs were at work already, and went on
 * behind it, when they idled for longer than that. Only the run is asked.
 */
static void within_the_run(void **state)
{
	const struct steady *s;
	struct made made;

	(void)state;
	begin(&made, 1);
	made.run.started_ns = T0_NS + 20 * BIN + BIN / 4;
	made.run.ended_ns = T0_NS + 190 * BIN + BIN / 2;
	add_levels(&made, 0, (struct level[]){{10, 0}, {181, 90}, {209, 0}, {0}});
	finish(&made);
	s = &made.report.steady;
	assert_true(s->found);
	assert_true(s->from_s == 0 && s->warm_up_s == 0);
	assert_true(s->from_ns == made.run.started_ns && s->to_ns == made.run.ended_ns);
	near(s->to_s, 170.25 * 1.073741824);
	near(s->gpu_util_mean_pct, 90);
	release(&made);

	/* another run's times */
	begin(&made, 1);
	made.run.started_ns = T0_NS - 20 * BIN;
	made.run.ended_ns = T0_NS - 10 * BIN;
	add_levels(&made, 0, (struct level[]){{400, 90}, {0}});
	finish(&made);
	not_found(&made, "too few samples");
	release(&made);
}

/* But for where they keep their interruptions. */
static void assert_same(const struct steady *a, const struct steady *b)
{
	const size_t from = offsetof(struct steady, from_ns),
		     list = offsetof(struct steady, interruption),
		     behind = offsetof(struct steady, interruption_listed);

	assert_memory_equal((const char *)a + from, (const char *)b + from, list - from);
	assert_memory_equal(
		(const char *)a + behind, (const char *)b + behind, sizeof *a - behind);
	for (size_t i = 0; i < a->interruption_listed; i++)
		assert_memory_equal(&a->interruption[i], &b->interruption[i],
			sizeof a->interruption[i]);
}

/* Neither batches nor the order of the GPUs in a tick matter; a window is a run of its
 * own.
 */
static void batches_and_windows(void **state)
{
	static const size_t rows[] = {1, 7, SAMPLE_BATCH_ROWS};
	const struct level levels[] = {{100, 10}, {300, 95}, {0}};
	struct made whole, made;

	(void)state;
	make(&whole, levels);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin(&made, 1);
		made.batch_rows = rows[i];
		add_levels(&made, 0, levels);
		finish(&made);
		assert_same(&made.report.steady, &whole.report.steady);
		release(&made);
	}
	release(&whole);

	begin(&made, 1);
	made.options.window.set = true;
	made.options.window.origin_ns = T0_NS;
	made.options.window.from_ns = T0_NS + 50 * BIN;
	made.options.window.to_ns = T0_NS + 350 * BIN;
	add_levels(&made, 0, levels);
	finish(&made);
	assert_true(made.report.steady.found);
	/* in bins of 2^30 ns from the window's begin on, to its last sample; told from
	 * the run's start */
	near(made.report.steady.from_s, (50 + 50) * 1.073741824);
	near(made.report.steady.to_s, (50 + 299) * 1.073741824);
	near(made.report.steady.warm_up_s, 50 * 1.073741824);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step),
		cmocka_unit_test(one_level),
		cmocka_unit_test(no_level),
		cmocka_unit_test(two_gpus),
		cmocka_unit_test(power),
		cmocka_unit_test(of_uneven_length),
		cmocka_unit_test(between_samples),
		cmocka_unit_test(within_the_run),
		cmocka_unit_test(batches_and_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
