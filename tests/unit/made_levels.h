/*
 * A run of which each GPU's levels are known bin by bin, and what its steady state is. A
 * sample every 2^30 ns is one a bin for 250 to 500 samples, so that each border is a
 * sample's time.
 */
#ifndef UNIT_MADE_LEVELS_H
#define UNIT_MADE_LEVELS_H

#include "made_run.h"

#define BIN  (INT64_C(1) << 30)
#define BINS 400
#define LAST (BINS - 1) /* where the last sample is, and what lasts to the end ends */

struct level {
	int bins; /* 0: the end */
	double util; /* per cent; power is 100 W and 5 W for each */
};

static inline void add_levels(
	struct made *made, uint32_t device, const struct level *level)
{
	int64_t t_ns = T0_NS;

	for (; level->bins; level++)
		for (int i = 0; i < level->bins; i++, t_ns += BIN) {
			sample_at(made, t_ns, device, METRIC_gpu_util_pct, level->util);
			also(made, METRIC_power_w, 100 + 5 * level->util);
		}
}

static inline void make(struct made *made, const struct level *level)
{
	begin(made, 1);
	add_levels(made, 0, level);
	finish(made);
}

/* From one sample to another, there at other levels so often, for so many bins. */
static inline void interrupted(
	const struct made *made, int from, int to, int times, int bins)
{
	const struct steady *s = &made->report.steady;

	if (!s->found)
		fail_msg("not found: %s", s->why_not);
	assert_null(s->why_not);
	assert_int_equal((s->from_ns - T0_NS) / BIN, from);
	assert_int_equal((s->to_ns - T0_NS) / BIN, to);
	assert_int_equal((s->from_ns - T0_NS) % BIN, 0);
	assert_int_equal((s->to_ns - T0_NS) % BIN, 0);
	near(s->from_s, from * 1.073741824);
	near(s->to_s, to * 1.073741824);
	assert_int_equal(s->interruptions, times);
	near(s->interrupted_s, bins * 1.073741824);
}

static inline void found(const struct made *made, int from, int to)
{
	interrupted(made, from, to, 0, 0);
}

static inline void not_found(const struct made *made, const char *why)
{
	const struct steady *s = &made->report.steady;

	assert_false(s->found);
	assert_string_equal(s->why_not, why);
	assert_true(s->from_ns == TIME_NONE && s->to_ns == TIME_NONE);
	assert_true(isnan(s->from_s) && isnan(s->to_s) && isnan(s->warm_up_s));
	assert_true(s->interruptions == 0 && isnan(s->interrupted_s));
	assert_true(isnan(s->coverage));
	assert_true(isnan(s->gpu_util_mean_pct) && isnan(s->power_total_mean_w));
}

#endif
