/*
 * A log through all stages but the database: reader, aggregate, renderers; and what must
 * hold of the result whatever the bytes were (the invariants of the definitions of the
 * numbers, and the counts of rows, refusals and diagnostics).
 */
#ifndef FUZZ_PIPELINE_H
#define FUZZ_PIPELINE_H

#include <math.h>

#include "base/alloc.h"
#include "cmd/formats.h"
#include "compute/inspect/timeline.h"
#include "compute/report/report.h"
#include "compute/run/soundness.h"
#include "foreign/shared.h"
#include "fuzz.h"
#include "read/formats.h"
#include "read/maps.h"
#include "read/read_run.h"
#include "read/reading.h"
#include "rendered.h"

/* Rows out of order are sorted, as the database would. */
struct fuzz_row {
	int64_t t_ns;
	int32_t segment;
	uint32_t ordinal, device;
	uint8_t header, timed;
	uint8_t presence[METRIC_COUNT];
	int64_t value[METRIC_COUNT];
};

struct fuzz_rows {
	struct fuzz_row *at;
	size_t count, cap;
};

/* Who takes the rows. */
struct fuzz_sinks {
	struct aggregate *agg;
	struct timeline_maker *maker;
	const struct run *run;
};

static inline void fuzz_keep(struct fuzz_rows *rows, const struct sample_batch *batch)
{
	ALLOC_GROW(rows->at, rows->count + batch->rows, rows->cap);
	for (size_t i = 0; i < batch->rows; i++) {
		struct fuzz_row *row = &rows->at[rows->count++];

		memset(row, 0, sizeof *row);
		row->t_ns = batch->t_ns[i];
		row->segment = batch->segment[i];
		row->ordinal = batch->ordinal[i];
		row->device = batch->device[i];
		row->header = batch->header[i];
		row->timed = batch->timed;
		for (size_t c = 0; c < batch->column_count; c++) {
			const struct sample_column *column = &batch->column[c];

			row->presence[column->metric] = column->presence[i];
			if (column->presence[i] == PRESENCE_VALUE)
				row->value[column->metric] = column->value[i];
		}
	}
}

/* The samples of one kind of log. */
static inline void fuzz_read(struct fuzz_rows *rows, struct reading *reading,
	enum source_kind kind, int64_t limit_ns)
{
	struct sample_source *source = read_samples(reading, kind, limit_ns);
	struct sample_batch batch;
	struct error err;
	int got;

	rows->count = 0;
	sample_batch_init(&batch);
	while ((got = sample_source_next(source, &batch, &err)) > 0) {
		CHECK(batch.rows > 0 && batch.rows <= SAMPLE_BATCH_ROWS);
		CHECK(batch.source == kind);
		fuzz_keep(rows, &batch);
	}
	CHECK(got == 0);
	sample_batch_release(&batch);
	sample_source_free(source);
}

static inline int fuzz_compare(const void *a, const void *b)
{
	const struct fuzz_row *x = a, *y = b;

	if (x->segment != y->segment)
		return x->segment < y->segment ? -1 : 1;
	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	if (x->ordinal != y->ordinal)
		return x->ordinal < y->ordinal ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

static inline void fuzz_aggregate(
	struct fuzz_sinks *to, const struct fuzz_rows *rows, enum source_kind kind)
{
	struct masked_batch in_range = {.presence = NULL};
	struct sample_batch batch;

	sample_batch_init(&batch);
	batch.source = kind;
	for (size_t i = 0; i < rows->count; i++) {
		const struct fuzz_row *row = &rows->at[i];
		size_t at = sample_batch_add(&batch, row->t_ns, row->device);

		batch.timed = row->timed;
		batch.segment[at] = row->segment;
		batch.ordinal[at] = row->ordinal;
		batch.header[at] = row->header;
		for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
			size_t column;

			if (row->presence[id] == PRESENCE_ABSENT)
				continue;
			column = sample_batch_column(&batch, id);
			batch.column[column].presence[at] = row->presence[id];
			batch.column[column].value[at] = row->value[id];
		}
		if (i + 1 < rows->count && !sample_batch_full(&batch) &&
			rows->at[i + 1].timed == row->timed)
			continue;
		aggregate_add(to->agg, &batch);
		timeline_maker_add(
			to->maker, to->run, impossible_in_range(&in_range, &batch));
		sample_batch_clear(&batch);
	}
	masked_batch_release(&in_range);
	sample_batch_release(&batch);
}

