/* A line through each course, or the one step that fits it better. */
#include "compute/report/drift.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/numbers/shift.h"
#include "compute/report/silence.h"

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

/* The mean utilisation of a GPU in the kept bins of these numbers; NAN: not known. */
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

void drift_find(const struct aggregate *agg, const struct report *report,
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
