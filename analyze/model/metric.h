/*
 * What can be measured: schema/metrics.def as enums and tables, with the statistics of
 * a metric (struct metric_stats), their names, titles for people and the keys of the
 * summary. Computes nothing.
 */
#ifndef MODEL_METRIC_H
#define MODEL_METRIC_H

#include "model/words.h"

struct metric_stats;

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
	DEVICE_TREE, /* a process, its descendants, or both together; those of a user or a
			job */
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
	COURSE_WORK,
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
enum source_kind source_find(struct span name); /* SOURCE_NONE: no such one */
bool source_has_samples(enum source_kind kind); /* false: events or a manifest */
bool source_has_events(enum source_kind kind);
bool source_is_manifest(enum source_kind kind); /* collect's, or another tool's */
bool source_may_be_database(enum source_kind kind); /* of SQLite */

/* Is all that it measures of the processes on a GPU, whose rows only say that none is? */
bool source_is_of_processes(enum source_kind kind);

const char *sample_table_name(enum sample_table table);

/*
 * The tables of a source with samples: the first holds a row for every accepted sample,
 * the others, with ever rarer metrics, where a sample has any of theirs. False: there are
 * not so many.
 */
#define SOURCE_TABLES 4
bool source_table(enum source_kind kind, size_t nth, enum sample_table *table);

/* Which of them it is; SOURCE_TABLES: none. */
size_t source_table_rank(enum source_kind kind, enum sample_table table);

enum course_use metric_course(enum metric_id id);

/* Does it show whether a kernel of a GPU works, or waits? METRIC_none: no. */
bool metric_shows_work(enum metric_id id);

/* Does the metric's value stand for a text (enum metric_kind STATE)? */
bool metric_is_text(enum metric_id id);

/* Is it published as time in each state? */
bool metric_is_state(enum metric_id id);

/* What the bits of a FLAGS metric mean, from the lowest; NULL: no name. */
const char *metric_flag_name(enum metric_id id, unsigned bit);
int metric_flag_find(enum metric_id id, const char *name); /* the bit; -1: none */

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

/* Statistics by name, such as "p95" of gpu_util_pct. */

enum statistic {
#define STATISTIC(name, ...) STATISTIC_##name,
#include "../schema/report.def"
	STATISTIC_COUNT
};

enum statistic statistic_find(struct span name); /* STATISTIC_COUNT: no such one */
const char *statistic_name(enum statistic statistic);

/* Its own unit; NULL: that of the metric. */
const char *statistic_unit(enum statistic statistic);
double statistic_get(
	const struct metric_stats *stats, enum statistic statistic); /* NAN */

/*
 * Statistics of one metric of one device, in a run or a phase. Doubles in the metric's
 * unit, seconds or joules; unknown is NAN (values) or TIME_NONE (instants).
 */

/* Of grade C, of what findings are told of, and of what is added up. */
#define COVERAGE_MIN 0.70

/* Fewer samples say nothing. */
#define SAMPLES_MIN 10

/* Rows of a log of which more are refused tell nothing. */
#define REFUSED_SHARE_MAX 0.1

enum above {
	ABOVE_0,
	ABOVE_20,
	ABOVE_50,
	ABOVE_80,
	ABOVE_95,
	ABOVE_COUNT
};
extern const double above_threshold[ABOVE_COUNT]; /* per cent: > 0, >= 20 ... */
extern const char *const above_key[ABOVE_COUNT]; /* "gt_0", "ge_20" ... */

/* How long a metric was in a state. */
#define STATE_NAME_MAX (TEXT_BYTES_MAX + 1)

struct state_time {
	char name[STATE_NAME_MAX];
	uint64_t n; /* samples in it */
	double seconds; /* NAN: the log has no times */
	double share; /* of the covered time, 0 to 1; NAN: nothing covered */
};

/* How an energy came about. */
enum energy_method {
	ENERGY_UNKNOWN,
	ENERGY_COUNTER, /* the difference of a counter of the GPU's */
	ENERGY_INTEGRATED, /* power by time */
	ENERGY_MIXED /* some GPUs' by a counter, that of others integrated */
};

/* "counter" ...; NULL for ENERGY_UNKNOWN; static. */
const char *energy_method_name(enum energy_method method);

/* The window of ticks that a share is of: where it begins. It ends at the share's time.
 */
struct stats_window {
	int64_t from_ns; /* TIME_NONE: not of a window, or not known, as from the database
			  */
	int32_t segment; /* of its rows */
};

/*
 * One metric of one device in one source. What its kind does not have is NAN, TIME_NONE,
 * false or nothing: a counter has no mean, a state no number at all.
 */
