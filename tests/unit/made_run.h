/*
 * A run of made-up rows, added to an aggregate batch by batch: what the tests of what a
 * report says begin with.
 */
#ifndef UNIT_MADE_RUN_H
#define UNIT_MADE_RUN_H

#include <math.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "compute/report/report.h"
#include "foreign/foreign.h"

#define T0_NS (1740823200LL * NS_PER_S)

struct made {
	struct run run;
	struct compute_options options;
	const struct tool *tool; /* whose numbers are wanted, too; NULL: nobody's */
	struct tool_options asked;
	size_t batch_rows;
	struct aggregate *agg;
	struct sample_batch batch;
	struct report report;
};

static inline int64_t at_ns(double s)
{
	return T0_NS + (int64_t)llround(s * 1e9);
}

/* Of the query log, a row a second. */
static inline void begin(struct made *made, int gpus)
{
	*made = (struct made){.batch_rows = SAMPLE_BATCH_ROWS};
	made->options =
		(struct compute_options){.gap_ns = -1, .interval_ns = -1, .calls = true};
	made->asked = TOOL_OPTIONS_NONE;
	run_init(&made->run, "run");
	made->run.interval_ns = NS_PER_S;
	for (int i = 0; i < gpus; i++)
		run_add_device(&made->run, DEVICE_GPU, i);
	sample_batch_init(&made->batch);
	made->batch.source = SOURCE_NVIDIA_QUERY;
	made->batch.timed = true;
}

/* Each GPU has a log of its own. */
static inline void part_logs(struct made *made, uint32_t gpus)
{
	for (uint32_t gpu = 0; gpu < gpus; gpu++) {
		struct run_file *file = run_add_file(&made->run, gpu ? "more" : "first");

		file->kind = SOURCE_NVIDIA_QUERY;
		run_file_add_gpu(file, gpu);
	}
}

static inline void flush(struct made *made)
{
	if (!made->agg) {
		made->options.foreign = made->tool ? &made->tool->pass : NULL;
		made->options.asked = &made->asked;
		made->agg = aggregate_new(&made->run, &made->options);
	}
	aggregate_add(made->agg, &made->batch);
	sample_batch_clear(&made->batch);
}

/* One more value of the last row; NAN: not available. */
static inline void also(struct made *made, enum metric_id metric, double value)
{
	struct sample_batch *batch = &made->batch;
	size_t column = sample_batch_column(batch, metric), row = batch->rows - 1;

	if (isnan(value))
		batch->column[column].presence[row] = PRESENCE_MISSING;
	else
		sample_batch_put(batch, row, column,
			llround(value * (double)metric_get(metric)->per_unit));
}

static inline void sample_at(struct made *made, int64_t t_ns, uint32_t device,
	enum metric_id metric, double value)
{
	if (made->batch.rows >= made->batch_rows)
		flush(made);
	sample_batch_column(&made->batch, metric);
	sample_batch_add(&made->batch, t_ns, device);
	also(made, metric, value);
}

static inline void sample(
	struct made *made, double s, uint32_t device, enum metric_id metric, double value)
{
	sample_at(made, at_ns(s), device, metric, value);
}

static inline void finish(struct made *made)
{
	flush(made);
	report_init(&made->report, &made->run);
	aggregate_report(made->agg, &made->report);
	if (made->tool)
		made->tool->report(made->agg, &made->report, &made->asked);
}

static inline void release(struct made *made)
{
	report_release(&made->report);
	aggregate_free(made->agg);
	sample_batch_release(&made->batch);
	run_release(&made->run);
}

static inline void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fmax(fabs(expected), 1e-3)))
		fail_msg("%.17g, not %.17g", value, expected);
}

#endif
