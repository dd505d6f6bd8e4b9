/*
 * The values of one metric of one device, for any kind of metric. Only this module
 * knows which kind has which arithmetic.
 */
#ifndef COMPUTE_SERIES_SERIES_H
#define COMPUTE_SERIES_SERIES_H

#include "compute/series/counter.h"
#include "compute/series/course.h"
#include "model/report.h"

/*
 * Statistics of one metric of one device: gauges (value at an instant) and interval
 * averages (mean since the sample before). README.md, "One metric of one device".
 */

/* Between the rows of a device in a log without times. */
#define UNTIMED_STEP_NS NS_PER_S

/* What each value touches stands together: in many phases there are many gauges. */
struct gauge {
	enum metric_id metric;
	bool interval_average; /* the value describes the time since the sample before */
	bool with_above;
	bool means_only; /* of the values it is only wanted how many there are */
	bool limit_known; /* the gap limit was, when the rows came */
	bool has_ends; /* it looks at all of the time: values came by gauge_follow, so
			  that first and prev are defined */
	uint64_t n; /* values */
	struct extreme least, largest; /* n > 0 */
	struct slices slices;
	struct tally values;
	uint64_t missing;
	int64_t threshold[ABOVE_COUNT]; /* above_threshold in quanta */
	int64_t first;
	int64_t prev_ns, prev; /* the last value and its time */
	int64_t before_ns, before; /* the one before it; the same, if there is none */
	int32_t prev_segment;
	int prev_band;
};

void gauge_init(struct gauge *g, enum metric_id metric);
void gauge_release(struct gauge *g);

/*
 * A value in quanta at a time of a segment, of which only the slice is asked that ends
 * with it: true, and it is in *ended.
 */
bool gauge_follow(struct gauge *g, int64_t t_ns, int32_t segment, int64_t value,
	struct slice *ended);

/* How many thresholds a value reaches: what stays on one counts for ">=" and not for
 * "> 0". */
static inline int gauge_band(const struct gauge *g, int64_t value)
{
	int band = value > g->threshold[ABOVE_0];

	for (int i = ABOVE_0 + 1; i < ABOVE_COUNT; i++)
		band += value >= g->threshold[i];
	return band;
}

/* A value into the sums, but for the tally of the values. */
static inline void gauge_count(
	struct gauge *g, int64_t t_ns, int32_t segment, int64_t value)
{
	const struct extreme here = {value, t_ns, segment};

	extreme_least(&g->least, g->n > 0, &here);
	extreme_largest(&g->largest, g->n > 0, &here);
	g->n++;
}

/* A value into the sums. */
static inline void gauge_value(
	struct gauge *g, int64_t t_ns, int32_t segment, int64_t value)
{
	if (g->means_only) {
		g->n++;
		return;
	}
	gauge_count(g, t_ns, segment, value);
	tally_add(&g->values, value, 1);
}

/* The time of a piece of a slice that crosses thresholds. */
void gauge_cross(const struct gauge *g, struct slice_sum *sum, const struct slice *slice,
	const struct slice_piece *piece);

/* The time of a piece of a slice by thresholds, of a gauge with_above. */
static inline void gauge_cover_bands(const struct gauge *g, struct slice_sum *sum,
	const struct slice *slice, const struct slice_piece *piece)
{
	if (slice->from_band == slice->to_band)
		sum->band[slice->to_band] +=
			(int128)(piece->to_ns - piece->from_ns) * ABOVE_FRACTION;
	else
		gauge_cross(g, sum, slice, piece);
}

/*
 * A piece of a slice, and twice the integral over it (slice_area_to); slices up to
 * short_ns can't be gaps.
 */
static inline void gauge_cover(struct gauge *g, const struct slice *slice,
	const struct slice_piece *piece, int128 area, int64_t short_ns)
{
	struct slice_sum *sum =
		slices_at(&g->slices, slice->to_ns - slice->from_ns, short_ns);

	sum->count += piece->from_ns == slice->from_ns;
	sum->time_ns += piece->to_ns - piece->from_ns;
	sum->area += area;
	if (g->with_above)
		gauge_cover_bands(g, sum, slice, piece);
}

/*
 * Fills all statistics. Where nothing is covered the mean is that of the samples, of a
 * gauge that looks at some of the time unknown. limit_ns: the gap limit, -1 if no gap can
 * be told (then nothing is covered). step_ns: the interval that UNTIMED_STEP_NS stands
 * for in a log without times, 0 if it is unknown; -1: the log has times. Frees the tally.
 */
void gauge_finish(
	struct gauge *g, int64_t limit_ns, int64_t step_ns, struct metric_stats *stats);

