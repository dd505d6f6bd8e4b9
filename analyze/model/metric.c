/* The tables that schema/metrics.def expands to, and look-ups in them. */
#include "model/metric.h"

#include <assert.h>
#include <string.h>

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
	size_t tables; /* 0: events or a manifest */
	enum sample_table table[SOURCE_TABLES];
} sources[SOURCE_KIND_COUNT] = {
#define SOURCE(id, object, name, medium, tables, ...) {name, tables, {__VA_ARGS__}},
#include "../schema/sources.def"
};

const struct metric *metric_get(enum metric_id id)
{
	assert(id < METRIC_COUNT);
	return &metrics[id];
}

enum metric_id metric_find(struct span name)
{
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (span_is(name, metrics[id].name))
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

enum source_kind source_find(const char *name)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (strcmp(sources[kind].name, name) == 0)
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
	return kind == SOURCE_MANIFEST || kind == SOURCE_JUMPER_SESSION;
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
