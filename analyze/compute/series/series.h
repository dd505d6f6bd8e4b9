/*
 * The values of one metric of one device, whatever its kind: the one place that knows
 * which arithmetic belongs to which kind of metric.
 */
#ifndef COMPUTE_SERIES_H
#define COMPUTE_SERIES_H

#include "compute/series/counter.h"
#include "compute/series/course.h"
#include "compute/series/gauge.h"
#include "compute/series/states.h"
#include "compute/series/steps.h"
#include "compute/series/tail.h"

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

#endif
