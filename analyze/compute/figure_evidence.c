/* What the evidence says of a run, or of a GPU, as a rule's figure. */
#include <math.h>
#include <string.h>

#include "compute/figure.h"

static const struct device_evidence *evidence_of(
	const struct report *report, uint32_t device)
{
	for (size_t i = 0; i < report->evidence.device_count; i++)
		if (report->evidence.device[i].device == device)
			return &report->evidence.device[i];
	return NULL;
}

/*
 * Of a type with a G, a program may just draw: on Windows every desktop program is C+G.
 * Where the log has no types, one that holds an unknown amount of memory may be such.
 */
static bool computes(const struct report *report, uint32_t index)
{
	const char *type =
		index < report->process_type_count ? report->process_type[index] : NULL;

	if (type)
		return strchr(type, 'C') && !strchr(type, 'G');
	return !report->run->device[index].draws &&
		metric_stats_speaks(metric_stats_best(report->stats, report->stats_count,
			index, METRIC_process_gpu_mem_mib));
}

static double count_processes(const struct report *report, uint32_t gpu)
{
	const struct device_list *list = &report->run->of_kind[DEVICE_PROCESS];
	double count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += report->run->device[list->at[i]].parent == (int32_t)gpu &&
			computes(report, list->at[i]);
	return list->count ? count : NAN;
}

static double longest_gap(const struct report *report, uint32_t device)
{
	double longest = 0;

	for (size_t i = 0; i < report->evidence.gap_listed; i++) {
		const struct gap *gap = &report->evidence.gap[i];

		if (device != FINDING_RUN && gap->device != device)
			continue;
		longest = gap->length_s > longest ? gap->length_s : longest;
	}
	return longest;
}

/* From the last row of a log to the run's end; no more than a gap is nothing. */
static double lost_s(const struct report *report, const struct device_evidence *e)
{
	double lost;

	if (!e || e->last_ns == TIME_NONE || isnan(e->gap_limit_s))
		return NAN;
	lost = number_ratio(report->ended_ns - e->last_ns, NS_PER_S);
	return lost > e->gap_limit_s ? lost : 0;
}

/* Of the GPUs that count; those of which none is known are of one. */
static double count_models(const struct figure_scope *scope)
{
	const struct device *device = scope->report->run->device;
	double count = 0;

	for (size_t i = 0; i < scope->held->gpu_count; i++) {
		const char *model = device[scope->held->gpu[i].device].model;
		bool first = true;

		for (size_t k = 0; k < i; k++) {
			const char *other = device[scope->held->gpu[k].device].model;

			first &= strcmp(model ? model : "", other ? other : "") != 0;
		}
		count += first;
	}
	return count;
}

static double steps_back(const struct report *report)
{
	double most = 0;

	for (size_t i = 0; i < report->evidence.device_count; i++)
		if ((double)report->evidence.device[i].steps_back > most)
			most = (double)report->evidence.device[i].steps_back;
	return most;
}

double figure_evidence(
	const struct figure_scope *scope, enum evidence_item item, uint32_t device)
{
	const struct report *report = scope->report;
	const struct device_evidence *e = evidence_of(report, device);
	bool run = device == FINDING_RUN;

	switch (item) {
	case EVIDENCE_COVERAGE:
		return run ? report->evidence.coverage : e ? e->coverage : NAN;
	case EVIDENCE_GAPS:
		return run  ? (double)report->evidence.gap_count
			: e ? (double)e->gaps
			    : NAN;
	case EVIDENCE_LONGEST_GAP_S:
		return longest_gap(report, device);
	case EVIDENCE_STEPS_BACK:
		return run ? steps_back(report) : e ? (double)e->steps_back : NAN;
	case EVIDENCE_SESSIONS:
		return (double)report->evidence.sessions;
	case EVIDENCE_LOST_S:
		return lost_s(report, e);
	case EVIDENCE_DURATION_S:
		return report->duration_s;
	case EVIDENCE_EXIT_STATUS:
		return report->run->exit_status >= 0 ? (double)report->run->exit_status
						     : (double)NAN;
	case EVIDENCE_GPUS:
		return (double)scope->held->gpu_count;
	case EVIDENCE_MODELS:
		return count_models(scope);
	case EVIDENCE_PROCESSES:
		return count_processes(report, device);
	case EVIDENCE_PROCESS_MIB:
		return device < report->process_mib_count ? report->process_mib[device]
							  : NAN;
	case EVIDENCE_ABRUPT:
		return report->ending.abrupt;
	case EVIDENCE_SIGNAL:
		return report->ending.signal ? report->ending.signal : (double)NAN;
	case EVIDENCE_WARM_UP_S:
		return report->steady.warm_up_s;
	case EVIDENCE_BUSIEST_CORE:
		return report->busiest_core_pct;
	case EVIDENCE_ITEM_COUNT:
		break;
	}
	return NAN;
}
