/*
 * The steady state of a run: the level that the GPUs keep from when they reach it to
 * when they leave it for good. Other levels and gaps within it are interruptions.
 * Levels come from numbers/changes.h. README.md, "Steady state".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/numbers/changes.h"
#include "compute/report/evidence.h"
#include "compute/report/figure.h"
#include "compute/report/report.h"
#include "compute/run/state.h"
#include "compute/series/course.h"

/*
 * Time without values of a metric: gaps, and the time before its first or after its
 * last value while it or other GPUs of the log have rows. README.md, "Steady state".
 */

struct silence {
	struct stretch *each; /* [each_count] of one GPU or another; owned */
	size_t each_count, each_cap;
	struct stretch *any; /* [any_count] of at least one: ascending, apart; owned */
	size_t any_count;
	struct stretch rows; /* from the first row of any of those GPUs to the last */
	size_t gpus; /* that count and have the metric in the log */
	bool known; /* of each of them it can be told what a gap is */
};

static void add_silence(struct silence *silence, int64_t from_ns, int64_t to_ns)
{
	ALLOC_NEXT(silence->each, silence->each_count, silence->each_cap) =
		(struct stretch){from_ns, to_ns};
}

/* all: from the first row of any GPU to the last one. */
static void add_gpu_silence(struct silence *silence, const struct series *series,
	int64_t limit_ns, const struct stretch *all)
{
	const struct course *course = series->course;

	if (course->first_ns - all->from_ns > limit_ns)
		add_silence(silence, all->from_ns, course->first_ns);
	if (all->to_ns - course->last_ns > limit_ns)
		add_silence(silence, course->last_ns, all->to_ns);
	for (size_t i = 0; series->steps && i < series->steps->count; i++) {
		const struct step *step = &series->steps->at[i];

		if (step->dt_ns > limit_ns)
			add_silence(
				silence, step->start_ns, step->start_ns + step->dt_ns);
	}
}

static void silence_find(struct silence *silence, const struct aggregate *agg,
	const struct report *report, enum source_kind kind, enum metric_id metric)
{
	const struct source_state *source = &agg->source[kind];
	struct stretch all = {INT64_MAX, INT64_MIN};

	*silence = (struct silence){.known = true};
	for (size_t i = 0; i < agg->run->device_count; i++) {
		const struct series *series = series_heard(agg, report, kind, i, metric);

		const struct track *track;

		if (!series)
			continue;
		track = &source->device[i]->track;
		if (track->first_ns < all.from_ns)
			all.from_ns = track->first_ns > source->origin_ns
				? track->first_ns
				: source->origin_ns;
		if (track->last_ns > all.to_ns)
			all.to_ns = track->last_ns;
	}
	for (size_t i = 0; i < agg->run->device_count; i++) {
		const struct series *series = series_heard(agg, report, kind, i, metric);
		struct timing timing;
		int64_t limit_ns;

		if (!series)
			continue;
		timing = device_timing(agg, kind, source->device[i]);
		limit_ns = metric_limit_ns(source->device[i], &timing, metric);
		silence->gpus++;
		silence->known &= limit_ns >= 0;
		if (limit_ns >= 0)
			add_gpu_silence(silence, series, limit_ns, &all);
	}
	silence->rows = all;
	silence->any = xcalloc(silence->each_count + 1, sizeof *silence->any);
	if (silence->each_count)
		memcpy(silence->any, silence->each,
			silence->each_count * sizeof *silence->any);
	silence->any_count = stretches_join(silence->any, silence->each_count);
}

static void silence_release(struct silence *silence)
{
	free(silence->each);
	free(silence->any);
}

/* The stretch of time in which somebody is silent that a closed one lies in; NULL. */
static const struct stretch *silence_around(
	const struct silence *silence, struct stretch time)
{
	for (size_t i = 0; i < silence->any_count; i++)
		if (silence->any[i].from_ns <= time.from_ns &&
			silence->any[i].to_ns >= time.to_ns)
			return &silence->any[i];
	return NULL;
}