/*
 * States: the time in each state. A value holds until the next row. A row without the
 * value ends the state, and the time after it is not covered. README.md, "States".
 */

/* Distinct values that are told apart; all further ones are one. */
#define STATES_MAX 1024

struct state_sum {
	int64_t value;
	uint64_t n;
	int128 near_ns; /* slices that can't be gaps */
	struct slices far; /* the longer ones */
};

struct states {
	enum metric_id metric;
	uint64_t n, missing;
	bool open; /* the last row had a value, and it holds */
	int64_t prev_ns;
	size_t held; /* the state of the last row's value */
	int32_t prev_segment;
	size_t at; /* the state that was asked for last */
	struct state_sum *sum;
	size_t count, cap;
};

struct series {
	enum metric_kind kind;
	union {
		struct gauge gauge; /* GAUGE, SHARE */
		struct counter counter; /* COUNTER */
		struct states states; /* STATE, FLAGS */
	};
	struct course *course; /* of a GAUGE; NULL: not wanted, or no times */
	struct steps
		*steps; /* ... that may be gaps in it, GAPS_LISTED at most; of LEVEL */
	struct course *tail; /* its last minute; the same */
};

struct series *series_new(enum metric_id metric); /* not TICKS */
void series_free(struct series *series); /* NULL is fine */

/*
 * Keeps the value over time, too, from the time of the source's first row on, and how it
 * ends, if the metric is one of which that is wanted.
 */
void series_keep_course(struct series *series, enum metric_id metric, int64_t origin_ns);

/* Where a row stands: its time, and how long a slice that ends in it may be. */
struct instant {
	int64_t t_ns;
	int32_t segment;
	int64_t short_ns; /* slices up to this can't be gaps */
	bool limit_known; /* ... and longer ones are gaps */
};

static inline bool instant_is_gap(const struct instant *at, const struct slice *slice)
{
	return at->limit_known && slice->to_ns - slice->from_ns > at->short_ns;
}

/*
 * A row, with a value or NULL, of which only the slice is asked that ends there: true, it
 * counts, and it is in *ended.
 */
bool series_follow(struct series *series, const struct instant *at, const int64_t *value,
	struct slice *ended);

/*
 * Into the sums: a row, and a piece of a slice with twice the integral over it
 * (slice_area_to). Those of a series that looks at all of
 * the time may be joined at the end from others that have a part of the time each.
 */
static inline void series_take(
	struct series *series, const struct instant *at, const int64_t *value);
static inline void series_cover(struct series *series, const struct instant *at,
	const struct slice *slice, const struct slice_piece *piece, int128 area);
void series_join(struct series *series, struct series *other);

/*
 * Of a counter it depends on the whole of a slice what a part of it is worth: where it is
 * longer than at->short_ns, phases that it lies in take the time of all its pieces at
 * once.
 */
void series_cover_far(struct series *series, const struct slice *slice, int64_t time_ns);

/* A step from the value before that may be a gap. */
static inline void series_step(struct series *series, const struct instant *at)
{
	const struct gauge *g = &series->gauge;

	if (g->has_ends && g->prev_segment == at->segment &&
		at->t_ns - g->prev_ns > at->short_ns)
		steps_keep(series->steps, GAPS_LISTED,
			(struct step){.start_ns = g->prev_ns,
				.dt_ns = at->t_ns - g->prev_ns,
				.segment = at->segment});
}

/* Before series_follow: the value in its course, where one is kept. */
static inline void series_keep(
	struct series *series, const struct instant *at, int64_t value)
{
	if (series->steps)
		series_step(series, at);
	if (series->course)
		course_add(series->course, at->t_ns, value);
	if (series->tail)
		tail_add(series->tail, at->t_ns, value);
}

/* Of a series that is no gauge. */
void series_take_other(
	struct series *series, const struct instant *at, const int64_t *value);
void series_cover_other(struct series *series, const struct instant *at,
	const struct slice *slice, const struct slice_piece *piece, int128 area);

static inline void series_take(
	struct series *series, const struct instant *at, const int64_t *value)
{
	if (series->kind != KIND_GAUGE)
		series_take_other(series, at, value);
	else if (value)
		gauge_value(&series->gauge, at->t_ns, at->segment, *value);
	else
		series->gauge.missing++;
}

static inline void series_cover(struct series *series, const struct instant *at,
	const struct slice *slice, const struct slice_piece *piece, int128 area)
{
	if (series->kind != KIND_GAUGE)
		series_cover_other(series, at, slice, piece, area);
	else if (!instant_is_gap(at, slice))
		gauge_cover(&series->gauge, slice, piece, area, at->short_ns);
}

