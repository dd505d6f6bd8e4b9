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

#define TABLE(name) #name,

static const char *const table_names[SAMPLE_TABLE_COUNT] = {
#include "../schema/metrics.def"
};

static const struct {
	const char *name;
	bool samples;
	enum sample_table main, extra;
} sources[SOURCE_KIND_COUNT] = {
	[SOURCE_NVIDIA_QUERY] = {"nvidia-query", true, TABLE_gpu_sample,
		TABLE_gpu_sample_extra},
	[SOURCE_NVIDIA_DMON] = {"nvidia-dmon", true, TABLE_gpu_sample,
		TABLE_gpu_sample_extra},
	[SOURCE_PROC_STAT] = {"proc-stat", true, TABLE_cpu_sample, TABLE_cpu_sample},
	[SOURCE_CPU_CSV] = {"cpu-csv", true, TABLE_cpu_share_sample,
		TABLE_cpu_share_sample},
	[SOURCE_RUNLOG] = {.name = "runlog"},
	[SOURCE_MANIFEST] = {.name = "manifest"},
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

const char *source_name(enum source_kind kind)
{
	return kind == SOURCE_NONE ? NULL : sources[kind].name;
}

bool source_has_samples(enum source_kind kind)
{
	return kind != SOURCE_NONE && sources[kind].samples;
}

const char *sample_table_name(enum sample_table table)
{
	return table_names[table];
}

enum sample_table source_main_table(enum source_kind kind)
{
	assert(source_has_samples(kind));
	return sources[kind].main;
}

enum sample_table source_extra_table(enum source_kind kind)
{
	assert(source_has_samples(kind));
	return sources[kind].extra;
}

const struct binding *binding_find(enum source_kind source, struct span name)
{
	for (size_t i = 0; i < sizeof bindings / sizeof bindings[0]; i++)
		if (bindings[i].source == source && span_is(name, bindings[i].name))
			return &bindings[i];
	return NULL;
}
