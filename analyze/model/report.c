/* Memory of a report, and the names that come with its arrays. */
#include "model/report.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

const double above_threshold[ABOVE_COUNT] = {0, 20, 50, 80, 95};
const char *const above_key[ABOVE_COUNT] = {"gt_0", "ge_20", "ge_50", "ge_80", "ge_95"};

#define SUMMARY(key, rule, metric, unit, decimals, title) {#key, unit, decimals, title},

static const struct summary_field fields[SUMMARY_COUNT] = {
#include "../schema/summary.def"
};

const struct summary_field *summary_field_get(enum summary_key key)
{
	return &fields[key];
}

void report_init(struct report *report, const struct run *run)
{
	*report = (struct report){.run = run,
		.started_ns = TIME_NONE,
		.ended_ns = TIME_NONE,
		.duration_s = NAN};
	report->evidence.grade = 'F';
	report->evidence.coverage = NAN;
}

/* The place of the statistics, source and device, is the caller's. */
void metric_stats_init(struct metric_stats *stats, enum metric_id metric)
{
	*stats = (struct metric_stats){.metric = metric,
		.source = stats->source,
		.device = stats->device,
		.min_at_ns = TIME_NONE,
		.max_at_ns = TIME_NONE};
	stats->covered_s = stats->mean = stats->mean_samples = NAN;
	stats->min = stats->max = stats->stddev = NAN;
	stats->p50 = stats->p90 = stats->p95 = stats->p99 = NAN;
	stats->energy_j = stats->increase = stats->rate_per_s = NAN;
	for (int i = 0; i < ABOVE_COUNT; i++)
		stats->above[i] = NAN;
}

void report_release(struct report *report)
{
	for (size_t i = 0; i < report->stats_count; i++)
		free(report->stats[i].state);
	free(report->stats);
	free(report->evidence.device);
	free(report->evidence.gap);
	free(report->phase);
	for (size_t i = 0; i < report->path_count; i++)
		free(report->path[i].stats);
	free(report->path);
	free(report->dialect);
	*report = (struct report){0};
}

/* Rows of its own; or of processes on it. */
static bool has_rows(const struct report *report, size_t device, bool processes)
{
	const struct evidence *e = &report->evidence;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device *of = &report->run->device[e->device[i].device];

		if (processes ? of->parent == (int32_t)device
			      : e->device[i].device == device)
			return true;
	}
	return false;
}

bool report_counts_gpu(const struct report *report, size_t device)
{
	const struct run *run = report->run;

	if (run->device[device].kind != DEVICE_GPU)
		return false;
	if (run->device[device].index >= 0 || has_rows(report, device, false) ||
		!has_rows(report, device, true))
		return true;
	for (size_t d = 0; d < run->device_count; d++)
		if (run->device[d].kind == DEVICE_GPU && has_rows(report, d, false))
			return false;
	return true;
}

size_t report_gpu_count(const struct report *report)
{
	size_t count = 0;

	for (size_t d = 0; d < report->run->device_count; d++)
		count += report_counts_gpu(report, d);
	return count;
}

static bool matches(const char *pattern, const char *name)
{
	return !pattern || fnmatch(pattern, name, 0) == 0;
}

void report_select(struct report *report, const struct report_filter *filter)
{
	const struct device *devices = report->run->device;
	size_t kept = 0;

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];
		const struct device *device = &devices[s->device];
		bool wanted = (filter->per_core || !device_is_core(device)) &&
			matches(filter->metric, metric_get(s->metric)->name) &&
			matches(filter->device, device->name);

		if (wanted)
			report->stats[kept++] = *s;
		else
			free(s->state);
	}
	report->stats_count = kept;
	kept = 0;
	for (size_t i = 0; i < report->phase_count; i++)
		if (matches(filter->phase, report->phase[i].name))
			report->phase[kept++] = report->phase[i];
	report->phase_count = kept;
}
