/* Integer sums on the way, doubles at the end; each formula stands where it is used. */
#include "compute/gauge.h"

#include <math.h>

void gauge_init(struct gauge *g, enum metric_id metric)
{
	const struct metric *m = metric_get(metric);

	*g = (struct gauge){.metric = metric,
		.interval_average = m->kind == KIND_SHARE,
		.with_above = m->stats == STATS_ABOVE};
}

void gauge_release(struct gauge *g)
{
	slices_release(&g->slices);
	tally_release(&g->values);
}

/*
 * How long the line from a to b over dt lies above a threshold. A slice that stays on
 * the threshold counts for ">=" and not for "> 0".
 */
static int128 time_above(int64_t dt_ns, int64_t a, int64_t b, int64_t threshold)
{
	int64_t low = a < b ? a : b, high = a < b ? b : a;
	int128 dt = (int128)dt_ns * ABOVE_FRACTION;

	if (low > threshold || (low == threshold && threshold > 0))
		return dt;
	if (high <= threshold)
		return 0;
	return dt * (high - threshold) / (high - low);
}

/* Where the line of a slice meets a threshold between its values, from the slice's begin.
 */
static int128 crossing(const struct slice *slice, int64_t threshold)
{
	int128 dt = (int128)(slice->to_ns - slice->from_ns) * ABOVE_FRACTION;

	return dt * (threshold - slice->from) / (slice->to - slice->from);
}

/* The same of the pieces of a slice. */
static int128 part_above(
	const struct slice *slice, const struct part *part, int64_t threshold)
{
	int64_t low = slice->from < slice->to ? slice->from : slice->to;
	int64_t high = slice->from < slice->to ? slice->to : slice->from;
	int128 sum = 0, at;

	if (low > threshold || (low == threshold && threshold > 0))
		return (int128)part->time_ns * ABOVE_FRACTION;
	if (high <= threshold)
		return 0;
	at = crossing(slice, threshold);
	for (size_t i = 0; i < part->pieces; i++) {
		int128 from = (int128)(part->piece[i].from_ns - slice->from_ns) *
			ABOVE_FRACTION;
		int128 to =
			(int128)(part->piece[i].to_ns - slice->from_ns) * ABOVE_FRACTION;

		if (slice->to > slice->from)
			from = from < at ? at : from;
		else
			to = to > at ? at : to;
		sum += to > from ? to - from : 0;
	}
	return sum;
}

static void add_slice(struct gauge *g, int64_t dt_ns, int64_t value, int64_t short_ns)
{
	int64_t from = g->interval_average ? value : g->prev, per_unit;
	struct slice_sum *sum;

	if (g->limit_known && dt_ns > short_ns)
		return;
	sum = slices_at(&g->slices, dt_ns, short_ns);
	sum->count++;
	sum->time_ns += dt_ns;
	sum->area += (int128)dt_ns * ((int128)from + value);
	if (!g->with_above)
		return;
	per_unit = metric_get(g->metric)->per_unit;
	for (int i = 0; i < ABOVE_COUNT; i++)
		sum->above[i] += time_above(
			dt_ns, from, value, (int64_t)above_threshold[i] * per_unit);
}

void gauge_cover(struct gauge *g, const struct slice *slice, const struct part *part,
	int64_t short_ns)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns, per_unit;
	struct slice_sum *sum;

	if (g->limit_known && dt_ns > short_ns)
		return;
	sum = slices_at(&g->slices, dt_ns, short_ns);
	sum->count++;
	sum->time_ns += part->time_ns;
	sum->area += part->time_ns == dt_ns
		? (int128)dt_ns * ((int128)slice->from + slice->to)
		: slice_area(slice, part);
	if (!g->with_above)
		return;
	per_unit = metric_get(g->metric)->per_unit;
	for (int i = 0; i < ABOVE_COUNT; i++)
		sum->above[i] +=
			part_above(slice, part, (int64_t)above_threshold[i] * per_unit);
}

void gauge_value(struct gauge *g, int64_t t_ns, int64_t value)
{
	if (!g->of.n || value < g->of.min)
		g->min_at_ns = t_ns;
	if (!g->of.n || value > g->of.max)
		g->max_at_ns = t_ns;
	moments_add(&g->of, value);
	tally_put(&g->values, value);
}

