/*
 * Cuts the tracks of a run into the columns of its timeline, now that it is known which
 * log counts and what a gap is.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/inspect/tracks.h"
#include "compute/report/slowed.h"

/* A track of a device in a kind of log; NULL: it has no value. */
static struct timeline_track *track_of(const struct timeline_maker *maker, enum source_kind kind,
	uint32_t device, size_t track)
{
	const struct source_tracks *source = &maker->source[kind];

	return device < source->count ? source->device[device].at[track] : NULL;
}

/* What counts of a metric of a device, and may be drawn; NULL: nothing. */
static const struct metric_stats *drawn_stats(const struct report *report,
	const struct timeline_metric *metric, uint32_t device)
{
	const struct metric_stats *stats;

	if (report->run->device[device].kind != metric_get(metric->metric)->device)
		return NULL;
	stats = report_stats_best(
		report, report->stats, report->stats_count, device, metric->metric);
	if (!stats || !stats->n || !report_stats_take_part(report, stats))
		return NULL;
	if (metric->instead != METRIC_none &&
		metric_stats_speaks(report_stats_best(report, report->stats,
			report->stats_count, device, metric->instead)))
		return NULL;
	return stats;
}

/* How long a step may be that is no gap; -1: none is known not to be one. */
static int64_t joins_ns(const struct report *report, enum source_kind source,
	uint32_t device, const struct metric_stats *stats)
{
	const struct device_evidence *e =
		evidence_find(&report->evidence, source, device);

	if (stats && !isnan(stats->gap_limit_s))
		return (int64_t)(stats->gap_limit_s * 1e9);
	return e && !isnan(e->gap_limit_s) ? evidence_limit_ns(e) : -1;
}

/* What is drawn of it, bin by bin in columns of `bins` of them from number `first` on. */
static void fill(struct timeline_series *series, const struct envelope *envelope,
	size_t columns, int64_t first, int64_t bins, int64_t limit_ns)
{
	double unit = (double)metric_get(series->metric)->per_unit;
	const struct envelope_bin *before = NULL;
	int64_t i = 0;

	series->column = xcalloc(columns, sizeof *series->column);
	for (size_t c = 0; c < columns; c++) {
		struct timeline_column *column = &series->column[c];
		int64_t end = first + ((int64_t)c + 1) * bins - envelope->first;
		struct envelope_bin all = {0};

		*column = (struct timeline_column){.min = NAN, .max = NAN, .mean = NAN};
		for (; i < envelope->count && i < end; i++) {
			const struct envelope_bin *bin = &envelope->bin[i];

			if (!bin->n)
				continue;
			if (!all.n)
				column->joined = before && limit_ns >= 0 &&
					(int128)bin->first_ns - before->last_ns <=
						limit_ns;
			envelope_bin_add(&all, bin);
			before = bin;
		}
		if (!all.n)
			continue;
		column->min = (double)all.min / unit;
		column->max = (double)all.max / unit;
		column->mean = number_ratio(
			all.sum, (int128)all.n * metric_get(series->metric)->per_unit);
	}
}

static void range_of(struct timeline_series *series, size_t columns)
{
	series->min = INFINITY;
	series->max = -INFINITY;
	for (size_t c = 0; c < columns; c++) {
		series->min = fmin(series->min, series->column[c].min);
		series->max = fmax(series->max, series->column[c].max);
	}
}

/* The envelopes that are drawn. */
struct chosen {
	struct timeline_track *track;
	const struct metric_stats *stats;
	enum source_kind source;
	uint32_t device;
	size_t at; /* of enum track_id */
};

struct chosen_list {
	struct chosen *at; /* [count] owned */
	size_t count, cap;
};

static void choose(struct chosen_list *list, struct chosen chosen)
{
	if (!chosen.track || !chosen.track->envelope.count)
		return;
	ALLOC_GROW(list->at, list->count + 1, list->cap);
	list->at[list->count++] = chosen;
}