/* The share of the GPUs' time from one instant to a later one that is covered; NAN. */
static double silence_coverage(const struct silence *silence, struct stretch time)
{
	int128 all_ns = ((int128)time.to_ns - time.from_ns) * (int64_t)silence->gpus;
	int128 silent_ns = 0;

	if (!silence->known || all_ns <= 0)
		return NAN;
	for (size_t i = 0; i < silence->each_count; i++)
		silent_ns += stretch_common_ns(&silence->each[i], &time);
	return number_ratio(all_ns - silent_ns, all_ns);
}

struct interruptions {
	const struct course *course; /* that the state was found in */
	const bool *kept, *apart; /* [bins, from the origin] at the state's level; at
				     another */
	const struct silence *silence;
	const struct report *report; /* with its evidence */
};

/* Interruptions: other levels and gaps within the steady state, and their causes. */

/* The plain means of its samples at other levels, and of those at the state's. */
static void set_level(
	struct interruption *one, const struct interruptions *of, enum metric_id metric)
{
	const struct course *course = of->course;
	int64_t per_unit = metric_get(metric)->per_unit;
	bool here[COURSE_BINS] = {false};

	for (uint64_t i = 0; i < course->count; i++)
		here[course->first + i] = of->apart[course->first + i] &&
			course_border_ns(course, i) < one->to_ns &&
			course_border_ns(course, i + 1) > one->from_ns;
	one->mean = course_mean(course, here, per_unit);
	one->higher = one->mean > course_mean(course, of->kept, per_unit);
}

/* Of the longest gap of a GPU in it that the evidence lists, the longest first. */
static enum gap_cause cause_of(const struct stretch *time, const struct report *report)
{
	const struct evidence *e = &report->evidence;

	for (size_t i = 0; i < e->gap_listed; i++) {
		int64_t from_ns = e->gap[i].start_ns;
		struct stretch gap = {
			from_ns, from_ns + (int64_t)(e->gap[i].length_s * 1e9)};

		if (report->run->device[e->gap[i].device].kind == DEVICE_GPU &&
			stretch_common_ns(&gap, time) > 0)
			return e->gap[i].cause;
	}
	return GAP_UNKNOWN;
}

static bool is_silent(const struct stretch *time, const struct silence *silence)
{
	for (size_t i = 0; i < silence->any_count; i++)
		if (stretch_common_ns(&silence->any[i], time) > 0)
			return true;
	return false;
}

static int longest_first(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	int64_t x_ns = x->to_ns - x->from_ns, y_ns = y->to_ns - y->from_ns;

	if (x_ns != y_ns)
		return x_ns < y_ns ? 1 : -1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static double seconds(int64_t from_ns, int64_t to_ns)
{
	return number_ratio((int128)to_ns - from_ns, NS_PER_S);
}

static struct interruption interruption_of(
	const struct stretch *time, enum metric_id metric, const struct interruptions *of)
{
	struct interruption one = {.from_ns = time->from_ns,
		.to_ns = time->to_ns,
		.start_s = report_second(of->report, time->from_ns),
		.seconds = seconds(time->from_ns, time->to_ns),
		.silent = is_silent(time, of->silence)};

	set_level(&one, of, metric);
	if (one.silent)
		one.cause = cause_of(time, of->report);
	return one;
}

/*
 * The longest of at[count], which lie apart, as far as they are in the state. Changes
 * their order.
 */
static void interruptions_list(struct steady *steady, struct stretch *at, size_t count,
	const struct interruptions *of)
{
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		struct stretch in = at[i];

		if (in.from_ns < steady->from_ns)
			in.from_ns = steady->from_ns;
		if (in.to_ns > steady->to_ns)
			in.to_ns = steady->to_ns;
		if (in.from_ns < in.to_ns)
			at[most++] = in;
	}
	count = most;
	most = count < INTERRUPTIONS_LISTED ? count : INTERRUPTIONS_LISTED;
	steady->interruption = xcalloc(most + 1, sizeof *steady->interruption);
	steady->interruption_listed = most;
	if (!most)
		return;
	SORT(at, count, longest_first);
	for (size_t i = 0; i < most; i++)
		steady->interruption[i] = interruption_of(&at[i], steady->metric, of);
	SORT(steady->interruption, most, compare_int64);
}

