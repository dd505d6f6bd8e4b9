/*
 * What changes in a report of which only some devices, metrics or phases are wanted. The
 * run's times stay: they are the frame. Reads no sample, so that what was summed over
 * devices row by row (single calls, units of work, the steady state) is known only where
 * all of them are wanted.
 */
#include "compute/inspect/selection.h"

#include <math.h>
#include <stdlib.h>

#include "compute/inspect/selection_findings.h"
#include "compute/report/parts.h"
#include "compute/series/energy.h"

/* Is a number over all GPUs still one of what is wanted? */
static bool is_known(const struct report *report, enum metric_id metric)
{
	return report_wants_all(report, DEVICE_GPU) &&
		report_wants_metric(report, metric);
}

static void keep(double *number, bool known)
{
	if (!known)
		*number = NAN;
}

static void select_calls(struct report *report)
{
	bool util = is_known(report, METRIC_gpu_util_pct);
	bool power = is_known(report, METRIC_power_w);

	for (size_t i = 0; i < report->call_count; i++) {
		struct phase_call *call = &report->call[i];
		bool energy = energy_is_wanted(report, call->energy_method);

		keep(&call->gpu_util_mean_pct, util);
		keep(&call->power_total_mean_w, power);
		keep(&call->energy_j, energy);
		keep(&call->energy_coverage, energy);
	}
}

static void select_steady(struct report *report)
{
	struct steady *s = &report->steady;
	size_t kept = 0;

	if (!is_known(report, s->metric)) {
		s->found = false;
		s->source = SOURCE_NONE;
	}
	for (size_t i = 0; i < s->drift_count; i++)
		if (s->found && is_known(report, s->drift[i].metric))
			s->drift[kept++] = s->drift[i];
	s->drift_count = kept;
	keep(&s->gpu_util_mean_pct, is_known(report, METRIC_gpu_util_pct));
	keep(&s->power_total_mean_w, is_known(report, METRIC_power_w));
}

static void select_ending(struct report *report)
{
	struct ending *e = &report->ending;
	bool lost = false;

	for (size_t i = 0; i < e->gpu_count; i++) {
		lost |= e->gpu[i].lost;
		for (size_t k = 0; k < ENDING_METRICS; k++) {
			bool wanted = report_wants_metric(report, ending_metric[k]);

			keep(&e->gpu[i].value[k], wanted);
			keep(&e->gpu[i].rate_per_min[k], wanted);
		}
	}
	e->sign[ENDING_GPU_LOST] &= lost;
	e->abrupt = ending_is_abrupt(e);
}

/* What hosts did meanwhile. */
static void select_stretches(const struct report *report, struct finding *finding)
{
	for (size_t k = 0; k < finding->rule->meanwhile_count; k++) {
		enum metric_id metric = finding->rule->meanwhile[k];
		bool known = report_wants_metric(report, metric) &&
			report_wants_all(report, metric_get(metric)->device);

		for (size_t i = 0; i < finding->stretch_listed; i++)
			keep(&finding->stretch[i].meanwhile[k], known);
	}
}

/* Numbers over the devices and metrics that are left. */
static void work_out_anew(struct report *report)
{
	evidence_select(report);
	summary_select(report);
	for (size_t i = 0; i < report->path_count; i++)
		summary_phase(report, &report->path[i]);
	phase_own_energy(report);
	work_select(report);
	select_calls(report);
	select_steady(report);
	select_ending(report);
	for (size_t i = 0; i < report->finding_count; i++)
		select_stretches(report, &report->finding[i]);
}

void selection_apply(struct report *report, const struct report_filter *filter)
{
	struct report_filter all_phases = *filter;
	struct chosen_time chosen;

	all_phases.phase = NULL;
	report_select(report, &all_phases);
	if (filter->device || filter->metric)
		work_out_anew(report);
	if (!filter->phase)
		return;
	selection_mark_findings(report);
	chosen = chosen_time(report, filter->phase);
	report_select(report, filter);
	selection_findings(report, &chosen);
	free(chosen.at);
}
