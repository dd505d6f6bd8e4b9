/* What of a report is wanted: the rest goes. */
#include <fnmatch.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "model/report.h"

static bool matches(const char *pattern, const char *name)
{
	return !pattern || fnmatch(pattern, name, 0) == 0;
}

/* Keeps the statistics that are wanted; how many those are. */
static size_t select_stats(struct metric_stats *stats, size_t count,
	const struct run *run, const struct report_filter *filter)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct device *device = &run->device[stats[i].device];
		bool wanted = (filter->per_core || !device_is_core(device)) &&
			matches(filter->metric, metric_get(stats[i].metric)->name) &&
			matches(filter->device, device->name);

		if (wanted)
			stats[kept++] = stats[i];
		else
			free(stats[i].state);
	}
	return kept;
}

/* A finding's phases by their new places; UINT32_MAX: gone. */
static void place_phases(struct finding *finding, const uint32_t *place)
{
	size_t kept = 0;

	for (size_t i = 0; i < finding->phase_count; i++) {
		uint32_t at = place[finding->phase[i].path];

		if (at == UINT32_MAX)
			continue;
		finding->phase[kept] = finding->phase[i];
		finding->phase[kept++].path = at;
	}
	finding->phase_count = kept;
	for (size_t i = 0; i < finding->stretch_listed; i++) {
		struct finding_stretch *stretch = &finding->stretch[i];

		if (stretch->phase != SIZE_MAX)
			stretch->phase = place[stretch->phase] == UINT32_MAX
				? SIZE_MAX
				: place[stretch->phase];
	}
}

/* Paths that are wanted, by their whole name or their last, and the calls of those. */
static void select_paths(struct report *report, const char *pattern)
{
	uint32_t *place = xcalloc(report->path_count, sizeof *place);
	size_t kept = 0;

	for (size_t i = 0; i < report->path_count; i++) {
		struct phase_path *path = &report->path[i];

		place[i] = (uint32_t)kept;
		if (matches(pattern, path->path) || matches(pattern, path->name)) {
			report->path[kept++] = *path;
			continue;
		}
		place[i] = UINT32_MAX;
		phase_path_release(path);
	}
	report->path_count = kept;
	kept = 0;
	for (size_t i = 0; i < report->call_count; i++) {
		struct phase_call *call = &report->call[i];

		call->path = place[call->path];
		if (call->path != UINT32_MAX)
			report->call[kept++] = *call;
	}
	report->call_count = kept;
	for (size_t i = 0; i < report->finding_count; i++)
		place_phases(&report->finding[i], place);
	free(place);
	report_link_calls(report);
}

/* Of the run, and of devices that are wanted. */
static void select_findings(struct report *report, const char *pattern)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->finding_count; i++) {
		struct finding *finding = &report->finding[i];

		if (finding->device == FINDING_RUN ||
			matches(pattern, report->run->device[finding->device].name))
			report->finding[kept++] = *finding;
		else
			finding_release(finding);
	}
	report->finding_count = kept;
}

void report_select(struct report *report, const struct report_filter *filter)
{
	report->stats_count =
		select_stats(report->stats, report->stats_count, report->run, filter);
	for (size_t i = 0; i < report->path_count; i++)
		report->path[i].stats_count = select_stats(report->path[i].stats,
			report->path[i].stats_count, report->run, filter);
	if (filter->device)
		select_findings(report, filter->device);
	if (filter->phase)
		select_paths(report, filter->phase);
}
