/*
 * Coverage of the numbers in a report, the grade of a recording, how far phases lie
 * outside of the samples, and which recordings have the same logs. Reads a report;
 * changes nothing in it.
 *
 * A recorder may start late and stop early: up to its interval and 2 s are forgiven at
 * either end of the run, as in the coverage of a device.
 */
#include "model/coverage.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/quantity.h"

/*
 * Of values that have times, but no interval that would tell what between them is a gap:
 * a number of them is in doubt as one of which nothing is covered, and how much is, is
 * unknown.
 */
#define COVERAGE_UNTOLD (-1.0)

/* Beside an interval, what is forgiven at each end of a recording. */
#define EDGE_MOST_S 2

struct overhang {
	double before_s, after_s; /* 0: nothing is there */
	bool events_before, events_after; /* further than any phase */
};

/*
 * Events outside of the samples: calls and units of work before the first sample or
 * after the last one.
 */

/* How far an instant lies before another; 0: it does not. */
static double seconds_before(int64_t ns, int64_t other_ns)
{
	return ns < other_ns ? number_ratio((int128)other_ns - ns, NS_PER_S) : 0;
}

static void extend(struct overhang *over, const struct report *report, int64_t from_ns,
	int64_t to_ns, bool events)
{
	double before_s = seconds_before(from_ns, report->started_ns);
	double after_s = seconds_before(report->ended_ns, to_ns);

	if (before_s > over->before_s) {
		over->before_s = before_s;
		over->events_before = events;
	}
	if (after_s > over->after_s) {
		over->after_s = after_s;
		over->events_after = events;
	}
}

/* All 0 of a run whose duration is not that of its samples. */
static struct overhang overhang_of(const struct report *report)
{
	struct overhang over = {0};

	if (!report->duration_source || strcmp(report->duration_source, "samples") != 0)
		return over;
	for (size_t i = 0; i < report->call_count; i++)
		extend(&over, report, report->call[i].start_ns, report->call[i].end_ns,
			false);
	for (size_t i = 0; i < report->work_count; i++)
		extend(&over, report, report->work[i].first_ns, report->work[i].last_ns,
			true);
	return over;
}

/* What may lie beyond the samples of any recording. */
static double forgiven_s(const struct report *report)
{
	double most_s = 0;

	for (size_t i = 0; i < report->evidence.device_count; i++)
		most_s = fmax(most_s, report->evidence.device[i].interval_s);
	return most_s + EDGE_MOST_S;
}

void overhang_say(struct strbuf *text, const struct report *report)
{
	struct overhang over = overhang_of(report);
	bool doubt = covered_summary(report, SUMMARY_duration_s).doubt != DOUBT_NONE;
	double least_s = doubt ? 0 : forgiven_s(report);
	bool before = over.before_s > least_s, after = over.after_s > least_s;

	if (before || after)
		strbuf_adds(text, ", but ");
	if (before) {
		strbuf_addf(text, "%s begin ", over.events_before ? "events" : "phases");
		quantity_span(text, over.before_s);
		strbuf_adds(text, " before the first");
	}
	if (before && after)
		strbuf_adds(text, " and ");
	if (after) {
		if (!before || over.events_before != over.events_after)
			strbuf_addf(text, "%s ", over.events_after ? "events" : "phases");
		strbuf_adds(text, "go on ");
		quantity_span(text, over.after_s);
		strbuf_adds(text, " after the last");
	}
}

/* How a number comes about, as far as time matters to it. */
enum reach {
	REACH_MEAN,
	REACH_NONE, /* it is of no samples, or no time */
	REACH_SUM, /* grows with the time that it is of */
	REACH_MOST, /* the largest that was seen */
	REACH_LEAST
};

