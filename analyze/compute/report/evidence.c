/*
 * The evidence of a run: intervals, gaps and their causes, coverage, sessions, grade;
 * silences of GPUs, rejected rows, and a guess at the time zone. README.md, "Time".
 */
#include "compute/report/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/report/report.h"
#include "model/coverage.h"

/*
 * Events of the recorder. collect writes such a state in one way only; more detail is
 * in further keys.
 */

static bool is_word(const struct event *event)
{
	return event->t_ns != TIME_NONE && event->extras && event->type_name &&
		strcmp(event->type_name, "recorder") == 0;
}

/*
 * Was an nvidia-smi started again, from then on, for those GPUs alone that still
 * answer, without this one?
 */
static bool recorder_word_leaves_out(
	const struct run *run, uint32_t device, int64_t from_ns)
{
	const char *uuid = run->device[device].uuid;

	for (size_t i = 0; uuid && i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (is_word(event) && event->t_ns >= from_ns &&
			strstr(event->extras, "\"gpus\":") &&
			!strstr(event->extras, uuid))
			return true;
	}
	return false;
}

/* Is the log of that name the file at path, be it packed by now? */
static bool is_log(const char *log, size_t length, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return length && strncmp(log, name, length) == 0 &&
		(name[length] == '\0' || name[length] == '.');
}

/* An event that says so of the log under its key "log"; extras are written like this. */
static bool event_ends(const struct event *event, const char *path)
{
	static const char key[] = "\"log\": \"";
	const char *log;

	if (!is_word(event) || !event->name ||
		strncmp(event->name, OBSERVER_EARLY, strlen(OBSERVER_EARLY)) != 0)
		return false;
	log = strstr(event->extras, key);
	return log && is_log(log + strlen(key), strcspn(log + strlen(key), "\""), path);
}

/* The manifest is written behind what a full disk had no room for. */
static bool manifest_ends(const char *early, const char *path)
{
	while (early) {
		if (is_log(early, strcspn(early, ","), path))
			return true;
		early = strchr(early, ',');
		if (early)
			early++;
	}
	return false;
}

/*
 * Does a recorder say that its log of that kind ended before the run did: the disk was
 * full, the recording as large as it may be?
 */
static bool recorder_word_ends_early(const struct run *run, enum source_kind kind)
{
	struct observer observer;

	(void)observer_read(run, &observer);
	for (size_t f = 0; f < run->file_count; f++) {
		const char *path = run->file[f].path;

		if (run->file[f].kind != kind)
			continue;
		if (manifest_ends(observer.early, path))
			return true;
		for (size_t i = 0; i < run->event_count; i++)
			if (event_ends(&run->event[i], path))
				return true;
	}
	return false;
}

static bool is_index_of_one(const struct run *run, int32_t index)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	size_t count = 0;

	for (size_t i = 0; i < gpus->count; i++)
		count += run->device[gpus->at[i]].index == index;
	return count == 1;
}

static bool is_of(const struct event *event, int32_t index)
{
	static const char key[] = "\"gpu\":";
	const char *found = strstr(event->extras, key);

	return found && strtol(found + sizeof key - 1, NULL, 10) == index;
}

int64_t recorder_word_lost_ns(const struct run *run, uint32_t device)
{
	int32_t index = run->device[device].index;
	int64_t last_ns = TIME_NONE, lost_ns = TIME_NONE;

	for (size_t i = 0; index >= 0 && i < run->event_count; i++) {
		const struct event *event = &run->event[i];

		if (!is_word(event) || !event->name ||
			(last_ns != TIME_NONE && event->t_ns < last_ns))
			continue;
		/* Rows of another one without end leave no room for its own. */
		if (strcmp(event->name, "floods") == 0 && lost_ns != TIME_NONE &&
			event->t_ns - lost_ns < NS_PER_S)
			lost_ns = TIME_NONE;
		if (!is_of(event, index))
			continue;
		if (strcmp(event->name, "GPU lost") == 0)
			last_ns = lost_ns = event->t_ns;
		else if (strcmp(event->name, "GPU back") == 0) {
			last_ns = event->t_ns;
			lost_ns = TIME_NONE;
		}
	}
	return is_index_of_one(run, index) ? lost_ns : TIME_NONE;
}

const struct series *series_heard(const struct aggregate *agg,
	const struct report *report, enum source_kind kind, size_t device,
	enum metric_id metric)
{
	const struct source_state *source = &agg->source[kind];
	const struct series *series = NULL;

	if (device < source->device_count && source->device[device] &&
		agg->run->device[device].kind == DEVICE_GPU &&
		report_counts_gpu(report, device))
		series = source->device[device]->series[metric];
	return series && series->course && series->course->count ? series : NULL;
}

