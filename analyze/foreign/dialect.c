/*
 * What other tools publish, by their rules: of pytyche and calibrax plain means over all
 * rows, and what an absent source leaves (schema/summary.def, DIALECT); gpu_tracker and
 * JUmPER have rooms of their own.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/run/state.h"
#include "foreign/dialect.h"

enum dialect_statistic {
	DIALECT_STATISTIC_POOLED_MEAN,
	DIALECT_STATISTIC_MAX,
	DIALECT_STATISTIC_GROWTH,
	DIALECT_STATISTIC_SAMPLES,
	DIALECT_STATISTIC_SPAN,
	DIALECT_STATISTIC_EVENT_JAX_PEAK
};
enum omission {
	OMIT_ZERO,
	OMIT_EMPTY,
	OMIT_OMIT,
	OMIT_WITH,
	OMIT_ABSENT
};

static const struct {
	enum dialect dialect;
	const char *key;
	enum dialect_statistic statistic;
	enum metric_id metric;
	enum source_kind source, instead;
	enum omission omission;
} keys[] = {
#define DIALECT(dialect, key, statistic, metric, source, instead, omission)      \
	{DIALECT_##dialect, key, DIALECT_STATISTIC_##statistic, METRIC_##metric, \
		SOURCE_##source, SOURCE_##instead, OMIT_##omission},
#include "../schema/summary.def"
};

/* All devices of a source, but of the CPUs only all together, of processes the first. */
static bool is_pooled(const struct report *report, const struct metric_stats *s)
{
	const struct device *device = &report->run->device[s->device];

	if (device->kind == DEVICE_TREE && strcmp(device->name, "main") != 0)
		return false;
	return s->n && (device->kind != DEVICE_CPU || device->index < 0);
}

/* The pooled mean or the maximum over the devices of a source; NAN where it is absent. */
static double pooled(const struct report *report, enum metric_id metric,
	enum source_kind source, enum dialect_statistic statistic)
{
	double sum = 0, n = 0, max = NAN, growth = NAN;

	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->metric != metric || s->source != source || !is_pooled(report, s))
			continue;
		sum += s->sum;
		n += (double)s->n;
		max = isnan(max) || s->max > max ? s->max : max;
		growth = s->n > 1 ? s->growth : 0; /* one value is first and last */
	}
	if (n <= 0)
		return NAN;
	if (statistic == DIALECT_STATISTIC_GROWTH)
		return growth;
	return statistic == DIALECT_STATISTIC_MAX ? max : sum / n;
}

/* How many samples the tool would have taken, and how long it would have watched. */
static double watched(const struct levels *levels, enum dialect_statistic statistic)
{
	static const enum source_kind gpus[] = {SOURCE_NVIDIA_QUERY, SOURCE_NVIDIA_DMON};
	const struct level_sum *memory = levels_value(levels, LEVEL_MAIN, LEVEL_MEMORY);
	uint64_t n = memory ? memory->n : 0;
	int128 span_ns = memory ? (int128)memory->last_ns - memory->first_ns : 0;

	for (size_t i = 0; i < sizeof gpus / sizeof gpus[0] && !n; i++) {
		const struct level_log *log = &levels->log[JUMPER_SYSTEM][gpus[i]];

		n = log->rows;
		span_ns = (int128)log->last_ns - log->first_ns;
	}
	if (statistic == DIALECT_STATISTIC_SAMPLES || !n)
		return (double)n;
	return number_ratio(span_ns, NS_PER_S);
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

/* NAN: the run does not say it. */
static double number_of(
	const struct report *report, const struct levels *levels, size_t i)
{
	double number;

	switch (keys[i].statistic) {
	case DIALECT_STATISTIC_EVENT_JAX_PEAK:
		return report->summary[SUMMARY_jax_peak_mib].number;
	case DIALECT_STATISTIC_SAMPLES:
	case DIALECT_STATISTIC_SPAN:
		return watched(levels, keys[i].statistic);
	case DIALECT_STATISTIC_POOLED_MEAN:
	case DIALECT_STATISTIC_MAX:
	case DIALECT_STATISTIC_GROWTH:
		break;
	}
	number = pooled(report, keys[i].metric, keys[i].source, keys[i].statistic);
	if (isnan(number) && keys[i].instead != SOURCE_NONE)
		number = pooled(
			report, keys[i].metric, keys[i].instead, keys[i].statistic);
	return number;
}

static void keys_report(
	struct report *report, const struct levels *levels, enum dialect dialect)
{
	bool omitted = false;

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		struct dialect_item *item;
		double number;
		bool absent;

		if (keys[i].dialect != dialect)
			continue;
		number = number_of(report, levels, i);
		absent = isnan(number);
		if (absent && keys[i].omission != OMIT_EMPTY)
			number = 0; /* that format knows no null there */
		if (keys[i].omission == OMIT_OMIT)
			omitted = !(number > 0);
		else if (keys[i].omission != OMIT_WITH)
			omitted = absent && keys[i].omission == OMIT_ABSENT;
		item = dialect_add(report,
			keys[i].statistic == DIALECT_STATISTIC_SAMPLES ? ITEM_COUNT
								       : ITEM_NUMBER,
			keys[i].key);
		item->omitted = omitted;
		item->absent = absent && !omitted;
		item->number = number;
	}
}

void dialect_report(struct aggregate *agg, struct report *report)
{
	const struct dialect_options *options = &agg->options.dialect;

	switch (options->dialect) {
	case DIALECT_NONE:
		break;
	case DIALECT_PYTYCHE:
		keys_report(report, NULL, options->dialect);
		break;
	case DIALECT_CALIBRAX:
		keys_report(report, levels_finish(agg), options->dialect);
		break;
	case DIALECT_GPU_TRACKER:
		tracker_report(report, levels_finish(agg), options);
		break;
	case DIALECT_JUMPER:
		jumper_report(report, levels_finish(agg), options);
		break;
	}
}

static const struct render_format formats[] = {
	{.name = "pytyche",
		.help = "pytyche's own object, an object a line",
		.write = pytyche_write,
		.one_by_one = true,
		.dialect = DIALECT_PYTYCHE},
	{.name = "calibrax",
		.help = "calibrax's own object, an object a line",
		.write = calibrax_write,
		.dialect = DIALECT_CALIBRAX},
	{.name = "gpu-tracker",
		.help = "gpu_tracker's own object, an object a line",
		.write = tracker_json_write,
		.dialect = DIALECT_GPU_TRACKER,
		.compare_tracker = tracker_json_compare},
	{.name = "gpu-tracker-text",
		.help = "the same as gpu_tracker's own text",
		.write = tracker_text_write,
		.dialect = DIALECT_GPU_TRACKER,
		.compare_tracker = tracker_text_compare},
	{.name = "jumper",
		.help = "JUmPER's levels, their limits and tags, an object a line",
		.write = jumper_json_write,
		.dialect = DIALECT_JUMPER},
	{.name = "jumper-text",
		.help = "the same as JUmPER's own report",
		.write = jumper_text_write,
		.dialect = DIALECT_JUMPER},
};

const struct render_format *dialect_formats(size_t *count)
{
	*count = sizeof formats / sizeof formats[0];
	return formats;
}
