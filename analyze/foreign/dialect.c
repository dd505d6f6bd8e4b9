/*
 * What other tools publish, by their rules: of pytyche and calibrax plain means over all
 * rows, and what an absent source leaves (schema/summary.def, DIALECT); gpu_tracker and
 * JUmPER have rooms of their own.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/phases/phase_map.h"
#include "foreign/foreign.h"
#include "foreign/levels.h"

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

enum dialect {
	DIALECT_PYTYCHE,
	DIALECT_CALIBRAX
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

static void pytyche_report(
	struct aggregate *agg, struct report *report, const struct tool_options *asked)
{
	(void)agg;
	(void)asked;
	keys_report(report, NULL, DIALECT_PYTYCHE);
}

static void calibrax_report(
	struct aggregate *agg, struct report *report, const struct tool_options *asked)
{
	(void)asked;
	keys_report(report, levels_finish(agg), DIALECT_CALIBRAX);
}

/* All that several GPUs do together counts, whatever cells are asked for. */
static void *tracker_begin(const struct run *run, const struct tool_options *asked)
{
	struct levels *levels = levels_begin(run, asked);

	levels->whole = true;
	return levels;
}

static const struct render_format pytyche_formats[] = {
	{.name = "pytyche",
		.help = "pytyche's own object, an object a line",
		.write = pytyche_write,
		.one_by_one = true,
		.tool = &tool_pytyche},
};

static const struct render_format calibrax_formats[] = {
	{.name = "calibrax",
		.help = "calibrax's own object, an object a line",
		.write = calibrax_write,
		.tool = &tool_calibrax},
};

static const struct render_format gpu_tracker_formats[] = {
	{.name = "gpu-tracker",
		.help = "gpu_tracker's own object, an object a line",
		.write = tracker_json_write,
		.tool = &tool_gpu_tracker,
		.compare_tracker = tracker_json_compare},
	{.name = "gpu-tracker-text",
		.help = "the same as gpu_tracker's own text",
		.write = tracker_text_write,
		.tool = &tool_gpu_tracker,
		.compare_tracker = tracker_text_compare},
};

static const struct render_format jumper_formats[] = {
	{.name = "jumper",
		.help = "JUmPER's levels, their limits and tags, an object a line",
		.write = jumper_json_write,
		.tool = &tool_jumper},
	{.name = "jumper-text",
		.help = "the same as JUmPER's own report",
		.write = jumper_text_write,
		.tool = &tool_jumper},
};

const struct tool tool_pytyche = {
	.report = pytyche_report, .format = pytyche_formats, .format_count = 1};

const struct tool tool_calibrax = {.pass = {.begin = levels_begin,
					   .take = levels_take,
					   .forget = levels_forget,
					   .end = levels_end},
	.report = calibrax_report,
	.format = calibrax_formats,
	.format_count = 1};

/* A call's last sample is in it, and calls without an end are none. */
static const struct phase_rules tracker_phases = {
	.flat = true, .closed = true, .finished = true, .sets = true};

const struct tool tool_gpu_tracker = {.pass = {.phases = &tracker_phases,
					      .begin = tracker_begin,
					      .take = levels_take,
					      .forget = levels_forget,
					      .end = levels_end},
	.report = tracker_report,
	.format = gpu_tracker_formats,
	.format_count = 2};

const struct tool tool_jumper = {.pass = {.begin = levels_begin,
					 .take = levels_take,
					 .forget = levels_forget,
					 .end = levels_end},
	.report = jumper_report,
	.format = jumper_formats,
	.format_count = 2};
