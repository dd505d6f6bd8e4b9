/*
 * Where a log says nothing of a GPU there is no steady state: it ends there, or is
 * interrupted; see made_levels.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "made_levels.h"

/* How a GPU is missing from one bin to before another. */
enum hole {
	NO_ROW,
	NO_VALUE
};

/* GPUs at 90 % and 550 W, the last of which is missing. */
static void make_missing(struct made *made, int gpus, int from, int to, enum hole how)
{
	begin(made, gpus);
	for (int i = 0; i < BINS; i++)
		for (int gpu = 0; gpu < gpus; gpu++) {
			bool there = gpu + 1 < gpus || i < from || i >= to;

			if (!there && how == NO_ROW)
				continue;
			sample_at(made, T0_NS + i * BIN, (uint32_t)gpu,
				METRIC_gpu_util_pct, there ? 90 : NAN);
			also(made, METRIC_power_w, there ? 550 : NAN);
		}
	finish(made);
}

/* The samples beside the hole are 61 bins apart. */
static void a_gap(void **state)
{
	(void)state;
	for (int gpus = 1; gpus <= 3; gpus++)
		for (int how = 0; how < 2; how++) {
			struct made made;

			make_missing(&made, gpus, 120, 180, (enum hole)how);
			interrupted(&made, 0, LAST, 1, 61);
			near(made.report.steady.coverage, 1 - 61.0 / gpus / LAST);
			near(made.report.steady.gpu_util_mean_pct, 90);
			near(made.report.steady.power_total_mean_w, gpus * 550);
			release(&made);
		}
}

/* Lost for good behind the 250th bin; and, of 400, behind the 150th. */
static void lost(void **state)
{
	(void)state;
	for (int how = 0; how < 2; how++) {
		struct made made;

		make_missing(&made, 2, 251, BINS, (enum hole)how);
		found(&made, 0, 250);
		assert_true(made.report.steady.coverage == 1);
		near(made.report.steady.power_total_mean_w, 1100);
		release(&made);
		make_missing(&made, 2, 151, BINS, (enum hole)how);
		not_found(&made, "a GPU has no values for half of the time");
		release(&made);
	}
}

/* That comes late begins it; the hole is no warm-up. */
static void late(void **state)
{
	struct made made;

	(void)state;
	make_missing(&made, 2, 0, 100, NO_ROW);
	found(&made, 100, LAST);
	assert_true(made.report.steady.warm_up_s == 0);
	assert_true(made.report.steady.coverage == 1);
	release(&made);
}

/*
 * Rows whose value is not available are silence, too, at the begin and at the end, of one
 * GPU as of two: of 399 steps more than 199.5.
 */
static void not_available(void **state)
{
	struct made made;

	(void)state;
	for (int gpus = 1; gpus <= 2; gpus++) {
		make_missing(&made, gpus, 0, 199, NO_VALUE);
		found(&made, 199, LAST);
		assert_true(made.report.steady.warm_up_s == 0);
		release(&made);
		make_missing(&made, gpus, 0, 200, NO_VALUE);
		not_found(&made, "a GPU has no values for half of the time");
		release(&made);
		make_missing(&made, gpus, 30, BINS, NO_VALUE);
		not_found(&made, "a GPU has no values for half of the time");
		release(&made);
	}
}

/*
 * GPUs at 90 % and 550 W, the second of which has rows in so many bins alone, from the
 * 100th on, each so many behind the one before. No interval is recorded.
 */
static void make_few(struct made *made, int rows, int step, bool apart)
{
	begin(made, 2);
	made->run.interval_ns = -1;
	if (apart)
		part_logs(made, 2);
	for (int i = 0; i < BINS; i++)
		for (uint32_t gpu = 0; gpu < 2; gpu++) {
			int row = (i - 100) / step;

			if (gpu && (i < 100 || (i - 100) % step || row >= rows))
				continue;
			sample_at(made, T0_NS + i * BIN, gpu, METRIC_gpu_util_pct, 90);
			also(made, METRIC_power_w, 550);
		}
	finish(made);
}

/* What they did meanwhile is not known, nor what both drew together. */
static void few_rows(void **state)
{
	(void)state;
	for (int rows = 1; rows <= 5; rows++)
		for (int apart = 0; apart < 2; apart++) {
			struct made made;
			const struct device_evidence *e;

			make_few(&made, rows, 50, apart);
			e = evidence_find(&made.report.evidence, SOURCE_NVIDIA_QUERY, 1);
			not_found(&made,
				apart ? "unknown when the GPUs were recorded"
				      : "a GPU has no values for half of the time");
			assert_true(isnan(
				made.report.summary[SUMMARY_power_total_mean_w].number));
			near(made.report.summary[SUMMARY_power_mean_w].number, 550);
			assert_int_equal(e->gaps, apart ? 0 : rows - 1);
			assert_true(apart ? isnan(e->coverage) : e->coverage == 0);
			release(&made);
		}
}

