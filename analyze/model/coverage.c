/*
 * Covered time over the time that could have been. What a recorder takes to start, and
 * what is behind its last row, is forgiven, as it is in the coverage of a device: up to
 * its interval and 2 s at either end of the run.
 */
#include "model/coverage.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "model/overhang.h"

/* How a number comes about, as far as time matters to it. */
enum reach {
	REACH_NONE, /* it is of no samples, or no time */
	REACH_MEAN,
	REACH_SUM, /* grows with the time that it is of */
	REACH_MOST, /* the largest that was seen */
	REACH_LEAST
};

/* Which way the truth may lie from a number of a part of what it is said to be of. */
static unsigned doubt_of_part(enum reach reach)
{
	switch (reach) {
	case REACH_NONE:
		return DOUBT_NONE;
	case REACH_SUM:
	case REACH_MOST:
		return DOUBT_MORE;
	case REACH_LEAST:
		return DOUBT_LESS;
	case REACH_MEAN:
		return DOUBT_EITHER;
	}
	return DOUBT_EITHER;
}

static struct covered covered_of(enum reach reach, double coverage)
{
	struct covered covered = {.coverage = reach == REACH_NONE ? NAN : coverage,
		.doubt_fewer = doubt_of_part(reach)};

	if (coverage < (reach == REACH_SUM ? COVERAGE_WHOLE : COVERAGE_MIN))
		covered.doubt = covered.doubt_fewer;
	if (coverage < 0)
		covered.coverage = NAN;
	return covered;
}

/* By the rules of summary.def. */
static enum reach reach_of_key(enum summary_key key)
{
	enum rule {
		GPU_CAPACITY = REACH_NONE,
		HOST_CAPACITY = REACH_NONE,
		GPU_ENERGY_METHOD = REACH_NONE,
		GPU_ENERGY_COVERAGE = REACH_NONE,
		GPU_ENERGY_UNCOVERED = REACH_NONE,
		JAX_PEAK = REACH_NONE,
		TREE_PEAK = REACH_NONE, /* a process may well end before the run does */
		TREE_MEAN = REACH_NONE,
		TREE_MOST = REACH_NONE,
		TREE_GROWTH = REACH_NONE,
		TREE_RISE = REACH_NONE,
		GPU_COUNT = REACH_NONE,
		CPU_COUNT = REACH_NONE,
		SAMPLES = REACH_NONE,
		DURATION = REACH_NONE,
		GPU_MEAN = REACH_MEAN,
		GPU_TOTAL_MEAN = REACH_MEAN,
		CPU_MEAN = REACH_MEAN,
		GPU_ENERGY = REACH_SUM,
		GPU_ENERGY_PARTIAL = REACH_SUM,
		GPU_PEAK = REACH_MOST,
		GPU_PEAK_TOTAL = REACH_MOST,
		HOST_PEAK = REACH_MOST
	};
	static const unsigned char reach[SUMMARY_COUNT] = {
#define SUMMARY(key, rule, ...) [SUMMARY_##key] = (unsigned char)rule,
#include "../schema/summary.def"
	};

	return (enum reach)reach[key];
}

static enum reach reach_of_statistic(enum statistic statistic)
{
	switch (statistic) {
	case STATISTIC_n:
	case STATISTIC_missing:
	case STATISTIC_covered_s:
	case STATISTIC_energy_coverage:
	case STATISTIC_resets:
		return REACH_NONE;
	case STATISTIC_energy_j:
	case STATISTIC_increase:
		return REACH_SUM;
	case STATISTIC_max:
		return REACH_MOST;
	case STATISTIC_min:
		return REACH_LEAST;
	case STATISTIC_mean:
	case STATISTIC_mean_samples:
	case STATISTIC_p50:
	case STATISTIC_p90:
	case STATISTIC_p95:
	case STATISTIC_p99:
	case STATISTIC_stddev:
	case STATISTIC_above_gt_0:
	case STATISTIC_above_ge_20:
	case STATISTIC_above_ge_50:
	case STATISTIC_above_ge_80:
	case STATISTIC_above_ge_95:
	case STATISTIC_rate_per_s:
	case STATISTIC_growth:
	case STATISTIC_slope_per_h:
	case STATISTIC_COUNT: /* a state's share */
		return REACH_MEAN;
	}
	return REACH_MEAN;
}

