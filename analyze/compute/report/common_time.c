/* Aligns the courses of several GPUs, and the gaps of two logs. */
#include "compute/report/common_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

/* Of the bins of a GPU so many may lack others: the logs begin and end as they like. */
#define OWN_SHARE_MAX 0.05

/* The course of a GPU among those of the others. */
struct laid {
	const struct course *course; /* the aggregate's; NULL: it has none */
	enum source_kind source;
	struct course bins; /* as long as those of all others; owned */
	uint64_t skip; /* its bins before the first that all logs have */
};

/* Of the kind of log that counts. */
static void find_all(const struct figure_scope *scope, enum metric_id metric,
	struct laid *laid, size_t at)
{
	uint32_t device = scope->held->gpu[at].device;
	const struct metric_stats *s = metric_stats_best(
		scope->report->stats, scope->report->stats_count, device, metric);
	const struct source_state *source;

	if (!metric_stats_speaks(s))
		return;
	source = &scope->agg->source[s->source];
	if (device >= source->device_count || !source->device[device] ||
		!source->device[device]->series[metric])
		return;
	laid[at].course = source->device[device]->series[metric]->course;
	laid[at].source = s->source;
}

/* Of the log that the rule's conditions are asked of. */
static void find_held(const struct figure_scope *scope, enum metric_id metric,
	struct laid *laid, size_t at)
{
	const struct gpu_watch *gpu = &scope->held->gpu[at];

	if (!gpu->known || !gpu->watch->course)
		return;
	for (size_t i = 0; i < scope->plan->means; i++)
		if (scope->plan->mean[i] == metric)
			laid[at].course = &gpu->watch->course[i];
	laid[at].source = gpu->source;
}

/* Bins in which each GPU has a row: of two intervals at least. */
static unsigned shift_for(const struct figure_scope *scope, const struct laid *laid)
{
	unsigned shift = COURSE_SHIFT;

	for (size_t i = 0; i < scope->held->gpu_count; i++) {
		const struct device_evidence *e;

		if (!laid[i].course)
			continue;
		if (laid[i].course->shift > shift)
			shift = laid[i].course->shift;
		e = evidence_find(&scope->report->evidence, laid[i].source,
			scope->held->gpu[i].device);
		while (e && shift < 62 &&
			(double)((int64_t)1 << shift) < 2 * e->interval_s * NS_PER_S)
			shift++;
	}
	return shift;
}

/*
 * Logs that begin at other times have other bins: by whole bins, the nearest, over those
 * of the log that begins last.
 */
static void lay(struct laid *laid, size_t count, unsigned shift)
{
	int64_t origin_ns = INT64_MIN;

	for (size_t i = 0; i < count; i++)
		if (laid[i].course)
			origin_ns = time_later(origin_ns, laid[i].course->origin_ns);
	for (size_t i = 0; i < count; i++) {
		const struct course *course = laid[i].course;

		if (!course)
			continue;
		laid[i].bins = course_in_bins(course, shift);
		laid[i].skip = ((uint64_t)(origin_ns - course->origin_ns) +
				       ((uint64_t)1 << (shift - 1))) >>
			shift;
	}
}

static bool has_values(const struct laid *laid, uint64_t number)
{
	const struct course *bins = &laid->bins;

	return number >= bins->first && number - bins->first < bins->count &&
		bins->bin[number - bins->first].n;
}

/* common[COURSE_BINS]: by number behind those to skip. */
static void find_common(const struct laid *laid, size_t count, bool *common)
{
	memset(common, true, COURSE_BINS * sizeof *common);
	for (size_t i = 0; i < count; i++)
		for (uint64_t k = 0; laid[i].course && k < COURSE_BINS; k++)
			common[k] &= has_values(&laid[i], k + laid[i].skip);
}

/* wanted[COURSE_BINS]: by its own number. True: there are others, too many. */
static bool choose(const struct laid *laid, const bool *common, bool *wanted)
{
	uint64_t own = 0, others = 0;

	for (uint64_t k = 0; k < COURSE_BINS; k++) {
		wanted[k] = k >= laid->skip && common[k - laid->skip];
		own += has_values(laid, k);
		others += has_values(laid, k) && !wanted[k];
	}
	return (double)others > OWN_SHARE_MAX * (double)own;
}

