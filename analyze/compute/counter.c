/* Differences of successive values. */
#include "compute/counter.h"

#include "compute/gauge.h"

void counter_init(struct counter *counter, enum metric_id metric)
{
	*counter = (struct counter){.metric = metric};
}

void counter_add(struct counter *counter, int64_t t_ns, int32_t segment, int64_t value)
{
	if (counter->n && segment == counter->prev_segment && t_ns >= counter->prev_ns) {
		if (value < counter->prev) {
			counter->resets++;
		} else {
			counter->rise += value - counter->prev;
			counter->time_ns += t_ns - counter->prev_ns;
		}
	}
	if (!counter->n || value < counter->min) {
		counter->min = value;
		counter->min_at_ns = t_ns;
	}
	if (!counter->n || value > counter->max) {
		counter->max = value;
		counter->max_at_ns = t_ns;
	}
	counter->n++;
	counter->prev = value;
	counter->prev_ns = t_ns;
	counter->prev_segment = segment;
}

void counter_finish(
	const struct counter *counter, int64_t step_ns, struct metric_stats *stats)
{
	int64_t per_unit = metric_get(counter->metric)->per_unit;
	double scale = step_ns < 0 ? 1 : number_ratio(step_ns, UNTIMED_STEP_NS);

	metric_stats_init(stats, counter->metric);
	stats->n = counter->n;
	stats->missing = counter->missing;
	stats->resets = counter->resets;
	if (!counter->n)
		return;
	stats->min = number_ratio(counter->min, per_unit);
	stats->max = number_ratio(counter->max, per_unit);
	if (step_ns < 0) {
		stats->min_at_ns = counter->min_at_ns;
		stats->max_at_ns = counter->max_at_ns;
	}
	if (step_ns)
		stats->covered_s = number_ratio(counter->time_ns, NS_PER_S) * scale;
	if (counter->n > 1)
		stats->increase = number_ratio(counter->rise, per_unit);
	if (counter->time_ns && step_ns)
		stats->rate_per_s = number_ratio(counter->rise * NS_PER_S,
					    counter->time_ns * per_unit) /
			scale;
}
