/* Gauges: integer sums while samples are added, doubles at the end. */
#include "compute/series/gauge.h"

#include <math.h>

/* Count, sum and sum of squares in quanta, whatever the order of the values. */
struct moments {
	uint64_t n;
	int128 sum;
	uint128 squares;
};

/* Of a sorted tally's values. */
static struct moments moments_of(const struct tally *tally)
{
	struct moments m = {.n = tally->total};

	for (size_t i = 0; i < tally->distinct; i++) {
		int128 value = tally->entry[i].value,
		       count = (int128)tally->entry[i].count;

		m.sum += value * count;
		m.squares += (uint128)(value * value) * (uint128)count;
	}
	return m;
}

/* In the unit of which per_unit quanta make one; of no values NAN. */
static double moments_mean(const struct moments *m, int64_t per_unit)
{
	return m->n ? number_ratio(m->sum, (int128)m->n * per_unit) : NAN;
}

/*
 * Without cancellation: with q = sum / n in integers and r the remainder,
 * sum (x - q)^2 = sum x^2 - 2 q sum x + n q^2 exactly (modulo 2^128, and the result is
 * small), and the squared deviations from the mean are that less r^2 / n. Of the sample
 * (n - 1); NAN for n < 2.
 */
static double moments_deviation(const struct moments *m, int64_t per_unit)
{
	int128 n = (int128)m->n, q, r;
	uint128 about_q;
	long double squares;

	if (n < 2)
		return NAN;
	q = m->sum / n;
	r = m->sum % n;
	about_q = m->squares - 2 * (uint128)q * (uint128)m->sum +
		(uint128)n * (uint128)q * (uint128)q;
	squares = (long double)about_q - (long double)r * (long double)r / (long double)n;
	if (squares < 0)
		squares = 0;
	return (double)(sqrtl(squares / (long double)(n - 1)) / (long double)per_unit);
}

void gauge_init(struct gauge *g, enum metric_id metric)
{
	const struct metric *m = metric_get(metric);

	*g = (struct gauge){.metric = metric,
		.interval_average = m->kind == KIND_SHARE,
		.with_above = m->stats == STATS_ABOVE};
	for (int i = 0; i < ABOVE_COUNT; i++)
		g->threshold[i] = (int64_t)above_threshold[i] * m->per_unit;
}

void gauge_release(struct gauge *g)
{
	slices_release(&g->slices);
	tally_release(&g->values);
}

/* dt * into / rise, rounded down; nearly always in 64 bits, whose division is quick. */
static int128 share_of(int128 dt, int64_t into, int64_t rise)
{
	int64_t product;

	if (dt <= INT64_MAX && !__builtin_mul_overflow((int64_t)dt, into, &product))
		return product / rise;
	return dt * into / rise;
}

/*
 * Where the line of a slice meets a threshold between its values, from the slice's begin;
 * so that the time above is rounded down.
 */
static int128 crossing(const struct slice *slice, int64_t threshold)
{
	int128 dt = (int128)(slice->to_ns - slice->from_ns) * ABOVE_FRACTION;

	if (slice->to < slice->from)
		return share_of(dt, slice->from - threshold, slice->from - slice->to);
	return dt - share_of(dt, slice->to - threshold, slice->to - slice->from);
}

/* How long it lies above, in a piece of it. */
static int128 piece_above(
	const struct slice *slice, const struct slice_piece *piece, int64_t threshold)
{
	int128 at = crossing(slice, threshold);
	int128 from = (int128)(piece->from_ns - slice->from_ns) * ABOVE_FRACTION;
	int128 to = (int128)(piece->to_ns - slice->from_ns) * ABOVE_FRACTION;

	if (slice->to > slice->from)
		from = from < at ? at : from;
	else
		to = to > at ? at : to;
	return to > from ? to - from : 0;
}

void gauge_cross(const struct gauge *g, struct slice_sum *sum, const struct slice *slice,
	const struct slice_piece *piece)
{
	bool rises = slice->from_band < slice->to_band;
	int band = rises ? slice->from_band : slice->to_band;
	int high = rises ? slice->to_band : slice->from_band;
	int128 left = (int128)(piece->to_ns - piece->from_ns) * ABOVE_FRACTION;

	for (; band < high; band++) {
		int128 above = piece_above(slice, piece, g->threshold[band]);

		sum->band[band] += left - above;
		left = above;
	}
	sum->band[band] += left;
}

void gauge_join(struct gauge *g, struct gauge *other)
{
	if (other->n) {
		extreme_least(&g->least, g->n > 0, &other->least);
		extreme_largest(&g->largest, g->n > 0, &other->largest);
	}
	g->n += other->n;
	g->missing += other->missing;
	slices_join(&g->slices, &other->slices);
	tally_join(&g->values, &other->values);
}