static struct covered covered_of(enum reach reach, double coverage)
{
	/* Which way the truth may lie from a number of but a part of the time. */
	static const unsigned doubt_of_part[] = {[REACH_MEAN] = DOUBT_EITHER,
		[REACH_NONE] = DOUBT_NONE,
		[REACH_SUM] = DOUBT_MORE,
		[REACH_MOST] = DOUBT_MORE,
		[REACH_LEAST] = DOUBT_LESS};
	struct covered covered = {.coverage = reach == REACH_NONE ? NAN : coverage,
		.doubt_fewer = doubt_of_part[reach]};

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
		FRAMEWORK_PEAK = REACH_NONE,
		FRAMEWORK_PEAKS = REACH_NONE,
		TREE_PEAK = REACH_NONE, /* a process may well end before the run does */
		TREE_MEAN = REACH_NONE,
		TREE_MOST = REACH_NONE,
		TREE_GROWTH = REACH_NONE,
		TREE_RISE = REACH_NONE,
		GPU_COUNT = REACH_NONE,
		CPU_COUNT = REACH_NONE,
		SAMPLES = REACH_NONE,
		DURATION = REACH_NONE,
		HOST_ENERGY = REACH_NONE,
		GPU_MEAN = REACH_MEAN,
		GPU_TOTAL_MEAN = REACH_MEAN,
		CPU_MEAN = REACH_MEAN,
		HOST_MEAN = REACH_MEAN,
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

/* Those that are not named are means, as the share of a state (STATISTIC_COUNT). */
static enum reach reach_of_statistic(enum statistic statistic)
{
	static const unsigned char reach[STATISTIC_COUNT + 1] = {
		[STATISTIC_n] = REACH_NONE,
		[STATISTIC_missing] = REACH_NONE,
		[STATISTIC_covered_s] = REACH_NONE,
		[STATISTIC_energy_coverage] = REACH_NONE,
		[STATISTIC_resets] = REACH_NONE,
		[STATISTIC_energy_j] = REACH_SUM,
		[STATISTIC_increase] = REACH_SUM,
		[STATISTIC_max] = REACH_MOST,
		[STATISTIC_min] = REACH_LEAST};

	return (enum reach)reach[statistic];
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
	return seconds_before(from_ns, to_ns);
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

/* Sentences on numbers that cover only a part of their time. */

bool covered_less(const struct covered *one, const struct covered *other)
{
	return isnan(one->coverage) ? !isnan(other->coverage)
				    : one->coverage < other->coverage;
}

void covered_beside(struct covered *covered, size_t count)
{
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		most = covered[i].gpus > most ? covered[i].gpus : most;
	for (size_t i = 0; i < count; i++) {
		struct covered *at = &covered[i];

		if (!at->gpus || at->gpus == at->gpus_all || at->gpus == most)
			continue;
		at->fewer = true;
		at->coverage = 0;
		at->doubt = at->doubt_fewer;
	}
}

unsigned covered_alone(const struct covered *covered)
{
	return covered->doubt |
		(covered->gpus < covered->gpus_all ? covered->doubt_fewer : DOUBT_NONE);
}

void covered_say(struct strbuf *sb, const struct covered *covered)
{
	if (covered->fewer || (!covered->doubt && covered->gpus < covered->gpus_all))
		strbuf_addf(sb, "of %zu of %zu GPUs", covered->gpus, covered->gpus_all);
	else if (isnan(covered->coverage))
		strbuf_adds(sb, "coverage unknown");
	else
		strbuf_addf(sb, "%.1f %% covered", 100 * covered->coverage);
}

/* Coverage of the numbers in the summary. */

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

/*
 * For what share of the time that the logs of its devices cover the metric of a key has
 * values, 0 to 1; NAN: it is of none, or no log has times.
 */
static double known_share(const struct report *report, enum summary_key key)
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

/* Reasons to doubt a number. */

static void add_doubt(struct strbuf *why, const char *text)
{
	strbuf_addf(why, "%s%s", why->len ? ", " : "", text);
}

static bool is_impossible(const struct run *run, const struct metric_stats *stats)
{
	struct strbuf id = strbuf_new();
	bool found = false;

	strbuf_addf(&id, "impossible:%s of %s", metric_get(stats->metric)->name,
		run->device[stats->device].name);
	for (size_t i = 0; i < run->diags.count && !found; i++)
		found = strcmp(run->diags.at[i].id, id.text) == 0;
	strbuf_release(&id);
	return found;
}

static bool distrusts(const struct finding *finding, const struct metric_stats *stats)
{
	const struct rule *rule = finding->rule;
	bool named = false;

	for (size_t i = 0; i < rule->distrusts_count; i++)
		named |= rule->distrusts[i] == stats->metric;
	return named && finding->outcome == OUTCOME_FIRES &&
		(finding->device == FINDING_RUN || finding->device == stats->device);
}

bool doubt_of_stats(
	struct strbuf *why, const struct report *report, const struct metric_stats *stats)
{
	size_t told = why->len;