/*
 * Drift within the steady state: power or clock that follows a line or takes one step.
 * README.md, "Steady state".
 */

/* What must not change, either, for a run to be stationary. */
static const enum metric_id drifting[] = {METRIC_power_w, METRIC_sm_clock_mhz};

/* Less, of what it began at, is no change of level. */
#define DRIFT_LEAST 0.05

/* A level: of fewer bins, or less time, it may be what comes and goes. */
#define LEVEL_BINS 10
#define LEVEL_NS   (30 * NS_PER_S)

/* So much of all change at one time is a step; else it came by and by. */
#define STEP_LEAST 0.8

/* The load is the same where the GPU is used, and by no more points less, or more. */
#define LOAD_LEAST_PCT	50
#define LOAD_CHANGE_PCT 10

/* The bins of a course that are kept. */
struct points {
	double value[COURSE_BINS], t_s[COURSE_BINS]; /* means; from the origin */
	uint64_t number[COURSE_BINS]; /* from the origin */
	size_t count;
};

static void take_points(struct points *points, const struct course *course,
	enum metric_id metric, const bool *kept)
{
	points->count = 0;
	for (uint64_t i = 0; i < course->count; i++) {
		const struct course_bin *bin = &course->bin[i];

		if (!bin->n || !kept[course->first + i])
			continue;
		points->value[points->count] = number_ratio(
			bin->sum, (int128)bin->n * metric_get(metric)->per_unit);
		points->t_s[points->count] =
			number_ratio(bin->time, (int128)bin->n * NS_PER_S);
		points->number[points->count++] = course->first + i;
	}
}

/* How far the points are from the line, all together. */
static double line_cost(const struct points *points, const struct line *line)
{
	double begin_s = points->t_s[0];
	double length_s = points->t_s[points->count - 1] - begin_s, cost = 0;

	for (size_t i = 0; i < points->count; i++)
		cost += fabs(points->value[i] - line->from -
			(line->to - line->from) * (points->t_s[i] - begin_s) / length_s);
	return cost;
}

/* The mean utilization of a GPU in the kept bins of these numbers; NAN: not known. */
static double load_in(
	const struct course *load, const bool *kept, uint64_t from, uint64_t to)
{
	bool wanted[COURSE_BINS] = {false};
	struct course_bin all;

	for (uint64_t i = from; i < to; i++)
		wanted[i] = kept[i];
	all = course_sum(load, wanted);
	return all.n ? number_ratio(all.sum,
			       (int128)all.n * metric_get(METRIC_gpu_util_pct)->per_unit)
		     : NAN;
}

/* Is the GPU used alike before that bin and from there on? So it is if nobody knows. */
static bool is_one_load(const struct course *load, const bool *kept, uint64_t number)
{
	double before = load_in(load, kept, 0, number);
	double behind = load_in(load, kept, number, COURSE_BINS);

	return !(before < LOAD_LEAST_PCT || behind < LOAD_LEAST_PCT ||
		fabs(behind - before) > LOAD_CHANGE_PCT);
}

static double change_of(double from, double to)
{
	return from > 0 ? (to - from) / from : 0;
}

/* The line, unless it is none, or a step fits the points better. */
static void find_change(struct drift *drift, const struct course *course,
	const struct course *load, const bool *kept)
{
	size_t least = (size_t)(LEVEL_NS >> course->shift) + 1;
	struct line line = course_line(course, metric_get(drift->metric)->per_unit, kept);
	bool is_line = line.is_sure && fabs(change_of(line.from, line.to)) >= DRIFT_LEAST;
	struct points points;
	struct shift shift;

	drift->from = line.from;
	drift->to = line.to;
	drift->change = is_line ? change_of(line.from, line.to) : 0;
	drift->at_ns = TIME_NONE;
	if (!(line.from > 0))
		return;
	take_points(&points, course, drift->metric, kept);
	if (least < LEVEL_BINS)
		least = LEVEL_BINS;
	if (!shift_find(points.value, points.count, least, DRIFT_LEAST, &shift) ||
		(is_line && line_cost(&points, &line) <= shift.cost) ||
		fabs(change_of(shift.from, shift.to)) < DRIFT_LEAST ||
		!is_one_load(load, kept, points.number[shift.at]))
		return;
	drift->from = shift.from;
	drift->to = shift.to;
	drift->change = change_of(shift.from, shift.to);
	if (fabs(shift.behind - shift.before) >= STEP_LEAST * fabs(shift.to - shift.from))
		drift->at_ns = course->origin_ns +
			(int64_t)(points.number[shift.at] << course->shift);
}

