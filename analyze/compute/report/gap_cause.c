/*
 * Why there are gaps: what the recorder's clocks did meanwhile, and who else wrote down
 * something then. README.md, "Causes of gaps". Knows no value.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/report/own_log.h"
#include "compute/report/parts.h"
#include "compute/report/refused.h"

/* Did a log say something within a stretch of time? */
enum voice {
	VOICE_UNKNOWN, /* it can't be told */
	VOICE_SILENT,
	VOICE_SPOKE
};

struct witnesses {
	const struct aggregate *agg;
	int64_t limit_ns[SOURCE_KIND_COUNT]; /* gap limits */
	double interval_s[SOURCE_KIND_COUNT]; /* the longest of a device; 0: unknown */
	int64_t *event_ns; /* [events] of all events, ascending; owned */
	size_t events;
};

static void find_witnesses(
	struct witnesses *w, const struct aggregate *agg, const struct evidence *evidence)
{
	const struct run *run = agg->run;

	*w = (struct witnesses){.agg = agg};
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (agg->source[kind].seen)
			w->limit_ns[kind] = agg->options.gap_ns >= 0
				? agg->options.gap_ns
				: aggregate_step_limit(agg, kind);
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
static bool has_event(const struct witnesses *w, const struct stretch *time)
{
	size_t low = 0, high = w->events;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->event_ns[middle] < time->from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->events && w->event_ns[low] <= time->to_ns;
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
static enum voice voice_of_rows(const struct witnesses *w, enum source_kind kind,
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
	const struct witnesses *w, enum source_kind kind, const struct stretch *time)
{
	const struct source_state *source = &w->agg->source[kind];

	if (!source->seen || !source->timed)
		return VOICE_UNKNOWN;
	return voice_of_rows(w, kind, &source->rows, time);
}

/* Of the log that a device is in. */
static enum voice voice_of_own_log(const struct witnesses *w, enum source_kind kind,
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
	const struct witnesses *w, enum source_kind own, const struct stretch *time)
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
	const struct witnesses *w, const struct gap *gap, const struct stretch *inner)
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
	const struct witnesses *w, const struct report *report, const struct gap *gap)
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

void gap_causes(const struct aggregate *agg, struct report *report)
{
	struct evidence *evidence = &report->evidence;
	struct witnesses w;

	if (!evidence->gap_listed)
		return;
	find_witnesses(&w, agg, evidence);
	for (size_t i = 0; i < evidence->gap_listed; i++)
		evidence->gap[i].cause = cause_of(&w, report, &evidence->gap[i]);
	free(w.event_ns);
}
