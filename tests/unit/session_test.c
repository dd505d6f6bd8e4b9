/*
 * Sessions: from the earliest row to the latest between two starts of the recorder, in
 * whatever order the rows came.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "base/timestamp.h"
#include "compute/aggregate.h"

#define T0_NS (1740823200LL * NS_PER_S)

/* Eleven rows, a second apart. */
static void rows(struct sample_batch *batch, int from_s, int32_t segment, bool header)
{
	for (int s = from_s; s <= from_s + 10; s++) {
		size_t column = sample_batch_column(batch, METRIC_power_w);
		size_t row = sample_batch_add(batch, T0_NS + s * NS_PER_S, 0);

		batch->segment[row] = segment;
		batch->header[row] = header && s == from_s;
		sample_batch_put(batch, row, column, 100);
	}
}

static struct evidence evidence_of(struct sample_batch *batch)
{
	const struct compute_options options = {
		.gap_ns = -1, .interval_ns = -1, .dialect = DIALECT_OPTIONS_NONE};
	struct aggregate *agg;
	struct report report;
	struct evidence evidence;
	struct run run;

	run_init(&run, "run");
	run.interval_ns = NS_PER_S;
	run_add_device(&run, DEVICE_GPU, 0);
	agg = aggregate_new(&run, &options);
	aggregate_add(agg, batch);
	report_init(&report, &run);
	aggregate_report(agg, &report);
	evidence = report.evidence;
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
	e = evidence_of(&batch);
	assert_int_equal(e.sessions, 2);
	assert_true(fabs(e.coverage - 1) < 1e-9);

	/* The clock was set back in the first: [50, 110] and [500, 510], 30 of 70 s. */
	rows(&batch, 100, 0, true);
	rows(&batch, 50, 1, false);
	rows(&batch, 500, 1, true);
	e = evidence_of(&batch);
	assert_int_equal(e.sessions, 2);
	assert_true(fabs(e.coverage - 30 / 70.0) < 1e-9);

	/* Two sessions that overlap are one stretch of time: [0, 15], 20 s covered. */
	rows(&batch, 5, 0, true);
	rows(&batch, 0, 1, true);
	e = evidence_of(&batch);
	assert_int_equal(e.sessions, 2);
	sample_batch_release(&batch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_rows_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