/* Logs of a GPU: files that two GPUs share, and the rows of all GPUs in one file. */

/* Has the device rows there, and is it a GPU? */
static bool is_there(
	const struct aggregate *agg, const struct source_state *source, size_t device)
{
	return source->device[device] && agg->run->device[device].kind == DEVICE_GPU;
}

/* Is it all that there is of the kind? So it is of what is no GPU. */
static bool own_log_is_whole(
	const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];

	if (agg->run->device[device].kind != DEVICE_GPU)
		return true;
	for (uint32_t i = 0; i < source->device_count; i++)
		if (is_there(agg, source, i) &&
			!run_shares_log(agg->run, kind, device, i))
			return false;
	return true;
}

/* From its first row to its last, of any device in it. */
static struct stretch own_log_span(
	const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];
	struct stretch span = {source->rows.first_ns, source->rows.last_ns};

	if (own_log_is_whole(agg, kind, device))
		return span;
	span = (struct stretch){INT64_MAX, INT64_MIN};
	for (uint32_t i = 0; i < source->device_count; i++) {
		const struct track *track;

		if (!is_there(agg, source, i) ||
			!run_shares_log(agg->run, kind, device, i))
			continue;
		track = &source->device[i]->track;
		span.from_ns =
			track->first_ns < span.from_ns ? track->first_ns : span.from_ns;
		span.to_ns = track->last_ns > span.to_ns ? track->last_ns : span.to_ns;
	}
	return span;
}

/* Of a device that has rows on both sides of a hole: the last one before it. */
static int64_t before_hole(const struct track *track, const struct session_start *hole)
{
	for (size_t i = 0; i < track->longest.count; i++) {
		const struct step *step = &track->longest.at[i];

		if (step->start_ns <= hole->before_ns &&
			step->start_ns + step->dt_ns >= hole->after_ns)
			return step->start_ns;
	}
	return track->prev_ns; /* it went on, as one of another file may */
}

/* end: of the session that is asked for; NULL: the source's last. */
static int64_t last_row_ns(const struct source_state *source, uint32_t device,
	const struct session_start *end)
{
	const struct device_state *state = source->device[device];

	return end && state->session > (size_t)(end - source->session)
		? before_hole(&state->track, end)
		: state->track.prev_ns;
}

int64_t own_log_end(const struct aggregate *agg, enum source_kind kind, uint32_t device)
{
	const struct source_state *source = &agg->source[kind];
	const struct session_start *end = session_end(
		source, source->device[device]->session, source_gap_limit(agg, kind));
	int64_t end_ns = INT64_MIN;

	/* It was asked, and said nothing. */
	if (end &&
		recorder_word_leaves_out(
			agg->run, device, source->device[device]->track.prev_ns))
		end = NULL;
	if (own_log_is_whole(agg, kind, device))
		return end ? end->before_ns : source->rows.prev_ns;
	for (uint32_t i = 0; i < source->device_count; i++)
		if (is_there(agg, source, i) &&
			run_shares_log(agg->run, kind, device, i)) {
			int64_t row_ns = last_row_ns(source, i, end);

			end_ns = row_ns > end_ns ? row_ns : end_ns;
		}
	return end_ns;
}

int64_t own_log_covered_ns(const struct aggregate *agg, enum source_kind kind,
	const struct stretch *time, int64_t limit_ns)
{
	const struct track *rows = &agg->source[kind].rows;
	struct stretch log = {rows->first_ns, rows->last_ns};
	int64_t covered_ns = stretch_common_ns(&log, time);

	for (size_t i = 0; i < rows->longest.count; i++) {
		const struct step *step = &rows->longest.at[i];
		struct stretch hole = {step->start_ns, step->start_ns + step->dt_ns};

		if (step->dt_ns > limit_ns)
			covered_ns -= stretch_common_ns(&hole, time);
	}
	return covered_ns;
}

bool gpu_is_replaced(
	const struct aggregate *agg, uint32_t device, const struct stretch *time)
{
	const struct device *gpu = &agg->run->device[device];
	const struct device_list *gpus = &agg->run->of_kind[DEVICE_GPU];

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		for (size_t i = 0; i < gpus->count && gpu->index >= 0; i++) {
			const struct source_state *source = &agg->source[kind];
			uint32_t other = gpus->at[i];
			const struct track *track;

			if (other == device ||
				agg->run->device[other].index != gpu->index ||
				!device_is_one_host(gpu, &agg->run->device[other]) ||
				!source->timed || other >= source->device_count ||
				!source->device[other])
				continue;
			track = &source->device[other]->track;
			if (track->first_ns <= time->to_ns &&
				track->last_ns >= time->from_ns)
				return true;
		}
	return false;
}