static void choose_metrics(struct chosen_list *list, const struct timeline_maker *maker,
	const struct report *report)
{
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);

	for (size_t track = 0; track < count; track++)
		for (uint32_t i = 0; i < report->run->device_count; i++) {
			const struct metric_stats *stats =
				drawn_stats(report, &metrics[track], i);

			if (stats)
				choose(list,
					(struct chosen){
						track_of(maker, stats->source, i, track),
						stats, stats->source, i, track});
		}
}

/* Of a GPU the first kind of log that tells of any reason. */
static void choose_slowed(struct chosen_list *list, const struct timeline_maker *maker,
	const struct report *report)
{
	for (uint32_t i = 0; i < report->run->device_count; i++)
		for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
			size_t before = list->count;

			for (size_t k = TRACK_SLOWED; k < TRACK_COUNT; k++)
				choose(list,
					(struct chosen){track_of(maker, kind, i, k), NULL,
						kind, i, k});
			if (list->count > before)
				break;
		}
}

/* From the run's start, or the first value, to its end, or the last value. */
static void span_of_all(struct timeline *timeline, const struct chosen_list *list,
	const struct report *report)
{
	timeline->from_ns = INT64_MAX;
	timeline->to_ns = INT64_MIN;
	if (report->started_ns != TIME_NONE) {
		timeline->from_ns = report->started_ns;
		timeline->to_ns = report->ended_ns;
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct envelope *e = &list->at[i].track->envelope;

		if (e->bin[0].first_ns < timeline->from_ns)
			timeline->from_ns = e->bin[0].first_ns;
		if (e->bin[e->count - 1].last_ns > timeline->to_ns)
			timeline->to_ns = e->bin[e->count - 1].last_ns;
	}
}

static void widen(struct timeline_track *track, unsigned shift)
{
	envelope_widen(&track->envelope, shift);
	envelope_widen(&track->missing, shift);
}

static unsigned shift_of(const struct timeline_track *track)
{
	unsigned a = track->envelope.shift, b = track->missing.shift;

	return a > b ? a : b;
}

/* Columns of as many bins as it takes; all envelopes get bins of one length. */
static int64_t lay_grid(
	struct timeline *timeline, const struct chosen_list *list, size_t columns)
{
	unsigned shift = ENVELOPE_SHIFT;
	int64_t first, bins, per_column;

	for (size_t i = 0; i < list->count; i++)
		if (shift_of(list->at[i].track) > shift)
			shift = shift_of(list->at[i].track);
	while (envelope_number(timeline->to_ns, shift) -
			envelope_number(timeline->from_ns, shift) >=
		BINS_LIMIT)
		shift++;
	for (size_t i = 0; i < list->count; i++)
		widen(list->at[i].track, shift);
	first = envelope_number(timeline->from_ns, shift);
	bins = envelope_number(timeline->to_ns, shift) - first + 1;
	per_column = (bins + (int64_t)columns - 1) / (int64_t)columns;
	timeline->grid_ns = first * (INT64_C(1) << shift);
	timeline->step_ns = per_column << shift;
	timeline->columns = (size_t)((bins + per_column - 1) / per_column);
	return per_column;
}

/* A reason holds until the next row, if no gap lies before it. */
static void mark(
	struct timeline *timeline, const struct timeline_series *held, enum slowed why)
{
	size_t from = SIZE_MAX, last = 0;

	for (size_t c = 0; c <= timeline->columns; c++) {
		const struct timeline_column *column = &held->column[c];
		bool end = c == timeline->columns;

		if (!end && isnan(column->min))
			continue;
		if (from != SIZE_MAX && (end || !column->joined || !(column->max > 0))) {
			ALLOC_GROW(timeline->mark, timeline->mark_count + 1,
				timeline->mark_cap);
			timeline->mark[timeline->mark_count++] =
				(struct timeline_mark){why, held->device, from,
					!end && column->joined ? c : last + 1};
			from = SIZE_MAX;
		}
		if (!end && column->max > 0 && from == SIZE_MAX)
			from = c;
		last = c;
	}
}

