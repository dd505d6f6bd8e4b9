/* What the evidence says of a run, or of a GPU, as a rule's figure. */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "compute/report/figure.h"
#include "compute/report/own_log.h"
#include "compute/report/refused.h"
#include "compute/report/shared_time.h"

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

/* All logs of a GPU together: first and last rows, and the largest gap limit. */
struct end_rows {
	int64_t log_first_ns, log_last_ns; /* of any GPU in them */
	int64_t first_ns, last_ns; /* its own */
	double limit_s, interval_s;
};

/* False: no log with times has it, or no gap can be told. */
static bool find_ends(const struct report *report, uint32_t device, struct end_rows *ends)
{
	const struct evidence *all = &report->evidence;

	*ends = (struct end_rows){INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, 0, 0};
	for (const struct device_evidence *e = evidence_next(all, device, NULL); e;
		e = evidence_next(all, device, e)) {
		if (e->last_ns == TIME_NONE)
			continue;
		ends->log_first_ns = time_earlier(ends->log_first_ns, e->log_first_ns);
		ends->log_last_ns = time_later(ends->log_last_ns, e->log_last_ns);
		ends->first_ns = time_earlier(ends->first_ns, e->first_ns);
		ends->last_ns = time_later(ends->last_ns, e->last_ns);
		ends->limit_s = fmax(ends->limit_s, e->gap_limit_s);
		ends->interval_s = fmax(ends->interval_s, e->interval_s);
	}
	return ends->log_last_ns != INT64_MIN;
}

static const struct gpu_ending *ending_of(const struct report *report, uint32_t device)
{
	for (size_t i = 0; i < report->ending.gpu_count; i++)
		if (report->ending.gpu[i].device == device)
			return &report->ending.gpu[i];
	return NULL;
}

/* x, or NAN, if the rows that a GPU seems to lack may be among those refused. */
static double unless_refused(struct figure_scope *scope, uint32_t device, int64_t from_ns,
	int64_t to_ns, double x)
{
	const struct report *report = scope->report;
	const struct evidence *all = &report->evidence;
	struct stretch time = {from_ns, to_ns};
	struct refused refused;

	for (const struct device_evidence *e = evidence_next(all, device, NULL);
		x > 0 && e; e = evidence_next(all, device, e))
		if (refused_may_fill(report->run, e->source, device, &time,
			    evidence_limit_ns(e), &refused))
			return figure_refused(scope, &refused);
	return x;
}

/* What ended because a GPU was lost, gpu-lost tells. */
static double unrecorded_s(struct figure_scope *scope, uint32_t device)
{
	const struct report *report = scope->report;
	const struct gpu_ending *gpu = ending_of(report, device);
	struct end_rows ends;
	double length_s;

	if (!find_ends(report, device, &ends))
		return NAN;
	length_s = number_ratio((int128)report->ended_ns - ends.log_last_ns, NS_PER_S);
	if (length_s <= ends.limit_s || (gpu && gpu->lost))
		return 0;
	return unless_refused(
		scope, device, ends.log_last_ns, report->ended_ns, length_s);
}

/* What coverage forgives at either end is none. */
static double beyond_lead(struct figure_scope *scope, uint32_t device,
	const struct end_rows *ends, int64_t from_ns, int64_t to_ns)
{
	double length_s = number_ratio((int128)to_ns - from_ns, NS_PER_S);

	return length_s * NS_PER_S > ends->interval_s * NS_PER_S + GAP_LIMIT_MIN_NS
		? unless_refused(scope, device, from_ns, to_ns, length_s)
		: 0;
}

static double count_impossible(const struct figure_scope *scope, uint32_t device)
{
	double count = 0;

	for (enum metric_id i = 0; i < METRIC_COUNT; i++)
		count += (double)impossible_count(
			scope->impossible, SOURCE_NONE, device, i);
	return count;
}

static double count_rows(const struct report *report, uint32_t device)
{
	double rows = 0;

	for (size_t i = 0; i < report->evidence.device_count; i++) {
		const struct device_evidence *e = &report->evidence.device[i];

		if (e->device == device ||
			report->run->device[e->device].parent == (int32_t)device)
			rows += (double)e->rows;
	}
	return rows;
}

/* Where it has none, one that was refused may be its. */
static double known_rows(struct figure_scope *scope, uint32_t device)
{
	const struct report *report = scope->report;
	struct stretch time = {report->started_ns, report->ended_ns};
	double rows = count_rows(report, device);
	struct refused refused;

	return rows == 0 && device != FINDING_RUN &&
			refused_may_fill(report->run, SOURCE_NONE, device, &time,
				INT64_MAX, &refused)
		? figure_refused(scope, &refused)
		: rows;
}