/* Rejected rows of each file, by the rows around them. */

/* Has the file rows of the device, or may it have had some? */
static bool is_in(const struct run *run, enum source_kind kind, uint32_t device,
	const struct run_file *file)
{
	if (run->device[device].kind != DEVICE_GPU || !file->gpu_count ||
		run_file_has_gpu(file, device))
		return true;
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind && run_file_has_gpu(&run->file[i], device))
			return false;
	return true;
}

bool refused_may_fill(const struct run *run, enum source_kind kind, uint32_t device,
	const struct stretch *time, int64_t limit_ns, struct refused *out)
{
	*out = (struct refused){0};
	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		uint64_t line = 0, rows;

		if (kind == SOURCE_NONE ? !source_has_samples(file->kind)
					: file->kind != kind)
			continue;
		if (!file->lost.count || !is_in(run, file->kind, device, file))
			continue;
		rows = lost_rows_within(&file->lost, time->from_ns, time->to_ns, &line);
		if (rows && !out->rows) {
			out->file = file->path;
			out->line = line;
		}
		out->rows += rows;
	}
	return out->rows &&
		((int128)time->to_ns - time->from_ns) / (int128)(out->rows + 1) <=
		limit_ns;
}

/*
 * Causes of gaps: the recorder's clocks and other records of that time. README.md,
 * "Causes of gaps". Reads no value.
 */

/* Did a log say something within a stretch of time? */
enum voice {
	VOICE_UNKNOWN, /* it can't be told */
	VOICE_SILENT,
	VOICE_SPOKE
};

struct other_logs {
	const struct aggregate *agg;
	int64_t limit_ns[SOURCE_KIND_COUNT]; /* gap limits */
	double interval_s[SOURCE_KIND_COUNT]; /* the longest of a device; 0: unknown */
	int64_t *event_ns; /* [events] of all events, ascending; owned */
	size_t events;
};

static void find_other_logs(struct other_logs *w, const struct aggregate *agg,
	const struct evidence *evidence)
{
	const struct run *run = agg->run;

	*w = (struct other_logs){.agg = agg};
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (agg->source[kind].seen)
			w->limit_ns[kind] = source_gap_limit(agg, kind);
	for (size_t i = 0; i < evidence->device_count; i++) {
		const struct device_evidence *e = &evidence->device[i];

		w->interval_s[e->source] = fmax(w->interval_s[e->source], e->interval_s);
	}
	w->event_ns = xcalloc(run->event_count, 2 * sizeof *w->event_ns);
	for (size_t i = 0; i < run->event_count; i++) {
		if (run->event[i].t_ns != TIME_NONE)
			w->event_ns[w->events++] = run->event[i].t_ns;
		if (run->event[i].end_ns != TIME_NONE)
			w->event_ns[w->events++] = run->event[i].end_ns;
	}
	if (w->events)
		sort_int64(w->event_ns, w->events);
}

/* Within it, or at its ends? */
static bool has_event(const struct other_logs *w, const struct stretch *time)
{
	size_t up_to_end =
		sorted_up_to(w->event_ns, w->events, sizeof *w->event_ns, 0, time->to_ns);

	return up_to_end && w->event_ns[up_to_end - 1] >= time->from_ns;
}

/* The step between rows that spans a stretch; -1: none of those that were kept. */
static int64_t step_over(const struct track *track, const struct stretch *time)
{
	for (size_t i = 0; i < track->longest.count; i++) {
		const struct step *step = &track->longest.at[i];

		if (step->start_ns <= time->from_ns &&
			(int128)step->start_ns + step->dt_ns >= time->to_ns)
			return step->dt_ns;
	}
	return -1;
}

/* Of rows of a kind. A log whose usual step is as long as that need not have spoken. */
static enum voice voice_of_rows(const struct other_logs *w, enum source_kind kind,
	const struct track *rows, const struct stretch *time)
{
	int64_t step_ns, length_ns = time->to_ns - time->from_ns;

	if (rows->last_ns <= time->from_ns || rows->first_ns >= time->to_ns)
		return VOICE_SILENT;
	step_ns = step_over(rows, time);
	if (step_ns >= 0)
		return step_ns > w->limit_ns[kind] ? VOICE_SILENT : VOICE_UNKNOWN;
	/*
	 * The clock went back there, so many steps were long that some were dropped, or
	 * it is too short a time for a step that is kept.
	 */
	if (rows->segments_begun ||
		(rows->longest.count == GAPS_LISTED &&
			rows->longest.at->dt_ns > length_ns) ||
		(length_ns < w->agg->short_ns &&
			w->interval_s[kind] * (double)NS_PER_S >= (double)length_ns))
		return VOICE_UNKNOWN;
	return VOICE_SPOKE;
}

