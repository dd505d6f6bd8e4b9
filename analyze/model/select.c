/* What of a report is wanted: the rest goes. */
#include <fnmatch.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name_match.h"
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
			globs_match(filter->metric, metric_get(stats[i].metric)->name) &&
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

bool phase_path_matches(const struct phase_path *path, const char *pattern)
{
	return !pattern || phase_fits(pattern, path->path);
}

/* Paths that are wanted, by their whole name or their last, and the calls of those. */
static void select_paths(struct report *report, const char *pattern)
{
	uint32_t *place = xcalloc(report->path_count, sizeof *place);
	size_t kept = 0;

	for (size_t i = 0; i < report->path_count; i++) {
		struct phase_path *path = &report->path[i];

		place[i] = (uint32_t)kept;
		if (phase_path_matches(path, pattern)) {
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

static void select_evidence(struct report *report)
{
	struct evidence *e = &report->evidence;
	size_t kept = 0;

	for (size_t i = 0; i < e->device_count; i++)
		if (report_wants_device(report, e->device[i].device))
			e->device[kept++] = e->device[i];
	e->device_count = kept;
	kept = 0;
	for (size_t i = 0; i < e->gap_listed; i++)
		if (report_wants_device(report, e->gap[i].device))
			e->gap[kept++] = e->gap[i];
	e->gap_listed = kept;
	kept = 0;
	for (size_t i = 0; i < report->ending.gpu_count; i++)
		if (report_wants_device(report, report->ending.gpu[i].device))
			report->ending.gpu[kept++] = report->ending.gpu[i];
	report->ending.gpu_count = kept;
}

static bool has_rows(const struct report *report, enum device_kind kind)
{
	const struct device_list *list = &report->run->of_kind[kind];

	for (size_t i = 0; i < list->count; i++)
		if (report_has_rows(report, list->at[i]))
			return true;
	return false;
}

/* Of a finding of the run, and of one of a device. */
static bool wants_finding(const struct report *report, const struct finding *finding)
{
	struct rule_topics topics = rule_topics(finding->rule);
	bool metric = !report->filter.metric, any = false;

	for (enum metric_id id = 0; id < METRIC_COUNT && !metric; id++)
		metric = topics.metric[id] && report_wants_metric(report, id);
	if (!metric || !report->filter.device)
		return metric;
	if (finding->device != FINDING_RUN)
		return report_wants_device(report, finding->device);
	for (enum device_kind kind = 0; kind < DEVICE_KIND_COUNT; kind++) {
		bool looked_at = topics.kind[kind] ||
			(topics.all_devices && has_rows(report, kind));

		if (looked_at && !report_wants_all(report, kind))
			return false;
		any |= looked_at;
	}
	return any;
}

static void select_findings(struct report *report)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->finding_count; i++) {
		struct finding *finding = &report->finding[i];

		if (wants_finding(report, finding))
			report->finding[kept++] = *finding;
		else
			finding_release(finding);
	}
	report->finding_count = kept;
}

bool report_wants_metric(const struct report *report, enum metric_id metric)
{
	return !report->filter.metric ||
		(metric != METRIC_none &&
			globs_match(report->filter.metric, metric_get(metric)->name));
}

bool report_wants_key(const struct report *report, enum summary_key key)
{
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (summary_is_of(key, id) && report_wants_metric(report, id))
			return true;
	return !report->filter.metric;
}

bool report_wants_device(const struct report *report, size_t device)
{
	return matches(report->filter.device, report->run->device[device].name);
}

bool report_wants_all(const struct report *report, enum device_kind kind)
{
	const struct run *run = report->run;
	const struct device_list *list = &run->of_kind[kind];
	size_t wanted = 0;

	if (!report->filter.device)
		return true;
	for (size_t i = 0; i < list->count; i++) {
		bool wants = report_wants_device(report, list->at[i]);

		if (device_is_core(&run->device[list->at[i]]))
			continue;
		if (report->weight && report->weight[list->at[i]] && !wants)
			return false;
		wanted += wants;
	}
	return wanted > 0;
}

void report_select(struct report *report, const struct report_filter *filter)
{
	report->filter = *filter;
	report->stats_count =
		select_stats(report->stats, report->stats_count, report->run, filter);
	for (size_t i = 0; i < report->path_count; i++)
		report->path[i].stats_count = select_stats(report->path[i].stats,
			report->path[i].stats_count, report->run, filter);
	for (size_t i = 0; i < report->work_count; i++)
		report->work[i].stats_count = select_stats(report->work[i].stats,
			report->work[i].stats_count, report->run, filter);
	if (filter->device)
		select_evidence(report);
	if (filter->device || filter->metric)
		select_findings(report);
	if (filter->phase)
		select_paths(report, filter->phase);
}
