/*
 * The numbers of a metric's statistics by name, for those who ask for one: "p95" of
 * gpu_util_pct. Computes nothing.
 */
#ifndef MODEL_STATISTIC_H
#define MODEL_STATISTIC_H

#include "base/text.h"

enum statistic {
	STATISTIC_n,
	STATISTIC_missing,
	STATISTIC_covered_s,
	STATISTIC_mean,
	STATISTIC_mean_samples,
	STATISTIC_min,
	STATISTIC_max,
	STATISTIC_p50,
	STATISTIC_p90,
	STATISTIC_p95,
	STATISTIC_p99,
	STATISTIC_stddev,
	STATISTIC_above_gt_0, /* shares of the covered time, as enum above */
	STATISTIC_above_ge_20,
	STATISTIC_above_ge_50,
	STATISTIC_above_ge_80,
	STATISTIC_above_ge_95,
	STATISTIC_energy_j,
	STATISTIC_energy_coverage,
	STATISTIC_increase,
	STATISTIC_rate_per_s,
	STATISTIC_growth,
	STATISTIC_slope_per_h,
	STATISTIC_resets,
	STATISTIC_COUNT
};

struct metric_stats;

enum statistic statistic_find(struct span name); /* STATISTIC_COUNT: no such one */
const char *statistic_name(enum statistic statistic);
/* Its own unit; NULL: that of the metric. */
const char *statistic_unit(enum statistic statistic);
double statistic_get(
	const struct metric_stats *stats, enum statistic statistic); /* NAN */

#endif
