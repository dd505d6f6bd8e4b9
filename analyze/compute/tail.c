/* Bins that are too old go once there are as many of them as are needed. */
#include "compute/tail.h"

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

struct trend tail_trend(const struct course *tail, int64_t per_unit, int64_t last_ns)
{
	bool longer = (int128)last_ns - tail->origin_ns > TAIL_NS;
	struct trend trend = course_trend(
		tail, per_unit, longer ? last_ns - TAIL_NS : tail->origin_ns);

	if (trend.bins < TAIL_BINS || trend.span_s < TAIL_SPAN_S)
		trend.slope_per_h = NAN;
	return trend;
}
