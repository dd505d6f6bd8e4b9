/* Names, units and places of the statistics. */
#include "model/statistic.h"

#include <math.h>

#include "model/report.h"

static const struct {
	const char *name, *unit;
} statistics[STATISTIC_COUNT] = {
	[STATISTIC_n] = {"n", ""},
	[STATISTIC_missing] = {"missing", ""},
	[STATISTIC_covered_s] = {"covered_s", "s"},
	[STATISTIC_mean] = {"mean", NULL},
	[STATISTIC_mean_samples] = {"mean_samples", NULL},
	[STATISTIC_min] = {"min", NULL},
	[STATISTIC_max] = {"max", NULL},
	[STATISTIC_p50] = {"p50", NULL},
	[STATISTIC_p90] = {"p90", NULL},
	[STATISTIC_p95] = {"p95", NULL},
	[STATISTIC_p99] = {"p99", NULL},
	[STATISTIC_stddev] = {"stddev", NULL},
	[STATISTIC_above_gt_0] = {"above_gt_0", ""},
	[STATISTIC_above_ge_20] = {"above_ge_20", ""},
	[STATISTIC_above_ge_50] = {"above_ge_50", ""},
	[STATISTIC_above_ge_80] = {"above_ge_80", ""},
	[STATISTIC_above_ge_95] = {"above_ge_95", ""},
	[STATISTIC_energy_j] = {"energy_j", "J"},
	[STATISTIC_energy_coverage] = {"energy_coverage", ""},
	[STATISTIC_increase] = {"increase", NULL},
	[STATISTIC_rate_per_s] = {"rate_per_s", NULL},
	[STATISTIC_growth] = {"growth", NULL},
	[STATISTIC_slope_per_h] = {"slope_per_h", NULL},
	[STATISTIC_resets] = {"resets", ""},
};

enum statistic statistic_find(struct span name)
{
	enum statistic s = 0;

	while (s < STATISTIC_COUNT && !span_is(name, statistics[s].name))
		s++;
	return s;
}

const char *statistic_name(enum statistic statistic)
{
	return statistics[statistic].name;
}

const char *statistic_unit(enum statistic statistic)
{
	return statistics[statistic].unit;
}

double statistic_get(const struct metric_stats *s, enum statistic statistic)
{
	switch (statistic) {
	case STATISTIC_n:
		return (double)s->n;
	case STATISTIC_missing:
		return (double)s->missing;
	case STATISTIC_covered_s:
		return s->covered_s;
	case STATISTIC_mean:
		return s->mean;
	case STATISTIC_mean_samples:
		return s->mean_samples;
	case STATISTIC_min:
		return s->min;
	case STATISTIC_max:
		return s->max;
	case STATISTIC_p50:
		return s->p50;
	case STATISTIC_p90:
		return s->p90;
	case STATISTIC_p95:
		return s->p95;
	case STATISTIC_p99:
		return s->p99;
	case STATISTIC_stddev:
		return s->stddev;
	case STATISTIC_above_gt_0:
	case STATISTIC_above_ge_20:
	case STATISTIC_above_ge_50:
	case STATISTIC_above_ge_80:
	case STATISTIC_above_ge_95:
		return s->has_above ? s->above[statistic - STATISTIC_above_gt_0] : NAN;
	case STATISTIC_energy_j:
		return s->has_energy ? s->energy_j : NAN;
	case STATISTIC_energy_coverage:
		return s->has_energy ? s->energy_coverage : NAN;
	case STATISTIC_increase:
		return s->increase;
	case STATISTIC_rate_per_s:
		return s->rate_per_s;
	case STATISTIC_growth:
		return s->has_growth ? s->growth : NAN;
	case STATISTIC_slope_per_h:
		return s->has_growth ? s->slope_per_h : NAN;
	case STATISTIC_resets:
		return isnan(s->increase) ? (double)NAN : (double)s->resets;
	case STATISTIC_COUNT:
		break;
	}
	return NAN;
}
