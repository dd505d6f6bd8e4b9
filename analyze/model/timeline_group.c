/* The series of a metric in a timeline as one group; and thumbnails, made of groups. */
#include "model/timeline_group.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

#define STRIPS_MAX 16

void timeline_group_release(struct timeline_group *group)
{
	free(group->series);
	free(group->lacking);
	free(group->partial);
	timeline_series_release(&group->all);
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

double timeline_group_mean(const struct timeline_group *group)
{
	struct mean_over over = {.devices = 0};

	if (group->count == 1)
		return timeline_mean(timeline_stats(group->report, group->series[0]));
	for (size_t i = 0; i < group->count; i++)
		mean_over_add(&over, timeline_stats(group->report, group->series[i]));
	return mean_over_all(&over);
}

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

/* Is a metric drawn of a device, or one that stands in for it? */
static bool has_any(
	const struct timeline *t, const struct timeline_metric *drawn, uint32_t device)
{
	enum metric_id first =
		drawn->instead == METRIC_none ? drawn->metric : drawn->instead;
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);

	for (size_t i = 0; i < t->series_count; i++) {
		const struct timeline_series *s = &t->series[i];

		if (s->device == device &&
			(s->metric == first ||
				metrics[timeline_metric_at(s->metric)].instead == first))
			return true;
	}
	return false;
}

static void find_lacking(struct timeline_group *group)
{
	const struct report *report = group->report;
	const struct run *run = report->run;

	group->lacking = xcalloc(run->device_count + 1, sizeof *group->lacking);
	for (uint32_t i = 0; i < run->device_count; i++) {
		const struct device *device = &run->device[i];

		if (device->kind == group->metric->device && !device_is_core(device) &&
			(device->kind == DEVICE_GPU ? report_counts_gpu(report, i)
						    : report_wants_device(report, i)) &&
			!has_any(report->timeline, group->drawn, i))
			group->lacking[group->lacking_count++] = i;
	}
}

static void find_partial(struct timeline_group *group)
{
	group->partial = xcalloc(group->count, sizeof *group->partial);
	for (size_t i = 0; i < group->count; i++)
		if (timeline_lacks_alone(group->series[i], &group->all))
			group->partial[group->partial_count++] = group->series[i]->device;
}

bool timeline_group_init(struct timeline_group *group, const struct report *report,
	const struct timeline_metric *metric)
{
	const struct timeline *t = report->timeline;

	*group = (struct timeline_group){.report = report,
		.drawn = metric,
		.metric = metric_get(metric->metric),
		.per_column = 1,
		.whole = NAN};
	group->series = xcalloc(t->series_count + 1, sizeof *group->series);
	for (size_t i = 0; i < t->series_count; i++)
		if (t->series[i].metric == metric->metric &&
			timeline_stats(report, &t->series[i]))
			group->series[group->count++] = &t->series[i];
	if (!group->count)
		return false;
	find_lacking(group);
	group->together = group->count > STRIPS_MAX;
	group->whole = whole_of(group);
	timeline_merge(&group->all, group->series, group->count, t->columns, 1);
	find_partial(group);
	return true;
}

/* Thumbnails: the merged series of each metric, kept without the report. */

static struct outline_devices names_of(
	const struct report *report, const uint32_t *device, size_t count)
{
	struct outline_devices names = {xcalloc(count + 1, sizeof *names.name), count};

	for (size_t i = 0; i < count; i++)
		names.name[i] = xstrdup(report->run->device[device[i]].name);
	return names;
}

struct outline *outline_make(const struct report *report)
{
	size_t count;
	const struct timeline_metric *metrics = timeline_metrics(&count);
	const struct timeline *t = report->timeline;
	struct outline *outline;

	if (!t)
		return NULL;
	outline = xcalloc(1, sizeof *outline);
	outline->axis = (struct timeline){.from_ns = t->from_ns,
		.to_ns = t->to_ns,
		.grid_ns = t->grid_ns,
		.step_ns = t->step_ns,
		.columns = t->columns};
	outline->series = xcalloc(count, sizeof *outline->series);
	for (size_t i = 0; i < count; i++) {
		struct timeline_group group;

		bool any = timeline_group_init(&group, report, &metrics[i]);

		if (any && metrics[i].base != BASE_ZERO) {
			outline->more = true;
		} else if (any) {
			outline->series[i] = (struct outline_series){group.all,
				timeline_group_mean(&group), group.whole,
				names_of(report, group.lacking, group.lacking_count),
				names_of(report, group.partial, group.partial_count)};
			group.all = (struct timeline_series){0};
		}
		timeline_group_release(&group);
	}
	return outline;
}

void outline_free(struct outline *outline)
{
	size_t count;

	if (!outline)
		return;
	timeline_metrics(&count);
	for (size_t i = 0; i < count; i++) {
		struct outline_series *series = &outline->series[i];

		timeline_series_release(&series->all);
		free_texts(series->lacking.name, series->lacking.count);
		free_texts(series->partial.name, series->partial.count);
	}
	free(outline->series);
	free(outline);
}
