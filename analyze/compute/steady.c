/*
 * The steady state of a run: the longest stretch in which the GPUs keep their level, once
 * warm. Chooses the courses, lays them over one another and has them cut; what a change
 * is, changes.c knows. README.md, "Steady state".
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/changes.h"
#include "compute/state.h"

/* A piece of fewer bins with a value is not a state. */
#define STEADY_BINS 10

/* GPUs that are used less, in per cent, idle: a tail of that is no steady state. */
#define IDLE_PCT 5

/* NULL: no value of that metric has a time. */
static const struct course *course_of(const struct aggregate *agg, enum source_kind kind,
	size_t device, enum metric_id metric)
{
	const struct source_state *source = &agg->source[kind];
	const struct series *series = NULL;

	if (device < source->device_count && source->device[device])
		series = source->device[device]->series[metric];
	return series && series->course && series->course->count ? series->course : NULL;
}

/* Of how many GPUs that count a kind of log has the metric. */
static size_t gpus_with(const struct aggregate *agg, const struct report *report,
	enum source_kind kind, enum metric_id metric)
{
	size_t gpus = 0;

	for (size_t i = 0; i < agg->run->device_count; i++)
		gpus += agg->run->device[i].kind == DEVICE_GPU &&
			report_counts_gpu(report, i) && course_of(agg, kind, i, metric);
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
		const struct course *course = course_of(agg, steady->source, i, metric);

		if (course && agg->run->device[i].kind == DEVICE_GPU &&
			report_counts_gpu(report, i))
			course_merge(&all, course);
	}
	return all;
}

/* The bins with a value, as numbers of the course, and their means in quanta. */
static size_t levels_of(const struct course *course, uint64_t *bin, double *level)
{
	size_t count = 0;

	for (uint64_t i = 0; i < course->count; i++) {
		if (!course->bin[i].n)
			continue;
		bin[count] = i;
		level[count++] =
			number_ratio(course->bin[i].sum, (int128)course->bin[i].n);
	}
	return count;
}

/* The longest piece, if it is long enough, and the time of the bins that it begins at and
 * ends before. */
static bool find_piece(const struct course *course, struct steady *steady)
{
	size_t size = (size_t)course->count + 1, count, pieces, longest = 0, first = 0;
	uint64_t *bin = xcalloc(size, sizeof *bin);
	double *level = xcalloc(size, sizeof *level);
	size_t *begin = xcalloc(size, sizeof *begin);

	count = levels_of(course, bin, level);
	pieces = changes_find(level, count, begin);
	begin[pieces] = count;
	bin[count] = course->count;
	for (size_t i = 0; i < pieces; i++)
		if (begin[i + 1] - begin[i] > longest) {
			longest = begin[i + 1] - begin[i];
			first = begin[i];
		}
	if (count < STEADY_BINS)
		steady->why_not = "too few samples";
	else if (longest < STEADY_BINS || 2 * longest < count)
		steady->why_not = "no level was held for half of the time";
	steady->found = !steady->why_not;
	if (steady->found) {
		steady->from_ns = course_border_ns(course, bin[first]);
		steady->to_ns = course_border_ns(course, bin[first + longest]);
		steady->warm_up_s = number_ratio(
			(int128)steady->from_ns - course_border_ns(course, bin[0]),
			NS_PER_S);
	}
	free(bin);
	free(level);
	free(begin);
	return steady->found;
}

/* The plain mean over the samples of all GPUs; NAN: there is none. */
static double mean_within(
	const struct course *course, const struct steady *steady, enum metric_id metric)
{
	struct course_bin all = course_within(course, steady->from_ns, steady->to_ns);

	return all.n ? number_ratio(all.sum, (int128)all.n * metric_get(metric)->per_unit)
		     : NAN;
}

/* The sum of the GPUs' plain means; NAN: that of one is not known. */
static double total_within(const struct aggregate *agg, const struct report *report,
	const struct steady *steady, enum metric_id metric, unsigned shift)
{
	double total = 0;

	for (size_t i = 0; i < agg->run->device_count; i++) {
		const struct course *course;
		struct course wide;

		if (agg->run->device[i].kind != DEVICE_GPU ||
			!report_counts_gpu(report, i))
			continue;
		course = course_of(agg, steady->source, i, metric);
		if (!course)
			return NAN;
		course_init(&wide, course->origin_ns, COURSE_BINS);
		course_widen(&wide, shift);
		course_merge(&wide, course);
		total += mean_within(&wide, steady, metric);
		course_release(&wide);
	}
	return total;
}

static double since_start(const struct report *report, int64_t t_ns)
{
	return number_ratio((int128)t_ns - report->started_ns, NS_PER_S);
}

static void fill(const struct aggregate *agg, const struct report *report, unsigned shift,
	double util_pct, struct steady *steady)
{
	steady->from_s = since_start(report, steady->from_ns);
	steady->to_s = since_start(report, steady->to_ns);
	steady->gpu_util_mean_pct = util_pct;
	steady->power_total_mean_w =
		total_within(agg, report, steady, METRIC_power_w, shift);
}

/* Where there is a level that the GPUs kept, it must not be that of doing nothing. */
static void find(const struct aggregate *agg, const struct report *report,
	const struct course *util, const struct course *by, struct steady *steady)
{
	struct steady piece = *steady;
	double util_pct;

	if (!find_piece(by, &piece)) {
		steady->why_not = piece.why_not;
		return;
	}
	util_pct = mean_within(util, &piece, METRIC_gpu_util_pct);
	if (util_pct < IDLE_PCT) {
		steady->why_not = "the GPUs idled for half of the time";
		return;
	}
	fill(agg, report, by->shift, util_pct, &piece);
	*steady = piece;
}

void steady_report(const struct aggregate *agg, struct report *report)
{
	struct steady *steady = &report->steady;
	struct course util, power;

	if (!choose_source(agg, report, METRIC_gpu_util_pct, steady) &&
		!choose_source(agg, report, METRIC_power_w, steady)) {
		steady->why_not = "no GPU utilisation and no power over time";
		return;
	}
	/* All that is asked must have the same borders. */
	util = course_of_all(agg, report, steady, METRIC_gpu_util_pct, COURSE_SHIFT);
	power = course_of_all(agg, report, steady, METRIC_power_w, util.shift);
	course_widen(&util, power.shift);
	find(agg, report, &util, steady->metric == METRIC_power_w ? &power : &util,
		steady);
	course_release(&util);
	course_release(&power);
}
