/*
 * What can be measured: the C face of schema/metrics.def. Knows names, units and
 * kinds; computes nothing.
 */
#ifndef MODEL_METRIC_H
#define MODEL_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum metric_id {
#define METRIC(id, ...) METRIC_##id,
#include "../schema/metrics.def"
	METRIC_COUNT,
	METRIC_none = METRIC_COUNT
};

enum sample_table {
#define TABLE(name) TABLE_##name,
#include "../schema/metrics.def"
	SAMPLE_TABLE_COUNT
};

enum device_kind {
	DEVICE_GPU,
	DEVICE_CPU,
	DEVICE_HOST
};
enum metric_kind {
	KIND_GAUGE,
	KIND_SHARE,
	KIND_TICKS
};
enum direction {
	BETTER_HIGHER,
	BETTER_LOWER,
	BETTER_NEITHER
};
enum extra_statistics {
	STATS_PLAIN,
	STATS_ABOVE,
	STATS_ENERGY
};

struct metric {
	const char *name; /* also the column's name in the database */
	enum sample_table table;
	enum device_kind device;
	enum metric_kind kind;
	const char *unit; /* "" for a plain number */
	int64_t per_unit; /* quanta a unit */
	enum direction better;
	enum extra_statistics stats;
	int decimals; /* in text for people */
	const char *title;
	const char *help;
};

/* The kinds of log. A source of a run is all its files of one kind, joined in time. */
enum source_kind {
	SOURCE_NVIDIA_QUERY,
	SOURCE_NVIDIA_DMON,
	SOURCE_PROC_STAT,
	SOURCE_CPU_CSV,
	SOURCE_RUNLOG,
	SOURCE_MANIFEST,
	SOURCE_KIND_COUNT,
	SOURCE_NONE = SOURCE_KIND_COUNT /* a file that no reader claims */
};

/* The unit of a value in a log, before it becomes quanta. */
enum unit {
	UNIT_NONE,
	UNIT_PERCENT,
	UNIT_MIB,
	UNIT_WATT,
	UNIT_CELSIUS,
	UNIT_MHZ,
	UNIT_MIB_PER_S,
	UNIT_TICKS,
	UNIT_COUNT
};

const struct metric *metric_get(enum metric_id id); /* static; id < METRIC_COUNT */
enum metric_id metric_find(struct span name); /* METRIC_none: no such name */

/* "nvidia-query" ...: the name in JSON, CSV and SQL; NULL for SOURCE_NONE. */
const char *source_name(enum source_kind kind);
bool source_has_samples(enum source_kind kind); /* false: events or a manifest */

const char *sample_table_name(enum sample_table table);
/* The table that holds a row for every accepted sample of a source with samples. */
enum sample_table source_main_table(enum source_kind kind);
/* The table of the rarer metrics; equal to the main one where there is none. */
enum sample_table source_extra_table(enum source_kind kind);

struct binding {
	enum source_kind source;
	const char *name;
	enum unit unit;
	enum metric_id metric;
};

/* The metric behind a column's name in a kind of log; NULL: not known. Static. */
const struct binding *binding_find(enum source_kind source, struct span name);

#endif
