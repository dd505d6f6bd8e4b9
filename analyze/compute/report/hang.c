/* Finds hangs in the courses of a GPU's metrics, and the GPUs that hang together. */
#include "compute/report/hang.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/numbers/rank.h"
#include "compute/report/evidence.h"

/* A kernel runs all the time, but for what the sampling of nvidia-smi misses. */
#define PINNED_PCT 95

/* A GPU that is used more is at work, unless the other metrics say otherwise. */
#define AT_WORK_PCT 50

/* The level of work is one that was reached for so long, by so many rows. */
#define LEVEL_NS   (60 * NS_PER_S)
#define LEVEL_ROWS 3

/* Shares of time that work itself does not raise above this tell nothing when they fall.
 */
#define LEVEL_LEAST_PCT 10

/*
 * Far below the level of work. A small GPU takes more of its power while a kernel spins;
 * where memory is seen to stand still, that is low, too.
 */
#define LOW_SHARE   0.5
#define STILL_SHARE 0.75
#define STILL_PCT   2

/* A clock that falls as well is a GPU that is held back, and works on slowly. */
#define CLOCK_SHARE 0.7

#define HANG_BINS 3

/* What tells a hang, and what only raises a suspicion. */
struct strictness {
	double low; /* of the level of work */
	double flat; /* a kernel that waits takes the same power all the time: of that
		      * level
		      */
	double util_pct; /* the median */
	int64_t least_ns; /* shorter, it may be a pause at a barrier */
};

static const struct strictness sure = {LOW_SHARE, 0.1, 98, 120 * NS_PER_S};
static const struct strictness maybe = {0.6, 0.03, 99.5, 60 * NS_PER_S};

/* Work that goes on for so long shows that it was no hang. */
#define GOES_ON_NS (30 * NS_PER_S)

/* What holds less than this of its memory was started anew. */
#define FREED_SHARE 0.5

/*
 * A hang begins in work, within so many bins, or after a pause such as a checkpoint if
 * the same memory is held. What comes behind idle time, or holds other memory, is another
 * program, or another part of it.
 */
#define COMES_BINS  3
#define PAUSE_NS    (60 * NS_PER_S)
#define OTHER_SHARE 0.25

/* Who waited before and went on waits once more: a hang lasts so many times longer. */
#define ENDED_TIMES 2

/* GPUs whose hangs begin within so long hang together. */
#define TOGETHER_NS (30 * NS_PER_S)

static const enum metric_id metrics[HANG_METRICS] = {METRIC_power_w,
	METRIC_power_average_w, METRIC_power_instant_w, METRIC_sm_active_pct,
	METRIC_tensor_active_pct, METRIC_dram_active_pct, METRIC_mem_util_pct};

#define POWERS 3 /* of these are in watts */
#define MEMORY 5 /* from here on they are of memory */

size_t hang_metric(enum metric_id metric)
{
	size_t i = 0;

	while (i < HANG_METRICS && metrics[i] != metric)
		i++;
	return i;
}

enum metric_id hang_metric_at(size_t place)
{
	return metrics[place];
}

/* What a GPU's log has over time: its bins with a utilization. */
struct points {
	size_t count;
	uint64_t rows; /* in all bins together */
	int64_t length_ns, spacing_ns; /* of a bin; from one bin with rows to the next */
	int64_t origin_ns, last_ns;
	uint64_t number[COURSE_BINS]; /* of the bin, from the origin */
	double util[COURSE_BINS];
	double value[HANG_METRICS][COURSE_BINS]; /* NAN */
	double clock[COURSE_BINS], memory[COURSE_BINS]; /* NAN */
	double level[HANG_METRICS]; /* of work; NAN: it tells nothing */
	const struct strictness *by;
};