/* Diagnostics of rows that were lost: each must be counted as a refusal too. */
static inline uint64_t fuzz_refusals(const struct diag_list *diags)
{
	static const char *const ids[] = {"torn-line", "field-count", "prose",
		"no-header", "bad-time", "stray-time", "stray-id", "no-time", "no-id",
		"bad-id", "short-block", "bad-json", "bad-record", "bad-phase", "no-name",
		"long-line", "mixed-encoding", "no-total", "torn-sample", "open-quote",
		"bad-position", "stop-without-start", "start-after-stop", "doubtful-stop",
		"other-run"};
	uint64_t count = 0;

	for (size_t i = 0; i < diags->count; i++) {
		const struct diag *diag = &diags->at[i];

		CHECK(diag->count > 0 && diag->text[0]);
		for (size_t j = 0; diag->id[j];) {
			size_t len = utf8_printable(span_of(diag->id), j);

			CHECK(len > 0);
			j += len;
		}
		for (size_t j = 0; j < sizeof ids / sizeof ids[0]; j++)
			if (strcmp(diag->id, ids[j]) == 0)
				count += diag->count;
		/* of cpu lines; a bad cell has its column's name behind it */
		if (strcmp(diag->id, "bad-value") == 0)
			count += diag->count;
		/* of cpu lines, which are lost as a whole */
		if (strncmp(diag->id, "stray-value:cpu_", 16) == 0)
			count += diag->count;
		/* of GPUs; that of diagnostics themselves has no file */
		if (strcmp(diag->id, "too-many") == 0 && diag->file[0])
			count += diag->count;
	}
	return count;
}

static inline void fuzz_check_stats(const struct metric_stats *s)
{
	double range;

	if (!s->n) {
		CHECK(isnan(s->mean) && isnan(s->min) && isnan(s->max));
		return;
	}
	CHECK(isnan(s->covered_s) || s->covered_s >= 0);
	for (size_t i = 0; i < s->state_count; i++) {
		CHECK(s->state[i].n > 0 && s->state[i].n <= s->n);
		CHECK(isnan(s->state[i].share) ||
			(s->state[i].share >= 0 && s->state[i].share <= 1));
	}
	if (metric_is_state(s->metric))
		return;
	if (metric_get(s->metric)->kind == KIND_COUNTER) {
		CHECK(isnan(s->increase) ? s->n < 2 : s->increase >= 0);
		CHECK(s->min <= s->max && s->resets < s->n);
		CHECK(isnan(s->energy_j) ||
			(s->energy_j > 0 && s->energy_j == s->increase));
		return;
	}
	CHECK(s->min <= s->mean && s->mean <= s->max);
	CHECK(s->min <= s->p50 && s->p50 <= s->p90 && s->p90 <= s->p95);
	CHECK(s->p95 <= s->p99 && s->p99 <= s->max);
	range = fmax(fabs(s->min), fabs(s->max));
	CHECK(s->mean_samples >= s->min - 1e-9 * range);
	CHECK(s->mean_samples <= s->max + 1e-9 * range);
	CHECK(isnan(s->stddev) ? s->n < 2 : s->stddev >= 0 && s->stddev <= 2 * range);
	CHECK(s->min_at_ns == TIME_NONE || s->max_at_ns != TIME_NONE);
	for (int i = 0; s->has_above && i < ABOVE_COUNT; i++) {
		CHECK(isnan(s->above[i]) == isnan(s->above[0]));
		CHECK(isnan(s->above[i]) || (s->above[i] >= 0 && s->above[i] <= 1));
		CHECK(!i || isnan(s->above[i]) || s->above[i] <= s->above[i - 1]);
	}
	CHECK(isnan(s->growth) || (s->n > 1 && fabs(s->growth) <= 2 * range));
	CHECK(isnan(s->slope_per_h) || (s->n > 2 && isfinite(s->slope_per_h)));
	if (!s->has_energy || isnan(s->energy_j))
		return;
	CHECK(s->covered_s > 0);
	CHECK(fabs(s->energy_j - s->mean * s->covered_s) <= 1e-9 * range * s->covered_s);
}