struct metric_stats {
	enum metric_id metric;
	enum source_kind source;
	uint32_t device; /* index into the run's devices */
	uint64_t n; /* samples with a value; of shares: windows */
	uint64_t missing; /* rows whose field was not available */
	double covered_s; /* NAN: the log has no times */
	double gap_limit_s; /* a longer step counts nowhere; NAN: no gap can be told */
	double mean, mean_samples;
	double min, max;
	int64_t min_at_ns, max_at_ns;
	struct stats_window min_window, max_window; /* of shares of ticks */
	double p50, p90, p95, p99;
	double stddev; /* sample; NAN for n < 2 */
	bool has_above;
	double above[ABOVE_COUNT]; /* shares of covered time, 0 to 1; NAN: nothing covered
				    */
	bool has_energy;
	double energy_j; /* of power integrated, NAN: nothing covered; of a counter its
			    rise, NAN: it stands still, or is none */
	double energy_coverage; /* of the run's or the phase's time, 0 to 1; NAN: unknown
				 */
	bool energy_chosen; /* it is the energy of its GPU, there or in a phase */
	bool has_growth; /* of memory */
	double growth; /* last value less the first; NAN: fewer than two, or in a phase */
	double slope_per_h; /* Theil-Sen, in the unit; NAN: no times, too few, a phase */
	double least_rise; /* course.h; NAN as slope_per_h, or too few */
	double recent; /* of memory: the larger of the last two values; NAN: in a phase */
	int64_t recent_at_ns; /* the earlier one's time; TIME_NONE */
	double sum; /* of the samples, for pooling over devices */
	double increase; /* of a counter, without resets; NAN: one sample */
	double rate_per_s; /* ... over the time without resets */
	uint64_t resets; /* of a counter: times it went back */
	struct state_time *state; /* [state_count] owned; longest first; NULL: no state */
	size_t state_count;
};

/* Several devices as one: their mean is that of all the time that their values cover. */
struct mean_over {
	size_t devices; /* that have a mean */
	double total, least, most; /* of their means */
	double integral, covered_s;
	double least_s, most_s; /* that one of those with a mean covers */
	double sum, n; /* of the samples */
};

void mean_over_add(struct mean_over *over, const struct metric_stats *stats);

/* Of all samples where nothing is covered; NAN: none has a mean. */
double mean_over_all(const struct mean_over *over);

/*
 * The sum of their means. NAN: none has one, or what one of them covers is less than
 * COVERAGE_MIN of what another one does: a mean of another time can't be added.
 */
double mean_over_total(const struct mean_over *over);

/* Is that not why there is none? */
bool mean_over_joins(const struct mean_over *over, const struct metric_stats *stats);

/* What only some have: metrics of some kinds, in some logs. */
enum stats_part {
	PART_ALL,
	PART_SPREAD, /* all have it, too */
	PART_ABOVE,
	PART_ENERGY,
	PART_COUNTER,
	PART_GROWTH,
	PART_SUM
};
bool metric_stats_have(const struct metric_stats *stats, enum stats_part part);

void metric_stats_init(struct metric_stats *stats, enum metric_id metric);

/* Of its energy. */
enum energy_method energy_method(const struct metric_stats *stats);

/*
 * The place of the first of stats[count], which stand by source and device, that is of
 * this source and device or stands behind them; count: none.
 */
size_t metric_stats_find(const struct metric_stats *stats, size_t count,
	enum source_kind source, uint32_t device);

/* Of stats[count] that of a metric of a device in one kind of log; NULL: it has none. */
const struct metric_stats *metric_stats_of(const struct metric_stats *stats, size_t count,
	enum source_kind source, uint32_t device, enum metric_id metric);

/* A log that covers as large a part of what another one does covers as much. */
#define COVERS_ALIKE 0.9

/*
 * Of a run's stats[count] that of a metric of a device which counts where several kinds
 * of log have it: from the first kind (the query log before dmon) that covers at least
 * nine tenths of the most that one covers; where nothing is covered from the first that
 * has a mean, else a value, else the column; NULL: none has. Of a phase: report.h.
 */
const struct metric_stats *metric_stats_best(const struct metric_stats *stats,
	size_t count, uint32_t device, enum metric_id metric);

/* Of stats[count] the one with the energy of a GPU; NULL: it is unknown. */
const struct metric_stats *metric_stats_energy(
	const struct metric_stats *stats, size_t count, uint32_t device);

/* Has it a value? A mean may come from the values beside a phase shorter than a sample.
 */
bool metric_stats_speaks(const struct metric_stats *stats); /* NULL: no */

/*
 * Is the largest of n values the peak of n + missing samples? Not if most lack one. A
 * peak of 0 takes more: a fifth lacks one at most, as before a log begins.
 */
bool peak_is_known(uint64_t n, uint64_t missing, double max);

/* The largest value; NAN if that is not known to be the peak. */
double metric_stats_peak(const struct metric_stats *stats);

#endif
