/*
 * The devices of a metric on one scale: a strip each. What stays flat at the bottom is to
 * be said in a line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "render/timeline_parts.h"
#include "render/xml_text.h"

#define FLAT	   0.05 /* of the height: what stays below is said, not drawn */
#define STRIPS_MAX 16 /* more devices have one strip together */

void timeline_group_release(struct timeline_group *group)
{
	free(group->series);
	free(group->all.column);
	free(group->all.gap);
}

const struct metric_stats *timeline_stats(
	const struct report *report, const struct timeline_series *series)
{
	return metric_stats_of(report->stats, report->stats_count, series->source,
		series->device, series->metric);
}

double timeline_mean(const struct metric_stats *stats)
{
	return isnan(stats->mean) ? stats->mean_samples : stats->mean;
}

bool timeline_is_drawn(const struct report *report)
{
	const struct timeline *t = report->timeline;

	for (size_t i = 0; t && i < t->series_count; i++)
		if (timeline_stats(report, &t->series[i]))
			return true;
	return false;
}

/* The largest value of the metric that is the whole of this one; NAN. */
static double whole_of(const struct timeline_group *group)
{
	const struct report *report = group->report;
	double whole = NAN;

	for (size_t i = 0; i < group->count && group->drawn->whole < METRIC_COUNT; i++) {
		const struct metric_stats *stats =
			report_stats_best(report, report->stats, report->stats_count,
				group->series[i]->device, group->drawn->whole);

		if (stats)
			whole = fmax(whole, stats->max);
	}
	return whole;
}

/* 1, 2, 2.5 or 5 times a power of ten, not below x, which is above 0. */
static double round_step(double x)
{
	static const double times[] = {1, 2, 2.5, 5, 10};
	double ten = pow(10, floor(log10(x)));
	size_t i = 0;

	while (i < 4 && times[i] * ten < x * (1 - 1e-9))
		i++;
	return times[i] * ten;
}

static struct strip_range choose_range(const struct timeline_group *group)
{
	bool zero = group->drawn->base == BASE_ZERO && group->min >= 0;
	double low = zero ? 0 : group->min, whole = whole_of(group), step = 1;
	struct strip_range range;

	if (group->max > low)
		step = round_step((group->max - low) / 5);
	range.low = step * floor(low / step + 1e-9);
	range.high = step * ceil(group->max / step - 1e-9);
	if (zero && strcmp(group->metric->unit, "%") == 0)
		range.high = fmax(100, group->max);
	if (whole >= group->max)
		range.high = whole;
	if (!(range.high > range.low))
		range.high = range.low + step;
	return range;
}