/* Of all logs of a kind. */
static enum voice voice_of(
	const struct other_logs *w, enum source_kind kind, const struct stretch *time)
{
	const struct source_state *source = &w->agg->source[kind];

	if (!source->seen || !source->timed)
		return VOICE_UNKNOWN;
	return voice_of_rows(w, kind, &source->rows, time);
}

/* Of the log that a device is in. */
static enum voice voice_of_own_log(const struct other_logs *w, enum source_kind kind,
	uint32_t device, const struct stretch *time)
{
	const struct aggregate *agg = w->agg;
	const struct source_state *source = &agg->source[kind];
	enum voice voice = VOICE_SILENT;

	if (own_log_is_whole(agg, kind, device))
		return voice_of(w, kind, time);
	for (uint32_t i = 0; i < source->device_count && voice != VOICE_SPOKE; i++) {
		enum voice other;

		if (!source->device[i] || agg->run->device[i].kind != DEVICE_GPU ||
			!run_shares_log(agg->run, kind, device, i))
			continue;
		other = voice_of_rows(w, kind, &source->device[i]->track, time);
		voice = other == VOICE_SILENT ? voice : other;
	}
	return voice;
}

/* Who spoke, if this log did not. */
static enum gap_cause cause_of_silence(
	const struct other_logs *w, enum source_kind own, const struct stretch *time)
{
	bool known = true;

	if (has_event(w, time))
		return GAP_LOG_SILENT;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		if (kind == own || !w->agg->source[kind].seen)
			continue;
		switch (voice_of(w, kind, time)) {
		case VOICE_SPOKE:
			return GAP_LOG_SILENT;
		case VOICE_UNKNOWN:
			known = false;
			break;
		case VOICE_SILENT:
			break;
		}
	}
	return known ? GAP_ALL_SILENT : GAP_UNKNOWN;
}

/*
 * The largest change of the clocks of one kind within a gap, in ns; 0: none. Two logs of
 * one recorder tell of the same one.
 */
static int64_t change_within(
	const struct run *run, const struct stretch *gap, enum clock_change_kind kind)
{
	int64_t most_ns = 0;

	for (size_t i = 0; i < run->clock_change_count; i++) {
		const struct clock_change *c = &run->clock_change[i];

		if (c->kind == kind && c->by_ns > most_ns && c->from_ns < gap->to_ns &&
			c->to_ns > gap->from_ns)
			most_ns = c->by_ns;
	}
	return most_ns;
}

/* What is left of the gap without the changes would be none. */
static enum gap_cause cause_of_clocks(
	const struct run *run, const struct stretch *gap, int64_t limit_ns)
{
	int64_t slept_ns = change_within(run, gap, CLOCK_SUSPENDED);
	int64_t set_ns = change_within(run, gap, CLOCK_STEPPED);

	if ((int128)gap->to_ns - gap->from_ns - slept_ns - set_ns > limit_ns)
		return GAP_UNKNOWN;
	if (slept_ns >= set_ns)
		return slept_ns ? GAP_SUSPEND : GAP_UNKNOWN;
	return GAP_CLOCK_STEP;
}

/*
 * What is at least an interval from its ends: whoever stopped with the device may have
 * had a row since.
 */
static struct stretch inner_part(const struct stretch *gap, double interval_s)
{
	int64_t length_ns = gap->to_ns - gap->from_ns, margin_ns = length_ns / 4;

	if (2 * interval_s * (double)NS_PER_S < (double)length_ns)
		margin_ns = llround(interval_s * (double)NS_PER_S);
	return (struct stretch){gap->from_ns + margin_ns, gap->to_ns - margin_ns};
}

static struct stretch whole_of(const struct gap *gap)
{
	int128 to_ns = (int128)gap->start_ns + (int128)(gap->length_s * 1e9 + 0.5);

	return (struct stretch){
		gap->start_ns, to_ns > INT64_MAX ? INT64_MAX : (int64_t)to_ns};
}

/*
 * Did a session end where the gap begins? Then another recorder was not asked of the
 * device. inner: of the gap, what is an interval from its ends.
 */
static bool begins_with_session_end(
	const struct other_logs *w, const struct gap *gap, const struct stretch *inner)
{
	const struct source_state *source = &w->agg->source[gap->source];
	const struct session_start *end;

	for (size_t i = 0; i < source->session_count; i++) {
		if (source->session[i].before_ns < gap->start_ns)
			continue;
		end = session_end(source, i, w->limit_ns[gap->source]);
		return end && end->before_ns <= inner->from_ns;
	}
	return false;
}

