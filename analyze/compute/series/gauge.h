/*
 * Statistics of one metric of one device: gauges (value at an instant) and interval
 * averages (mean since the sample before). README.md, "One metric of one device".
 */
#ifndef COMPUTE_GAUGE_H
#define COMPUTE_GAUGE_H

#include "compute/series/counter.h"

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
 * The gap limit in the time that the sums are in: where rows stand UNTIMED_STEP_NS apart
 * because the log has no times, scaled; -1: no gap can be told. step_ns: as below.
 */
int64_t gauge_limit(int64_t limit_ns, int64_t step_ns);

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

/* Adds the sums of a gauge that looked at other times. */
void gauge_join(struct gauge *g, struct gauge *other);

/*
 * Fills all statistics. Where nothing is covered the mean is that of the samples, of a
 * gauge that looks at some of the time unknown. limit_ns: the gap limit, -1 if no gap can
 * be told (then nothing is covered). step_ns: the interval that UNTIMED_STEP_NS stands
 * for in a log without times, 0 if it is unknown; -1: the log has times. Frees the tally.
 */
void gauge_finish(
	struct gauge *g, int64_t limit_ns, int64_t step_ns, struct metric_stats *stats);

#endif