/*
 * Fills steady->drift of each GPU and metric that its log has enough of; what is no
 * drift has a change of 0. kept[number, from the origin]: the bins of 2^shift ns at
 * its level.
 */
static void drift_find(const struct aggregate *agg, const struct report *report,
	const bool *kept, unsigned shift, struct steady *steady)
{
	size_t metrics = sizeof drifting / sizeof drifting[0];

	steady->drift =
		xcalloc(metrics * agg->run->device_count + 1, sizeof *steady->drift);
	for (size_t i = 0; i < metrics * agg->run->device_count; i++) {
		uint32_t device = (uint32_t)(i % agg->run->device_count);
		struct drift drift = {
			.device = device, .metric = drifting[i / agg->run->device_count]};
		const struct series *series =
			series_heard(agg, report, steady->source, device, drift.metric);
		const struct series *used = series_heard(
			agg, report, steady->source, device, METRIC_gpu_util_pct);
		struct course course, load = {0};

		if (!series)
			continue;
		course = course_in_bins(series->course, shift);
		if (used)
			load = course_in_bins(used->course, shift);
		find_change(&drift, &course, &load, kept);
		course_release(&course);
		course_release(&load);
		if (drift.from > 0)
			steady->drift[steady->drift_count++] = drift;
	}
}

/* The time on both sides of a level that changes for good, and by how much it does. */
#define SHIFT_PART  4
#define SHIFT_LEAST 0.3

/* A phase that begins this near, of the length of the run, or other memory: other work.
 */
#define NEAR_PART   20
#define OTHER_SHARE 0.25

static bool begins_phase(const struct report *report, int64_t at_ns)
{
	int64_t near_ns = (report->ended_ns - report->started_ns) / NEAR_PART;

	for (size_t i = 0; i < report->run->event_count; i++) {
		const struct event *event = &report->run->event[i];

		if (event->type == EVENT_PHASE && event->t_ns != TIME_NONE &&
			llabs(event->t_ns - at_ns) <= near_ns)
			return true;
	}
	return false;
}

/* Is other memory held from an instant on? Not if nobody knows. */
static bool holds_other(const struct course *memory, int64_t at_ns)
{
	struct course_bin part[2] = {{0}};
	double before, behind;

	for (uint64_t i = 0; i < memory->count; i++) {
		bool later = course_border_ns(memory, i) >= at_ns;

		part[later].n += memory->bin[i].n;
		part[later].sum += memory->bin[i].sum;
	}
	before = number_ratio(part[0].sum, (int128)part[0].n);
	behind = number_ratio(part[1].sum, (int128)part[1].n);
	return fabs(behind - before) > OTHER_SHARE * fmax(before, behind);
}

struct level_shift level_shift_of(const struct aggregate *agg,
	const struct report *report, const struct metric_stats *stats)
{
	const struct series *series =
		series_heard(agg, report, stats->source, stats->device, stats->metric);
	const struct series *memory = series_heard(
		agg, report, stats->source, stats->device, METRIC_mem_used_mib);
	struct level_shift level = {stats->mean, stats->mean, NAN};
	bool all[COURSE_BINS];
	struct points points;
	struct shift shift;
	int64_t at_ns;

	if (!series)
		return level;
	memset(all, true, sizeof all);
	take_points(&points, series->course, stats->metric, all);
	if (!shift_find(points.value, points.count, points.count / SHIFT_PART + 1,
		    SHIFT_LEAST, &shift))
		return level;
	at_ns = series->course->origin_ns +
		(int64_t)(points.number[shift.at] << series->course->shift);
	if (begins_phase(report, at_ns) || (memory && holds_other(memory->course, at_ns)))
		return level;
	return (struct level_shift){
		shift.before, shift.behind, report_second(report, at_ns)};
}