void gauge_join(struct gauge *g, struct gauge *other)
{
	const struct moments *a = &g->of, *b = &other->of;

	if (b->n &&
		(!a->n || b->min < a->min ||
			(b->min == a->min && other->min_at_ns < g->min_at_ns)))
		g->min_at_ns = other->min_at_ns;
	if (b->n &&
		(!a->n || b->max > a->max ||
			(b->max == a->max && other->max_at_ns < g->max_at_ns)))
		g->max_at_ns = other->max_at_ns;
	moments_join(&g->of, b);
	g->missing += other->missing;
	g->limit_known |= other->limit_known;
	slices_join(&g->slices, &other->slices);
	tally_settle(&other->values);
	tally_join(&g->values, &other->values);
}

bool gauge_add(struct gauge *g, int64_t t_ns, int32_t segment, int64_t value,
	int64_t short_ns, struct slice *ended)
{
	bool ends = g->of.n && g->prev_segment == segment && t_ns > g->prev_ns;

	if (ends) {
		add_slice(g, t_ns - g->prev_ns, value, short_ns);
	} else if (!g->of.n) {
		g->first = value;
		g->has_ends = true;
	}
	if (ends && ended)
		*ended = (struct slice){
			g->prev_ns, t_ns, g->interval_average ? value : g->prev, value};
	gauge_value(g, t_ns, value);
	g->prev = value;
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

static void finish_time(const struct gauge *g, int64_t limit_ns, int64_t step_ns,
	int64_t per_unit, struct metric_stats *stats)
{
	/* What a second of the sums stands for. */
	double scale = step_ns < 0 ? 1 : number_ratio(step_ns, UNTIMED_STEP_NS);
	int64_t limit = gauge_limit(limit_ns, step_ns);
	struct slice_sum all = {0};

	if (limit >= 0)
		all = slices_within(&g->slices, limit);
	if (g->of.n || slices_any(&g->slices))
		stats->covered_s =
			step_ns ? number_ratio(all.time_ns, NS_PER_S) * scale : NAN;
	if (!all.time_ns)
		return;
	stats->mean = number_ratio(all.area, 2 * all.time_ns * per_unit);
	if (stats->has_energy) /* W s: the trapezoids' sum */
		stats->energy_j =
			number_ratio(all.area, (int128)2 * NS_PER_S * per_unit) * scale;
	for (int i = 0; stats->has_above && i < ABOVE_COUNT; i++)
		stats->above[i] =
			number_ratio(all.above[i], all.time_ns * ABOVE_FRACTION);
}

void gauge_finish(
	struct gauge *g, int64_t limit_ns, int64_t step_ns, struct metric_stats *stats)
{
	const struct metric *m = metric_get(g->metric);
	bool timed = step_ns < 0;

	metric_stats_init(stats, g->metric);
	stats->n = g->of.n;
	stats->missing = g->missing;
	stats->has_above = g->with_above;
	stats->has_energy = m->stats == STATS_ENERGY;
	finish_time(g, limit_ns, step_ns, m->per_unit, stats);
	if (!g->of.n)
		return;
	tally_sort(&g->values);
	stats->sum = number_ratio(g->of.sum, m->per_unit);
	stats->mean_samples = moments_mean(&g->of, m->per_unit);
	stats->min = number_ratio(g->of.min, m->per_unit);
	stats->max = number_ratio(g->of.max, m->per_unit);
	stats->min_at_ns = timed ? g->min_at_ns : TIME_NONE;
	stats->max_at_ns = timed ? g->max_at_ns : TIME_NONE;
	stats->p50 = tally_percentile(&g->values, 50, m->per_unit);
	stats->p90 = tally_percentile(&g->values, 90, m->per_unit);
	stats->p95 = tally_percentile(&g->values, 95, m->per_unit);
	stats->p99 = tally_percentile(&g->values, 99, m->per_unit);
	stats->stddev = moments_deviation(&g->of, m->per_unit);
	if (isnan(stats->mean) && g->has_ends) /* nothing is covered */
		stats->mean = stats->mean_samples;
}