/* Four rows of its own tell no interval, that of its log has them beside one another. */
static void few_rows_together(void **state)
{
	const struct device_evidence *e;
	struct made made;

	(void)state;
	make_few(&made, 4, 1, false);
	e = evidence_find(&made.report.evidence, SOURCE_NVIDIA_QUERY, 1);
	assert_string_equal(e->interval_source, "assumed");
	near(e->interval_s, 1.073741824);
	near(e->covered_s, 3 * 1.073741824);
	assert_int_equal(e->gaps, 0);
	release(&made);
}

/* Power is known for 279 of 400 bins, or for 280, which are seven in ten. */
static void power_for_a_part(void **state)
{
	(void)state;
	for (int bins = 279; bins <= 280; bins++) {
		struct made made;

		begin(&made, 1);
		for (int i = 0; i < BINS; i++) {
			sample_at(&made, T0_NS + i * BIN, 0, METRIC_gpu_util_pct, 90);
			also(&made, METRIC_power_w, i < bins ? 550 : NAN);
		}
		finish(&made);
		found(&made, 0, LAST);
		if (bins == 280)
			near(made.report.steady.power_total_mean_w, 550);
		else
			assert_true(isnan(made.report.steady.power_total_mean_w));
		release(&made);
	}
}

/* Three seconds of steps are no gap at 1 Hz: 2 bins of 1.07 s are 2.1 s, 3 are 3.2 s. */
static void no_gap(void **state)
{
	struct made made;

	(void)state;
	make_missing(&made, 2, 120, 121, NO_ROW);
	found(&made, 0, LAST);
	assert_true(made.report.steady.coverage == 1);
	release(&made);
	make_missing(&made, 2, 120, 122, NO_ROW);
	interrupted(&made, 0, LAST, 1, 3);
	near(made.report.steady.coverage, 1 - 1.5 / LAST);
	release(&made);
}

/* Beside another level: one interruption, from the 100th bin to the 200th. */
static void beside_another_level(void **state)
{
	const struct interruption *one;
	struct made made;

	(void)state;
	begin(&made, 1);
	for (int i = 0; i < BINS; i++)
		if (i < 140 || i >= 200)
			sample_at(&made, T0_NS + i * BIN, 0, METRIC_gpu_util_pct,
				i >= 100 && i < 140 ? 20 : 90);
	finish(&made);
	interrupted(&made, 0, LAST, 1, 100);
	near(made.report.steady.coverage, 1 - 61.0 / LAST);
	/* the 100th to the 200th bin, 20 % in 40 of them, and nothing in the others */
	one = &made.report.steady.interruption[0];
	assert_int_equal(made.report.steady.interruption_listed, 1);
	near(one->start_s, 100 * BIN / 1e9);
	near(one->seconds, 100 * BIN / 1e9);
	assert_true(one->mean == 20 && !one->higher && one->silent);
	assert_string_equal(interruption_why(one), "not recorded");
	release(&made);
}

/*
 * Of 8,000 s a bin has 2^34 ns, 17.2 s: a hole of 10 s, from 3000 s on, fills none of
 * them; a log that ends at 6000 s ends within one.
 */
static void within_a_bin(void **state)
{
	const struct steady *s;
	struct made made;

	(void)state;
	begin(&made, 2);
	for (int i = 0; i < 8000; i++) {
		if (i <= 3000 || i >= 3010)
			sample(&made, i, 0, METRIC_gpu_util_pct, 90);
		if (i <= 6000)
			sample(&made, i, 1, METRIC_gpu_util_pct, 90);
	}
	finish(&made);
	s = &made.report.steady;
	assert_true(s->found && s->from_s == 0);
	near(s->to_s, 6000);
	assert_int_equal(s->interruptions, 1);
	near(s->interrupted_s, 10);
	near(s->coverage, 1 - 10 / 12000.0);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gap),
		cmocka_unit_test(lost),
		cmocka_unit_test(late),
		cmocka_unit_test(not_available),
		cmocka_unit_test(few_rows),
		cmocka_unit_test(few_rows_together),
		cmocka_unit_test(power_for_a_part),
		cmocka_unit_test(no_gap),
		cmocka_unit_test(beside_another_level),
		cmocka_unit_test(within_a_bin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
