/*
 * What can be measured: the C face of schema/metrics.def. Knows names, units and
 * kinds; computes nothing.
 */
#ifndef MODEL_METRIC_H
#define MODEL_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

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
	DEVICE_HOST,
	DEVICE_PROCESS, /* on a GPU */
	DEVICE_TREE, /* a process, its descendants, or both together; a level of JUmPER */
	DEVICE_GROUP, /* a control group: the command's, that of its job, of its user */
	DEVICE_NONE, /* what a damaged id seemed to name */
	DEVICE_KIND_COUNT
};
enum metric_kind {
	KIND_GAUGE,
	KIND_SHARE,
	KIND_TICKS,
	KIND_COUNTER,
	KIND_STATE,
	KIND_FLAGS
};
enum direction {
	BETTER_HIGHER,
	BETTER_LOWER,
	BETTER_NEITHER
};
const char *direction_name(enum direction better); /* "higher", "lower", "neither" */
enum extra_statistics {
	STATS_PLAIN,
	STATS_ABOVE,
	STATS_ENERGY
};
/* What a metric's value over time is kept for. */
enum course_use {
	COURSE_NONE,
	COURSE_LEVEL,
	COURSE_GROWTH
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
#define SOURCE(id, ...) SOURCE_##id,
#include "../schema/sources.def"
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
	UNIT_MICROSECOND,
	UNIT_MILLISECOND,
	UNIT_SECOND,
	UNIT_WATT_PER_S,
	UNIT_JOULE,
	UNIT_MILLIJOULE, /* ... as the name says; a unit behind it goes before */
	UNIT_ENERGY, /* ... or Wh: the header has to say which */
	UNIT_COUNT
};

const struct metric *metric_get(enum metric_id id); /* static; id < METRIC_COUNT */
enum metric_id metric_find(struct span name); /* METRIC_none: no such name */

/* "nvidia-query" ...: the name in JSON, CSV and SQL; NULL for SOURCE_NONE. */
const char *source_name(enum source_kind kind);
enum source_kind source_find(const char *name); /* SOURCE_NONE: no such one */
bool source_has_samples(enum source_kind kind); /* false: events or a manifest */
bool source_has_events(enum source_kind kind);
bool source_is_manifest(enum source_kind kind); /* collect's, or another tool's */
/* Is all that it measures of the processes on a GPU, whose rows only say that none is? */
bool source_is_of_processes(enum source_kind kind);

const char *sample_table_name(enum sample_table table);
/*
 * The tables of a source with samples: the first holds a row for every accepted sample,
 * the others, with ever rarer metrics, where a sample has any of theirs. False: there are
 * not so many.
 */
#define SOURCE_TABLES 3
bool source_table(enum source_kind kind, size_t nth, enum sample_table *table);
/* Which of them it is; SOURCE_TABLES: none. */
size_t source_table_rank(enum source_kind kind, enum sample_table table);

enum course_use metric_course(enum metric_id id);

/* Does the metric's value stand for a text (enum metric_kind STATE)? */
bool metric_is_text(enum metric_id id);
/* Is it published as time in each state? */
bool metric_is_state(enum metric_id id);

/* What the bits of a FLAGS metric mean, from the lowest; NULL: no name. */
const char *metric_flag_name(enum metric_id id, unsigned bit);

/*
 * What is good of the share of time in a state: that of the metric for "Active", of a bit
 * that of the metric that is this bit in a column of its own, if any bit is good or bad.
 */
enum direction metric_state_better(enum metric_id id, const char *state);
/* Is a state of it good or bad, so that the share of each is worth a look? */
bool metric_is_judged(enum metric_id id);

struct binding {
	enum source_kind source;
	const char *name;
	enum unit unit;
	enum metric_id metric;
};

/* The metric behind a column's name in a kind of log; NULL: not known. Static. */
const struct binding *binding_find(enum source_kind source, struct span name);

#endif
