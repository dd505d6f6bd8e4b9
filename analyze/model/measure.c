/* A walk through the report. */
#include "model/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/span.h"

const char *measure_part_name(enum measure_part part)
{
	static const char *const name[MEASURE_PARTS] = {
		"summary", "steady", "work", "phase", "metric"};

	return name[part];
}

/* Who takes the numbers. */
struct taker {
	measure_take *take;
	void *context;
};

static void give(const struct taker *to, const struct measure *measure, double value)
{
	to->take(to->context, measure, value);
}

/* A number of a table below: what it is called, and what is good. */
#define ROW(part_, key_, unit_, decimals_, better_, headline_)                    \
	&(struct measure)                                                         \
	{                                                                         \
		.part = part_, .key = key_, .unit = unit_, .decimals = decimals_, \
		.better = better_, .headline = headline_                          \
	}

static void give_summary(const struct taker *to, const struct report *report)
{
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		const struct summary_field *field = summary_field_get(key);

		if (report->summary[key].kind == VALUE_TEXT)
			continue;
		give(to,
			ROW(MEASURE_SUMMARY, field->name, field->unit, field->decimals,
				field->better, true),
			report->summary[key].number);
	}
}

static void give_steady(const struct taker *to, const struct steady *steady)
{
	give(to, ROW(MEASURE_STEADY, "steady_warm_up_s", "s", 1, BETTER_LOWER, true),
		steady->warm_up_s);
	give(to,
		ROW(MEASURE_STEADY, "steady_gpu_util_mean_pct", "%", 1, BETTER_HIGHER,
			true),
		steady->gpu_util_mean_pct);
	give(to,
		ROW(MEASURE_STEADY, "steady_power_total_mean_w", "W", 1, BETTER_LOWER,
			true),
		steady->power_total_mean_w);
}

static void give_work(const struct taker *to, const struct work *work)
{
	const struct {
		const char *key, *unit;
		int decimals;
		enum direction better;
		double value;
	} row[] = {{"units", "", 0, BETTER_NEITHER, work->units},
		{"seconds", "s", 1, BETTER_NEITHER, work->seconds},
		{"units_per_s", "1/s", 3, BETTER_HIGHER, work->units_per_s},
		{"gpu_s_per_unit", "s", 3, BETTER_LOWER, work->gpu_s_per_unit},
		{"energy_j_per_unit", "J", 1, BETTER_LOWER, work->energy_j_per_unit},
		{"gpu_util_mean_pct", "%", 1, BETTER_HIGHER, work->gpu_util_mean_pct}};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct measure measure = {.part = MEASURE_WORK,
			.key = row[i].key,
			.work = work->name ? work->name : work->type_name,
			.unit = row[i].unit,
			.decimals = row[i].decimals,
			.better = row[i].better,
			.headline = true};

		give(to, &measure, row[i].value);
	}
}

/* What of a metric people look at first. */
static bool is_headline(const struct metric_stats *stats, enum statistic statistic)
{
	switch (metric_get(stats->metric)->kind) {
	case KIND_GAUGE:
		return statistic == STATISTIC_mean || statistic == STATISTIC_max;
	case KIND_SHARE:
		return statistic == STATISTIC_mean;
	case KIND_COUNTER:
		return statistic == STATISTIC_increase;
	case KIND_TICKS:
	case KIND_STATE:
	case KIND_FLAGS:
		return false;
	}
	return false;
}

/* How many there are says nothing of a run, and spread is neither good nor bad. */
static bool is_measured(enum statistic statistic)
{
	return statistic != STATISTIC_n && statistic != STATISTIC_missing &&
		statistic != STATISTIC_covered_s;
}

static void give_stats(const struct taker *to, const struct report *report,
	const struct metric_stats *stats, const char *phase)
{
	const struct metric *metric = metric_get(stats->metric);
	struct measure measure = {.part = MEASURE_METRIC,
		.key = metric->name,
		.phase = phase,
		.device = report->run->device[stats->device].name,
		.source = source_name(stats->source)};

	for (enum statistic s = 0; s < STATISTIC_COUNT && !stats->state_count; s++) {
		if (!is_measured(s))
			continue;
		measure.statistic = statistic_name(s);
		measure.unit = statistic_unit(s) ? statistic_unit(s) : metric->unit;
		measure.decimals = metric->decimals;
		measure.better = s == STATISTIC_stddev ? BETTER_NEITHER : metric->better;
		measure.headline = is_headline(stats, s);
		give(to, &measure, statistic_get(stats, s));
	}
	for (size_t i = 0; i < stats->state_count; i++) {
		measure.statistic = "share";
		measure.state = stats->state[i].name;
		measure.unit = "";
		measure.decimals = 3;
		measure.better = BETTER_NEITHER;
		give(to, &measure, stats->state[i].share);
	}
}

