/*
 * The values of one metric of one device, for any kind of metric. Only this module
 * knows which kind has which arithmetic.
 */
#ifndef COMPUTE_SERIES_SERIES_H
#define COMPUTE_SERIES_SERIES_H

#include "compute/series/course.h"
#include "compute/series/gauge.h"

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
void row_groups_settle(
	struct row_groups *groups, const struct sample_batch *batch, int64_t near_ns);

/*
 * Adds all values of a metric and device in a batch at once; same result as row by
 * row.
 */

/* Can a series of that kind be taken so? */
static inline bool series_takes_rows(enum metric_kind kind)
{
	return kind == KIND_GAUGE;
}

/* Of a batch with times. short_ns, limit_known: as of an instant. */
void series_take_rows(struct series *series, const struct sample_batch *batch,
	const struct sample_column *column, const struct row_group *group,
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

#endif