	if (run_guesses_metric(report->run, stats->source, stats->metric))
		add_doubt(why, "guessed");
	if (is_impossible(report->run, stats))
		add_doubt(why, "impossible values");
	for (size_t i = 0; i < report->finding_count; i++)
		if (distrusts(&report->finding[i], stats))
			add_doubt(why, report->finding[i].rule->distrusts_as);
	return why->len > told;
}

static void add_known(struct strbuf *why, double share)
{
	strbuf_adds(why, why->len ? ", known for " : "known for ");
	quantity_ratio(why, share);
	strbuf_adds(why, " of the time");
}

bool doubt_of_entry(
	struct strbuf *why, const struct report *report, const struct metric_stats *stats)
{
	const struct device_evidence *e = evidence_best(&report->evidence, stats->device);
	size_t told = why->len;

	doubt_of_stats(why, report, stats);
	if (e && metric_stats_speaks(stats) &&
		stats->covered_s < COVERAGE_WHOLE * e->covered_s)
		add_known(why, stats->covered_s / e->covered_s);
	return why->len > told;
}

/* What speaks against a key's numbers of one device; NULL: nothing. The caller's. */
static char *doubt_of_device(
	const struct report *report, enum summary_key key, uint32_t device)
{
	const struct metric_stats *s = reach_of_key(key) == REACH_SUM
		? metric_stats_energy(report->stats, report->stats_count, device)
		: metric_stats_best(report->stats, report->stats_count, device,
			  summary_field_get(key)->metric);
	struct strbuf why = strbuf_new();

	if (s && metric_stats_speaks(s) && doubt_of_stats(&why, report, s))
		return strbuf_detach(&why);
	strbuf_release(&why);
	return NULL;
}

bool doubt_of_values(
	struct strbuf *why, const struct report *report, enum summary_key key)
{
	const struct run *run = report->run;
	enum metric_id metric = summary_field_get(key)->metric;
	char **doubt = xcalloc(run->device_count + 1, sizeof *doubt);
	size_t asked = 0, told = why->len;
	/* neither of no metric, nor how an energy was found */
	bool of_values = metric != METRIC_none &&
		(reach_of_key(key) == REACH_SUM ||
			!summary_is_of(key, METRIC_gpu_energy_j));

