/* One switch a verb. */
#include "compute/series/series.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

struct series *series_new(enum metric_id metric)
{
	struct series *series = xcalloc(1, sizeof *series);

	series->kind = metric_get(metric)->kind;
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		gauge_init(&series->gauge, metric);
		break;
	case KIND_COUNTER:
		counter_init(&series->counter, metric);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		states_init(&series->states, metric);
		break;
	case KIND_TICKS:
		assert(false);
	}
	return series;
}

void series_keep_course(struct series *series, enum metric_id metric, int64_t origin_ns)
{
	if (series->kind != KIND_GAUGE)
		return;
	if (metric_course(metric) != COURSE_NONE) {
		series->course = xmalloc(sizeof *series->course);
		course_init(series->course, origin_ns, COURSE_BINS);
	}
	if (metric_course(metric) == COURSE_LEVEL)
		series->steps = xcalloc(1, sizeof *series->steps);
	if (ending_find(metric) < ENDING_METRICS) {
		series->tail = xmalloc(sizeof *series->tail);
		tail_init(series->tail, origin_ns);
	}
}

static void free_course(struct course *course)
{
	if (course)
		course_release(course);
	free(course);
}

void series_free(struct series *series)
{
	if (!series)
		return;
	free_course(series->course);
	free_course(series->tail);
	if (series->steps)
		steps_release(series->steps);
	free(series->steps);
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		gauge_release(&series->gauge);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		states_release(&series->states);
		break;
	case KIND_COUNTER:
		counter_release(&series->counter);
		break;
	case KIND_TICKS:
		break;
	}
	free(series);
}

bool series_follow(struct series *series, const struct instant *at, const int64_t *value,
	struct slice *ended)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		series->gauge.limit_known = at->limit_known;
		return value &&
			gauge_follow(
				&series->gauge, at->t_ns, at->segment, *value, ended);
	case KIND_COUNTER:
		return value &&
			counter_follow(
				&series->counter, at->t_ns, at->segment, *value, ended);
	case KIND_STATE:
	case KIND_FLAGS:
		return states_follow(
			&series->states, at->t_ns, at->segment, value, ended);
	case KIND_TICKS:
		break;
	}
	return false;
}

void series_take_other(
	struct series *series, const struct instant *at, const int64_t *value)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		if (value)
			gauge_value(&series->gauge, at->t_ns, at->segment, *value);
		else
			series->gauge.missing++;
		break;
	case KIND_COUNTER:
		if (value)
			counter_value(&series->counter, at->t_ns, at->segment, *value);
		else
			series->counter.missing++;
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		if (value)
			states_value(&series->states, *value);
		else
			series->states.missing++;
		break;
	case KIND_TICKS:
		break;
	}
}

void series_cover_other(struct series *series, const struct instant *at,
	const struct slice *slice, const struct slice_piece *piece, int128 area)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		if (!instant_is_gap(at, slice))
			gauge_cover(&series->gauge, slice, piece, area, at->short_ns);
		break;
	case KIND_COUNTER:
		counter_cover(&series->counter, slice, piece);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		states_cover(&series->states, slice, piece, at->short_ns);
		break;
	case KIND_TICKS:
		break;
	}
}

void series_cover_far(struct series *series, const struct slice *slice, int64_t time_ns)
{
	if (series->kind == KIND_COUNTER)
		counter_cover_far(&series->counter, slice, time_ns);
}

void series_join(struct series *series, struct series *other)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		gauge_join(&series->gauge, &other->gauge);
		break;
	case KIND_COUNTER:
		counter_join(&series->counter, &other->counter);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		states_join(&series->states, &other->states);
		break;
	case KIND_TICKS:
		break;
	}
}

/* The statistics are those of the gauge. */
static void finish_growth(const struct series *series, struct metric_stats *stats)
{
	const struct gauge *g = &series->gauge;
	int64_t per_unit = metric_get(g->metric)->per_unit;

	stats->has_growth = metric_course(g->metric) == COURSE_GROWTH;
	if (!stats->has_growth)
		return;
	if (g->has_ends && g->n >= 2)
		stats->growth = number_ratio((int128)g->prev - g->first, per_unit);
	if (g->has_ends) {
		stats->recent =
			number_ratio(g->before > g->prev ? g->before : g->prev, per_unit);
		stats->recent_at_ns = g->before_ns;
	}
	if (series->course) {
		stats->slope_per_h = course_slope_per_h(series->course, per_unit);
		stats->least_rise = course_least_rise(series->course, per_unit);
	}
}

void series_finish(struct series *series, int64_t limit_ns, int64_t step_ns,
	const struct texts *texts, struct metric_stats *stats)
{
	switch (series->kind) {
	case KIND_GAUGE:
	case KIND_SHARE:
		gauge_finish(&series->gauge, limit_ns, step_ns, stats);
		finish_growth(series, stats);
		break;
	case KIND_COUNTER:
		counter_finish(&series->counter, limit_ns, step_ns, stats);
		break;
	case KIND_STATE:
	case KIND_FLAGS:
		states_finish(&series->states, limit_ns, step_ns, texts, stats);
		break;
	case KIND_TICKS:
		break;
	}
	stats->gap_limit_s = limit_ns < 0 ? NAN : number_ratio(limit_ns, NS_PER_S);
}
