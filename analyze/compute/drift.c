/* A line through each course. */
#include "compute/drift.h"

#include <math.h>

#include "base/alloc.h"
#include "compute/silence.h"

/* What must not change, either, for a run to be stationary. */
static const enum metric_id drifting[] = {METRIC_power_w, METRIC_sm_clock_mhz};

/* Less, of what it began at, is no change of level. */
#define DRIFT_LEAST 0.05

void drift_find(const struct aggregate *agg, const struct report *report,
	const bool *kept, unsigned shift, struct steady *steady)
{
	size_t metrics = sizeof drifting / sizeof drifting[0];

	steady->drift =
		xcalloc(metrics * agg->run->device_count + 1, sizeof *steady->drift);
	for (size_t i = 0; i < metrics * agg->run->device_count; i++) {
		enum metric_id metric = drifting[i / agg->run->device_count];
		size_t device = i % agg->run->device_count;
		const struct series *series =
			series_heard(agg, report, steady->source, device, metric);
		struct course wide;
		struct line line;
		double change;

		if (!series)
			continue;
		wide = course_in_bins(series->course, shift);
		line = course_line(&wide, metric_get(metric)->per_unit, kept);
		course_release(&wide);
		if (!(line.from > 0))
			continue;
		change = (line.to - line.from) / line.from;
		if (!line.is_sure || fabs(change) < DRIFT_LEAST)
			change = 0;
		steady->drift[steady->drift_count++] = (struct drift){
			(uint32_t)device, metric, line.from, line.to, change};
	}
}