	for (uint32_t i = 0; i < run->device_count && of_values; i++)
		if (is_asked(report, i, metric_get(metric)->device)) {
			doubt[i] = doubt_of_device(report, key, i);
			asked++;
		}
	for (size_t i = 0; i < run->device_count; i++) {
		size_t same = 0;

		if (!doubt[i])
			continue;
		for (size_t k = i; k < run->device_count; k++)
			if (doubt[k] && strcmp(doubt[k], doubt[i]) == 0) {
				same++;
				if (k > i) {
					free(doubt[k]);
					doubt[k] = NULL;
				}
			}
		add_doubt(why, doubt[i]);
		if (same < asked)
			strbuf_addf(why, " (%s", run->device[i].name);
		if (same < asked && same > 1)
			strbuf_addf(why, " and %zu more", same - 1);
		strbuf_adds(why, same < asked ? ")" : "");
		free(doubt[i]);
	}
	free(doubt);
	return why->len > told;
}

bool doubt_of_key(struct strbuf *why, const struct report *report, enum summary_key key)
{
	double share = known_share(report, key);
	size_t told = why->len;

	doubt_of_values(why, report, key);
	if (share < COVERAGE_WHOLE && !summary_is_of(key, METRIC_gpu_energy_j) &&
		!isnan(report->summary[key].number))
		add_known(why, share);
	return why->len > told;
}

void doubts_each(const struct report *report, doubt_take *take, void *to)
{
	struct strbuf why = strbuf_new();

	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		strbuf_clear(&why);
		if (doubt_of_key(&why, report, key))
			take(to, key, NULL, why.text);
	}
	for (size_t i = 0; i < report->stats_count; i++) {
		strbuf_clear(&why);
		if (doubt_of_stats(&why, report, &report->stats[i]))
			take(to, SUMMARY_COUNT, &report->stats[i], why.text);
	}
	strbuf_release(&why);
}

/*
 * The grade and its reasons. Reads the evidence only, so that every format can say
 * why.
 */

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

/* Between samples so far apart anything may have happened: at best grade B, or C. */
#define SPARSE_S      60
#define VERY_SPARSE_S 600

/* The longest interval of a GPU that counts, or, without GPUs, of the CPUs; 0: unknown.
 */
static double interval_s(const struct report *report)
{
	bool gpus = report_gpu_count(report) > 0;
	double longest = 0;

	for (size_t i = 0; i < report->evidence.device_count; i++) {
		const struct device_evidence *e = &report->evidence.device[i];
		enum device_kind kind = report->run->device[e->device].kind;

		if (kind == (gpus ? DEVICE_GPU : DEVICE_CPU) &&
			evidence_best(&report->evidence, e->device) == e)
			longest = fmax(longest, e->interval_s);
	}
	return longest;
}

/* Too short for a grade above C: one or two samples say little of what was between. */
static bool is_short(const struct report *report)
{
	return report->duration_s < 2 * interval_s(report);
}

enum grade_reason grade_reason(const struct report *report)
{
	double coverage = report->evidence.coverage; /* NAN covers nothing */

	if (!(coverage >= COVERAGE_B))
		return GRADE_COVERAGE;
	if (stepped_back(&report->evidence))
		return GRADE_WENT_BACK;
	if (is_short(report))
		return GRADE_SHORT;
	if (interval_s(report) > VERY_SPARSE_S)
		return GRADE_SPARSE;
	if (!(coverage >= COVERAGE_A))
		return GRADE_COVERAGE;
	if (interval_s(report) > SPARSE_S)
		return GRADE_SPARSE;
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
	case GRADE_SHORT:
		return 'C';
	case GRADE_SPARSE:
		return interval_s(report) > VERY_SPARSE_S ? 'C' : 'B';
	case GRADE_COVERAGE:
		if (report->evidence.coverage >= COVERAGE_B)
			return 'B';
		return report->evidence.coverage >= COVERAGE_MIN ? 'C' : 'F';
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

/* Fingerprints of logs: are two recordings the same? */

/* A part of a file is called by what stands behind a '#': both may be packed. */
static struct span before_part(const char *name, struct span *part)
{
	const char *mark = strrchr(name, '#');

