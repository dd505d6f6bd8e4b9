/* Which series are of a metric, and what they are together. */
#include "model/timeline_group.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

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
	group->together = group->count > STRIPS_MAX;
	group->whole = whole_of(group);
	timeline_merge(&group->all, group->series, group->count, t->columns, 1);
	return true;
}