static double seconds_between(int64_t from_ns, int64_t to_ns)
{
	return number_ratio((int128)to_ns - from_ns, NS_PER_S);
}

/* Of the time in any call of a path what lies in [low, high]. Calls are by start. */
static double union_in_s(const struct report *report, const struct phase_path *path,
	int64_t low_ns, int64_t high_ns)
{
	int64_t until_ns = low_ns;
	int128 sum_ns = 0;

	if (path->first >= report->call_count)
		return NAN;
	for (size_t i = path->first; i < report->call_count; i = report->call[i].next) {
		const struct phase_call *call = &report->call[i];
		int64_t from_ns = call->start_ns > until_ns ? call->start_ns : until_ns;
		int64_t to_ns = call->end_ns < high_ns ? call->end_ns : high_ns;

		if (to_ns <= from_ns)
			continue;
		sum_ns += (int128)to_ns - from_ns;
		until_ns = to_ns;
	}
	return number_ratio(sum_ns, NS_PER_S);
}

double coverage_union_s(const struct report *report, const struct phase_path *path)
{
	return union_in_s(report, path, INT64_MIN, INT64_MAX);
}

double coverage_run_share(const struct report *report, const struct phase_path *path)
{
	double in_s = path->outside || report->started_ns == TIME_NONE
		? NAN
		: union_in_s(report, path, report->started_ns, report->ended_ns);

	return (isnan(in_s) ? path->union_s : in_s) / report->duration_s;
}

/* What of [from, to] is of [low, high]. */
static double shared_s(int64_t from_ns, int64_t to_ns, int64_t low_ns, int64_t high_ns)
{
	if (from_ns < low_ns)
		from_ns = low_ns;
	if (to_ns > high_ns)
		to_ns = high_ns;
	return to_ns > from_ns ? seconds_between(from_ns, to_ns) : 0;
}

/* What is forgiven of a time: the run's ends, of which a device has no row. */
static double edges_in_s(const struct device_evidence *e, int64_t from_ns, int64_t to_ns)
{
	int64_t most_ns;

	if (isnan(e->interval_s) || e->first_ns == TIME_NONE || e->last_ns == TIME_NONE)
		return 0;
	most_ns = (int64_t)((e->interval_s + EDGE_MOST_S) * NS_PER_S);
	return shared_s(from_ns, to_ns, e->first_ns - most_ns, e->first_ns) +
		shared_s(from_ns, to_ns, e->last_ns, e->last_ns + most_ns);
}

/* ... of a path's calls; of the time in no call that of the run without those in any. */
static double edges_s(const struct report *report, const struct phase_path *path,
	const struct device_evidence *e)
{
	int64_t until_ns = report->started_ns;
	double sum_s = 0;

	for (size_t i = path->first; i < report->call_count; i = report->call[i].next)
		sum_s += edges_in_s(e, report->call[i].start_ns, report->call[i].end_ns);
	if (!path->outside)
		return sum_s;
	for (size_t i = 0; i < report->call_count; i++) {
		if (report->call[i].start_ns > until_ns)
			sum_s += edges_in_s(e, until_ns, report->call[i].start_ns);
		if (report->call[i].end_ns > until_ns)
			until_ns = report->call[i].end_ns;
	}
	if (report->ended_ns > until_ns)
		sum_s += edges_in_s(e, until_ns, report->ended_ns);
	return sum_s;
}

/* Is it known in which time it is? */
static bool has_time(const struct report *report, const struct phase_path *path)
{
	return path->first < report->call_count ||
		(path->outside && !isnan(path->union_s));
}

/* Of a log with times: which steps are gaps is unknown. */
static bool is_untold(const struct device_evidence *e)
{
	return e->first_ns != TIME_NONE && isnan(e->covered_s);
}

/*
 * The time that rows of a device could have covered; NAN: it can't be told. With several
 * sessions their union stands for the run.
 */
