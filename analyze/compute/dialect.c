/*
 * The numbers that other tools publish, by their rules (schema/summary.def, DIALECT):
 * plain means over all rows of all devices, an absent source as 0.
 */
#include <math.h>

#include "base/alloc.h"
#include "compute/state.h"

enum statistic {
	STATISTIC_POOLED_MEAN,
	STATISTIC_MAX,
	STATISTIC_EVENT_JAX_PEAK
};
enum omission {
	OMIT_ZERO,
	OMIT_OMIT,
	OMIT_WITH
};

static const struct {
	const char *key;
	enum statistic statistic;
	enum metric_id metric;
	enum source_kind source;
	enum omission omission;
} pytyche[] = {
#define SUMMARY(...)
#define DIALECT(dialect, key, statistic, metric, source, omission) \
	{key, STATISTIC_##statistic, METRIC_##metric, SOURCE_##source, OMIT_##omission},
#include "../schema/summary.def"
};

/* The pooled mean or the maximum over all devices of a source; 0 where it is absent. */
static double pooled(const struct report *report, enum metric_id metric,
	enum source_kind source, enum statistic statistic)
{
	double sum = 0, n = 0, max = NAN;

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->metric != metric || s->source != source || !s->n)
			continue;
		sum += s->sum;
		n += (double)s->n;
		max = isnan(max) || s->max > max ? s->max : max;
	}
	if (n <= 0)
		return 0;
	return statistic == STATISTIC_MAX ? max : sum / n;
}

void dialect_report(struct report *report)
{
	double peak_mib = report->summary[SUMMARY_jax_peak_mib].number;
	bool omitted = false;

	for (size_t i = 0; i < sizeof pytyche / sizeof pytyche[0]; i++) {
		struct dialect_item *item;
		double number;

		if (pytyche[i].statistic == STATISTIC_EVENT_JAX_PEAK)
			number = isnan(peak_mib) ? 0 : peak_mib;
		else
			number = pooled(report, pytyche[i].metric, pytyche[i].source,
				pytyche[i].statistic);
		if (pytyche[i].omission == OMIT_ZERO)
			omitted = false;
		else if (pytyche[i].omission == OMIT_OMIT)
			omitted = !(number > 0);
		ALLOC_GROW(
			report->dialect, report->dialect_count + 1, report->dialect_cap);
		item = &report->dialect[report->dialect_count++];
		*item = (struct dialect_item){pytyche[i].key, omitted, number};
	}
}
