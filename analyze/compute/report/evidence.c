/*
 * How far the numbers can be trusted: intervals, gaps, coverage, sessions, grade.
 * README.md, "Time".
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/report/own_log.h"
#include "compute/report/parts.h"
#include "compute/report/recorder_word.h"
#include "model/coverage.h"

static double seconds(int64_t ns)
{
	return number_ratio(ns, NS_PER_S);
}

bool aggregate_samples(const struct aggregate *agg, int64_t *from_ns, int64_t *to_ns)
{
	bool found = false;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];

		for (size_t i = 0; source->timed && i < source->device_count; i++) {
			const struct device_state *device = source->device[i];

			if (!device)
				continue;
			if (!found || device->track.first_ns < *from_ns)
				*from_ns = device->track.first_ns;
			if (!found || device->track.last_ns > *to_ns)
				*to_ns = device->track.last_ns;
			found = true;
		}
	}
	return found;
}

/* From the first to the last tick of the longest log without times; -1: none. */
static int64_t length_of_ticks(const struct aggregate *agg)
{
	int64_t length_ns = -1;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];
		int64_t step_ns = untimed_interval_ns(agg, kind), ns;

		if (!source->seen || source->timed || step_ns <= 0 ||
			!source->ticks.count ||
			source->ticks.count > (uint64_t)(TIME_END_NS / step_ns))
			continue;
		ns = (int64_t)(source->ticks.count - 1) * step_ns;
		length_ns = ns > length_ns ? ns : length_ns;
	}
	return length_ns;
}

static void report_duration(const struct aggregate *agg, struct report *report)
{
	const struct run *run = agg->run;
	struct stretch span = {0, 0};

	if (aggregate_samples(agg, &span.from_ns, &span.to_ns))
		report->duration_source =
			time_is_dated(span.from_ns) ? "samples" : "ticks";
	else if (run_event_span(run, &span.from_ns, &span.to_ns))
		report->duration_source = "events";
	if (run_command_span(run, &span.from_ns, &span.to_ns))
		report->duration_source = "command";
	if (!report->duration_source) {
		int64_t length_ns = length_of_ticks(agg);

		if (length_ns > 0) {
			report->duration_source = "ticks";
			report->duration_s = seconds(length_ns);
		}
		return;
	}
	if (agg->options.window.set) {
		span = (struct stretch){
			agg->options.window.from_ns, agg->options.window.to_ns};
		report->cut = true;
		report->windowed = !agg->options.window.of_command;
		if (report->windowed)
			report->duration_source = "window";
	}
	report->origin_ns =
		report->windowed ? agg->options.window.origin_ns : span.from_ns;
	report->started_ns = span.from_ns;
	report->ended_ns = span.to_ns;
	report->duration_s = seconds(span.to_ns - span.from_ns);
}

static int64_t within(int64_t ns, int64_t most_ns)
{
	return ns < 0 ? 0 : ns > most_ns ? most_ns : ns;
}

/*
 * Covered time over the time that the log ran, less a lead and a trail of h + 2 s. No
 * trail is let pass of a log that is known to have ended early.
 */
static double coverage_of(const struct track_answers *rows,
	const struct sessions *sessions, int128 covered_ns, int64_t interval_ns)
{
	int64_t margin_ns = (interval_ns > 0 ? interval_ns : 0) + GAP_LIMIT_MIN_NS;
	int64_t lead_ns = within(rows->first_ns - sessions->ends.from_ns, margin_ns);
	int64_t trail_ns = within(sessions->ends.to_ns - rows->last_ns,
		sessions->ends_early ? 0 : margin_ns);
	int64_t expected_ns = sessions->length_ns - lead_ns - trail_ns;

	if (expected_ns <= 0)
		return NAN;
	return covered_ns > expected_ns ? 1 : number_ratio(covered_ns, expected_ns);
}

static void add_gaps(struct evidence *evidence, size_t *cap, const struct track *track,
	int64_t limit_ns, enum source_kind kind, uint32_t index)
{
	for (size_t i = 0; i < track->longest.count; i++) {
		const struct step *step = &track->longest.at[i];

		if (step->dt_ns <= limit_ns)
			continue;
		ALLOC_GROW(evidence->gap, evidence->gap_listed + 1, *cap);
		evidence->gap[evidence->gap_listed++] = (struct gap){step->start_ns,
			seconds(step->dt_ns), index, kind, step->file, step->line,
			step->restart, step->unanswered, GAP_UNKNOWN};
	}
}

static void report_device(struct aggregate *agg, struct report *report,
	enum source_kind kind, uint32_t index, const struct sessions *sessions,
	size_t *gap_cap)
{
	struct device_state *device = agg->source[kind].device[index];
	struct track *track = &device->track;
	struct timing timing = device_timing(agg, kind, device);
	struct evidence *evidence = &report->evidence;
	struct device_evidence *e;
	const struct track_answers *rows = &track->answers;
	struct stretch log;

	ALLOC_GROW(evidence->device, evidence->device_count + 1, evidence->device_cap);
	e = &evidence->device[evidence->device_count++];
	*e = (struct device_evidence){.source = kind,
		.device = index,
		.rows = track->rows,
		.first_ns = TIME_NONE,
		.last_ns = TIME_NONE,
		.interval_source = timing.interval_source,
		.steps_back = track->segments_begun,
		.sessions = 1};
	e->interval_s = timing.interval_ns > 0 ? seconds(timing.interval_ns) : NAN;
	e->gap_limit_s = timing.limit_ns >= 0 ? seconds(timing.limit_ns) : NAN;
	e->resets = device->shares ? device->shares->clamped : 0;
	e->covered_s = e->coverage = NAN;
	e->log_first_ns = e->log_last_ns = TIME_NONE;
	if (!track->timed)
		return;
	log = own_log_span(agg, kind, index);
	if (rows->any) {
		e->first_ns = rows->first_ns;
		e->last_ns = rows->last_ns;
	}
	e->sessions = sessions->count;
	if (timing.limit_ns >= 0) {
		int128 covered_ns = track_covered_ns(track, timing.limit_ns, &e->gaps);

		e->covered_s = number_ratio(covered_ns, NS_PER_S);
		e->coverage = rows->any
			? coverage_of(rows, sessions, covered_ns, timing.interval_ns)
			: 0;
		e->restarts = track_restarts(track, timing.limit_ns);
		add_gaps(evidence, gap_cap, track, timing.limit_ns, kind, index);
	}
	e->log_first_ns = log.from_ns;
	e->log_last_ns = log.to_ns;
	evidence->gap_count += e->gaps;
	if (sessions->count > evidence->sessions)
		evidence->sessions = sessions->count;
}

