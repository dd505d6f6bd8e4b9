/* Reads the evidence only, so that who prints the grade can say what it is for. */
#include "model/grade.h"

#include <math.h>

#include "base/number.h"

#define COVERAGE_B 0.90
#define COVERAGE_A 0.98

static bool stepped_back(const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->device_count; i++)
		if (evidence->device[i].steps_back)
			return true;
	return false;
}

static bool log_ended(const struct report *report)
{
	const struct evidence *evidence = &report->evidence;

	for (size_t i = 0; i < evidence->device_count; i++) {
		const struct device_evidence *e = &evidence->device[i];
		const struct device *device = &report->run->device[e->device];

		/* a process may well end before the run does */
		if (!device_is_core(device) && device->kind != DEVICE_PROCESS &&
			e->last_ns != TIME_NONE && !isnan(e->gap_limit_s) &&
			number_ratio(report->ended_ns - e->last_ns, NS_PER_S) >
				e->gap_limit_s)
			return true;
	}
	return false;
}

static bool covers(const struct evidence *evidence, double least)
{
	return evidence->coverage >= least; /* not of NAN */
}

enum grade_reason grade_reason(const struct report *report)
{
	const struct evidence *evidence = &report->evidence;

	if (!covers(evidence, COVERAGE_B))
		return GRADE_COVERAGE;
	if (stepped_back(evidence))
		return GRADE_WENT_BACK;
	if (!covers(evidence, COVERAGE_A))
		return GRADE_COVERAGE;
	if (run_is_unreadable(report->run))
		return GRADE_UNREADABLE;
	if (log_ended(report))
		return GRADE_LOG_ENDED;
	return report_clock_changes(report, CLOCK_STEPPED, NULL) ||
			report_clock_changes(report, CLOCK_CORRECTED, NULL)
		? GRADE_CLOCK_SET
		: GRADE_NO_REASON;
}

char grade_of(const struct report *report)
{
	switch (grade_reason(report)) {
	case GRADE_NO_REASON:
		return 'A';
	case GRADE_WENT_BACK:
		return 'C';
	case GRADE_COVERAGE:
		if (covers(&report->evidence, COVERAGE_B))
			return 'B';
		return covers(&report->evidence, COVERAGE_MIN) ? 'C' : 'F';
	case GRADE_UNREADABLE:
	case GRADE_LOG_ENDED:
	case GRADE_CLOCK_SET:
		break;
	}
	return 'B';
}

/* Its own rows, else those of the first of the processes on it; NULL: it has none. */
static const struct device_evidence *evidence_of(
	const struct report *report, uint32_t gpu)
{
	const struct device_evidence *best = evidence_best(&report->evidence, gpu);

	for (size_t i = 0; i < report->evidence.device_count && !best; i++)
		if (report->run->device[report->evidence.device[i].device].parent ==
			(int64_t)gpu)
			best = &report->evidence.device[i];
	return best;
}

/* e: NULL of a GPU without rows, of which nothing is covered. */
static bool has_runs_coverage(
	const struct report *report, const struct device_evidence *e)
{
	double coverage = report->evidence.coverage, its = e ? e->coverage : 0;

	return its == coverage || (isnan(its) && isnan(coverage));
}

struct grade_worst grade_worst_gpu(const struct report *report)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	struct grade_worst worst = {.gpu = NULL};

	for (size_t i = 0; i < gpus->count && report_gpu_count(report) > 1; i++) {
		const struct device_evidence *e = evidence_of(report, gpus->at[i]);
		bool interval_known = !e || e->interval_source;

		if (!report_counts_gpu(report, gpus->at[i]) ||
			!has_runs_coverage(report, e))
			continue;
		if (worst.gpu) {
			worst.more += worst.interval_known == interval_known;
			continue;
		}
		worst.gpu = &report->run->device[gpus->at[i]];
		worst.interval_known = interval_known;
	}
	if (worst.interval_known && worst.more + 1 == report_gpu_count(report))
		worst.gpu = NULL;
	return worst;
}
