/*
 * How the run ended: was it cut off, and what were the last values of each GPU?
 * README.md, "How it ended".
 */
#include "compute/report/run_outcome.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "compute/report/evidence.h"
#include "compute/report/report.h"

static void find_signal(struct ending *ending, int32_t status)
{
	ending->signal = signal_of_status(status);
	ending->sign[ENDING_SIGNAL] = ending->signal != 0;
	ending->signal_name = signal_name(ending->signal);
}

/* Logs of processes end where the last process does. */
static bool is_steady(const struct aggregate *agg, enum source_kind kind)
{
	const struct source_state *source = &agg->source[kind];

	for (size_t i = 0; i < source->device_count; i++)
		if (source->device[i] && agg->run->device[i].kind != DEVICE_PROCESS)
			return true;
	return false;
}

/* Its rows end more than a gap before a time. */
static bool ends_before(
	const struct aggregate *agg, enum source_kind kind, int64_t run_end_ns)
{
	const struct source_state *source = &agg->source[kind];

	return source->seen && source->timed && is_steady(agg, kind) &&
		(int128)run_end_ns - source->rows.last_ns > source_gap_limit(agg, kind);
}

static void find_early_log(
	struct ending *ending, const struct aggregate *agg, int64_t run_end_ns)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];

		if (!ends_before(agg, kind, run_end_ns) ||
			(ending->early_log != SOURCE_NONE &&
				ending->early_ns <= source->rows.last_ns))
			continue;
		ending->early_log = kind;
		ending->early_ns = source->rows.last_ns;
	}
}

static enum source_kind kind_of(const struct run *run, const char *path)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (strcmp(run->file[i].path, path) == 0)
			return run->file[i].kind;
	return SOURCE_NONE;
}

/*
 * A log that lasts as long as the run, or as its recorder, was stopped in the middle of a
 * line by that end, which is none of its own.
 */
static bool is_cut_off(
	const struct aggregate *agg, const struct report *report, const char *torn_file)
{
	const bool recorder_ended = report->ending.sign[ENDING_NO_END];
	int64_t end_ns = recorder_ended ? report->ended_ns : agg->run->ended_ns;
	enum source_kind kind = kind_of(agg->run, torn_file);

	if (end_ns == TIME_NONE)
		return !recorder_ended;
	return kind != SOURCE_NONE && ends_before(agg, kind, end_ns);
}

static bool has_gpus(const struct aggregate *agg, enum source_kind kind)
{
	const struct source_state *source = &agg->source[kind];

	for (size_t i = 0; source->timed && i < source->device_count; i++)
		if (source->device[i] && agg->run->device[i].kind == DEVICE_GPU)
			return true;
	return false;
}

/* Unless another kind of log of GPUs goes on for more than a gap. */
static void find_driver(
	struct ending *ending, const struct aggregate *agg, const char *file)
{
	enum source_kind kind = kind_of(agg->run, file);
	bool timed = kind != SOURCE_NONE && agg->source[kind].timed;
	int64_t last_ns = timed ? agg->source[kind].rows.last_ns : TIME_NONE;

	for (enum source_kind other = 0; timed && other < SOURCE_KIND_COUNT; other++)
		if (has_gpus(agg, other) &&
			(int128)agg->source[other].rows.last_ns - last_ns >
				source_gap_limit(agg, other))
			return;
	if (ending->sign[ENDING_DRIVER_GONE])
		return;
	ending->sign[ENDING_DRIVER_GONE] = true;
	ending->driver_file = file;
	ending->driver_ns = last_ns;
}

/* What the reader has said about the ends of files. */
static void find_damage(const struct aggregate *agg, struct report *report)
{
	const struct diag_list *diags = &agg->run->diags;
	struct ending *ending = &report->ending;

	for (size_t i = 0; i < diags->count; i++)
		ending->sign[ENDING_NO_END] |= strcmp(diags->at[i].id, "no-end") == 0;
	for (size_t i = 0; i < diags->count; i++) {
		const struct diag *diag = &diags->at[i];

		if (strcmp(diag->id, "gpu-is-lost") == 0)
			ending->sign[ENDING_GPU_LOST] = true;
		if (strcmp(diag->id, "driver-gone") == 0)
			find_driver(ending, agg, diag->file);
		if ((strcmp(diag->id, "torn-line") != 0 &&
			    strcmp(diag->id, "torn-field") != 0) ||
			!is_cut_off(agg, report, diag->file))
			continue;
		ending->sign[ENDING_TORN] = true;
		if (!ending->torn_file)
			ending->torn_file = diag->file;
	}
}

static const struct device_state *state_of(
	const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];

	return source->timed && device < source->device_count ? source->device[device]
							      : NULL;
}

/* A metric of a GPU in a log; NULL: it has no value. */
static const struct series *series_of(
	const struct device_state *device, enum metric_id metric)
{
	const struct series *series = device->series[metric];

	return series && series->kind == KIND_GAUGE && series->gauge.n ? series : NULL;
}

/*
 * Its last sign of life. INT64_MIN: it has none. The driver answers the memory even of a
 * GPU that is gone, so that it speaks where nothing else does.
 */