/* Behind i; count: there is none. */
static int64_t next_bin(const struct envelope *envelope, int64_t i)
{
	do
		i++;
	while (i < envelope->count && !envelope->bin[i].n);
	return i;
}

/* A row's reason holds until the next row, if no gap lies before it: of the time of a bin
 * with several rows the share of those that say so. */
static void hold(struct timeline *timeline, const struct chosen *chosen, int64_t limit_ns)
{
	const struct envelope *envelope = &chosen->track->envelope;
	struct timeline_held held = {.why = (enum slowed)(chosen->at - TRACK_SLOWED),
		.device = chosen->device,
		.from_ns = TIME_NONE};

	for (int64_t i = 0, next; i < envelope->count; i = next) {
		const struct envelope_bin *bin = &envelope->bin[i];
		int64_t end = bin->last_ns;

		next = next_bin(envelope, i);
		if (!(bin->max > 0))
			continue;
		if (held.from_ns == TIME_NONE)
			held.from_ns = bin->first_ns;
		if (next < envelope->count &&
			(int128)envelope->bin[next].first_ns - end <= limit_ns)
			end = envelope->bin[next].first_ns;
		held.seconds += (double)(end - bin->first_ns) / 1e9 *
			number_ratio(bin->sum, (int128)bin->n);
	}
	timeline_find_gaps(&held.known, timeline, chosen->track, limit_ns);
	if (limit_ns < 0)
		held.seconds = NAN;
	ALLOC_GROW(timeline->held, timeline->held_count + 1, timeline->held_cap);
	timeline->held[timeline->held_count++] = held;
}

static void draw(struct timeline *timeline, const struct chosen *chosen,
	const struct report *report, int64_t per_column)
{
	const struct envelope *envelope = &chosen->track->envelope;
	bool slowed = chosen->at >= TRACK_SLOWED;
	size_t count;
	struct timeline_series series = {.metric = slowed
			? METRIC_clock_reasons
			: timeline_metrics(&count)[chosen->at].metric,
		.source = chosen->source,
		.device = chosen->device};
	int64_t first = envelope_number(timeline->grid_ns, envelope->shift);
	int64_t limit_ns =
		joins_ns(report, chosen->source, chosen->device, chosen->stats);

	fill(&series, envelope, timeline->columns, first, per_column, limit_ns);
	if (slowed) {
		mark(timeline, &series, (enum slowed)(chosen->at - TRACK_SLOWED));
		hold(timeline, chosen, limit_ns);
		free(series.column);
		return;
	}
	range_of(&series, timeline->columns);
	series.limit = (double)limit_ns / (double)timeline->step_ns;
	timeline_find_gaps(&series, timeline, chosen->track, limit_ns);
	ALLOC_GROW(timeline->series, timeline->series_count + 1, timeline->series_cap);
	timeline->series[timeline->series_count++] = series;
}

struct timeline *timeline_make(
	struct timeline_maker *maker, const struct report *report, size_t columns)
{
	struct timeline *timeline = xcalloc(1, sizeof *timeline);
	struct chosen_list list = {0};
	int64_t per_column;

	tracks_finish(maker);
	choose_metrics(&list, maker, report);
	choose_slowed(&list, maker, report);
	span_of_all(timeline, &list, report);
	if (list.count && timeline->to_ns > timeline->from_ns) {
		per_column = lay_grid(timeline, &list, columns);
		for (size_t i = 0; i < list.count; i++)
			draw(timeline, &list.at[i], report, per_column);
		for (enum metric_id id = 0; id < METRIC_COUNT; id++)
			timeline->tells_held[id] = slowed_is_told_by(id);
	} else {
		timeline_free(timeline);
		timeline = NULL;
	}
	free(list.at);
	return timeline;
}