bool gauge_follow(struct gauge *g, int64_t t_ns, int32_t segment, int64_t value,
	struct slice *ended)
{
	bool ends = g->has_ends && g->prev_segment == segment && t_ns > g->prev_ns;
	int band = g->with_above ? gauge_band(g, value) : 0;

	if (ends && g->interval_average)
		*ended = (struct slice){g->prev_ns, t_ns, value, value, band, band};
	else if (ends)
		*ended = (struct slice){
			g->prev_ns, t_ns, g->prev, value, g->prev_band, band};
	if (!g->has_ends)
		g->first = value;
	g->before = g->has_ends ? g->prev : value;
	g->before_ns = g->has_ends ? g->prev_ns : t_ns;
	g->has_ends = true;
	g->prev = value;
	g->prev_band = band;
	g->prev_ns = t_ns;
	g->prev_segment = segment;
	return ends;
}

int64_t gauge_limit(int64_t limit_ns, int64_t step_ns)
{
	int128 limit;

	if (limit_ns < 0 || step_ns < 0)
		return limit_ns;
	if (!step_ns)
		return -1;
	limit = (int128)limit_ns * UNTIMED_STEP_NS / step_ns;
	return limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
}

/*
 * The least and the largest of the samples, and of a gauge that looks at some of the time
 * of the line where it was cut. Of equal ones a sample counts.
 */
static void finish_extremes(const struct gauge *g, const struct slice_sum *all,
	bool timed, int64_t per_unit, struct metric_stats *stats)
{
	bool edges = all->has_edges && !g->has_ends;
	struct extreme least = g->least, largest = g->largest;

	if (g->means_only || (!g->n && !edges))
		return;
	if (edges && (!g->n || all->least.value < least.value))
		least = all->least;
	if (edges && (!g->n || all->largest.value > largest.value))
		largest = all->largest;
	stats->min = number_ratio(least.value, per_unit);
	stats->max = number_ratio(largest.value, per_unit);
	stats->min_at_ns = timed ? least.t_ns : TIME_NONE;
	stats->max_at_ns = timed ? largest.t_ns : TIME_NONE;
}

static void finish_time(const struct gauge *g, int64_t limit_ns, int64_t step_ns,
	int64_t per_unit, struct metric_stats *stats)
{
	/* What a second of the sums stands for. */
	double scale = step_ns < 0 ? 1 : number_ratio(step_ns, UNTIMED_STEP_NS);
	int64_t limit = gauge_limit(limit_ns, step_ns);
	struct slice_sum all = {0};
	int128 above = 0;

	if (limit >= 0)
		all = slices_within(&g->slices, limit);
	if (g->n || slices_any(&g->slices))
		stats->covered_s =
			limit >= 0 ? number_ratio(all.time_ns, NS_PER_S) * scale : NAN;
	finish_extremes(g, &all, step_ns < 0, per_unit, stats);
	if (!all.time_ns)
		return;
	stats->mean = number_ratio(all.area, 2 * all.time_ns * per_unit);
	if (stats->has_energy) /* W s: the trapezoids' sum */
		stats->energy_j =
			number_ratio(all.area, (int128)2 * NS_PER_S * per_unit) * scale;
	for (int i = ABOVE_COUNT; stats->has_above && i-- > 0;) {
		above += all.band[i + 1];
		stats->above[i] = number_ratio(above, all.time_ns * ABOVE_FRACTION);
	}
}

void gauge_finish(
	struct gauge *g, int64_t limit_ns, int64_t step_ns, struct metric_stats *stats)
{
	const struct metric *m = metric_get(g->metric);
	struct moments of;

	metric_stats_init(stats, g->metric);
	stats->n = g->n;
	stats->missing = g->missing;
	stats->has_above = g->with_above;
	stats->has_energy = m->stats == STATS_ENERGY;
	finish_time(g, limit_ns, step_ns, m->per_unit, stats);
	if (!g->n || g->means_only)
		return;
	tally_sort(&g->values);
	of = moments_of(&g->values);
	stats->sum = number_ratio(of.sum, m->per_unit);
	stats->mean_samples = moments_mean(&of, m->per_unit);
	stats->p50 = tally_percentile(&g->values, 50, m->per_unit);
	stats->p90 = tally_percentile(&g->values, 90, m->per_unit);
	stats->p95 = tally_percentile(&g->values, 95, m->per_unit);
	stats->p99 = tally_percentile(&g->values, 99, m->per_unit);
	stats->stddev = moments_deviation(&of, m->per_unit);
	tally_release(&g->values);
	if (isnan(stats->mean) && g->has_ends) /* nothing is covered */
		stats->mean = stats->mean_samples;
}