struct level_shift work_shift_of(const struct aggregate *agg, const struct report *report)
{
	const struct work *work = NULL;
	bool other;

	for (size_t i = 0; i < report->work_count; i++)
		if (!work || report->work[i].events > work->events)
			work = &report->work[i];
	if (!work)
		return (struct level_shift){NAN, NAN, NAN};
	other = work->rate_at_ns == TIME_NONE || begins_phase(report, work->rate_at_ns);
	for (enum source_kind kind = 0; !other && kind < SOURCE_KIND_COUNT; kind++)
		for (size_t i = 0; !other && i < agg->run->device_count; i++) {
			const struct series *memory =
				series_heard(agg, report, kind, i, METRIC_mem_used_mib);

			other = memory && holds_other(memory->course, work->rate_at_ns);
		}
	if (other)
		return (struct level_shift){work->units_per_s, work->units_per_s, NAN};
	return (struct level_shift){work->rate_before, work->rate_after,
		report_second(report, work->rate_at_ns)};
}

/*
 * A level is reached in the first bin at it from which on this many of twice as many are;
 * it is left behind the last one up to which as many are.
 */
#define STEADY_BINS 10

/* GPUs that are used less, in per cent, idle: a tail of that is no steady state. */
#define IDLE_PCT 5

/* Of how many GPUs that count a kind of log has the metric. */
static size_t gpus_with(const struct aggregate *agg, const struct report *report,
	enum source_kind kind, enum metric_id metric)
{
	size_t gpus = 0;

	for (size_t i = 0; i < agg->run->device_count; i++)
		gpus += series_heard(agg, report, kind, i, metric) != NULL;
	return gpus;
}

/* The kind of log that has it of most GPUs; of several the first. False: none has. */
static bool choose_source(const struct aggregate *agg, struct report *report,
	enum metric_id metric, struct steady *steady)
{
	size_t most = 0;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		size_t gpus = gpus_with(agg, report, kind, metric);

		if (gpus <= most)
			continue;
		most = gpus;
		steady->source = kind;
		steady->metric = metric;
	}
	return most > 0;
}

/* That of all GPUs together: bin by bin, with bins of at least 2^shift ns. */
static struct course course_of_all(const struct aggregate *agg,
	const struct report *report, const struct steady *steady, enum metric_id metric,
	unsigned shift)
{
	struct course all;

	course_init(&all, agg->source[steady->source].origin_ns, COURSE_BINS);
	course_widen(&all, shift);
	for (size_t i = 0; i < agg->run->device_count; i++) {
		const struct series *series =
			series_heard(agg, report, steady->source, i, metric);

		if (series)
			course_merge(&all, series->course);
	}
	return all;
}

/* All that is asked must have the same borders: those of the longest bins. */
static unsigned shift_of_all(const struct aggregate *agg, const struct report *report,
	const struct steady *steady)
{
	static const enum metric_id asked[] = {
		METRIC_gpu_util_pct, METRIC_power_w, METRIC_sm_clock_mhz};
	unsigned shift = COURSE_SHIFT;

	for (size_t i = 0; i < 3 * agg->run->device_count; i++) {
		const struct series *series =
			series_heard(agg, report, steady->source, i / 3, asked[i % 3]);

		if (series && series->course->shift > shift)
			shift = series->course->shift;
	}
	return shift;
}

/* The bins of a course with a value that lie in the run, and not in silence, at least in
 * part. */
struct bins {
	size_t count;
	uint64_t at[COURSE_BINS]; /* in the course's memory */
	uint64_t end[COURSE_BINS]; /* each lasts to the next, or to a silent one before */
	size_t level[COURSE_BINS];
};

static struct stretch stretch_of(const struct course *course, uint64_t from, uint64_t to)
{
	return (struct stretch){
		course_border_ns(course, from), course_border_ns(course, to)};
}