static double coverable_s(const struct report *report, const struct phase_path *path,
	const struct device_evidence *e)
{
	if (isnan(e->coverage) && !is_untold(e))
		return NAN;
	if (path)
		return path->union_s - fmin(path->union_s, edges_s(report, path, e));
	return e->coverage > 0 ? e->covered_s / e->coverage : report->duration_s;
}

static double share_of(double covered_s, double whole_s)
{
	return whole_s > 0 ? fmin(1, covered_s / whole_s) : NAN;
}

/* Processes have a time of their own. */
static bool has_run_time(const struct report *report, uint32_t device)
{
	enum device_kind kind = report->run->device[device].kind;

	return kind == DEVICE_GPU || kind == DEVICE_CPU || kind == DEVICE_HOST ||
		kind == DEVICE_GROUP;
}

double coverage_of_stats(const struct report *report, const struct phase_path *path,
	const struct metric_stats *stats)
{
	const struct device_evidence *e =
		evidence_find(&report->evidence, stats->source, stats->device);
	double whole_s;

	if (!e || !has_run_time(report, stats->device) ||
		(path && !has_time(report, path)))
		return NAN;
	if (path && stats->covered_s >= COVERAGE_WHOLE * path->union_s)
		return share_of(stats->covered_s, path->union_s);
	whole_s = coverable_s(report, path, e);
	if (is_untold(e) && !(stats->covered_s > 0))
		return (!path || whole_s > 0) && metric_stats_speaks(stats)
			? COVERAGE_UNTOLD
			: (double)NAN;
	return share_of(stats->covered_s, whole_s);
}

struct covered covered_statistic(double coverage, enum statistic statistic)
{
	return covered_of(reach_of_statistic(statistic), coverage);
}

/* Of a device that the run has, and the path may know nothing of. */
static double coverage_in_path(const struct report *report, const struct phase_path *path,
	const struct metric_stats *stats)
{
	const struct metric_stats *here = metric_stats_of(path->stats, path->stats_count,
		stats->source, stats->device, stats->metric);
	const struct device_evidence *e =
		evidence_find(&report->evidence, stats->source, stats->device);

	if (here)
		return coverage_of_stats(report, path, here);
	return e && path->stats_count ? share_of(0, coverable_s(report, path, e)) : NAN;
}

/* Of the worst device that has the metric in the run. */
static double coverage_of_metric(
	const struct report *report, const struct phase_path *path, enum metric_id metric)
{
	double worst = NAN;

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->metric == metric && report_stats_take_part(report, s))
			worst = fmin(worst,
				path ? coverage_in_path(report, path, s)
				     : coverage_of_stats(report, NULL, s));
	}
	return worst;
}

/* ... and how many of the GPUs have it. */
static struct covered over_gpus(
	const struct report *report, enum metric_id metric, struct covered covered)
{
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		covered.gpus += s->metric == metric &&
			report->run->device[s->device].kind == DEVICE_GPU &&
			report_stats_take_part(report, s);
	}
	covered.gpus_all = covered.gpus ? report_gpu_count(report) : 0;
	return covered;
}

/* What all GPUs' energies cover of the time that they could. */
static double coverage_of_energy(const struct report *report,
	const struct phase_path *path, double energy_coverage, double seconds)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	double whole_s = 0, covered_s;
	size_t count = 0;

	/* What is covered needs no pardon. */
	if (path && energy_coverage >= COVERAGE_WHOLE)
		return energy_coverage;
	for (size_t i = 0; i < gpus->count; i++) {
		const struct metric_stats *s = metric_stats_energy(
			report->stats, report->stats_count, gpus->at[i]);
		const struct device_evidence *e = NULL;

		if (!report_counts_gpu(report, gpus->at[i]))
			continue;
		if (s)
			e = evidence_find(&report->evidence, s->source, gpus->at[i]);
		if (!e)
			e = evidence_best(&report->evidence, gpus->at[i]);
		whole_s += e ? coverable_s(report, path, e) : seconds;
		count++;
	}
	covered_s = energy_coverage * seconds * (double)count;
	return share_of(covered_s, whole_s);
}

/*
 * Of the time of a run that nobody wrote down, but its samples: that of all that happened
 * in it. What only has one instant, of samples or events, tells none of it.
 */