static void take_values(double *value, const struct points *points,
	const struct series *series, enum metric_id metric, unsigned shift)
{
	struct course_bin bin = {0};

	for (size_t i = 0; i < points->count; i++) {
		if (series)
			bin = course_bin_at(series->course, shift, points->number[i]);
		value[i] = bin.n ? number_ratio(bin.sum,
					   (int128)bin.n * metric_get(metric)->per_unit)
				 : NAN;
	}
}

static void take_util(struct points *points, const struct series *util, unsigned shift)
{
	struct course course = course_in_bins(util->course, shift);
	uint64_t span;

	points->count = points->rows = 0;
	for (uint64_t i = 0; i < course.count; i++)
		if (course.bin[i].n) {
			points->number[points->count++] = course.first + i;
			points->rows += course.bin[i].n;
		}
	span = points->number[points->count - 1] - points->number[0];
	points->length_ns = (int64_t)1 << shift;
	points->spacing_ns = points->count > 1
		? (int64_t)((int128)span * points->length_ns /
			  (int128)(points->count - 1))
		: points->length_ns;
	points->origin_ns = course.origin_ns;
	points->last_ns = course.last_ns;
	course_release(&course);
	take_values(points->util, points, util, METRIC_gpu_util_pct, shift);
}

/* What was reached for a minute at work; NAN: it tells nothing. */
static double level_of(const struct points *points, size_t metric)
{
	size_t least = (size_t)(LEVEL_NS / points->spacing_ns) + 1, count = 0;
	double value[COURSE_BINS];

	for (size_t i = 0; i < points->count; i++)
		if (points->util[i] >= AT_WORK_PCT && !isnan(points->value[metric][i]))
			value[count++] = points->value[metric][i];
	if (least * points->rows < LEVEL_ROWS * points->count)
		least = LEVEL_ROWS;
	if (count < least)
		return NAN;
	sort_double(value, count);
	return metric >= POWERS && value[count - least] < LEVEL_LEAST_PCT
		? (double)NAN
		: value[count - least];
}

/* The part of the level of work up to which a metric is low. */
static double low_share(const struct points *points, size_t i, size_t metric)
{
	double share = points->by->low;

	if (metric >= POWERS)
		return LOW_SHARE;
	for (size_t m = MEMORY; m < HANG_METRICS; m++)
		if (!isnan(points->value[m][i] / points->level[m]))
			share = points->value[m][i] <= STILL_PCT ? STILL_SHARE
								 : LOW_SHARE;
	return share;
}

/* All that is known of the bin but its utilization speaks against work. */
static bool is_down(const struct points *points, size_t i)
{
	bool any = false;

	for (size_t m = 0; m < HANG_METRICS; m++) {
		double share = points->value[m][i] / points->level[m];

		if (isnan(share))
			continue;
		if (share > low_share(points, i, m))
			return false;
		any = true;
	}
	return any;
}

/* ... and a kernel runs: all the time, but for a single bin between others. */
static bool is_low(const struct points *points, size_t i)
{
	bool between = i > 0 && i + 1 < points->count &&
		points->util[i - 1] >= PINNED_PCT && points->util[i + 1] >= PINNED_PCT;

	return is_down(points, i) &&
		points->util[i] >= (between ? AT_WORK_PCT : PINNED_PCT);
}

static bool is_at_work(const struct points *points, size_t i)
{
	for (size_t m = 0; m < HANG_METRICS; m++)
		if (points->value[m][i] / points->level[m] > low_share(points, i, m))
			return points->util[i] >= AT_WORK_PCT;
	return false;
}

static double median_in(const double *value, size_t from, size_t to)
{
	double known[COURSE_BINS];
	size_t count = 0;

	for (size_t i = from; i < to; i++)
		if (!isnan(value[i]))
			known[count++] = value[i];
	return count ? median_of(known, count) : (double)NAN;
}

/* Over the bins at work. */
static double median_at_work(const struct points *points, const double *value)
{
	double known[COURSE_BINS];
	size_t count = 0;

	for (size_t i = 0; i < points->count; i++)
		if (is_at_work(points, i) && !isnan(value[i]))
			known[count++] = value[i];
	return count ? median_of(known, count) : (double)NAN;
}

