/* Differences of successive values. */
#include "compute/series/counter.h"

#include "compute/series/gauge.h"

#define COMMON 512 /* a factor of NS_PER_S and of RISE_FRACTION: less to overflow */

void counter_init(struct counter *counter, enum metric_id metric)
{
	*counter = (struct counter){.metric = metric};
}

void counter_release(struct counter *counter)
{
	slices_release(&counter->parts);
}

void counter_value(struct counter *counter, int64_t t_ns, int32_t segment, int64_t value)
{
	const struct extreme here = {value, t_ns, segment};

	extreme_least(&counter->least, counter->n > 0, &here);
	extreme_largest(&counter->largest, counter->n > 0, &here);
	counter->n++;
}

/* What it rose by until then, from the slice's begin, rounded down. */
static int128 rise_until(const struct slice *slice, int64_t t_ns)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns, at_ns = t_ns - slice->from_ns;
	int128 rise = slice->to - slice->from;

	if (at_ns == dt_ns)
		return rise * RISE_FRACTION;
	/* in two steps, so that nothing overflows */
	return rise * at_ns / dt_ns * RISE_FRACTION +
		rise * at_ns % dt_ns * RISE_FRACTION / dt_ns;
}

void counter_cover(struct counter *counter, const struct slice *slice,
	const struct slice_piece *piece)
{
	counter->rise +=
		rise_until(slice, piece->to_ns) - rise_until(slice, piece->from_ns);
	counter->time_ns += piece->to_ns - piece->from_ns;
}

void counter_cover_far(
	struct counter *counter, const struct slice *slice, int64_t time_ns)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns;
	int128 rise = rise_until(slice, slice->from_ns + time_ns);
	struct slice_sum *sum;

	if (time_ns == dt_ns) {
		counter->rise += rise;
		counter->time_ns += time_ns;
		return;
	}
	sum = slices_far(&counter->parts, dt_ns);
	sum->count++;
	sum->time_ns += time_ns;
	sum->area += rise;
}

void counter_join(struct counter *counter, const struct counter *other)
{
	if (other->n) {
		extreme_least(&counter->least, counter->n > 0, &other->least);
		extreme_largest(&counter->largest, counter->n > 0, &other->largest);
	}
	counter->n += other->n;
	counter->missing += other->missing;
	counter->rise += other->rise;
	counter->time_ns += other->time_ns;
	slices_join(&counter->parts, &other->parts);
}

/*
 * What a GPU took in its life it does not take in one step: a value below, as the 0 that
 * some loggers write where it does not answer, was none of the counter's. One that began
 * anew gets there step by step.
 */
static bool comes_back(const struct counter *counter, int64_t value)
{
	return metric_get(counter->metric)->stats == STATS_ENERGY && counter->resets &&
		counter->prev < counter->before && value >= counter->before &&
		(int128)value - counter->prev >= (int128)counter->before - counter->after;
}

bool counter_follow(struct counter *counter, int64_t t_ns, int32_t segment, int64_t value,
	struct slice *ended)
{
	bool ends = counter->has_prev && segment == counter->prev_segment &&
		t_ns >= counter->prev_ns;

	if (ends && value < counter->prev) {
		counter->resets++;
		counter->before = counter->prev;
		counter->after = value;
		ends = false;
	} else if (ends && comes_back(counter, value)) {
		ends = false;
	} else if (ends && t_ns == counter->prev_ns) {
		counter->rise += (int128)(value - counter->prev) * RISE_FRACTION;
		ends = false;
	}
	if (ends)
		*ended = (struct slice){
			counter->prev_ns, t_ns, counter->prev, value, 0, 0};
	counter->has_prev = true;
	counter->prev = value;
	counter->prev_ns = t_ns;
	counter->prev_segment = segment;
	return ends;
}

int128 counter_rise(const struct counter *counter, int64_t limit_ns, int128 *time_ns)
{
	struct slice_sum sum = {.count = 0};

	if (limit_ns >= 0)
		sum = slices_within(&counter->parts, limit_ns);
	*time_ns = sum.time_ns + counter->time_ns;
	return sum.area + counter->rise;
}

void counter_finish(const struct counter *counter, int64_t limit_ns, int64_t step_ns,
	struct metric_stats *stats)
{
	int128 time_ns, rise = counter_rise(counter, limit_ns, &time_ns);
	int64_t per_unit = metric_get(counter->metric)->per_unit;
	double scale = step_ns < 0 ? 1 : number_ratio(step_ns, UNTIMED_STEP_NS);

	metric_stats_init(stats, counter->metric);
	stats->n = counter->n;
	stats->missing = counter->missing;
	stats->resets = counter->resets;
	if (step_ns && (counter->n || time_ns || slices_any(&counter->parts)))
		stats->covered_s = number_ratio(time_ns, NS_PER_S) * scale;
	if (counter->n > 1 || time_ns)
		stats->increase = number_ratio(rise, (int128)per_unit * RISE_FRACTION);
	stats->has_energy = metric_get(counter->metric)->stats == STATS_ENERGY;
	if (stats->has_energy && rise > 0)
		stats->energy_j = stats->increase;
	if (time_ns && step_ns)
		stats->rate_per_s =
			number_ratio(rise * (NS_PER_S / COMMON),
				time_ns * per_unit * (RISE_FRACTION / COMMON)) /
			scale;
	if (!counter->n)
		return;
	stats->min = number_ratio(counter->least.value, per_unit);
	stats->max = number_ratio(counter->largest.value, per_unit);
	if (step_ns < 0) {
		stats->min_at_ns = counter->least.t_ns;
		stats->max_at_ns = counter->largest.t_ns;
	}
}