static enum gap_cause cause_of(
	const struct other_logs *w, const struct report *report, const struct gap *gap)
{
	const struct device_evidence *e =
		evidence_find(&report->evidence, gap->source, gap->device);
	const struct device *device = &report->run->device[gap->device];
	struct stretch whole = whole_of(gap);
	struct refused refused;
	int64_t limit_ns;
	enum gap_cause cause;
	struct stretch inner;

	if (!e || isnan(e->gap_limit_s))
		return GAP_UNKNOWN;
	limit_ns = evidence_limit_ns(e);
	cause = cause_of_clocks(report->run, &whole, limit_ns);
	if (cause != GAP_UNKNOWN)
		return cause;
	if (gap->restart)
		return GAP_RESTART;
	if (!gap->unanswered &&
		refused_may_fill(report->run, gap->source, gap->device, &whole, limit_ns,
			&refused))
		return GAP_REFUSED;
	if (gpu_is_replaced(w->agg, gap->device, &whole))
		return GAP_UNKNOWN;
	inner = inner_part(&whole, e->interval_s);
	if (step_over(&w->agg->source[gap->source].rows, &inner) >= 0 ||
		(!gap->unanswered &&
			own_log_covered_ns(w->agg, gap->source, &whole,
				w->limit_ns[gap->source]) <= limit_ns))
		return cause_of_silence(w, gap->source, &inner);
	if (gap->unanswered)
		return GAP_GPU_LOST;
	if (device->kind != DEVICE_GPU || voice_of(w, gap->source, &inner) != VOICE_SPOKE)
		return GAP_UNKNOWN;
	if (begins_with_session_end(w, gap, &inner))
		return GAP_RESTART;
	switch (voice_of_own_log(w, gap->source, gap->device, &inner)) {
	case VOICE_SPOKE:
		return GAP_GPU_LOST;
	case VOICE_SILENT:
		return GAP_LOG_SILENT; /* one of the same kind spoke */
	case VOICE_UNKNOWN:
		break;
	}
	return GAP_UNKNOWN;
}

/* What the run's gaps that are listed come from. */
static void gap_causes(const struct aggregate *agg, struct report *report)
{
	struct evidence *evidence = &report->evidence;
	struct other_logs w;

	if (!evidence->gap_listed)
		return;
	find_other_logs(&w, agg, evidence);
	for (size_t i = 0; i < evidence->gap_listed; i++)
		evidence->gap[i].cause = cause_of(&w, report, &evidence->gap[i]);
	free(w.event_ns);
}

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
		const char *from;
		int64_t step_ns = untimed_interval_ns(agg, kind, &from), ns;

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
	const struct event *totals = run_totals(run);
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
	/* The times of results say how long each took, not how long all did. */
	if (totals && totals->type == EVENT_POINT && !report->windowed &&
		strcmp(report->duration_source, "events") == 0) {
		report->duration_s = NAN;
		if (!event_number(totals, "duration_s", &report->duration_s))
			report->duration_source = NULL;
	}
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
	const struct sessions *sessions, int128 covered_ns, int64_t interval_ns,
	int64_t away_ns)
{
	int64_t margin_ns = (interval_ns > 0 ? interval_ns : 0) + GAP_LIMIT_MIN_NS;
	int64_t lead_ns = within(rows->first_ns - sessions->ends.from_ns, margin_ns);
	int64_t trail_ns = within(sessions->ends.to_ns - rows->last_ns,
		sessions->ends_early ? 0 : margin_ns);
	int64_t expected_ns = sessions->length_ns - lead_ns - trail_ns - away_ns;

	if (expected_ns <= 0)
		return NAN;
	return covered_ns > expected_ns ? 1 : number_ratio(covered_ns, expected_ns);
}

/* In which another GPU of its index has rows: not a gap of this one. */
static bool is_anothers_turn(
	const struct aggregate *agg, uint32_t device, const struct step *step)
{
	struct stretch time = {step->start_ns, step->start_ns + step->dt_ns};

	return gpu_is_replaced(agg, device, &time);
}

/* Takes the turns of others out of its gaps (NULL: of none); how long they are. */
static int64_t leave_turns(const struct aggregate *agg, uint32_t device,
	const struct track *track, int64_t limit_ns, uint64_t *gaps)
{
	int64_t away_ns = 0;

	for (size_t i = 0; i < track->longest.count; i++) {
		const struct step *step = &track->longest.at[i];

		if (step->dt_ns <= limit_ns || !is_anothers_turn(agg, device, step))
			continue;
		away_ns += step->dt_ns;
		if (gaps)
			*gaps -= *gaps > 0;
	}
	return away_ns;
}