/* Of a device; of the run of all that its coverage is about, the latest. */
static double begins_late_s(struct figure_scope *scope, uint32_t device)
{
	const struct report *report = scope->report;
	struct end_rows ends;
	double late_s = NAN;

	if (device != FINDING_RUN)
		return find_ends(report, device, &ends)
			? beyond_lead(scope, device, &ends, report->started_ns,
				  ends.log_first_ns)
			: NAN;
	for (uint32_t i = 0; i < report->run->device_count; i++) {
		const struct device *d = &report->run->device[i];

		if (scope->held->gpu_count
				? d->kind == DEVICE_GPU && report_counts_gpu(report, i)
				: d->kind == DEVICE_CPU && !device_is_core(d))
			late_s = fmax(late_s, begins_late_s(scope, i));
	}
	return late_s;
}

/* While its log has rows of other GPUs, by more than a late one. */
static bool goes_on(
	const struct figure_scope *scope, uint32_t device, int64_t from_ns, int64_t to_ns)
{
	const struct evidence *all = &scope->report->evidence;
	struct stretch time = {from_ns, to_ns};

	for (const struct device_evidence *e = evidence_next(all, device, NULL); e;
		e = evidence_next(all, device, e))
		if ((double)own_log_covered_ns(scope->agg, e->source, &time,
			    evidence_limit_ns(e)) > e->gap_limit_s * NS_PER_S)
			return true;
	return false;
}

/* While its log has rows of other GPUs. */
static double missing_s(
	struct figure_scope *scope, uint32_t device, enum evidence_item item)
{
	const struct report *report = scope->report;
	const struct gpu_ending *gpu = ending_of(report, device);
	struct end_rows ends;

	if (!find_ends(report, device, &ends))
		return NAN;
	if (item == EVIDENCE_MISSING_AT_S)
		return report_second(report, ends.last_ns);
	if (count_rows(report, device) == 1)
		return 0;
	if (item == EVIDENCE_MISSING_BEFORE_S)
		return goes_on(scope, device, ends.log_first_ns, ends.first_ns)
			? beyond_lead(
				  scope, device, &ends, ends.log_first_ns, ends.first_ns)
			: 0;
	return !(gpu && gpu->lost) &&
			goes_on(scope, device, ends.last_ns, ends.log_last_ns)
		? beyond_lead(scope, device, &ends, ends.last_ns, ends.log_last_ns)
		: 0;
}

static double lost(struct figure_scope *scope, uint32_t device, enum evidence_item item)
{
	const struct report *report = scope->report;
	const struct gpu_ending *gpu = ending_of(report, device);

	if (!gpu)
		return NAN;
	if (item == EVIDENCE_LOST && !gpu->lost && gpu->silent_s >= ENDING_LOST_LEAST_S) {
		if (count_rows(report, device) == 1) {
			scope->refused = true;
			return figure_unknown(scope, "%s", "only one row is of it");
		}
		if (isnan(unless_refused(scope, device, gpu->last_ns,
			    gpu->last_ns + llround(gpu->silent_s * 1e9), 1)))
			return NAN;
	}
	if (item == EVIDENCE_LOST || !gpu->lost)
		return item == EVIDENCE_LOST_AT_S ? (double)NAN : gpu->lost;
	return item == EVIDENCE_LOST_AT_S
		? report_second(report, gpu->last_ns)
		: number_ratio((int128)report->ended_ns - gpu->last_ns, NS_PER_S);
}

static bool overlap(const struct report *report, const struct gap *a, const struct gap *b)
{
	double a_s = report_second(report, a->start_ns);
	double b_s = report_second(report, b->start_ns);

	return a->device == b->device && a_s < b_s + b->length_s &&
		b_s < a_s + a->length_s;
}

/* Does another log of its device go on while one has a gap? */
static bool is_seen_elsewhere(const struct report *report, const struct gap *gap)
{
	const struct evidence *all = &report->evidence;
	double from_s = report_second(report, gap->start_ns);
	bool seen = false;

	for (const struct device_evidence *e = evidence_next(all, gap->device, NULL);
		!seen && e; e = evidence_next(all, gap->device, e)) {
		seen = e->source != gap->source && e->last_ns != TIME_NONE &&
			report_second(report, e->first_ns) <= from_s &&
			report_second(report, e->last_ns) >= from_s + gap->length_s;
		for (size_t k = 0; seen && k < all->gap_listed; k++)
			seen = all->gap[k].source != e->source ||
				!overlap(report, &all->gap[k], gap);
	}
	return seen;
}