/* The eight shares of a CPU, of which an old kernel has fewer. */
static inline void fuzz_check_shares(const struct report *report, uint32_t device)
{
	static const enum metric_id whole[] = {METRIC_cpu_user_pct, METRIC_cpu_nice_pct,
		METRIC_cpu_system_pct, METRIC_cpu_idle_pct, METRIC_cpu_iowait_pct,
		METRIC_cpu_irq_pct, METRIC_cpu_softirq_pct, METRIC_cpu_steal_pct};
	double sum = 0;
	size_t found = 0;

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->source != SOURCE_PROC_STAT || s->device != device || !s->n)
			continue;
		/* guests are no part of the whole: damage may put them above it */
		CHECK(s->min >= 0);
		CHECK(s->max <= 100 || s->metric == METRIC_cpu_guest_pct);
		for (size_t j = 0; j < sizeof whole / sizeof whole[0]; j++) {
			if (s->metric != whole[j])
				continue;
			sum += s->mean;
			found++;
		}
	}
	CHECK(!found || fabs(sum - 100) < 1e-9);
}

static inline void fuzz_check_evidence(const struct report *report)
{
	const struct evidence *e = &report->evidence;
	uint64_t gaps = 0;

	CHECK(strchr("ABCF", e->grade) && e->grade);
	CHECK(isnan(e->coverage) || (e->coverage >= 0 && e->coverage <= 1));
	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];

		CHECK(d->rows > 0);
		CHECK(isnan(d->coverage) || (d->coverage >= 0 && d->coverage <= 1));
		CHECK(isnan(d->covered_s) || d->covered_s >= 0);
		CHECK(d->first_ns == TIME_NONE || d->first_ns <= d->last_ns);
		CHECK(d->gaps < d->rows && d->steps_back < d->rows);
		gaps += d->gaps;
		for (size_t j = 0; j < report->stats_count; j++) {
			const struct metric_stats *s = &report->stats[j];

			if (s->source == d->source && s->device == d->device)
				CHECK(s->n + s->missing <= d->rows);
			if (s->source == d->source && s->device == d->device &&
				!isnan(s->covered_s) && !isnan(d->covered_s))
				CHECK(s->n == 0 || d->first_ns == TIME_NONE ||
					s->min_at_ns == TIME_NONE ||
					(s->min_at_ns >= d->log_first_ns &&
						s->min_at_ns <= d->log_last_ns));
		}
	}
	CHECK(e->gap_count == gaps);
	CHECK(e->gap_listed <= GAPS_LISTED && e->gap_listed <= gaps);
	for (size_t i = 1; i < e->gap_listed; i++)
		CHECK(e->gap[i - 1].length_s >= e->gap[i].length_s);
}

static inline bool fuzz_is_within(double mean, double min, double max)
{
	double slack = 1e-9 * fmax(fmax(fabs(min), fabs(max)), 1);

	return isnan(mean) || (min <= mean + slack && mean <= max + slack);
}

/*
 * Of a phase. cut: slices are cut at its edges, where mean and extremes are interpolated;
 * otherwise the samples alone count.
 */
static inline void fuzz_check_part(const struct metric_stats *s, bool cut)
{
	CHECK(isnan(s->covered_s) || s->covered_s >= 0);
	CHECK(fuzz_is_within(s->mean_samples, s->min, s->max));
	CHECK(!cut || fuzz_is_within(s->mean, s->min, s->max));
	CHECK(isnan(s->min) == isnan(s->max) && !(s->min > s->max));
	CHECK(!(s->p50 < s->min) && !(s->p99 > s->max) && !(s->p95 > s->p99));
	CHECK(!isinf(s->mean) && !isinf(s->energy_j) && !isinf(s->increase));
	for (size_t i = 0; i < s->state_count; i++)
		CHECK(!(s->state[i].seconds < 0) && !(s->state[i].share > 1));
}

/* At most one for each GPU, and one in the run where it counts itself. */
static inline void fuzz_check_energies(
	const struct metric_stats *stats, size_t count, bool of_run)
{
	for (size_t i = 0; i < count; i++) {
		size_t chosen = 0;

		CHECK(!stats[i].energy_chosen || !isnan(stats[i].energy_j));
		for (size_t k = 0; k < count; k++)
			chosen += stats[k].device == stats[i].device &&
				stats[k].energy_chosen;
		CHECK(chosen <= 1);
		CHECK(chosen || !of_run || isnan(stats[i].energy_j) ||
			stats[i].metric != METRIC_gpu_energy_j);
	}
}