static int64_t last_value_ns(const struct device_state *device)
{
	int64_t last_ns = INT64_MIN, memory_ns = INT64_MIN;

	for (enum metric_id i = 0; i < METRIC_COUNT; i++) {
		const struct series *series = series_of(device, i);

		if (series && i == METRIC_mem_used_mib)
			memory_ns = series->gauge.prev_ns;
		else if (series && metric_shows_life(i))
			last_ns = time_later(last_ns, series->gauge.prev_ns);
	}
	return last_ns == INT64_MIN ? memory_ns : last_ns;
}

/* What a reader has found out of a GPU; NULL: nothing. */
static const struct diag *said_of(const struct run *run, uint32_t device, const char *id)
{
	size_t len = strlen(id);

	for (size_t i = 0; i < run->diags.count; i++) {
		const struct diag *diag = &run->diags.at[i];

		if (strncmp(diag->id, id, len) == 0 && diag->id[len] == ':' &&
			strcmp(diag->id + len + 1, run->device[device].name) == 0)
			return diag;
	}
	return NULL;
}

/* Has no other kind of log a value of it behind what was said in this one? */
static bool is_last_word(const struct aggregate *agg, const struct gpu_ending *gpu,
	const struct diag *said)
{
	enum source_kind kind = kind_of(agg->run, said->file);
	const struct device_state *device =
		kind == SOURCE_NONE ? NULL : state_of(agg, kind, gpu->device);

	return device &&
		(int128)gpu->last_ns -
			time_later(last_value_ns(device), device->track.first_ns) <=
		source_gap_limit(agg, kind);
}

/* Has collect seen it go, and nothing since has a value of it? */
static bool is_noticed(
	const struct run *run, const struct gpu_ending *gpu, int64_t limit_ns)
{
	int64_t lost_ns = recorder_word_lost_ns(run, gpu->device);

	return lost_ns != TIME_NONE && (int128)gpu->last_ns - lost_ns <= limit_ns;
}

/* A window that ends before the run does not see how that ended. */
static void find_words(
	const struct aggregate *agg, struct gpu_ending *gpu, int64_t limit_ns)
{
	const struct compute_window *window = &agg->options.window;
	const struct diag *said = said_of(agg->run, gpu->device, "gpu-is-lost");

	if (window->set && !window->closed)
		return;
	if (said && is_last_word(agg, gpu, said)) {
		gpu->lost = true;
	} else {
		gpu->lost |= is_noticed(agg->run, gpu, limit_ns);
		said = said_of(agg->run, gpu->device, "gpu-falls-silent");
	}
	if (!gpu->lost || !said)
		return;
	gpu->said = said->text;
	gpu->said_file = said->file;
	gpu->said_line = said->line;
}

/* Logs that last to the run's end within a gap would have had a row there. */
static int128 until_end(const struct report *report, int64_t end_ns, int64_t limit_ns)
{
	return (int128)report->ended_ns - end_ns <= limit_ns
		? time_later(report->ended_ns, end_ns)
		: end_ns;
}

/* Does a log that a GPU is in go on while it seems silent, by more than a late row? */
static bool is_covered(
	const struct aggregate *agg, uint32_t device, const struct stretch *silent)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (state_of(agg, kind, device) &&
			own_log_covered_ns(
				agg, kind, silent, source_gap_limit(agg, kind)) >
				source_gap_limit(agg, kind))
			return true;
	return silent->to_ns <= silent->from_ns; /* it has rows, without values */
}

/* May rows that were refused be the GPU's, which seems silent? */
static bool is_refused(
	const struct aggregate *agg, uint32_t device, const struct stretch *silent)
{
	struct refused refused;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (state_of(agg, kind, device) &&
			refused_may_fill(agg->run, kind, device, silent,
				source_gap_limit(agg, kind), &refused))
			return true;
	return false;
}

/*
 * Over all logs that a GPU is in, the last time in the order of the rows: a clock that
 * was set back goes on from there. False: no log with times has it.
 */
static bool find_end(const struct aggregate *agg, const struct report *report,
	struct gpu_ending *gpu, int64_t *limit_ns)
{
	int64_t end_ns = INT64_MIN, value_ns = INT64_MIN, row_ns = INT64_MIN;
	struct stretch silent;
	uint64_t rows = 0;

	*limit_ns = 0;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct device_state *device = state_of(agg, kind, gpu->device);

		if (!device)
			continue;
		end_ns = time_later(end_ns, own_log_end(agg, kind, gpu->device));
		row_ns = time_later(row_ns, device->track.prev_ns);
		rows += device->track.rows;
		value_ns = time_later(value_ns, last_value_ns(device));
		value_ns = time_later(value_ns, device->track.unavailable_ns);
		*limit_ns = time_later(*limit_ns, source_gap_limit(agg, kind));
	}
	if (row_ns == INT64_MIN)
		return false;
	gpu->last_ns = value_ns == INT64_MIN ? row_ns : value_ns;
	gpu->silent_s = number_ratio((int128)end_ns - gpu->last_ns, NS_PER_S);
	gpu->lost = (int128)end_ns - gpu->last_ns > *limit_ns &&
		until_end(report, end_ns, *limit_ns) - gpu->last_ns >=
			ENDING_LOST_LEAST_S * NS_PER_S;
	silent = (struct stretch){row_ns, end_ns};
	/* a single row may be another GPU's, whose id was damaged */
	gpu->lost &= rows > 1 && is_covered(agg, gpu->device, &silent) &&
		!is_refused(agg, gpu->device, &silent) &&
		!gpu_is_replaced(agg, gpu->device, &silent);
	find_words(agg, gpu, *limit_ns);
	return true;
}