static bool steady_is_silent(
	const struct course *course, const struct silence *silence, uint64_t at)
{
	return silence_around(silence, stretch_of(course, at, at + 1));
}

/* How many levels there are is returned. */
static size_t find_levels(const struct course *course, const struct report *report,
	const struct silence *silence, struct bins *bins)
{
	double x[COURSE_BINS];
	bool open = false; /* the last bin lasts so far */

	bins->count = 0;
	for (uint64_t i = 0; i < course->count; i++) {
		const struct course_bin *bin = &course->bin[i];
		struct stretch time = stretch_of(course, i, i + 1);

		if (time.from_ns > report->ended_ns || time.to_ns <= report->started_ns)
			continue;
		if (steady_is_silent(course, silence, i)) {
			open = false;
			continue;
		}
		if (bin->n) {
			x[bins->count] = number_ratio(bin->sum, (int128)bin->n);
			bins->at[bins->count++] = i;
			open = true;
		}
		if (open)
			bins->end[bins->count - 1] = i + 1;
	}
	return changes_levels(x, bins->count, bins->level);
}

/* How many of the bins [from, to), as far as there are, are at levels low to high. */
static size_t count_at(
	const struct bins *bins, size_t from, size_t to, size_t low, size_t high)
{
	size_t count = 0;

	for (size_t i = from; i < to && i < bins->count; i++)
		count += bins->level[i] >= low && bins->level[i] <= high;
	return count;
}

/* The first bin at such a level that enough of those from it on are, too; count: none. */
static size_t find_reached(const struct bins *bins, size_t low, size_t high)
{
	size_t i = 0;

	while (i < bins->count &&
		(!count_at(bins, i, i + 1, low, high) ||
			count_at(bins, i, i + 2 * STEADY_BINS, low, high) < STEADY_BINS))
		i++;
	return i;
}

/* Behind the last bin at the level that enough of those up to it are at, too; 0: none. */
static size_t find_left(const struct bins *bins, size_t level)
{
	size_t i = bins->count;

	while (i > 0 &&
		(bins->level[i - 1] != level ||
			count_at(bins, i > 2 * STEADY_BINS ? i - 2 * STEADY_BINS : 0, i,
				level, level) < STEADY_BINS))
		i--;
	return i;
}

/* Where a level is kept: of the bins [from, to) so many. */
struct stay {
	size_t level;
	size_t warm; /* where it, or a higher one, is first reached */
	size_t from, to, kept;
};

static struct stay find_stay(const struct bins *bins, size_t level)
{
	struct stay stay = {.level = level,
		.warm = find_reached(bins, level, SIZE_MAX),
		.from = find_reached(bins, level, level),
		.to = find_left(bins, level)};

	stay.kept = count_at(bins, stay.from, stay.to, level, level);
	return stay;
}

/* Of the level that is kept longest, of several the highest. False: see why_not. */
static bool choose_stay(
	const struct bins *bins, size_t levels, struct stay *stay, struct steady *steady)
{
	*stay = (struct stay){0};
	for (size_t level = 0; level < levels; level++) {
		struct stay other = find_stay(bins, level);

		if (other.kept >= stay->kept)
			*stay = other;
	}
	if (bins->count < STEADY_BINS)
		steady->why_not = "too few samples";
	else if (2 * stay->kept < bins->count)
		steady->why_not = "no level was held for half of the time";
	steady->found = !steady->why_not;
	return steady->found;
}

/* From the first value in the run to the last one. */
static struct stretch time_of(const struct course *course, const struct report *report)
{
	return (struct stretch){time_later(course->first_ns, report->started_ns),
		time_earlier(course->last_ns, report->ended_ns)};
}

/* For more than half of the time of the rows in the run. */
static bool is_mostly_silent(const struct silence *silence, const struct report *report)
{
	struct stretch time = {time_later(silence->rows.from_ns, report->started_ns),
		time_earlier(silence->rows.to_ns, report->ended_ns)};
	int128 silent_ns = 0;

	for (size_t i = 0; i < silence->any_count; i++)
		silent_ns += stretch_common_ns(&silence->any[i], &time);
	return 2 * silent_ns > (int128)time.to_ns - time.from_ns && silent_ns > 0;
}