/* Of each power nine of ten bins are near to one another. */
static bool is_flat(const struct points *points, size_t from, size_t to)
{
	double known[COURSE_BINS];

	for (size_t m = 0; m < POWERS; m++) {
		size_t count = 0, tenth;

		for (size_t i = from; i < to; i++)
			if (!isnan(points->value[m][i]))
				known[count++] = points->value[m][i];
		sort_double(known, count);
		tenth = count / 20;
		if (count &&
			known[count - 1 - tenth] - known[tenth] >
				points->by->flat * points->level[m])
			return false;
	}
	return true;
}

/* Did the same process work on behind bins that are low? */
static bool goes_on(const struct points *points, size_t from, size_t to)
{
	double memory = median_in(points->memory, from, to);
	int64_t on_ns = 0;

	for (size_t i = to; i < points->count; i++) {
		if (points->memory[i] < FREED_SHARE * memory)
			return false;
		if (is_at_work(points, i))
			on_ns += points->spacing_ns;
		if (on_ns >= GOES_ON_NS)
			return true;
	}
	return false;
}

/* Did the GPU work until these bins, and hold the memory that it holds in them? */
static bool comes_from_work(const struct points *points, size_t from, size_t to)
{
	double memory = median_in(points->memory, from, to);
	size_t within = COMES_BINS;

	if (!isnan(memory) && (int64_t)within * points->spacing_ns < PAUSE_NS)
		within = (size_t)(PAUSE_NS / points->spacing_ns);
	for (size_t i = from; i-- > 0 && i + within >= from;)
		if (is_at_work(points, i))
			return !(fabs(points->memory[i] - memory) > OTHER_SHARE * memory);
	return false;
}

/* Of the bins [from, to), which are low: does a kernel wait in them? Work may be in the
 * outer ones, too. */
static bool is_wait(const struct points *points, size_t from, size_t to)
{
	double clock = median_in(points->clock, from, to);
	size_t outer = to - from > HANG_BINS;

	return is_flat(points, from + outer, to - outer) &&
		!(clock < CLOCK_SHARE * median_at_work(points, points->clock));
}

/* ... behind which no work goes on. */
static bool is_hang(const struct points *points, size_t from, size_t to)
{
	return (int64_t)(to - from) * points->spacing_ns >= points->by->least_ns &&
		median_in(points->util, from, to) >= points->by->util_pct &&
		comes_from_work(points, from, to) && is_wait(points, from, to);
}

static int64_t border_ns(const struct points *points, size_t i)
{
	return points->origin_ns + (int64_t)points->number[i] * points->length_ns;
}

/* Of a bin between two levels the part that is at the first; 0 to 1. */
static double part_before(double value, double before, double after)
{
	double part = (value - after) / (before - after);

	return part > 0 ? fmin(part, 1) : 0;
}

/*
 * The bins [from, to): a bin in which the hang begins, or ends, has both levels in the
 * proportion of their times.
 */
static void set_times(
	struct hang *hang, const struct points *points, size_t from, size_t to)
{
	double length = (double)points->length_ns, before = 0;
	size_t m = 0;

	while (m + 1 < HANG_METRICS && isnan(hang->busy[m]))
		m++;
	for (size_t i = from > 0 ? from - 1 : 0; i <= from; i++)
		if (points->number[from] - points->number[i] < 2 &&
			points->util[i] >= AT_WORK_PCT && !isnan(points->value[m][i]))
			before += (i < from) -
				part_before(
					points->value[m][i], hang->busy[m], hang->low[m]);
	hang->from_ns = border_ns(points, from) - (int64_t)(before * length);
	if (to >= points->count) {
		hang->to_ns = points->last_ns;
		return;
	}
	hang->to_ns = border_ns(points, to - 1) + points->length_ns;
	if (to + 1 < points->count && points->number[to] - points->number[to - 1] == 1)
		hang->to_ns += (int64_t)(length *
			part_before(
				points->util[to], hang->util_pct, points->util[to + 1]));
}