static double coverage_of_duration(const struct report *report)
{
	bool of_samples = report->duration_source &&
		strcmp(report->duration_source, "samples") == 0;
	bool of_events =
		report->duration_source && strcmp(report->duration_source, "events") == 0;
	struct overhang over;

	if ((of_samples || of_events) && report->duration_s == 0)
		return 0;
	if (!of_samples)
		return NAN;
	over = overhang_of(report);
	return share_of(
		report->duration_s, report->duration_s + over.before_s + over.after_s);
}

/* Of a key of the run (path: NULL) or of a path. energy_coverage: of all its seconds. */
static struct covered covered_key(const struct report *report,
	const struct phase_path *path, enum summary_key key, double energy_coverage,
	double seconds)
{
	enum metric_id metric = summary_field_get(key)->metric;
	enum reach reach = reach_of_key(key);

	if (reach == REACH_NONE)
		return covered_of(reach, NAN);
	if (reach == REACH_SUM)
		return covered_of(reach,
			coverage_of_energy(report, path, energy_coverage, seconds));
	return over_gpus(report, metric,
		covered_of(reach, coverage_of_metric(report, path, metric)));
}

struct covered covered_summary(const struct report *report, enum summary_key key)
{
	if (key == SUMMARY_duration_s)
		return covered_of(REACH_SUM, coverage_of_duration(report));
	return covered_key(report, NULL, key,
		report->summary[SUMMARY_energy_coverage].number, report->duration_s);
}

struct covered covered_path(
	const struct report *report, const struct phase_path *path, enum summary_key key)
{
	if (!has_time(report, path))
		return covered_of(REACH_NONE, NAN);
	return covered_key(report, path, key, path->summary[PHASE_energy_coverage].number,
		path->union_s);
}

/* The run's coverage is that of its worst GPU. */
static double coverage_of_run(const struct report *report)
{
	for (size_t i = 0; i < report->evidence.device_count; i++) {
		const struct device_evidence *e = &report->evidence.device[i];

		if (report->run->device[e->device].kind == DEVICE_GPU &&
			report_counts_gpu(report, e->device) && is_untold(e) &&
			evidence_best(&report->evidence, e->device) == e)
			return COVERAGE_UNTOLD;
	}
	return report->evidence.coverage;
}

struct covered covered_steady(const struct report *report)
{
	double coverage = fmin(coverage_of_run(report), report->steady.coverage);

	if (!report->steady.found)
		return covered_of(REACH_MEAN, NAN);
	return over_gpus(report, METRIC_gpu_util_pct, covered_of(REACH_MEAN, coverage));
}

/* Of the time of the work that in which a GPU has rows: from its first to its last. */
static double span_in_work(
	const struct work *work, const struct device_evidence *evidence)
{
	if (evidence->first_ns == TIME_NONE || evidence->last_ns == TIME_NONE)
		return NAN;
	return share_of(shared_s(work->first_ns, work->last_ns, evidence->first_ns,
				evidence->last_ns),
		work->seconds - edges_in_s(evidence, work->first_ns, work->last_ns));
}

/* Of all GPUs what their energy is of, but no more than the rows of any span. */
static double coverage_of_work(
	const struct report *report, const struct work *work, enum metric_id metric)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	double worst = isnan(work->energy_j) ? (double)NAN : work->energy_coverage;

	for (size_t i = 0; i < gpus->count; i++) {
		const struct metric_stats *s = report_stats_best(
			report, report->stats, report->stats_count, gpus->at[i], metric);
		const struct device_evidence *e = s
			? evidence_find(&report->evidence, s->source, gpus->at[i])
			: NULL;

		if (e && report_counts_gpu(report, gpus->at[i]))
			worst = fmin(worst, span_in_work(work, e));
	}
	return worst;
}

struct covered covered_work(
	const struct report *report, const struct work *work, bool energy)
{
	if (energy)
		return covered_of(REACH_SUM, work->energy_coverage);
	return over_gpus(report, METRIC_gpu_util_pct,
		covered_of(
			REACH_MEAN, coverage_of_work(report, work, METRIC_gpu_util_pct)));
}