/* The instant, or where the silence ends that it begins, or lies in. */
static int64_t heard_from(const struct silence *silence, int64_t t_ns)
{
	const struct stretch *s = silence_around(silence, (struct stretch){t_ns, t_ns});

	return s ? s->to_ns : t_ns;
}

/* The same backwards. */
static int64_t heard_to(const struct silence *silence, int64_t t_ns)
{
	const struct stretch *s = silence_around(silence, (struct stretch){t_ns, t_ns});

	return s ? s->from_ns : t_ns;
}

/* Neither before the first value nor behind the last one, nor out of the run; and not in
 * silence. */
static void set_times(const struct course *course, const struct bins *bins,
	const struct stay *stay, const struct silence *silence,
	const struct report *report, struct steady *steady)
{
	struct stretch time = time_of(course, report);
	int64_t begin_ns = heard_from(silence, time.from_ns);
	int64_t from_ns = course_border_ns(course, bins->at[stay->from]);
	int64_t to_ns = course_border_ns(course, bins->end[stay->to - 1]);
	int64_t warm_ns = course_border_ns(course, bins->at[stay->warm]);

	warm_ns = heard_from(silence, time_later(warm_ns, begin_ns));
	steady->from_ns = heard_from(silence, time_later(from_ns, begin_ns));
	steady->to_ns = heard_to(silence, time_earlier(to_ns, time.to_ns));
	steady->from_s = report_second(report, steady->from_ns);
	steady->to_s = report_second(report, steady->to_ns);
	steady->warm_up_s = seconds(begin_ns, warm_ns);
	steady->coverage = silence_coverage(
		silence, (struct stretch){steady->from_ns, steady->to_ns});
}

/* kept[number, from the origin]: at the level. */
static void find_kept(const struct course *course, const struct bins *bins,
	const struct stay *stay, bool *kept)
{
	for (size_t i = stay->from; i < stay->to; i++)
		for (uint64_t at = bins->at[i]; at < bins->end[i]; at++)
			kept[course->first + at] = bins->level[i] == stay->level;
}

/* The same as stretches of time. */
static void list_kept(
	const struct course *course, const bool *kept, struct steady *steady)
{
	size_t cap = 0;

	for (uint64_t at = 0; at < course->count; at++) {
		struct stretch bin = stretch_of(course, at, at + 1);

		if (!kept[course->first + at])
			continue;
		if (steady->kept_count &&
			steady->kept[steady->kept_count - 1].to_ns == bin.from_ns) {
			steady->kept[steady->kept_count - 1].to_ns = bin.to_ns;
			continue;
		}
		ALLOC_NEXT(steady->kept, steady->kept_count, cap) =
			(struct kept_stretch){bin.from_ns, bin.to_ns};
	}
}

/* What lies between at other levels, or in silence. */
static void set_interruptions(const struct course *course, const struct bins *bins,
	const struct stay *stay, const struct silence *silence,
	const struct report *report, struct steady *steady)
{
	struct stretch whole = {steady->from_ns, steady->to_ns};
	bool kept[COURSE_BINS] = {false}, apart[COURSE_BINS] = {false};
	size_t count = 0, pieces;
	struct stretch *other =
		xcalloc(bins->count + silence->any_count + 1, sizeof *other);
	int128 ns = 0;

	for (size_t i = stay->from; i < stay->to; i++)
		if (bins->level[i] != stay->level) {
			other[count++] = stretch_of(course, bins->at[i], bins->end[i]);
			apart[course->first + bins->at[i]] = true;
		}
	find_kept(course, bins, stay, kept);
	for (size_t i = 0; i < silence->any_count; i++)
		if (stretch_common_ns(&silence->any[i], &whole) > 0)
			other[count++] = silence->any[i];
	pieces = stretches_join(other, count);
	for (size_t i = 0; i < pieces; i++)
		ns += stretch_common_ns(&other[i], &whole);
	steady->interruptions = pieces;
	steady->interrupted_s = number_ratio(ns, NS_PER_S);
	interruptions_list(steady, other, pieces,
		&(struct interruptions){course, kept, apart, silence, report});
	free(other);
}