static void give_path(const struct taker *to, const struct report *report,
	const struct phase_path *path)
{
	const struct {
		const char *key;
		enum direction better;
		bool headline;
		double value;
	} row[] = {{"calls", BETTER_NEITHER, false,
			   path->outside ? NAN : (double)path->calls},
		{"total_s", BETTER_LOWER, true, path->total_s},
		{"mean_s", BETTER_LOWER, path->calls > 1, path->mean_s},
		{"max_s", BETTER_LOWER, false, path->max_s},
		{"exclusive_s", BETTER_LOWER, false, path->exclusive_s}};
	struct measure measure = {.part = MEASURE_PHASE, .phase = path->path};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		measure.key = row[i].key;
		measure.unit = i ? "s" : "";
		measure.decimals = i ? 1 : 0;
		measure.better = row[i].better;
		measure.headline = row[i].headline;
		give(to, &measure, row[i].value);
	}
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++) {
		const struct summary_field *field =
			summary_field_get(phase_key_summary(key));

		if (path->summary[key].kind == VALUE_TEXT)
			continue;
		measure.key = field->name;
		measure.unit = field->unit;
		measure.decimals = field->decimals;
		measure.better = field->better;
		measure.headline = phase_key_column(key) != NULL;
		give(to, &measure, path->summary[key].number);
	}
	for (size_t i = 0; i < path->stats_count; i++)
		give_stats(to, report, &path->stats[i], path->path);
}

void measures_of(const struct report *report, measure_take *take, void *context)
{
	const struct taker to = {take, context};

	give_summary(&to, report);
	give_steady(&to, &report->steady);
	for (size_t i = 0; i < report->work_count; i++)
		give_work(&to, &report->work[i]);
	for (size_t i = 0; i < report->path_count; i++)
		give_path(&to, report, &report->path[i]);
	for (size_t i = 0; i < report->stats_count; i++)
		give_stats(&to, report, &report->stats[i], NULL);
}

#define NAMES 7

/* What tells one measure of a part from another; NULL: it has none of it. */
static void names_of(const struct measure *measure, const char *name[NAMES])
{
	name[0] = measure->key;
	name[1] = measure->statistic;
	name[2] = measure->state;
	name[3] = measure->phase;
	name[4] = measure->work;
	name[5] = measure->device;
	name[6] = measure->source;
}

bool measure_same(const struct measure *a, const struct measure *b)
{
	const char *x[NAMES], *y[NAMES];
	size_t i = 0;

	names_of(a, x);
	names_of(b, y);
	while (i < NAMES && (x[i] == y[i] || (x[i] && y[i] && strcmp(x[i], y[i]) == 0)))
		i++;
	return i == NAMES && a->part == b->part;
}

uint64_t measure_hash(const struct measure *measure)
{
	uint64_t hash = SPAN_HASH;
	const char *name[NAMES];

	names_of(measure, name);
	for (size_t i = 0; i < NAMES; i++)
		hash = span_hash(span_of(name[i] ? name[i] : ""), hash + i);
	return hash + measure->part;
}

struct measure measure_copy(const struct measure *measure)
{
	struct measure copy = *measure;

	copy.state = measure->state ? xstrdup(measure->state) : NULL;
	copy.phase = measure->phase ? xstrdup(measure->phase) : NULL;
	copy.work = measure->work ? xstrdup(measure->work) : NULL;
	copy.device = measure->device ? xstrdup(measure->device) : NULL;
	return copy;
}

void measure_release(struct measure *measure)
{
	free((char *)measure->state);
	free((char *)measure->phase);
	free((char *)measure->work);
	free((char *)measure->device);
}

void measure_name(struct strbuf *sb, const struct measure *measure)
{
	strbuf_adds(sb, measure->key);
	if (measure->statistic)
		strbuf_addf(sb, " %s", measure->statistic);
	if (measure->state)
		strbuf_addf(sb, " of %s", measure->state);
	if (measure->device)
		strbuf_addf(sb, ", %s", measure->device);
	if (measure->source &&
		strcmp(measure->source, source_name(SOURCE_NVIDIA_QUERY)) != 0)
		strbuf_addf(sb, " (%s)", measure->source);
	if (measure->work)
		strbuf_addf(sb, " of %s", measure->work);
	if (measure->phase)
		strbuf_addf(sb, " in %s", measure->phase);
}