/* Source and device of the statistics are the caller's; the rest as for gauge_finish. */
void series_finish(struct series *series, int64_t limit_ns, int64_t step_ns,
	const struct texts *texts, struct metric_stats *stats);

/*
 * The rows of a batch grouped by device, so that the state of a device is used many
 * times.
 */

/* Rows of a device, ascending. */
struct row_group {
	uint32_t device; /* index into the run's devices */
	size_t count; /* 1 or more */
	const uint16_t *row; /* [count] borrowed from the groups */
	bool is_gpu, is_core; /* a single CPU */
	bool even; /* all in one segment, each later than the one before, by so little
		      that there is no gap */
};

struct row_groups {
	struct row_group *group; /* [count] in the order of their first rows; owned */
	size_t count, cap;
	uint32_t *of; /* [devices] group + 1, of a device of this batch; owned */
	size_t devices, of_cap;
	size_t rows;
	uint16_t row[SAMPLE_BATCH_ROWS], /* by group, once settled */
		taken[SAMPLE_BATCH_ROWS]; /* as they came */
};

void row_groups_release(struct row_groups *groups); /* zeroed is empty */

/* A batch: clear, its rows in ascending order, settle. */
void row_groups_clear(struct row_groups *groups);
void row_groups_add(
	struct row_groups *groups, const struct sample_batch *batch, size_t row);

/* Now the groups are there, until the next clear. near_ns: what is no gap. */
void row_groups_settle(struct row_groups *groups, const struct run *run,
	const struct sample_batch *batch, int64_t near_ns);

/*
 * Adds all values of a metric and device in a batch at once; same result as row by
 * row.
 */

/* Can a series of that kind be taken so? */
static inline bool series_takes_rows(enum metric_kind kind)
{
	return kind == KIND_GAUGE;
}

/* The values of a column in the rows of a group, side by side. */
struct row_values {
	const struct row_group *group;
	bool whole; /* times and segments are those of all its rows */
	size_t count;
	int64_t t_ns[SAMPLE_BATCH_ROWS], value[SAMPLE_BATCH_ROWS];
	int32_t segment[SAMPLE_BATCH_ROWS];
};

/*
 * Of a batch with times. full: all rows of the column have a value. values: as the column
 * before of the group has left them; of the first only the group is set, and whole is
 * false. short_ns, limit_known: as of an instant.
 */
void series_take_rows(struct series *series, const struct sample_batch *batch,
	const struct sample_column *column, bool full, struct row_values *values,
	int64_t short_ns, bool limit_known);

/*
 * The part of a run that counts: as if logs had no rows, events and calls outside of
 * it.
 */

struct compute_window {
	bool set; /* false: the whole run counts */
	bool closed; /* to_ns is the run's end and counts, too */
	bool of_command; /* nobody asked for it (aggregate_beyond_command); rows without
			    times count */
	int64_t origin_ns; /* the run's start */
	int64_t from_ns, to_ns; /* [from_ns, to_ns) within the run */
};

/* Does an instant count? NULL: all do. */
static inline bool window_has(const struct compute_window *window, int64_t t_ns)
{
	return !window || !window->set ||
		(t_ns >= window->from_ns &&
			(t_ns < window->to_ns ||
				(window->closed && t_ns == window->to_ns)));
}

/*
 * The energy of a GPU in a run or a part of it: the increase of its own counter, else
 * the integral of its power (README.md, "Energy"). Chosen here; all others call
 * metric_stats_energy. Private to compute/.
 */

/*
 * Marks, of the report's statistics, which are the energies of their GPUs, and says what
 * each energy covers. This is for good: no part of the run, and no selection, makes
 * another choice.
 */
void energy_choose(struct report *report);

/* The same marks of what a phase of so many seconds knows of them. */
void energy_mark(const struct report *report, struct metric_stats *stats, size_t count,
	double seconds);

/* Over the GPUs that count. */
struct energy_sum {
	size_t gpus, known; /* all of them; those whose energy is known */
	size_t chosen; /* those whose energy the run knows */
	enum energy_method method;
	double energy_j;
	double coverage; /* share of GPUs times seconds, 0 to 1; 0 where the run knows
			    more; NAN: unknown */
	double uncovered_s;
};

/* Of statistics in which the energies are marked. */
struct energy_sum energy_over_gpus(const struct report *report,
	const struct metric_stats *stats, size_t count, double seconds);

/* Of a report from which was selected: is that energy of all GPUs still one of it? */
bool energy_is_wanted(const struct report *report, enum energy_method method);

#endif