/* Of all devices, column by column. */
static void merge_columns(struct timeline_series *all, const struct timeline_group *group)
{
	size_t columns = group->report->timeline->columns;

	all->column = xcalloc(columns, sizeof *all->column);
	for (size_t c = 0; c < columns; c++) {
		struct timeline_column *to = &all->column[c];
		double sum = 0;
		size_t n = 0;

		*to = (struct timeline_column){NAN, NAN, NAN, false};
		for (size_t i = 0; i < group->count; i++) {
			const struct timeline_column *one = &group->series[i]->column[c];

			if (isnan(one->min))
				continue;
			to->min = fmin(to->min, one->min);
			to->max = fmax(to->max, one->max);
			to->joined |= one->joined;
			sum += one->mean;
			n++;
		}
		to->mean = n ? sum / (double)n : NAN;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct timeline_gap *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Every one of any of them; late and early is what all of them are. */
static void merge_gaps(struct timeline_series *all, const struct timeline_group *group)
{
	all->starts_late = all->ends_early = true;
	for (size_t i = 0; i < group->count; i++) {
		const struct timeline_series *one = group->series[i];

		all->gaps_known |= one->gaps_known;
		all->starts_late &= one->starts_late;
		all->ends_early &= one->ends_early;
		ALLOC_GROW(all->gap, all->gap_count + one->gap_count + 1, all->gap_cap);
		for (size_t k = 0; k < one->gap_count; k++)
			all->gap[all->gap_count++] = one->gap[k];
	}
	qsort(all->gap, all->gap_count, sizeof *all->gap, by_time);
}

static void merge(struct timeline_group *group)
{
	group->all = (struct timeline_series){
		.metric = group->drawn->metric, .min = group->min, .max = group->max};
	merge_columns(&group->all, group);
	merge_gaps(&group->all, group);
}

static const struct timeline_series *strip_series(
	const struct timeline_group *group, size_t at)
{
	return group->count > STRIPS_MAX ? &group->all : group->series[at];
}

bool timeline_group_init(struct timeline_group *group, const struct report *report,
	const struct timeline_metric *metric)
{
	const struct timeline *t = report->timeline;

	*group = (struct timeline_group){.report = report,
		.drawn = metric,
		.metric = metric_get(metric->metric),
		.min = INFINITY,
		.max = -INFINITY};
	group->series = xcalloc(t->series_count + 1, sizeof *group->series);
	for (size_t i = 0; i < t->series_count; i++) {
		const struct timeline_series *s = &t->series[i];

		if (s->metric != metric->metric || !timeline_stats(report, s))
			continue;
		group->series[group->count++] = s;
		group->min = fmin(group->min, s->min);
		group->max = fmax(group->max, s->max);
	}
	if (!group->count)
		return false;
	group->range = choose_range(group);
	if (group->count > STRIPS_MAX)
		merge(group);
	return true;
}

/* "61 to 689 W"; what is printed alike stands once. */
static void add_range(
	struct strbuf *sb, const struct timeline_group *group, double min, double max)
{
	struct strbuf low, high;

	strbuf_init(&low);
	strbuf_init(&high);
	quantity_number(&low, min, group->metric->decimals);
	quantity_number(&high, max, group->metric->decimals);
	if (strcmp(low.text, high.text) != 0)
		strbuf_addf(sb, "%s to ", low.text);
	strbuf_adds(sb, high.text);
	if (*group->metric->unit)
		strbuf_addf(sb, "\u00a0%s", group->metric->unit);
	strbuf_release(&low);
	strbuf_release(&high);
}

void timeline_group_scale(struct strbuf *sb, const struct timeline_group *group)
{
	double size = group->range.high - group->range.low;
	int decimals = size >= 5 ? 0 : size >= 0.5 ? 1 : 2;

	quantity_number(sb, group->range.low, decimals);
	strbuf_adds(sb, " to ");
	quantity_number(sb, group->range.high, decimals);
	if (*group->metric->unit)
		strbuf_addf(sb, "\u00a0%s", group->metric->unit);
}

/* What a screen reader says, and a pointer shows. */
static void add_title(struct strbuf *sb, const struct timeline_group *group,
	const char *name, const struct timeline_series *series, double mean)
{
	strbuf_addf(sb, "<title>%s of ", group->metric->title);
	xml_text(sb, name);
	strbuf_adds(sb, ": ");
	add_range(sb, group, series->min, series->max);
	if (!isnan(mean)) {
		strbuf_adds(sb, ", mean ");
		quantity_number(sb, mean, group->metric->decimals);
	}
	strbuf_adds(sb, "</title>");
}

size_t timeline_group_strips(const struct timeline_group *group)
{
	return group->count > STRIPS_MAX ? 1 : group->count;
}

struct timeline_strip timeline_group_strip(const struct timeline_group *group, size_t at)
{
	const struct timeline_series *s = group->series[at];
	const struct report *report = group->report;
	struct timeline_strip strip = {.mean = NAN, .max = group->max};

	if (group->count > STRIPS_MAX) {
		snprintf(strip.name, sizeof strip.name, "all %zu", group->count);
		return strip;
	}
	snprintf(
		strip.name, sizeof strip.name, "%s", report->run->device[s->device].name);
	strip.mean = timeline_mean(timeline_stats(report, s));
	strip.max = s->max;
	return strip;
}

static void begin_picture(struct strbuf *sb, double from, double to, int high)
{
	strbuf_addf(sb, " viewBox=\"%.4f 0 %.4f %d\" preserveAspectRatio=\"none\">", from,
		to - from, high);
}

/* The columns' middles stand at whole numbers, the axis ends where the time does. */
static void axis_of(const struct timeline *t, double *from, double *to)
{
	*from = timeline_place(t, t->from_ns) - 0.5;
	*to = fmax(timeline_place(t, t->to_ns) - 0.5, *from + 0.01);
}

void timeline_group_picture(
	struct strbuf *sb, const struct timeline_group *group, size_t at)
{
	const struct timeline *t = group->report->timeline;
	struct timeline_strip strip = timeline_group_strip(group, at);
	const struct timeline_series *series = strip_series(group, at);
	double from, to;

	axis_of(t, &from, &to);
	begin_picture(sb, from, to, STRIP_HEIGHT);
	add_title(sb, group, strip.name, series, strip.mean);
	strip_paths(sb, series, t->columns, group->range, from, to);
}

bool timeline_group_has_gaps(const struct timeline_group *group, size_t at)
{
	return strip_series(group, at)->gap_count > 0;
}

size_t timeline_group_gaps(
	struct strbuf *sb, const struct timeline_group *group, size_t at)
{
	const struct timeline_series *series = strip_series(group, at);
	double from, to;

	axis_of(group->report->timeline, &from, &to);
	begin_picture(sb, from, to, STRIP_GAPS_HEIGHT);
	strbuf_addf(sb, "<title>Gaps in %s of ", group->metric->title);
	xml_text(sb, timeline_group_strip(group, at).name);
	strbuf_adds(sb, ": ");
	timeline_gaps(sb, series);
	strbuf_adds(sb, "</title>");
	return strip_gaps(sb, series);
}

void timeline_gaps(struct strbuf *sb, const struct timeline_series *series)
{
	if (!series->gaps_known) {
		strbuf_addc(sb, '-');
		return;
	}
	quantity_count(sb, timeline_gaps_between(series));
	if (series->starts_late)
		strbuf_adds(sb, ", the start");
	if (series->ends_early)
		strbuf_adds(sb, ", the end");
}

void timeline_gaps_legend(struct strbuf *sb, size_t most)
{
	strbuf_adds(sb, "a gap, however short");
	if (most > 1) {
		strbuf_adds(sb, ", or as many as ");
		quantity_count(sb, most);
		strbuf_adds(sb, " that touch");
	}
}

static bool has_gaps(const struct timeline_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->series[i]->gap_count)
			return true;
	return false;
}

bool timeline_group_is_flat(const struct timeline_group *group)
{
	return !has_gaps(group) &&
		(group->min == group->max ||
			(group->drawn->base == BASE_ZERO &&
				group->max < FLAT * group->range.high));
}

/* One value is none that lasted. */
void timeline_group_flat(struct strbuf *sb, const struct timeline_group *group)
{
	bool lasted = true, single = true;

	add_range(sb, group, group->min, group->max);
	if (group->min != group->max)
		return;
	for (size_t i = 0; i < group->count; i++) {
		const struct timeline_series *s = group->series[i];
		uint64_t n = timeline_stats(group->report, s)->n;

		lasted &= s->gaps_known && n > 1;
		single &= n == 1;
	}
	if (single)
		strbuf_adds(sb,
			group->count > 1 ? ", a single value each" : ", a single value");
	else if (lasted)
		strbuf_adds(sb, " throughout");
}