	*part = name_unpacked(span_of(mark ? mark + 1 : ""));
	return name_unpacked(
		mark ? (struct span){name, (size_t)(mark - name)} : span_of(name));
}

bool file_has_same_name(const struct run_file *a, const struct run_file *b)
{
	struct span a_part, b_part;
	struct span a_name = before_part(a->path, &a_part);
	struct span b_name = before_part(b->path, &b_part);

	return span_equal(a_name, b_name) && span_equal(a_part, b_part);
}

static bool has_same_bytes(const struct run_file *a, const struct run_file *b)
{
	return a->size == b->size && a->hash == b->hash;
}

/* A packed log that was not unpacked yet is known by its bytes alone. */
static bool has_same_content(const struct run_file *a, const struct run_file *b)
{
	return has_same_bytes(a, b) ||
		(a->content_size == b->content_size &&
			a->content_hash == b->content_hash);
}

/* The next file from *at on that a reader claims; NULL: none. */
static const struct run_file *next_log(const struct run *run, size_t *at)
{
	while (*at < run->file_count && run->file[*at].kind == SOURCE_NONE)
		++*at;
	return *at < run->file_count ? &run->file[(*at)++] : NULL;
}

bool run_has_same_logs(const struct run *a, const struct run *b)
{
	size_t i = 0, k = 0;

	for (;;) {
		const struct run_file *x = next_log(a, &i), *y = next_log(b, &k);

		if (!x || !y)
			return !x && !y;
		if (!has_same_content(x, y) ||
			(a->is_directory && !file_has_same_name(x, y)))
			return false;
	}
}

bool run_is_packed_alike(const struct run *a, const struct run *b)
{
	const struct run_file *x, *y;
	size_t i = 0, k = 0;

	do {
		x = next_log(a, &i);
		y = next_log(b, &k);
	} while (x && y && has_same_bytes(x, y));
	return !x || !y;
}

/* With its end: "a", "bc" is not "ab", "c". */
static uint64_t hash_number(int64_t number, uint64_t hash)
{
	char text[32];
	int len = snprintf(text, sizeof text, "%lld", (long long)number);

	return span_hash((struct span){text, (size_t)len + 1}, hash);
}

static uint64_t hash_name(const struct run_file *file, uint64_t hash)
{
	struct span part, name = before_part(file->path, &part);

	hash = span_hash(name, hash);
	if (part.len) {
		hash = span_hash(span_of("#"), hash);
		hash = span_hash(part, hash);
	}
	return span_hash((struct span){"", 1}, hash);
}

uint64_t run_hash_logs(const struct run *run)
{
	uint64_t hash = SPAN_HASH;
	const struct run_file *file;
	size_t i = 0;

	while ((file = next_log(run, &i))) {
		if (run->is_directory)
			hash = hash_name(file, hash);
		hash = hash_number(file->content_hash, hash);
		hash = hash_number(file->content_size, hash);
	}
	return hash;
}

const struct run_file *run_largest_log(const struct run *run)
{
	const struct run_file *largest = NULL, *file;
	size_t i = 0;

	while ((file = next_log(run, &i)))
		if (!largest || file->content_size > largest->content_size)
			largest = file;
	return largest;
}

bool run_is_unchanged(const struct run *now, const struct run *stored)
{
	if (now->file_count != stored->file_count)
		return false;
	for (size_t i = 0; i < now->file_count; i++)
		if (strcmp(now->file[i].path, stored->file[i].path) != 0 ||
			now->file[i].mtime_ns != stored->file[i].mtime_ns ||
			!has_same_bytes(&now->file[i], &stored->file[i]))
			return false;
	return strcmp(now->path, stored->path) == 0;
}

struct run_identity run_identity(const struct run *run)
{
	const uint64_t spread = 0x9e3779b97f4a7c15u;
	struct run_identity own = {.key = run->key, .named = run->run_id != NULL};

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];

		if (!file->rows || source_is_manifest(file->kind))
			continue;
		own.content +=
			((uint64_t)file->content_hash ^ (uint64_t)file->content_size) *
			spread;
		own.bytes += ((uint64_t)file->hash ^ (uint64_t)file->size) * spread;
	}
	return own;
}

bool run_identity_same_logs(const struct run_identity *a, const struct run_identity *b)
{
	return (a->content && a->content == b->content) ||
		(a->bytes && a->bytes == b->bytes);
}

bool run_identity_same(const struct run_identity *a, const struct run_identity *b)
{
	return strcmp(a->key, b->key) == 0 &&
		(a->named || b->named || !a->content || !b->content ||
			run_identity_same_logs(a, b));
}

/* The time that a device should have rows of. */
static double expected_s(const struct report *report, uint32_t device)
{
	const struct device_evidence *e = evidence_best(&report->evidence, device);

	return e && e->coverage > 0 ? e->covered_s / e->coverage : report->duration_s;
}

/* GPUs that count and have none of these metrics for this share of their time. */
static size_t gpus_without(const struct report *report, const enum metric_id *metric,
	size_t metrics, double share)
{
	size_t without = 0;

	for (uint32_t i = 0; i < report->run->device_count; i++) {
		bool has = report->run->device[i].kind != DEVICE_GPU ||
			!report_counts_gpu(report, i);

		for (size_t k = 0; k < report->stats_count; k++) {
			const struct metric_stats *s = &report->stats[k];

			for (size_t m = 0; m < metrics; m++)
				has |= s->device == i && s->metric == metric[m] && s->n &&
					!(s->covered_s < share * expected_s(report, i));
		}
		without += !has;
	}
	return without;
}

