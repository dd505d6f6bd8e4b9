/* How much of what was recorded the numbers of the summary are of. */
#include <math.h>
#include <string.h>

#include "model/report.h"

/* Does a device have a part in the summary's numbers of its kind? */
static bool is_asked(const struct report *report, uint32_t device, enum device_kind kind)
{
	const struct device *d = &report->run->device[device];

	if (d->kind != kind || device_is_core(d))
		return false;
	/* of a tree the summary's are those of all its processes; levels are beside it */
	if (kind == DEVICE_TREE && strcmp(d->name, "combined") != 0)
		return false;
	return kind == DEVICE_GPU ? report_counts_gpu(report, device)
				  : report_wants_device(report, device);
}

/* Of a device each of its logs but the one that has the metric is passed over. */
static bool is_passed_over(
	const struct report *report, size_t i, const struct metric_stats *stats)
{
	const struct device_evidence *e = report->evidence.device;

	if (metric_stats_speaks(stats))
		return e[i].source != stats->source;
	return evidence_best(&report->evidence, e[i].device) != &e[i];
}

double report_known_share(const struct report *report, enum summary_key key)
{
	enum metric_id metric = summary_field_get(key)->metric;
	double known_s = 0, all_s = 0;

	if (metric == METRIC_none)
		return NAN;
	for (size_t i = 0; i < report->evidence.device_count; i++) {
		const struct device_evidence *e = &report->evidence.device[i];
		const struct metric_stats *s = metric_stats_best(
			report->stats, report->stats_count, e->device, metric);

		if (!is_asked(report, e->device, metric_get(metric)->device) ||
			is_passed_over(report, i, s) || isnan(e->covered_s))
			continue;
		all_s += e->covered_s;
		if (metric_stats_speaks(s) && !isnan(s->covered_s))
			known_s += fmin(s->covered_s, e->covered_s);
	}
	return all_s > 0 ? known_s / all_s : NAN;
}
