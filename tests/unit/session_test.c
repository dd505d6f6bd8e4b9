/*
 * Sessions: from the earliest row to the latest between two starts of the recorder, in
 * whatever order the rows came; and which gaps they explain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "base/timestamp.h"
#include "compute/report/report.h"

#define T0_NS (1740823200LL * NS_PER_S)

static void row_at(struct sample_batch *batch, int64_t t_ns, uint32_t device, bool header)
{
	size_t column = sample_batch_column(batch, METRIC_power_w);
	size_t row = sample_batch_add(batch, t_ns, device);

	batch->header[row] = header;
	sample_batch_put(batch, row, column, 100);
}

/* Eleven rows, a second apart. */
static void rows(struct sample_batch *batch, int from_s, int32_t segment, bool header)
{
	for (int s = from_s; s <= from_s + 10; s++) {
		row_at(batch, T0_NS + s * NS_PER_S, 0, header && s == from_s);
		batch->segment[batch->rows - 1] = segment;
	}
}

static int gaps[2], restarts[2]; /* of the two GPUs, by the last evidence */

static struct evidence evidence_of(struct sample_batch *batch, int gpus)
{
	const struct compute_options options = {.gap_ns = -1, .interval_ns = -1};
	struct aggregate *agg;
	struct report report;
	struct evidence evidence;
	struct run run;

	run_init(&run, "run");
	run.interval_ns = NS_PER_S;
	for (int i = 0; i < gpus; i++)
		run_add_device(&run, DEVICE_GPU, i);
	agg = aggregate_new(&run, &options);
	aggregate_add(agg, batch);
	report_init(&report, &run);
	aggregate_report(agg, &report);
	evidence = report.evidence;
	for (size_t i = 0; i < 2 && i < evidence.device_count; i++) {
		gaps[i] = (int)evidence.device[i].gaps;
		restarts[i] = (int)evidence.device[i].restarts;
	}
	report_release(&report);
	aggregate_free(agg);
	run_release(&run);
	sample_batch_clear(batch);
	return evidence;
}

static void of_rows_in_any_order(void **state)
{
	struct sample_batch batch;
	struct evidence e;

	(void)state;
	sample_batch_init(&batch);
	batch.source = SOURCE_NVIDIA_QUERY;
	batch.timed = true;

	/* [0, 10] and [100, 110]: 20 s, all covered */
	rows(&batch, 0, 0, true);
	rows(&batch, 100, 0, true);
	e = evidence_of(&batch, 1);
	assert_int_equal(e.sessions, 2);
	assert_int_equal(gaps[0], 1);
	assert_int_equal(restarts[0], 1);
	assert_true(fabs(e.coverage - 1) < 1e-9);

	/* The clock was set back in the first: [50, 110] and [500, 510], 30 of 70 s. */
	rows(&batch, 100, 0, true);
	rows(&batch, 50, 1, false);
	rows(&batch, 500, 1, true);
	e = evidence_of(&batch, 1);
	assert_int_equal(e.sessions, 2);
	assert_true(fabs(e.coverage - 30 / 70.0) < 1e-9);

	/* Two sessions that overlap are one stretch of time: [0, 15], 20 s covered. */
	rows(&batch, 5, 0, true);
	rows(&batch, 0, 1, true);
	e = evidence_of(&batch, 1);
	assert_int_equal(e.sessions, 2);
	sample_batch_release(&batch);
}

/*
 * A loop asks once a second, with a header each time, and pauses from the 11th to the
 * 100th second: no restart. Where the third header in succession is that of a recorder
 * which goes on, it was started anew.
 */
static void a_loop_has_a_header_in_each_round(void **state)
{
	struct sample_batch batch;
	struct evidence e;

	(void)state;
	sample_batch_init(&batch);
	batch.source = SOURCE_NVIDIA_QUERY;
	batch.timed = true;
	for (int s = 0; s <= 110; s++)
		if (s <= 10 || s >= 100)
			row_at(&batch, T0_NS + s * NS_PER_S, 0, true);
	e = evidence_of(&batch, 1);
	assert_int_equal(e.sessions, 1);
	assert_int_equal(gaps[0], 1);
	assert_int_equal(restarts[0], 0);
	assert_true(fabs(e.coverage - 20 / 110.0) < 1e-9);

	row_at(&batch, T0_NS, 0, true);
	rows(&batch, 1, 0, true);
	rows(&batch, 100, 0, true);
	e = evidence_of(&batch, 1);
	assert_int_equal(e.sessions, 2);
	assert_int_equal(restarts[0], 1);
	sample_batch_release(&batch);
}

/*
 * Two GPUs, of which the second has no rows for a while in the first session, and the
 * recorder stalls in the second: a header explains no more than the hole before it.
 */
static void restarts_and_gaps(void **state)
{
	struct sample_batch batch;

	(void)state;
	sample_batch_init(&batch);
	batch.source = SOURCE_NVIDIA_QUERY;
	batch.timed = true;
	for (int s = 0; s <= 320; s++) {
		int64_t t_ns = T0_NS + s * NS_PER_S;

		if ((s > 100 && s < 200) || (s > 250 && s < 300))
			continue;
		row_at(&batch, t_ns, 0, s == 0 || s == 200);
		if (s < 40 || s > 60)
			row_at(&batch, t_ns + 5000000, 1, false);
	}
	evidence_of(&batch, 2);
	assert_int_equal(gaps[0], 2);
	assert_int_equal(restarts[0], 1);
	assert_int_equal(gaps[1], 3);
	assert_int_equal(restarts[1], 1);

	/* one that was lost long before the session ended is not explained */
	for (int s = 0; s <= 200; s++) {
		if (s > 100 && s < 150)
			continue;
		row_at(&batch, T0_NS + s * NS_PER_S, 0, s == 0 || s == 150);
		if (s < 50 || s >= 150)
			row_at(&batch, T0_NS + s * NS_PER_S, 1, false);
	}
	evidence_of(&batch, 2);
	assert_int_equal(gaps[1], 1);
	assert_int_equal(restarts[1], 0);
	sample_batch_release(&batch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_rows_in_any_order),
		cmocka_unit_test(a_loop_has_a_header_in_each_round),
		cmocka_unit_test(restarts_and_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