/* Of the gaps of a GPU's log in which others of it go on; the longest come first. */
static double away(struct figure_scope *scope, const struct device_evidence *e,
	enum evidence_item item)
{
	const struct report *report = scope->report;
	const struct gap *longest = NULL, *refused = NULL;
	double sum_s = 0;

	if (!e || isnan(e->gap_limit_s))
		return NAN;
	for (size_t i = 0; i < report->evidence.gap_listed; i++) {
		const struct gap *gap = &report->evidence.gap[i];

		if (gap->device != e->device || gap->source != e->source ||
			is_seen_elsewhere(report, gap))
			continue;
		if (gap->cause == GAP_REFUSED)
			refused = refused ? refused : gap;
		if (gap->cause != GAP_GPU_LOST)
			continue;
		longest = longest ? longest : gap;
		sum_s += gap->length_s;
	}
	if (!longest && refused)
		return unless_refused(scope, e->device, refused->start_ns,
			refused->start_ns + llround(refused->length_s * 1e9), 1);
	if (item == EVIDENCE_AWAY_S || !longest)
		return item == EVIDENCE_AWAY_AT_S ? NAN : sum_s;
	return item == EVIDENCE_AWAY_AT_S ? report_second(report, longest->start_ns)
					  : longest->length_s;
}

/* By their names; GPUs without are told apart by their memory, where it is known. */
static bool is_one_model(const struct report *report, uint32_t a, uint32_t b)
{
	const char *x = report->run->device[a].model, *y = report->run->device[b].model;
	const struct metric_stats *of_a, *of_b;

	if (x || y)
		return x && y && strcmp(x, y) == 0;
	of_a = metric_stats_best(
		report->stats, report->stats_count, a, METRIC_mem_total_mib);
	of_b = metric_stats_best(
		report->stats, report->stats_count, b, METRIC_mem_total_mib);
	return !metric_stats_speaks(of_a) || !metric_stats_speaks(of_b) ||
		of_a->p50 == of_b->p50;
}

/* Of the GPUs that count. */
static double count_models(const struct figure_scope *scope)
{
	const struct gpu_watch *gpu = scope->held->gpu;
	double count = 0;

	for (size_t i = 0; i < scope->held->gpu_count; i++) {
		bool first = true;

		for (size_t k = 0; first && k < i; k++)
			first = !is_one_model(
				scope->report, gpu[i].device, gpu[k].device);
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

/* What the command said itself: none if a signal ended it. */
static double exit_status(int32_t status)
{
	return status >= 0 && !signal_of_status(status) ? status : (double)NAN;
}

double figure_evidence(
	struct figure_scope *scope, enum evidence_item item, uint32_t device)
{
	const struct report *report = scope->report;
	const struct device_evidence *e = evidence_best(&report->evidence, device);
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
	case EVIDENCE_LOST:
	case EVIDENCE_LOST_AT_S:
	case EVIDENCE_LOST_S:
		return lost(scope, device, item);
	case EVIDENCE_UNRECORDED_S:
		return unrecorded_s(scope, device);
	case EVIDENCE_IMPOSSIBLE:
		return count_impossible(scope, device);
	case EVIDENCE_ROWS:
		return known_rows(scope, device);
	case EVIDENCE_BEGINS_LATE_S:
		return begins_late_s(scope, device);
	case EVIDENCE_MISSING_BEFORE_S:
	case EVIDENCE_MISSING_AFTER_S:
	case EVIDENCE_MISSING_AT_S:
		return missing_s(scope, device, item);
	case EVIDENCE_SHARED:
		return shared_time(report, device);
	case EVIDENCE_UNSHARED:
		return unshared_time(report, device);
	case EVIDENCE_AWAY_S:
	case EVIDENCE_LONGEST_AWAY_S:
	case EVIDENCE_AWAY_AT_S:
		return away(scope, e, item);
	case EVIDENCE_DURATION_S:
		return report->duration_s;
	case EVIDENCE_EXIT_STATUS:
		return exit_status(report->run->exit_status);
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
	case EVIDENCE_STEADY_S:
		return report->steady.to_s - report->steady.from_s;
	case EVIDENCE_BUSIEST_CORE:
		return report->busiest_core_pct;
	case EVIDENCE_ITEM_COUNT:
		break;
	}
	return NAN;
}
