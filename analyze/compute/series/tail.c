/* Bins that are too old go once there are as many of them as are needed. */
#include "compute/series/tail.h"

#include <math.h>

/* Of a minute, with those that it begins and ends in. */
#define BINS_KEPT ((uint64_t)(TAIL_NS >> TAIL_SHIFT) + 2)

void tail_init(struct course *tail, int64_t origin_ns)
{
	course_init(tail, origin_ns, UINT64_MAX);
	course_widen(tail, TAIL_SHIFT);
}

void tail_add(struct course *tail, int64_t t_ns, int64_t value)
{
	uint64_t since = (uint64_t)t_ns - (uint64_t)tail->origin_ns;
	uint64_t at = since >> tail->shift;

	if (tail->count && (t_ns < tail->origin_ns || at < tail->first + tail->count - 1))
		tail->count = 0;
	if (tail->count && at - tail->first > 2 * BINS_KEPT)
		course_forget(tail, at - BINS_KEPT);
	course_add(tail, t_ns, value);
}

void tail_add_each(
	struct course *tail, const int64_t *t_ns, const int64_t *value, size_t count)
{
	int64_t old_ns = t_ns[count - 1] - ((int64_t)BINS_KEPT << TAIL_SHIFT);
	size_t first = count - 1;

	while (first > 0 && t_ns[first - 1] <= t_ns[first] && t_ns[first - 1] >= old_ns)
		first--;
	/* Before a step back everything counts: it begins the minute anew. */
	if (first > 0 && t_ns[first - 1] > t_ns[first])
		first = 0;
	for (size_t i = first; i < count; i++)
		tail_add(tail, t_ns[i], value[i]);
}

struct course_trend tail_trend(const struct course *tail, int64_t per_unit, int64_t last_ns)
{
	bool longer = (int128)last_ns - tail->origin_ns > TAIL_NS;
	struct course_trend trend = course_trend(
		tail, per_unit, longer ? last_ns - TAIL_NS : tail->origin_ns);

	if (trend.bins < TAIL_BINS || trend.span_s < TAIL_SPAN_S)
		trend.slope_per_h = NAN;
	return trend;
}