static inline void fuzz_check_path(const struct phase_path *path, bool cut)
{
	const double slack_s = 1e-6 + 1e-9 * path->duration_s;

	for (size_t i = 0; i < path->stats_count; i++)
		fuzz_check_part(&path->stats[i], cut);
	fuzz_check_energies(path->stats, path->stats_count, false);
	for (int key = 0; key < PHASE_KEY_COUNT; key++)
		CHECK(!isinf(path->summary[key].number));
	CHECK(path->non_empty_calls <= path->calls || path->outside);
	CHECK(isnan(path->min_s) == !path->calls);
	CHECK(!path->calls || (path->min_s >= 0 && path->min_s <= path->max_s));
	CHECK(isnan(path->duration_s) == isnan(path->union_s));
	if (isnan(path->duration_s))
		return;
	CHECK(path->union_s >= 0 && path->union_s <= path->duration_s + slack_s);
	CHECK(path->exclusive_s >= 0 && path->exclusive_s <= path->duration_s + slack_s);
}

static inline void fuzz_check_steady(const struct report *report)
{
	const struct steady *s = &report->steady;

	CHECK(s->found == !s->why_not);
	if (!s->found)
		return;
	CHECK(s->from_ns < s->to_ns && s->from_s < s->to_s && s->warm_up_s >= 0);
	CHECK(s->from_s >= 0 && s->to_ns <= report->ended_ns);
	CHECK((s->interruptions > 0) == (s->interrupted_s > 0));
	CHECK(s->interrupted_s < s->to_s - s->from_s);
	CHECK(!isinf(s->gpu_util_mean_pct) && !isinf(s->power_total_mean_w));
	CHECK(!isnan(s->gpu_util_mean_pct) || s->metric == METRIC_power_w);
}

static inline void fuzz_check_report(const struct report *report)
{
	CHECK(isnan(report->duration_s) || report->duration_s >= 0);
	for (size_t i = 0; i < report->stats_count; i++)
		fuzz_check_stats(&report->stats[i]);
	fuzz_check_energies(report->stats, report->stats_count, true);
	for (uint32_t i = 0; i < report->run->device_count; i++)
		fuzz_check_shares(report, i);
	fuzz_check_evidence(report);
	fuzz_check_steady(report);
	for (size_t i = 0; i < report->path_count; i++)
		fuzz_check_path(&report->path[i], !report->foreign);
	for (size_t i = 0; i < report->call_count; i++)
		CHECK(report->call[i].seconds >= 0);
	for (int key = 0; key < SUMMARY_COUNT; key++)
		CHECK(!isinf(report->summary[key].number));
	for (size_t i = 0; report->foreign && i < report->foreign->count; i++)
		CHECK(!isinf(report->foreign->item[i].number));
}

/* Kinds with samples: read, counted, read again, aggregated. */
static inline void fuzz_samples(
	struct fuzz_sinks *to, struct reading *reading, enum source_kind kind)
{
	const struct compute_window all = {.set = false};
	struct aggregate *agg = to->agg;
	struct run *run = reading->run;
	int64_t limit_ns = run_interval_ns(run, kind);
	struct fuzz_rows first = {0}, again = {0};
	uint64_t rows = 0, refusals;
	size_t diags;