static void add_gaps(struct aggregate *agg, struct evidence *evidence, size_t *cap,
	const struct track *track, int64_t limit_ns, enum source_kind kind,
	uint32_t index)
{
	for (size_t i = 0; i < track->longest.count; i++) {
		const struct step *step = &track->longest.at[i];

		if (step->dt_ns <= limit_ns || is_anothers_turn(agg, index, step))
			continue;
		ALLOC_NEXT(evidence->gap, evidence->gap_listed, *cap) = (struct gap){
			step->start_ns, seconds(step->dt_ns), index, kind, step->file,
			step->line, step->restart, step->unanswered, GAP_UNKNOWN};
	}
}

/*
 * GPUs of one index, no two of which have rows at a time, take turns: each is there from
 * the last row of the one before it to its own last row.
 */
static struct stretch turn_of(
	const struct aggregate *agg, enum source_kind kind, uint32_t index)
{
	const struct source_state *source = &agg->source[kind];
	const struct track *own = &source->device[index]->track;
	struct stretch turn = {INT64_MIN, INT64_MAX};
	bool away;

	if (!is_there(agg, source, index) || agg->run->device[index].index < 0)
		return turn;
	away = leave_turns(agg, index, own, source_gap_limit(agg, kind), NULL) > 0;
	for (uint32_t i = 0; i < source->device_count; i++) {
		const struct track *other;

		if (i == index || !is_there(agg, source, i) ||
			agg->run->device[i].index != agg->run->device[index].index)
			continue;
		other = &source->device[i]->track;
		if (other->last_ns <= own->first_ns)
			turn.from_ns = time_later(turn.from_ns, other->last_ns);
		else if (away && other->first_ns < own->first_ns)
			turn.from_ns = own->first_ns;
		if (other->first_ns >= own->last_ns ||
			(away && other->last_ns > own->last_ns))
			turn.to_ns = own->last_ns;
	}
	return turn;
}

/* Of the log that a source has; of a GPU that takes turns, in its turn. */
static struct sessions sessions_in(const struct aggregate *agg, enum source_kind kind,
	const struct report *report, struct stretch turn)
{
	struct sessions sessions = {.count = 1};

	if (agg->source[kind].seen && agg->source[kind].timed) {
		sessions = sessions_of(agg, kind, report, &turn);
		sessions.ends_early = turn.to_ns == INT64_MAX &&
			recorder_word_ends_early(agg->run, kind);
	}
	return sessions;
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

	e = &ALLOC_NEXT(evidence->device, evidence->device_count, evidence->device_cap);
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
		int64_t away_ns =
			leave_turns(agg, index, track, timing.limit_ns, &e->gaps);

		e->covered_s = number_ratio(covered_ns, NS_PER_S);
		e->coverage = rows->any ? coverage_of(rows, sessions, covered_ns,
						  timing.interval_ns, away_ns)
					: 0;
		e->restarts = track_restarts(track, timing.limit_ns);
		add_gaps(agg, evidence, gap_cap, track, timing.limit_ns, kind, index);
	}
	e->log_first_ns = log.from_ns;
	e->log_last_ns = log.to_ns;
	evidence->gap_count += e->gaps;
	if (sessions->count > evidence->sessions)
		evidence->sessions = sessions->count;
}

/* From row to row, but for gaps. */
static double mean_step_s(const struct device_evidence *e)
{
	return e->rows > e->gaps + 1 ? e->covered_s / (double)(e->rows - 1 - e->gaps)
				     : (double)NAN;
}

/* Is each file with rows of the other one of those with its own? */
static bool has_all_logs_of(
	const struct report *report, const struct device_evidence *e, uint32_t other)
{
	bool all = run_shares_log(report->run, e->source, e->device, other);

	for (size_t i = 0; i < report->run->file_count; i++) {
		const struct run_file *file = &report->run->file[i];

		all &= file->kind != e->source || !run_file_has_gpu(file, other) ||
			run_file_has_gpu(file, e->device);
	}
	return all;
}