static void set_hang(
	struct hang *hang, const struct points *points, size_t from, size_t to)
{
	hang->found = true;
	hang->util_pct = median_in(points->util, from, to);
	for (size_t m = 0; m < HANG_METRICS; m++) {
		hang->low[m] = hang->busy[m] = NAN;
		if (isnan(points->level[m]))
			continue;
		hang->low[m] = median_in(points->value[m], from, to);
		hang->busy[m] = median_at_work(points, points->value[m]);
	}
	set_times(hang, points, from, to);
}

/* The waits that ended. */
struct waits {
	size_t bins;
	double levels; /* the sum of the bins' shares of the level of work */
};

/* The first metric that tells, as a share of its level of work; a low bin has one. */
static double level_share(const struct points *points, size_t i)
{
	size_t m = 0;

	while (m + 1 < HANG_METRICS && isnan(points->value[m][i] / points->level[m]))
		m++;
	return points->value[m][i] / points->level[m];
}

static void add_wait(
	struct waits *waits, const struct points *points, size_t from, size_t to)
{
	waits->bins += to - from;
	for (size_t i = from; i < to; i++)
		waits->levels += level_share(points, i);
}

/* The longest that is longer than all waits which ended. */
static bool find_in(
	const struct points *points, size_t *start, size_t *end, struct waits *waits)
{
	size_t best_from = 0, best_to = 0, ended = 0;

	*waits = (struct waits){0};
	for (size_t from = 0, to; from < points->count; from = to + 1) {
		for (to = from; to < points->count && is_low(points, to); to++)
			;
		if (to - from >= HANG_BINS && goes_on(points, from, to)) {
			ended = to - from > ended ? to - from : ended;
			if (is_wait(points, from, to))
				add_wait(waits, points, from, to);
		} else if (to - from >= HANG_BINS && to - from > best_to - best_from &&
			is_hang(points, from, to)) {
			best_from = from;
			best_to = to;
		}
	}
	*start = best_from;
	*end = best_to;
	return best_to - best_from > ENDED_TIMES * ended;
}

static double seconds_of(const struct points *points, size_t bins)
{
	return number_ratio((int128)bins * points->spacing_ns, NS_PER_S);
}

static double seconds(const struct hang *hang)
{
	return number_ratio((int128)hang->to_ns - hang->from_ns, NS_PER_S);
}

/* As long as the hang's own times say, but below what makes it one. */
static double find_brief(const struct hang *hang, struct points *points)
{
	struct strictness brief = sure;
	struct hang one = *hang;
	struct waits waits;
	size_t from, to;

	brief.least_ns = 0;
	points->by = &brief;
	if (!find_in(points, &from, &to, &waits))
		return 0;
	set_hang(&one, points, from, to);
	return seconds(&one) < number_ratio(sure.least_ns, NS_PER_S)
		? seconds(&one)
		: seconds_of(points, to - from);
}

static void find(struct hang *hang, struct points *points)
{
	size_t from, to;
	struct waits waits;

	points->by = &sure;
	if (find_in(points, &from, &to, &waits))
		set_hang(hang, points, from, to);
	hang->waited_s = seconds_of(points, waits.bins);
	hang->waited_level = waits.levels / (double)waits.bins; /* NAN: none */
	if (!hang->found)
		hang->brief_s = find_brief(hang, points);
	points->by = &maybe;
	if (!hang->found && find_in(points, &from, &to, &waits))
		hang->maybe_s = seconds_of(points, to - from);
}