static void work_out(struct common_time *common, const struct figure_scope *scope)
{
	size_t count = scope->held->gpu_count;
	struct laid *laid = xcalloc(count + 1, sizeof *laid);
	int64_t per_unit = metric_get(common->metric)->per_unit;
	bool in_all[COURSE_BINS], wanted[COURSE_BINS];

	common->of = xcalloc(count + 1, sizeof *common->of);
	for (size_t i = 0; i < count; i++) {
		(common->held ? find_held : find_all)(scope, common->metric, laid, i);
		if (laid[i].course && !laid[i].course->count)
			laid[i].course = NULL;
	}
	lay(laid, count, shift_for(scope, laid));
	find_common(laid, count, in_all);
	for (size_t i = 0; i < count; i++) {
		common->of[i] = (struct common_values){NAN, NAN};
		if (!laid[i].course)
			continue;
		common->apart |= choose(&laid[i], in_all, wanted);
		common->of[i].mean = course_mean(&laid[i].bins, wanted, per_unit);
		common->of[i].count = (double)course_sum(&laid[i].bins, wanted).n;
		course_release(&laid[i].bins);
	}
	free(laid);
}

void common_release(struct common_time *common)
{
	free(common->of);
	*common = (struct common_time){.known = false};
}

const struct common_values *common_values(const struct figure_scope *scope,
	uint32_t device, enum metric_id metric, bool held)
{
	struct common_time *common = scope->common;

	if (!common->known || common->metric != metric || common->held != held) {
		common_release(common);
		*common = (struct common_time){
			.known = true, .metric = metric, .held = held};
		work_out(common, scope);
	}
	for (size_t i = 0; common->apart && i < scope->held->gpu_count; i++)
		if (scope->held->gpu[i].device == device)
			return &common->of[i];
	return NULL;
}

/* Two logs of one GPU: the time in which neither has a gap. */

/* Where a log begins or ends to say something. */
struct turn {
	double at_s; /* from the run's start */
	int by; /* 1: it speaks from here on; -1: it does not */
};

struct turns {
	struct turn *at; /* [count] owned */
	size_t count, cap;
};

static int by_time(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

static void add(struct turns *turns, double at_s, int by)
{
	ALLOC_NEXT(turns->at, turns->count, turns->cap) = (struct turn){at_s, by};
}

/* A log without the gaps in it. False: they are not all known. */
static bool add_log(
	struct turns *turns, const struct report *report, const struct device_evidence *e)
{
	const struct evidence *evidence = &report->evidence;
	uint64_t gaps = 0;

	if (!e || e->first_ns == TIME_NONE || isnan(e->gap_limit_s))
		return false;
	add(turns, report_second(report, e->first_ns), 1);
	add(turns, report_second(report, e->last_ns), -1);
	for (size_t i = 0; i < evidence->gap_listed; i++) {
		const struct gap *gap = &evidence->gap[i];
		double from_s = report_second(report, gap->start_ns);

		if (gap->source != e->source || gap->device != e->device)
			continue;
		add(turns, from_s, -1);
		add(turns, from_s + gap->length_s, 1);
		gaps++;
	}
	return gaps == e->gaps;
}

/* How long both speak. Sorts. */
static double both_s(struct turns *turns)
{
	double sum_s = 0;
	int speak = 0;

	SORT(turns->at, turns->count, by_time);
	for (size_t i = 0; i < turns->count; i++) {
		if (speak == 2)
			sum_s += turns->at[i].at_s - turns->at[i - 1].at_s;
		speak += turns->at[i].by;
	}
	return sum_s;
}

/* A GPU's query log and its dmon. */
struct pair {
	const struct device_evidence *query, *dmon;
	double both_s; /* NAN: it can't be told */
};

static struct pair pair_of(const struct report *report, uint32_t device)
{
	const struct evidence *evidence = &report->evidence;
	struct pair pair = {evidence_find(evidence, SOURCE_NVIDIA_QUERY, device),
		evidence_find(evidence, SOURCE_NVIDIA_DMON, device), NAN};
	struct turns turns = {0};

	if (add_log(&turns, report, pair.query) && add_log(&turns, report, pair.dmon) &&
		pair.query->covered_s > 0 && pair.dmon->covered_s > 0)
		pair.both_s = both_s(&turns);
	free(turns.at);
	return pair;
}

double shared_time(const struct report *report, uint32_t device)
{
	struct pair pair = pair_of(report, device);

	return isnan(pair.both_s)
		? NAN
		: pair.both_s / fmax(pair.query->covered_s, pair.dmon->covered_s);
}

double unshared_time(const struct report *report, uint32_t device)
{
	struct pair pair = pair_of(report, device);

	return isnan(pair.both_s) ? NAN
				  : fmax(0, 1 - pair.both_s / pair.query->covered_s) +
			fmax(0, 1 - pair.both_s / pair.dmon->covered_s);
}