double evidence_lacking(const struct report *report, const struct device_evidence *e)
{
	double lacking = NAN, own_s = e ? mean_step_s(e) : NAN;

	for (size_t i = 0; e && i < report->evidence.device_count; i++) {
		const struct device_evidence *other = &report->evidence.device[i];
		double limit_ns = fmin(e->gap_limit_s, other->gap_limit_s) * 1e9;

		if (other == e || other->source != e->source ||
			report->run->device[other->device].kind != DEVICE_GPU ||
			!has_all_logs_of(report, e, other->device) ||
			!(fabs((double)(other->first_ns - e->first_ns)) <= limit_ns) ||
			!(fabs((double)(other->last_ns - e->last_ns)) <= limit_ns))
			continue;
		lacking = fmax(lacking, (own_s - mean_step_s(other)) / own_s);
	}
	return lacking;
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
 * processes; where there is neither, of the host or what is worst of it.
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
	for (size_t i = 0, seen = 0; i < evidence->device_count && !any; i++) {
		const struct device_evidence *e = &evidence->device[i];

		if (run->device[e->device].kind == DEVICE_PROCESS)
			continue;
		if (!seen++ || isnan(e->coverage) || e->coverage < worst)
			worst = e->coverage;
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
		struct stretch all = {INT64_MIN, INT64_MAX};
		struct sessions whole = sessions_in(agg, kind, report, all);

		for (uint32_t i = 0; i < source->device_count; i++) {
			struct stretch turn;
			struct sessions own;

			if (!source->device[i] || !is_wanted(agg, i))
				continue;
			turn = turn_of(agg, kind, i);
			if (turn.from_ns == all.from_ns && turn.to_ns == all.to_ns)
				own = whole;
			else
				own = sessions_in(agg, kind, report, turn);
			report_device(agg, report, kind, i, &own, &gap_cap);
		}
	}
	SORT(evidence->gap, evidence->gap_listed, longest_first);
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

/*
 * The time zone of times without one: the quarter of an hour that aligns them best
 * with the other times of the run.
 */

#define QUARTER_NS   (900 * NS_PER_S)
#define QUARTERS     56 /* of an hour, within 14 hours */
#define NEAR_MIN_NS  (60 * NS_PER_S) /* recorders begin and end together */
#define NEAR_MAX_NS  (QUARTER_NS / 3)
#define NEAR_DIVISOR 50 /* ... or within 2 % of what the longer one recorded */

/* From the first to the last of some instants. */
struct extent {
	int64_t from_ns, to_ns;
	bool events; /* all of them are of events */
};

#define EXTENT_NONE ((struct extent){INT64_MAX, INT64_MIN, true})

static bool is_empty(const struct extent *e)
{
	return e->from_ns > e->to_ns;
}

static void widen(struct extent *e, int64_t from_ns, int64_t to_ns)
{
	if (from_ns < e->from_ns)
		e->from_ns = from_ns;
	if (to_ns > e->to_ns)
		e->to_ns = to_ns;
}

/* Whose times name no zone; false as well where only some of a kind's do. */
struct clocks {
	bool wall, absolute;
};

static void see_file(struct clocks *clocks, const struct run_file *file)
{
	clocks->wall |= file->rows && file->wall;
	clocks->absolute |= file->rows && !file->wall;
}

static struct clocks clocks_of_samples(const struct run *run, enum source_kind kind)
{
	struct clocks clocks = {false, false};

	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind)
			see_file(&clocks, &run->file[i]);
	return clocks;
}

static struct clocks clocks_of_events(const struct run *run)
{
	struct clocks clocks = {false, false};

	for (size_t i = 0; i < run->file_count; i++)
		if (source_has_events(run->file[i].kind))
			see_file(&clocks, &run->file[i]);
	return clocks;
}

/* What counts as both counts as neither. */
static struct extent *extent_for(
	const struct clocks *clocks, struct extent *wall, struct extent *absolute)
{
	if (clocks->wall == clocks->absolute)
		return NULL;
	return clocks->wall ? wall : absolute;
}

static void look_at_samples(
	const struct aggregate *agg, struct extent *wall, struct extent *absolute)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct source_state *source = &agg->source[kind];
		struct clocks clocks = clocks_of_samples(agg->run, kind);
		struct extent *e = extent_for(&clocks, wall, absolute);

		for (size_t i = 0; e && source->timed && i < source->device_count; i++) {
			if (!source->device[i])
				continue;
			widen(e, source->device[i]->track.first_ns,
				source->device[i]->track.last_ns);
			e->events = false;
		}
	}
}

static void look_at_events(
	const struct aggregate *agg, struct extent *wall, struct extent *absolute)
{
	struct clocks clocks = clocks_of_events(agg->run);
	struct extent *e = extent_for(&clocks, wall, absolute);
	int64_t from_ns, to_ns;

	if (e && run_event_span(agg->run, &from_ns, &to_ns))
		widen(e, from_ns, to_ns);
}

/* Quarters of an hour that some place is east of UTC. */
static bool exists(int64_t quarters)
{
	static const int8_t odd[] = {-38, -14, 14, 18, 22, 23, 26, 35, 38, 42, 51};

	for (size_t i = 0; i < sizeof odd; i++)
		if (quarters == odd[i])
			return true;
	return quarters % 4 == 0 && quarters >= -48 && quarters <= 56;
}