static int longest_first(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	if (x->length_s != y->length_s)
		return x->length_s < y->length_s ? 1 : -1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/*
 * What speaks for each of the run's devices, by their index: its own rows in the log that
 * counts, else those of the first of the processes on it. The array is the caller's.
 */
static const struct device_evidence **evidence_by_device(
	const struct run *run, const struct evidence *evidence)
{
	const struct device_evidence **of = xcalloc(run->device_count + 1, sizeof *of);

	for (size_t i = 0; i < evidence->device_count; i++) {
		const struct device_evidence *e = &evidence->device[i];
		int32_t parent = run->device[e->device].parent;

		if (!of[e->device] || of[e->device]->device != e->device)
			of[e->device] = evidence_best(evidence, e->device);
		if (parent >= 0 && !of[parent])
			of[parent] = e;
	}
	return of;
}

/*
 * The run's coverage is that of its worst GPU (by the log that counts; 0 if it has no row
 * at all), or, where there is no GPU, of all CPUs together and the trees of
 * processes.
 */
static void report_coverage(struct report *report)
{
	const struct run *run = report->run;
	struct evidence *evidence = &report->evidence;
	const struct device_evidence **of = evidence_by_device(run, evidence);
	bool gpus = false, any = false;
	double worst = NAN;

	for (size_t d = 0; d < run->device_count; d++) {
		const struct device *device = &run->device[d];
		const struct device_evidence *best = of[d];
		double coverage = best ? best->coverage : 0;

		if (device->kind == DEVICE_HOST || device->kind == DEVICE_GROUP ||
			device->kind == DEVICE_PROCESS)
			continue;
		if (device->kind == DEVICE_GPU && !report_counts_gpu(report, d))
			continue;
		if (device->kind != DEVICE_GPU &&
			(!best || gpus || device_is_core(device)))
			continue;
		if (device->kind == DEVICE_GPU && !gpus) {
			gpus = true;
			any = false; /* what was before it does not matter */
		}
		/* One whose coverage can't be told is the worst, wherever it stands. */
		if (!any || isnan(coverage) || coverage < worst)
			worst = coverage;
		any = true;
	}
	evidence->coverage = worst;
	free(of);
}

/* Where neither GPUs nor CPUs were asked for, what was asked for speaks for itself. */
static void select_coverage(struct report *report)
{
	struct evidence *evidence = &report->evidence;

	report_coverage(report);
	if (!isnan(evidence->coverage) || report_gpu_count(report))
		return;
	for (size_t i = 0; i < evidence->device_count; i++) {
		double coverage = evidence->device[i].coverage;

		if (!i || isnan(coverage) || coverage < evidence->coverage)
			evidence->coverage = coverage;
	}
}

/* Single CPUs lose their samples together, so all together speak for them. */
static bool is_wanted(const struct aggregate *agg, size_t index)
{
	const struct device *device = &agg->run->device[index];

	return agg->options.per_core || device->kind != DEVICE_CPU || device->index < 0;
}

void evidence_report(struct aggregate *agg, struct report *report)
{
	struct evidence *evidence = &report->evidence;
	size_t gap_cap = 0;

	report_duration(agg, report);
	evidence->time_source = agg->run->time_source;
	evidence->sessions = 1;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct source_state *source = &agg->source[kind];
		struct sessions sessions = {.count = 1};

		if (source->seen && source->timed) {
			sessions = sessions_of(agg, kind, report);
			sessions.ends_early = recorder_word_ends_early(agg->run, kind);
		}
		for (size_t i = 0; i < source->device_count; i++)
			if (source->device[i] && is_wanted(agg, i))
				report_device(agg, report, kind, (uint32_t)i, &sessions,
					&gap_cap);
	}
	if (evidence->gap_listed)
		qsort(evidence->gap, evidence->gap_listed, sizeof *evidence->gap,
			longest_first);
	if (evidence->gap_listed > GAPS_LISTED)
		evidence->gap_listed = GAPS_LISTED;
	gap_causes(agg, report);
	report_weigh_devices(report);
	report_coverage(report);
	evidence->grade = grade_of(report);
}

void evidence_select(struct report *report)
{
	struct evidence *evidence = &report->evidence;

	if (!report->filter.device)
		return;
	evidence->gap_count = 0;
	evidence->sessions = 1;
	for (size_t i = 0; i < evidence->device_count; i++) {
		const struct device_evidence *e = &evidence->device[i];

		evidence->gap_count += e->gaps;
		if (e->sessions > evidence->sessions)
			evidence->sessions = e->sessions;
	}
	select_coverage(report);
	evidence->grade = grade_of(report);
}