/* Its plain mean power; NAN: not known for as much of the state as numbers need. */
static double power_of(const struct series *metric, const struct series *power,
	const bool *kept, unsigned shift)
{
	struct course at = course_in_bins(metric->course, shift);
	struct course watts = course_in_bins(power->course, shift);
	double samples = (double)course_sum(&at, kept).n;
	double mean = course_mean(&watts, kept, metric_get(METRIC_power_w)->per_unit);

	if ((double)course_sum(&watts, kept).n < COVERAGE_MIN * samples)
		mean = NAN;
	course_release(&at);
	course_release(&watts);
	return mean;
}

/* The sum of the GPUs' plain means; NAN: that of one is not known. */
static double total_of(const struct aggregate *agg, const struct report *report,
	const struct steady *steady, const bool *kept, unsigned shift)
{
	double total = 0;

	for (size_t i = 0; i < agg->run->device_count; i++) {
		const struct series *metric, *power;

		if (agg->run->device[i].kind != DEVICE_GPU ||
			!report_counts_gpu(report, i))
			continue;
		metric = series_heard(agg, report, steady->source, i, steady->metric);
		power = series_heard(agg, report, steady->source, i, METRIC_power_w);
		if (!metric || !power)
			return NAN;
		total += power_of(metric, power, kept, shift);
	}
	return total;
}

/* Where there is a level that the GPUs kept, it must not be that of doing nothing. */
static void find(const struct aggregate *agg, const struct report *report,
	const struct course *util, const struct course *by, const struct silence *silence,
	struct steady *steady)
{
	struct steady level = *steady;
	bool kept[COURSE_BINS] = {false};
	struct stretch time = time_of(by, report);
	struct bins bins;
	struct stay stay;
	size_t levels = find_levels(by, report, silence, &bins);

	if (is_mostly_silent(silence, report)) {
		steady->why_not = "a GPU has no values for half of the time";
		return;
	}
	if (!choose_stay(&bins, levels, &stay, &level)) {
		steady->why_not = level.why_not;
		return;
	}
	if (!silence->known) {
		steady->why_not = "unknown when the GPUs were recorded";
		return;
	}
	if (seconds(time.from_ns, time.to_ns) < FIGURE_SPAN_MIN_S) {
		steady->why_not = "too short a recording";
		return;
	}
	set_times(by, &bins, &stay, silence, report, &level);
	set_interruptions(by, &bins, &stay, silence, report, &level);
	find_kept(by, &bins, &stay, kept);
	level.gpu_util_mean_pct =
		course_mean(util, kept, metric_get(METRIC_gpu_util_pct)->per_unit);
	if (level.gpu_util_mean_pct < IDLE_PCT) {
		free(level.interruption);
		steady->why_not = "the GPUs idled for half of the time or more";
		return;
	}
	level.power_total_mean_w = total_of(agg, report, &level, kept, by->shift);
	drift_find(agg, report, kept, by->shift, &level);
	list_kept(by, kept, &level);
	*steady = level;
}

void steady_report(const struct aggregate *agg, struct report *report)
{
	struct steady *steady = &report->steady;
	struct course util, power;
	struct silence silence;
	unsigned shift;

	if (!choose_source(agg, report, METRIC_gpu_util_pct, steady) &&
		!choose_source(agg, report, METRIC_power_w, steady)) {
		steady->why_not = "no GPU utilization and no power over time";
		return;
	}
	shift = shift_of_all(agg, report, steady);
	util = course_of_all(agg, report, steady, METRIC_gpu_util_pct, shift);
	power = course_of_all(agg, report, steady, METRIC_power_w, shift);
	silence_find(&silence, agg, report, steady->source, steady->metric);
	find(agg, report, &util, steady->metric == METRIC_power_w ? &power : &util,
		&silence, steady);
	silence_release(&silence);
	course_release(&util);
	course_release(&power);
}