static bool has_samples(const struct report *report)
{
	bool has = false;

	for (size_t i = 0; i < report->stats_count; i++)
		has |= report->stats[i].metric == METRIC_gpu_util_pct &&
			report->stats[i].n >= SAMPLES_MIN;
	return has;
}

static bool is_doubted(const struct report *report, enum summary_key key)
{
	struct strbuf why = strbuf_new();
	bool doubted;

	doubted = doubt_of_values(&why, report, key);
	strbuf_release(&why);
	return doubted;
}

bool evidence_has_gaps(const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->device_count; i++) {
		const struct device_evidence *e = &evidence->device[i];

		if (e->gaps &&
			e->gaps >= e->sessions) /* one before each session is none */
			return true;
	}
	return false;
}

/* So many of the rows with a value that can't be are no single slip. */
#define INVALID_PART 100

static bool lost_values(const struct run *run)
{
	bool lost = false;

	for (size_t i = 0; i < run->diags.count; i++)
		for (size_t k = 0; k < run->file_count; k++)
			lost |= strncmp(run->diags.at[i].id, "bad-value", 9) == 0 &&
				strcmp(run->diags.at[i].file, run->file[k].path) == 0 &&
				run->diags.at[i].count * INVALID_PART >=
					run->file[k].rows;
	return lost;
}

/* Of a log with samples more are refused than let checks run. */
static bool lost_rows(const struct run *run)
{
	bool lost = false;

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];

		lost |= source_has_samples(file->kind) &&
			(double)file->refused >
				REFUSED_SHARE_MAX * (double)(file->rows + file->refused);
	}
	return lost;
}

const char *clearance_lacks(const struct report *report, double sessions_share)
{
	static const enum metric_id util[] = {METRIC_gpu_util_pct};
	static const enum metric_id work[] = {METRIC_power_w, METRIC_power_average_w,
		METRIC_power_instant_w, METRIC_sm_active_pct, METRIC_tensor_active_pct};
	size_t gpus = report_gpu_count(report);
	const size_t works = sizeof work / sizeof work[0];
	size_t no_util = gpus_without(report, util, 1, COVERAGE_MIN);
	size_t no_work = gpus_without(report, work, works, COVERAGE_MIN);
	bool has_util = gpus_without(report, util, 1, 0) < gpus;
	bool has_work = gpus_without(report, work, works, 0) < gpus;
	bool together = report_gpus_together(report) > 0;

	if (run_mixes_hosts(report->run))
		return "logs of several hosts are mixed";
	if (isnan(report->evidence.coverage))
		return "coverage is unknown";
	if (is_short(report))
		return "the run is shorter than two sampling intervals";
	if (gpus && has_util && !has_samples(report))
		return "too few samples (fewer than 10)";
	if (sessions_share < COVERAGE_MIN)
		return "much of the time was not recorded";
	if (lost_rows(report->run))
		return "many rows of the logs were refused";
	if (is_doubted(report, SUMMARY_gpu_util_mean_pct) ||
		is_doubted(report, SUMMARY_power_mean_w))
		return "GPU utilization or power is in doubt";
	if (together && !isnan(report->summary[SUMMARY_gpu_util_mean_pct].number))
		return "neither power nor SM activity was recorded";
	if (together ||
		(gpus && no_util == gpus && no_work == gpus && !has_util && !has_work))
		return "neither GPU utilization nor power was recorded";
	if (no_util)
		return no_util < gpus ? "too little utilization of some GPUs was recorded"
			: has_util    ? "too little GPU utilization was recorded"
				      : "GPU utilization was not recorded";
	if (!no_work)
		return lost_values(report->run) ? "many values of the logs are invalid"
						: NULL;
	return no_work < gpus ? "too little power of some GPUs was recorded"
		: has_work    ? "too little GPU power was recorded"
			      : "neither power nor SM activity was recorded";
}