/* How long two extents overlap; negative: how far they are apart. */
static int64_t overlap(const struct extent *a, const struct extent *b)
{
	return (a->to_ns < b->to_ns ? a->to_ns : b->to_ns) -
		(a->from_ns > b->from_ns ? a->from_ns : b->from_ns);
}

static struct extent shifted(const struct extent *e, int64_t east_ns)
{
	return (struct extent){e->from_ns - east_ns, e->to_ns - east_ns, e->events};
}

static bool is_near(int64_t a_ns, int64_t b_ns, int64_t near_ns)
{
	return a_ns - b_ns <= near_ns && b_ns - a_ns <= near_ns;
}

/* How far the ends of two logs may lie apart that ran together. */
static int64_t nearness(const struct extent *a, const struct extent *b)
{
	int64_t a_ns = a->to_ns - a->from_ns, b_ns = b->to_ns - b->from_ns;
	int64_t near_ns = (a_ns > b_ns ? a_ns : b_ns) / NEAR_DIVISOR;

	if (near_ns < NEAR_MIN_NS)
		return NEAR_MIN_NS;
	return near_ns < NEAR_MAX_NS ? near_ns : NEAR_MAX_NS;
}

/* The shift that brings both begins and both ends together; 0: none, or none needed. */
static int64_t shift_of_ends(
	const struct extent *wall, const struct extent *absolute, int64_t read_as)
{
	int64_t near_ns = nearness(wall, absolute);

	for (int quarter = -QUARTERS; quarter <= QUARTERS; quarter++) {
		struct extent moved = shifted(wall, quarter * QUARTER_NS);

		if (exists(quarter + read_as) &&
			is_near(moved.from_ns, absolute->from_ns, near_ns) &&
			is_near(moved.to_ns, absolute->to_ns, near_ns))
			return quarter * QUARTER_NS;
	}
	return 0;
}

/* The shift by which two that don't meet overlap most. */
static int64_t shift_of_overlap(
	const struct extent *wall, const struct extent *absolute, int64_t read_as)
{
	int64_t best_ns = 0, most = 0;

	for (int quarter = -QUARTERS; quarter <= QUARTERS; quarter++) {
		struct extent moved = shifted(wall, quarter * QUARTER_NS);
		int64_t shared = overlap(&moved, absolute);

		if (shared <= most || !exists(quarter + read_as))
			continue;
		most = shared;
		best_ns = quarter * QUARTER_NS;
	}
	return best_ns;
}

/* How many quarters of an hour east of UTC times were taken for. */
static int64_t read_as(const struct run *run, int64_t t_ns)
{
	struct zone zone;
	struct error unknown;

	if (zone_parse(&zone, run->time_zone, &unknown) < 0)
		return 0;
	return (time_to_wall(t_ns, &zone) - t_ns) / QUARTER_NS;
}

/*
 * Events are of the command that the samples were recorded for; two logs that don't meet
 * may be of one hour and the next, unless they are as long.
 */
int64_t aggregate_zone_hint_ns(const struct aggregate *agg, int64_t *at_ns, bool *meet)
{
	struct extent wall = EXTENT_NONE, absolute = EXTENT_NONE;

	look_at_samples(agg, &wall, &absolute);
	look_at_events(agg, &wall, &absolute);
	if (is_empty(&wall) || is_empty(&absolute))
		return 0;
	*at_ns = wall.from_ns;
	*meet = overlap(&wall, &absolute) >= 0;
	/* Who named the zone knows it, unless nothing meets. */
	if (*meet && strcmp(agg->run->time_source, "option") == 0)
		return 0;
	if (wall.events != absolute.events && !*meet)
		return shift_of_overlap(&wall, &absolute, read_as(agg->run, *at_ns));
	return shift_of_ends(&wall, &absolute, read_as(agg->run, *at_ns));
}

double evidence_longest_gap_s(const struct evidence *evidence, uint32_t device)
{
	double longest = 0;

	for (size_t i = 0; i < evidence->gap_listed; i++)
		if (device == FINDING_RUN || evidence->gap[i].device == device)
			longest = fmax(longest, evidence->gap[i].length_s);
	return longest;
}

uint64_t evidence_steps_back(const struct report *report)
{
	const struct evidence *evidence = &report->evidence;
	const struct diag_list *diags = &report->run->diags;
	uint64_t most = 0;

	for (size_t i = 0; i < evidence->device_count; i++)
		if (evidence->device[i].steps_back > most)
			most = evidence->device[i].steps_back;
	for (size_t i = 0; i < diags->count; i++)
		if (span_begins(span_of(diags->at[i].id), "small-step-back") &&
			diags->at[i].count > most)
			most = diags->at[i].count;
	return most;
}