static void judge(struct hang *hang, const struct aggregate *agg,
	const struct report *report, uint32_t device)
{
	const struct series *util = NULL, *clock, *memory, *of[HANG_METRICS];
	struct points *points;
	unsigned shift;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && !hang->judged;
		kind++) {
		util = series_heard(agg, report, kind, device, METRIC_gpu_util_pct);
		for (size_t m = 0; m < HANG_METRICS; m++) {
			of[m] = series_heard(agg, report, kind, device, metrics[m]);
			hang->judged |= util && of[m];
		}
		hang->source = kind;
	}
	if (!hang->judged)
		return;
	clock = series_heard(agg, report, hang->source, device, METRIC_sm_clock_mhz);
	memory = series_heard(agg, report, hang->source, device, METRIC_mem_used_mib);
	shift = util->course->shift;
	for (size_t m = 0; m < HANG_METRICS; m++)
		if (of[m] && of[m]->course->shift > shift)
			shift = of[m]->course->shift;
	points = xmalloc(sizeof *points);
	take_util(points, util, shift);
	take_values(points->clock, points, clock, METRIC_sm_clock_mhz, shift);
	take_values(points->memory, points, memory, METRIC_mem_used_mib, shift);
	for (size_t m = 0; m < HANG_METRICS; m++) {
		take_values(points->value[m], points, of[m], metrics[m], shift);
		points->level[m] = level_of(points, m);
		hang->has[m] = !isnan(points->level[m]);
	}
	find(hang, points);
	free(points);
}

/* The first power that is known, over the hang. */
static double energy_of(const struct hang *hang)
{
	for (size_t m = 0; m < POWERS; m++)
		if (!isnan(hang->low[m]))
			return hang->low[m] * seconds(hang);
	return NAN;
}

/* What is said of a group is the same for each of its GPUs. */
static void unite(struct hang *hang, const size_t *member, size_t count)
{
	struct hang all = hang[member[0]];

	all.util_pct = all.gpu_seconds = all.energy_j = 0;
	memset(all.low, 0, sizeof all.low);
	memset(all.busy, 0, sizeof all.busy);
	for (size_t i = 0; i < count; i++) {
		const struct hang *one = &hang[member[i]];

		all.from_ns = time_earlier(all.from_ns, one->from_ns);
		all.to_ns = time_later(all.to_ns, one->to_ns);
		all.util_pct += one->util_pct / (double)count;
		all.gpu_seconds += one->own_s;
		all.energy_j += energy_of(one);
		for (size_t m = 0; m < HANG_METRICS; m++) {
			all.low[m] += one->low[m] / (double)count;
			all.busy[m] += one->busy[m] / (double)count;
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct hang *one = &hang[member[i]];
		struct hang own = *one;

		*one = all;
		one->source = own.source;
		one->own_s = all.gpu_seconds / (double)count;
		one->others = count - 1;
		memcpy(one->has, own.has, sizeof one->has);
	}
}

static void group(struct hang *hang, size_t devices)
{
	size_t *member = xcalloc(devices + 1, sizeof *member);
	bool *done = xcalloc(devices + 1, sizeof *done);

	for (size_t i = 0; i < devices; i++)
		hang[i].own_s = hang[i].found ? seconds(&hang[i]) : 0;
	for (size_t i = 0; i < devices; i++) {
		size_t count = 0;
		int64_t from_ns = hang[i].from_ns;

		if (!hang[i].found || done[i])
			continue;
		for (size_t k = i; k < devices; k++)
			if (hang[k].found && !done[k] &&
				llabs(hang[k].from_ns - from_ns) <= TOGETHER_NS) {
				member[count++] = k;
				done[k] = true;
			}
		unite(hang, member, count);
	}
	free(member);
	free(done);
}

struct hang *hangs_find(const struct aggregate *agg, const struct report *report)
{
	size_t devices = agg->run->device_count;
	struct hang *hang = xcalloc(devices + 1, sizeof *hang);

	for (size_t i = 0; i < devices; i++)
		judge(&hang[i], agg, report, (uint32_t)i);
	group(hang, devices);
	return hang;
}
