/*
 * What other tools publish, by their rules: of pytyche plain means over all rows of all
 * devices, an absent source as 0 (schema/summary.def, DIALECT); gpu_tracker has a room of
 * its own.
 */
#include <math.h>

#include "base/alloc.h"
#include "compute/state.h"

enum dialect_statistic {
	DIALECT_STATISTIC_POOLED_MEAN,
	DIALECT_STATISTIC_MAX,
	DIALECT_STATISTIC_EVENT_JAX_PEAK
};
enum omission {
	OMIT_ZERO,
	OMIT_OMIT,
	OMIT_WITH
};

static const struct {
	const char *key;
	enum dialect_statistic statistic;
	enum metric_id metric;
	enum source_kind source, instead;
	enum omission omission;
} pytyche[] = {
#define DIALECT(dialect, key, statistic, metric, source, instead, omission)    \
	{key, DIALECT_STATISTIC_##statistic, METRIC_##metric, SOURCE_##source, \
		SOURCE_##instead, OMIT_##omission},
#include "../schema/summary.def"
};

/* All devices of a source, but of the CPUs only all together. */
static bool is_pooled(const struct report *report, const struct metric_stats *s)
{
	const struct device *device = &report->run->device[s->device];

	return s->n && (device->kind != DEVICE_CPU || device->index < 0);
}

/* The pooled mean or the maximum over the devices of a source; NAN where it is absent. */
static double pooled(const struct report *report, enum metric_id metric,
	enum source_kind source, enum dialect_statistic statistic)
{
	double sum = 0, n = 0, max = NAN;

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->metric != metric || s->source != source || !is_pooled(report, s))
			continue;
		sum += s->sum;
		n += (double)s->n;
		max = isnan(max) || s->max > max ? s->max : max;
	}
	if (n <= 0)
		return NAN;
	return statistic == DIALECT_STATISTIC_MAX ? max : sum / n;
}

struct dialect_item *dialect_add(
	struct report *report, enum dialect_kind kind, const char *key)
{
	struct dialect_item *item;

	ALLOC_GROW(report->dialect, report->dialect_count + 1, report->dialect_cap);
	item = &report->dialect[report->dialect_count++];
	*item = (struct dialect_item){.key = key, .kind = kind};
	return item;
}

static void pytyche_report(struct report *report)
{
	double peak_mib = report->summary[SUMMARY_jax_peak_mib].number;
	bool omitted = false;

	for (size_t i = 0; i < sizeof pytyche / sizeof pytyche[0]; i++) {
		struct dialect_item *item;
		double number;

		if (pytyche[i].statistic == DIALECT_STATISTIC_EVENT_JAX_PEAK)
			number = peak_mib;
		else
			number = pooled(report, pytyche[i].metric, pytyche[i].source,
				pytyche[i].statistic);
		if (isnan(number) && pytyche[i].instead != SOURCE_NONE)
			number = pooled(report, pytyche[i].metric, pytyche[i].instead,
				pytyche[i].statistic);
		if (isnan(number))
			number = 0; /* that format knows no null */
		if (pytyche[i].omission == OMIT_ZERO)
			omitted = false;
		else if (pytyche[i].omission == OMIT_OMIT)
			omitted = !(number > 0);
		item = dialect_add(report, ITEM_NUMBER, pytyche[i].key);
		item->omitted = omitted;
		item->number = number;
	}
}

void dialect_report(struct report *report, const struct dialect_options *options)
{
	switch (options->dialect) {
	case DIALECT_NONE:
		break;
	case DIALECT_PYTYCHE:
		pytyche_report(report);
		break;
	case DIALECT_GPU_TRACKER:
		tracker_report(report, options);
		break;
	}
}
