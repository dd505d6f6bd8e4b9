/*
 * Look-ups in the tables of metrics (schema/metrics.def), of summary keys
 * (schema/summary.def), of statistics and of titles for people. Computes nothing.
 */
#include "model/metric.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "model/measure.h"

#define METRIC(                                                                        \
	id, table, device, kind, unit, per_unit, better, stats, decimals, title, help) \
	{#id, TABLE_##table, DEVICE_##device, KIND_##kind, unit, per_unit,             \
		BETTER_##better, STATS_##stats, decimals, title, help},

static const struct metric metrics[METRIC_COUNT] = {
#include "../schema/metrics.def"
};

#define BIND(source, name, unit, metric) \
	{SOURCE_##source, name, UNIT_##unit, METRIC_##metric},

static const struct binding bindings[] = {
#include "../schema/metrics.def"
};

/* What tells most names from one another: a byte of their source and length. */
#define BINDING_KEY(source, length) \
	((unsigned char)((size_t)(length) + 29 * (size_t)(source)))

#define BIND(source, name, unit, metric) BINDING_KEY(SOURCE_##source, sizeof name - 1),

/* That of each: a header has hundreds of fields, and a log may have many headers. */
static const unsigned char binding_key[] = {
#include "../schema/metrics.def"
};

#define COURSE(metric, use) [METRIC_##metric] = COURSE_##use,

static const enum course_use courses[METRIC_COUNT] = {
#include "../schema/metrics.def"
};

#define TABLE(name) #name,

static const char *const table_names[SAMPLE_TABLE_COUNT] = {
#include "../schema/metrics.def"
};

static const struct {
	const char *name;
	enum {
		MEDIUM_LINES,
		MEDIUM_DATABASE,
		MEDIUM_MANIFEST
	} medium;
	size_t tables; /* 0: events or a manifest */
	enum sample_table table[SOURCE_TABLES];
} sources[SOURCE_KIND_COUNT] = {
#define SOURCE(id, object, name, medium, tables, ...) \
	{name, MEDIUM_##medium, tables, {__VA_ARGS__}},
#include "../schema/sources.def"
};

const struct metric *metric_get(enum metric_id id)
{
	assert(id < METRIC_COUNT);
	return &metrics[id];
}

enum metric_id metric_find(struct span name)
{
	for (enum metric_id id = 0; id < METRIC_COUNT && name.len; id++)
		if (metrics[id].name[0] == name.at[0] && span_is(name, metrics[id].name))
			return id;
	return METRIC_none;
}

const char *direction_name(enum direction better)
{
	static const char *const name[] = {"higher", "lower", "neither"};

	return name[better];
}

const char *source_name(enum source_kind kind)
{
	return kind == SOURCE_NONE ? NULL : sources[kind].name;
}

enum source_kind source_find(struct span name)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (span_is(name, sources[kind].name))
			return kind;
	return SOURCE_NONE;
}

bool source_has_samples(enum source_kind kind)
{
	return kind != SOURCE_NONE && sources[kind].tables;
}

bool source_has_events(enum source_kind kind)
{
	return kind != SOURCE_NONE && !source_is_manifest(kind) &&
		!source_has_samples(kind);
}

bool source_is_manifest(enum source_kind kind)
{
	return kind != SOURCE_NONE && sources[kind].medium == MEDIUM_MANIFEST;
}

bool source_may_be_database(enum source_kind kind)
{
	return kind != SOURCE_NONE && sources[kind].medium == MEDIUM_DATABASE;
}

bool source_is_of_processes(enum source_kind kind)
{
	return source_has_samples(kind) &&
		sources[kind].table[0] == TABLE_process_gpu_sample;
}

const char *sample_table_name(enum sample_table table)
{
	return table_names[table];
}

bool source_table(enum source_kind kind, size_t nth, enum sample_table *table)
{
	if (nth >= sources[kind].tables)
		return false;
	*table = sources[kind].table[nth];
	return true;
}

size_t source_table_rank(enum source_kind kind, enum sample_table table)
{
	for (size_t i = 0; i < sources[kind].tables; i++)
		if (sources[kind].table[i] == table)
			return i;
	return SOURCE_TABLES;
}

enum course_use metric_course(enum metric_id id)
{
	return courses[id];
}

bool metric_shows_work(enum metric_id id)
{
	return id == METRIC_power_w || (id != METRIC_none && courses[id] == COURSE_WORK);
}

bool metric_is_text(enum metric_id id)
{
	return metrics[id].kind == KIND_STATE;
}

bool metric_is_state(enum metric_id id)
{
	return metrics[id].kind == KIND_STATE || metrics[id].kind == KIND_FLAGS;
}

/* nvml.h, nvmlClocksEventReason*: all masks of nvidia-smi are of this kind. */
const char *metric_flag_name(enum metric_id id, unsigned bit)
{
	static const char *const reason[] = {"gpu_idle", "app_clocks", "sw_power_cap",
		"hw_slowdown", "sync_boost", "sw_thermal_slowdown", "hw_thermal_slowdown",
		"hw_power_brake_slowdown", "display_clocks"};

	assert(metrics[id].kind == KIND_FLAGS);
	return bit < sizeof reason / sizeof reason[0] ? reason[bit] : NULL;
}

int metric_flag_find(enum metric_id id, const char *name)
{
	for (unsigned bit = 0; metric_flag_name(id, bit); bit++)
		if (strcmp(metric_flag_name(id, bit), name) == 0)
			return (int)bit;
	return -1;
}

enum direction metric_state_better(enum metric_id id, const char *state)
{
	static const char column[] = "reason_";

	if (metrics[id].kind != KIND_FLAGS)
		return strcmp(state, "Active") == 0 ? metrics[id].better : BETTER_NEITHER;
	for (enum metric_id k = 0; k < METRIC_COUNT; k++)
		if (metrics[k].name &&
			strncmp(metrics[k].name, column, sizeof column - 1) == 0 &&
			strcmp(metrics[k].name + sizeof column - 1, state) == 0 &&
			metrics[id].better != BETTER_NEITHER)
			return metrics[k].better;
	return BETTER_NEITHER;
}

bool metric_is_judged(enum metric_id id)
{
	return metric_is_state(id) && metrics[id].better != BETTER_NEITHER;
}

const struct binding *binding_find(enum source_kind source, struct span name)
{
	const unsigned char *at = binding_key, *end = at + sizeof binding_key;
	unsigned char key = BINDING_KEY(source, name.len);

	while ((at = memchr(at, key, (size_t)(end - at)))) {
		const struct binding *binding = &bindings[at++ - binding_key];

		if (binding->source == source && span_is_nocase(name, binding->name))
			return binding;
	}
	return NULL;
}

/* Names and units of the statistics, and where each is in struct metric_stats. */

static const struct {
	const char *name, *unit;
} statistics[STATISTIC_COUNT] = {
#define STATISTIC(name, member, part, unit) {#name, unit},
#include "../schema/report.def"
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

bool metric_stats_have(const struct metric_stats *s, enum stats_part part)
{
	bool counter = metric_get(s->metric)->kind == KIND_COUNTER;

	switch (part) {
	case PART_ALL:
	case PART_SPREAD:
		return true;
	case PART_ABOVE:
		return s->has_above;
	case PART_ENERGY:
		return s->has_energy;
	case PART_COUNTER:
		return counter;
	case PART_GROWTH:
		return s->has_growth;
	case PART_SUM:
		return !counter && !metric_is_state(s->metric);
	}
	return false;
}

double statistic_get(const struct metric_stats *s, enum statistic statistic)
{
	if (statistic == STATISTIC_resets && isnan(s->increase))
		return NAN;
	switch (statistic) {
#define STATISTIC(name, member, part, unit)                                  \
	case STATISTIC_##name:                                               \
		return metric_stats_have(s, PART_##part) ? (double)s->member \
							 : (double)NAN;
#include "../schema/report.def"
	case STATISTIC_COUNT:
		break;
	}
	return NAN;
}

/* Struct metric_stats: initializes one, and finds that of a device and metric. */

/* Unknown as nothing. */
static double covered_s(const struct metric_stats *stats)
{
	return stats->covered_s > 0 ? stats->covered_s : 0;
}

static void add_mean(struct mean_over *over, const struct metric_stats *stats)
{
	double known_s = covered_s(stats);
	bool first = !over->devices++;

	over->total += stats->mean;
	over->least = first ? stats->mean : fmin(over->least, stats->mean);
	over->most = first ? stats->mean : fmax(over->most, stats->mean);
	over->least_s = first ? known_s : fmin(over->least_s, known_s);
	over->most_s = first ? known_s : fmax(over->most_s, known_s);
}

void mean_over_add(struct mean_over *over, const struct metric_stats *stats)
{
	if (!isnan(stats->mean)) /* a phase may have samples, and no covered time */
		add_mean(over, stats);
	if (stats->n) {
		over->sum += stats->sum;
		over->n += (double)stats->n;
	}
	if (stats->covered_s > 0) {
		over->integral += stats->mean * stats->covered_s;
		over->covered_s += stats->covered_s;
	}
}

double mean_over_all(const struct mean_over *over)
{
	if (over->devices == 1)
		return over->total; /* the one device's, to the last digit */
	if (over->covered_s > 0) /* rounded, it lies between them all the same */
		return fmin(
			fmax(over->integral / over->covered_s, over->least), over->most);
	return over->devices ? over->sum / over->n : NAN;
}

double mean_over_total(const struct mean_over *over)
{
	return over->devices && over->least_s >= COVERAGE_MIN * over->most_s ? over->total
									     : NAN;
}

bool mean_over_joins(const struct mean_over *over, const struct metric_stats *stats)
{
	return covered_s(stats) >= COVERAGE_MIN * over->most_s;
}

/* The place of the statistics, source and device, is the caller's. */
void metric_stats_init(struct metric_stats *stats, enum metric_id metric)
{
	*stats = (struct metric_stats){
		.metric = metric, .source = stats->source, .device = stats->device};
#define STATS_MEMBER(member, ...)                                \
	stats->member = _Generic(stats->member, double           \
				 : NAN, int64_t                  \
				 : TIME_NONE, uint64_t : 0, bool \
				 : false);
#include "../schema/report.def"
	stats->sum = 0;
	stats->min_window.from_ns = stats->max_window.from_ns = TIME_NONE;
}

enum energy_method energy_method(const struct metric_stats *stats)
{
	if (!stats->has_energy || isnan(stats->energy_j))
		return ENERGY_UNKNOWN;
	return metric_get(stats->metric)->kind == KIND_COUNTER ? ENERGY_COUNTER
							       : ENERGY_INTEGRATED;
}

const char *energy_method_name(enum energy_method method)
{
	static const char *const name[ENERGY_MIXED + 1] = {[ENERGY_COUNTER] = "counter",
		[ENERGY_INTEGRATED] = "integrated",
		[ENERGY_MIXED] = "mixed"};

	return name[method];
}

size_t metric_stats_find(const struct metric_stats *stats, size_t count,
	enum source_kind source, uint32_t device)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct metric_stats *s = &stats[middle];

		if (s->source < source || (s->source == source && s->device < device))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool metric_stats_speaks(const struct metric_stats *s)
{
	return s && (s->n || !isnan(s->mean));
}

bool peak_is_known(uint64_t n, uint64_t missing, double max)
{
	return n >= (max > 0 ? missing : 4 * missing);
}

double metric_stats_peak(const struct metric_stats *s)
{
	return peak_is_known(s->n, s->missing, s->max) ? s->max : (double)NAN;
}

const struct metric_stats *metric_stats_of(const struct metric_stats *stats, size_t count,
	enum source_kind source, uint32_t device, enum metric_id metric)
{
	for (size_t i = metric_stats_find(stats, count, source, device);
		i < count && stats[i].device == device && stats[i].source == source; i++)
		if (stats[i].metric == metric)
			return &stats[i];
	return NULL;
}

/* How much one kind of log says of a metric, of which another covers so many seconds. */
static int eloquence(const struct metric_stats *s, double most_s)
{
	if (!s)
		return 0;
	if (metric_stats_speaks(s) && most_s > 0 && s->covered_s >= COVERS_ALIKE * most_s)
		return 4;
	if (!isnan(s->mean))
		return 3;
	return metric_stats_speaks(s) ? 2 : 1;
}

/* The place of the first of stats[count] that is of a later kind of log than one at i. */
static size_t next_kind(const struct metric_stats *stats, size_t count, size_t i)
{
	return metric_stats_find(stats, count, stats[i].source + 1, 0);
}

const struct metric_stats *metric_stats_best(const struct metric_stats *stats,
	size_t count, uint32_t device, enum metric_id metric)
{
	const struct metric_stats *of[SOURCE_KIND_COUNT], *best = NULL;
	double most_s = 0;
	size_t kinds = 0;

	for (size_t i = 0; i < count; i = next_kind(stats, count, i)) {
		const struct metric_stats *s =
			metric_stats_of(stats, count, stats[i].source, device, metric);

		if (!s)
			continue;
		of[kinds++] = s;
		if (metric_stats_speaks(s) && s->covered_s > most_s)
			most_s = s->covered_s;
	}
	for (size_t i = 0; i < kinds; i++)
		if (eloquence(of[i], most_s) > eloquence(best, most_s))
			best = of[i];
	return best;
}

const struct metric_stats *metric_stats_energy(
	const struct metric_stats *stats, size_t count, uint32_t device)
{
	for (size_t at = 0; at < count; at = next_kind(stats, count, at))
		for (size_t i = metric_stats_find(stats, count, stats[at].source, device);
			i < count && stats[i].device == device &&
			stats[i].source == stats[at].source;
			i++)
			if (stats[i].energy_chosen)
				return &stats[i];
	return NULL;
}

/* Titles of measures for people. */

static const struct {
	enum measure_part part;
	const char *key, *title;
} titles[] = {
	{MEASURE_STEADY, "steady_warm_up_s", "Warm-up before the steady state"},
	{MEASURE_STEADY, "steady_gpu_util_mean_pct",
		"GPU utilization in the steady state, mean"},
	{MEASURE_STEADY, "steady_power_total_mean_w",
		"Power of all GPUs in the steady state, mean"},
	{MEASURE_WORK, "units", "Units of work"},
	{MEASURE_WORK, "duration_s", "Time of the units of work"},
	{MEASURE_WORK, "units_per_s", "Units of work done"},
	{MEASURE_WORK, "gpu_s_per_unit", "GPU time of a unit of work"},
	{MEASURE_WORK, "energy_j_per_unit", "GPU energy of a unit of work"},
	{MEASURE_PHASE, "calls", "Calls"},
	{MEASURE_PHASE, "duration_s", "Time in the phase"},
	{MEASURE_PHASE, "mean_s", "Time of a call, mean"},
	{MEASURE_PHASE, "max_s", "Time of a call, max"},
	{MEASURE_PHASE, "exclusive_s", "Time without inner phases"},
	{MEASURE_PHASE, "exclusive_energy_j", "GPU energy without inner phases"},
};

static const char *title_of(const struct measure *measure)
{
	if (measure->part == MEASURE_METRIC)
		return metric_get(metric_find(span_of(measure->key)))->title;
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
		if (titles[i].part == measure->part &&
			strcmp(titles[i].key, measure->key) == 0)
			return titles[i].title;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		if (strcmp(summary_field_get(key)->name, measure->key) == 0)
			return summary_field_get(key)->title;
	return measure->key;
}

void measure_title(struct strbuf *sb, const struct measure *measure)
{
	strbuf_adds(sb, title_of(measure));
	if (measure->state)
		strbuf_addf(sb, ": %s", measure->state);
	else if (measure->statistic)
		strbuf_addf(sb, ", %s", measure->statistic);
	if (!measure->unit || !*measure->unit)
		return;
	if (strncmp(measure->unit, "1/", 2) == 0)
		strbuf_addf(sb, " (per %s)", measure->unit + 2);
	else
		strbuf_addf(sb, " (%s)", measure->unit);
}

/* Keys of the summary: schema/summary.def as a table. */

#define SUMMARY(key, rule, metric, unit, decimals, better, title) \
	{#key, unit, decimals, BETTER_##better, title, METRIC_##metric},

static const struct summary_field fields[SUMMARY_COUNT] = {
#include "../schema/summary.def"
};

#define SUMMARY_OTHER(key, metric) {SUMMARY_##key, METRIC_##metric},

static const struct {
	enum summary_key key;
	enum metric_id metric;
} others[] = {
#include "../schema/summary.def"
};

bool summary_is_of(enum summary_key key, enum metric_id metric)
{
	if (fields[key].metric == metric)
		return true;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (others[i].key == key && others[i].metric == metric)
			return true;
	return false;
}

const struct summary_field *summary_field_get(enum summary_key key)
{
	return &fields[key];
}

enum direction summary_better(enum summary_key key)
{
	return fields[key].better;
}