static void take_value(struct gpu_ending *gpu, size_t metric, const struct series *series)
{
	int64_t per_unit = metric_get(ending_metric[metric])->per_unit;
	struct course_trend trend = {.slope_per_h = NAN};

	if (series->tail)
		trend = tail_trend(series->tail, per_unit, series->gauge.prev_ns);

	gpu->value[metric] = number_ratio(series->gauge.prev, per_unit);
	gpu->rate_per_min[metric] = trend.slope_per_h / 60;
	gpu->is_trend[metric] = !isnan(trend.slope_per_h) && trend.is_sure;
}

/* Its last values are of one time, within a gap; of several logs the first has them. */
static void find_value(const struct aggregate *agg, struct gpu_ending *gpu, size_t metric,
	int64_t limit_ns)
{
	gpu->value[metric] = gpu->rate_per_min[metric] = NAN;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct device_state *device = state_of(agg, kind, gpu->device);
		const struct series *series =
			device ? series_of(device, ending_metric[metric]) : NULL;

		if (!series || llabs(gpu->last_ns - series->gauge.prev_ns) > limit_ns)
			continue;
		take_value(gpu, metric, series);
		return;
	}
}

static void find_gpus(
	struct ending *ending, const struct aggregate *agg, const struct report *report)
{
	const struct device_list *gpus = &agg->run->of_kind[DEVICE_GPU];
	size_t cap = 0;

	for (size_t i = 0; i < gpus->count; i++) {
		struct gpu_ending gpu = {.device = gpus->at[i]};
		int64_t limit_ns;

		if (!report_counts_gpu(report, gpu.device) ||
			!find_end(agg, report, &gpu, &limit_ns))
			continue;
		for (size_t k = 0; k < ENDING_METRICS; k++)
			find_value(agg, &gpu, k, limit_ns);
		ALLOC_NEXT(ending->gpu, ending->gpu_count, cap) = gpu;
		ending->sign[ENDING_GPU_LOST] |= gpu.lost;
	}
}

void ending_report(const struct aggregate *agg, struct report *report)
{
	const struct compute_window *window = &agg->options.window;
	struct ending *ending = &report->ending;

	find_gpus(ending, agg, report);
	if (window->set && !window->closed) {
		ending->sign[ENDING_GPU_LOST] = false;
		return;
	}
	find_signal(ending, agg->run->exit_status);
	find_damage(agg, report);
	if (report->ended_ns != TIME_NONE)
		find_early_log(ending, agg, report->ended_ns);
	ending->abrupt = ending_is_abrupt(ending);
}

/* Outcome from the manifest: exit status, missing end. Unknown without a manifest. */

void run_outcome_say_status(struct strbuf *sb, const struct run *run)
{
	const char *name = signal_name(signal_of_status(run->exit_status));
	const char *refused = run_fact(run, RUN_FACT_EXIT_STATUS);

	if (run->exit_status >= 0)
		strbuf_addf(sb, "%" PRId32, run->exit_status);
	else if (refused)
		strbuf_adds(sb, refused);
	if (name)
		strbuf_addf(sb, " (%s)", name);
}

/* A manifest that could not be read; NULL: there is none, or another one could be. */
static const struct run_file *lost_manifest(const struct run *run)
{
	for (size_t i = 0; i < run->file_count && !run->run_id; i++)
		if (run->file[i].kind == SOURCE_MANIFEST && !run->file[i].rows)
			return &run->file[i];
	return NULL;
}

struct run_outcome run_outcome_of(const struct run *run)
{
	const struct run_file *lost = lost_manifest(run);
	struct run_outcome outcome = {RUN_WHOLE, NULL};
	struct strbuf how;

	strbuf_init(&how);
	if (run->exit_status > 0 || run_fact(run, RUN_FACT_EXIT_STATUS)) {
		outcome.kind = RUN_FAILED;
		strbuf_adds(&how, "exit status ");
		run_outcome_say_status(&how, run);
		if (run->exit_status < 0)
			strbuf_adds(&how, ", which is none from 0 to 255");
	} else if (run->started_ns != TIME_NONE && run->ended_ns == TIME_NONE) {
		outcome.kind = RUN_CUT_OFF;
		strbuf_adds(&how, "its manifest has no end");
	} else if (lost) {
		outcome.kind = RUN_CUT_OFF;
		strbuf_addf(&how, "%s %s", lost->path,
			lost->size ? "is not a complete JSON object" : "is empty");
	}
	if (outcome.kind != RUN_WHOLE)
		outcome.how = strbuf_detach(&how);
	else
		strbuf_release(&how);
	return outcome;
}
