/* The list of metrics that a timeline draws, and memory of a timeline. */
#include "model/timeline.h"

#include <stdlib.h>

#define TIMELINE(metric, whole, base, instead) \
	{METRIC_##metric, METRIC_##whole, BASE_##base, METRIC_##instead},

static const struct timeline_metric metrics[] = {
#include "../schema/metrics.def"
};

#define METRICS (sizeof metrics / sizeof metrics[0])

const struct timeline_metric *timeline_metrics(size_t *count)
{
	*count = METRICS;
	return metrics;
}

size_t timeline_metric_at(enum metric_id metric)
{
	size_t at = 0;

	while (at < METRICS && metrics[at].metric != metric)
		at++;
	return at;
}

const char *slowed_name(enum slowed why)
{
	static const char *const name[SLOWED_COUNT] = {"power limit", "heat", "hardware"};

	return name[why];
}

void timeline_series_release(struct timeline_series *series)
{
	free(series->column);
	free(series->gap);
	free(series->unrecorded);
	*series = (struct timeline_series){0};
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->series_count; i++)
		timeline_series_release(&timeline->series[i]);
	for (size_t i = 0; i < timeline->held_count; i++)
		timeline_series_release(&timeline->held[i].known);
	free(timeline->series);
	free(timeline->mark);
	free(timeline->held);
	free(timeline);
}

size_t timeline_gaps_between(const struct timeline_series *series)
{
	return series->gap_count - series->edge_gaps;
}

double timeline_place(const struct timeline *timeline, int64_t t_ns)
{
	return ((double)t_ns - (double)timeline->grid_ns) / (double)timeline->step_ns;
}