	limit_ns = limit_ns > 0 ? gap_limit_ns(limit_ns) : 2 * NS_PER_S;
	fuzz_read(&first, reading, kind, limit_ns);
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind)
			rows += run->file[i].rows;
	/* A row of these is of several devices. */
	CHECK(kind == SOURCE_PROC_STAT || kind == SOURCE_GPU_TRACKER ||
				kind == SOURCE_PROCESS_TREE || kind == SOURCE_HOST_LOG ||
				kind == SOURCE_JUMPER
			? rows <= first.count
			: rows == first.count);
	refusals = fuzz_refusals(&run->diags);
	diags = run->diags.count;

	fuzz_aggregate(to, &first, kind);
	if (aggregate_order(agg, kind) == ORDER_BROKEN) {
		limit_ns = aggregate_step_limit(agg, kind);
		aggregate_reset(agg, kind);
		timeline_maker_again(to->maker, kind, &all);
		fuzz_read(&first, reading, kind, limit_ns);
		qsort(first.at, first.count, sizeof *first.at, fuzz_compare);
		fuzz_aggregate(to, &first, kind);
		for (size_t i = 1; i < first.count; i++)
			CHECK(fuzz_compare(&first.at[i - 1], &first.at[i]) < 0);
	}
	fuzz_read(&again, reading, kind, limit_ns);
	CHECK(again.count == first.count);
	CHECK(fuzz_refusals(&run->diags) == refusals && run->diags.count == diags);
	free(first.at);
	free(again.at);
}

/* The surveyed files of a run, to the end. */
static inline void fuzz_reading(struct reading *reading)
{
	const struct tool *tool = &tool_gpu_tracker;
	const struct tool_options asked = TOOL_OPTIONS_NONE;
	const struct compute_options options = {.gap_ns = -1,
		.interval_ns = -1,
		.per_core = true,
		.foreign = &tool->pass,
		.asked = &asked};
	struct run *run = reading->run;
	struct fuzz_sinks to = {aggregate_new(run, &options), timeline_maker_new(), run};
	uint64_t events = 0, refused = 0;
	bool paired = false; /* starts and stops make one event */
	struct report report;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (source_has_samples(kind))
			fuzz_samples(&to, reading, kind);
	for (size_t i = 0; i < run->file_count; i++) {
		refused += run->file[i].refused;
		events += source_has_events(run->file[i].kind) ? run->file[i].rows : 0;
		paired |= run->file[i].kind == SOURCE_GPU_TRACKER_SUB;
	}
	CHECK(paired ? events >= run->event_count : events == run->event_count);
	if (run->diags.count < DIAGS_MAX)
		CHECK(refused == fuzz_refusals(&run->diags));
	report_init(&report, run);
	aggregate_report(to.agg, &report);
	tool->report(to.agg, &report, &asked);
	fuzz_check_report(&report);
	report.timeline = timeline_make(to.maker, &report, 100);
	if (report.timeline)
		fuzz_check_timeline(report.timeline);
	fuzz_render(&report);
	report_release(&report);
	timeline_maker_free(to.maker);
	aggregate_free(to.agg);
}

/* The maps that the program carries, read once. */
static inline const struct table_maps *fuzz_maps(void)
{
	static struct table_maps maps;

	if (!maps.count)
		maps = table_maps_carried();
	return &maps;
}

/*
 * The bytes as a log of a given kind, and, if its first lines bid for another kind, as
 * that one too.
 */
static inline void fuzz_log(enum source_kind kind, const uint8_t *data, size_t size)
{
	char *path = xstrdup(fuzz_file(data, size));
	const char *operand = path;
	const struct read_options options = {.formats = log_formats(),
		.maps = fuzz_maps(),
		.path = &operand,
		.path_count = 1};
	struct reading_file file = {
		.facts = {.path = path, .fd = -1}, .first_ns = TIME_NONE};
	struct reading own =
			       {
				       .opt.formats = log_formats(),
				       .zone = ZONE_UTC,
				       .file = &file,
				       .file_count = 1,
			       },
		       *surveyed;
	const struct format *format = log_formats()[kind];
	struct run run;
	struct error err;

	run_init(&run, path);
	own.run = &run;
	run_set_string(&run.key, path);
	run_add_file(&run, path)->kind = kind;
	if (format->survey) {
		struct log *log =
			reading_open(&own, 0, &run, &run.file[0], &run.diags, &err);

		if (log) {
			format->survey(log);
			log_free(log);
		}
	}
	fuzz_reading(&own);
	reading_release_file(&own.file[0]);
	diag_list_release(&own.step_back[kind]);
	for (int i = 0; i < PROCESS_NUMBERS; i++)
		process_use_release(&own.process_use[i]);
	run_release(&run);

	run_init(&run, path);
	if (read_survey(&surveyed, &run, &options, &err) == 0) {
		if (run.file[0].kind != kind)
			fuzz_reading(surveyed);
		reading_free(surveyed);
	}
	run_release(&run);
	free(path);
}

#endif
