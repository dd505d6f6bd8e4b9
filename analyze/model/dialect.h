/*
 * What can be asked of the formats of other tools: which one, in which units, over
 * which denominators. Names and factors of the units; computes nothing.
 */
#ifndef MODEL_DIALECT_H
#define MODEL_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "model/report.h"
#include "model/run.h"

/*
 * The words of JUmPER that several stages share: its levels, a range of cells, what a
 * recording of it says of the machine, the thresholds of its tags. Computes nothing.
 */

/* Whose processes are looked at. */
enum jumper_level {
	JUMPER_PROCESS, /* one, and its descendants */
	JUMPER_USER,
	JUMPER_SYSTEM,
	JUMPER_SLURM, /* of a job */
	JUMPER_LEVELS
};

/* "process" ...: also the name of the level's device; static. */
const char *jumper_level_name(enum jumper_level level);
enum jumper_level jumper_level_find(struct span name); /* JUMPER_LEVELS: no such one */

/* Cells by their number, from 0, both ends included; -1: from the first, to the last. */
struct cell_range {
	bool set; /* false: nobody asked for one */
	int32_t first, last;
};

/* "5", "2:8", ":5", "3:", ":". -1: err says what was expected. */
int cell_range_parse(struct cell_range *range, struct span text, struct error *err);

/* What a session says of the machine and of itself; kept as facts of the run. */
enum jumper_fact {
	JUMPER_OFFSET_NS, /* from its clock to the time since 1970 */
	JUMPER_CPUS, /* that the process may use */
	JUMPER_SYSTEM_CPUS,
	JUMPER_GPUS,
	JUMPER_GPU_MEMORY_GB, /* of the first GPU; 2^30 bytes, as everywhere in JUmPER */
	JUMPER_MONITORED_S, /* how long it was monitored */
	JUMPER_LIMIT_GB, /* of memory at a level: one fact for each level */
	JUMPER_LIMIT_LAST_GB = JUMPER_LIMIT_GB + JUMPER_LEVELS - 1,
	JUMPER_THRESHOLD, /* one fact for each threshold */
	JUMPER_THRESHOLD_LAST = JUMPER_THRESHOLD + 6,
	JUMPER_FACTS
};

/* In the order of the facts. */
enum jumper_threshold {
	THRESHOLD_MEMORY,
	THRESHOLD_CPU,
	THRESHOLD_GPU_UTIL,
	THRESHOLD_GPU_MEMORY,
	THRESHOLD_HELD_GB, /* a GPU that holds more than that is allocated, */
	THRESHOLD_IDLE, /* ... idle at no more utilisation than that, 0 to 1, */
	THRESHOLD_HELD_SHARE, /* ... and not used in at least that share of the samples
			       */
	THRESHOLDS
};

/* As its manifest names it, "gpu_util_ratio"; static. */
const char *jumper_threshold_name(enum jumper_threshold threshold);

/* Keeps a number, as text, unless it is known already. */
void jumper_say(struct run *run, enum jumper_fact fact, struct span number);

/* NAN: the recording does not say it. */
double jumper_said(const struct run *run, enum jumper_fact fact);

/* The same of the offset; false: not known. */
bool jumper_offset_ns(const struct run *run, int64_t *offset_ns);

/* What is said, else JUmPER's own. */
double jumper_threshold(const struct run *run, enum jumper_threshold threshold);

#define JUMPER_FACT_GPU_NAME "jumper_gpu_name"

enum data_unit { /* decimal powers of a byte */
	DATA_UNIT_NONE, /* not given */
	DATA_UNIT_BYTES,
	DATA_UNIT_KILOBYTES,
	DATA_UNIT_MEGABYTES,
	DATA_UNIT_GIGABYTES,
	DATA_UNIT_TERABYTES,
	DATA_UNIT_COUNT
};

enum time_unit {
	TIME_UNIT_NONE, /* not given */
	TIME_UNIT_SECONDS,
	TIME_UNIT_MINUTES,
	TIME_UNIT_HOURS,
	TIME_UNIT_DAYS,
	TIME_UNIT_COUNT
};

struct tool_options {
	enum data_unit ram, gpu_ram;
	enum time_unit time;
	int32_t expected_cores, expected_gpus; /* -1: not given */
	bool analysis; /* gpu_tracker's analysis, be there code blocks or not */
	struct cell_range cells; /* of JUmPER, as the following */
	bool no_idle; /* the time between cells does not count */
	const char *level; /* the only one that is wanted; NULL: all */
};

#define TOOL_OPTIONS_NONE \
	((struct tool_options){.expected_cores = -1, .expected_gpus = -1})

/* "bytes" ... "terabytes", "seconds" ... "days"; of NONE NULL. */
const char *data_unit_name(enum data_unit unit);
const char *time_unit_name(enum time_unit unit);

/* NONE: no such name. */
enum data_unit data_unit_find(struct span name);
enum time_unit time_unit_find(struct span name);
int64_t data_unit_bytes(enum data_unit unit); /* of NONE 0 */
int64_t time_unit_seconds(enum time_unit unit);

/*
 * Runs beside one another: the struct between compute and render. Numbers are in the
 * units of whoever was asked for them; unknown is NAN. Filled by compute, laid out by
 * render.
 */

/* A run that is to be compared, by the name that the user calls it. */
struct tracker_side {
	const char *name; /* no two are equal */
	const struct report *report;
};

enum tracker_comparison_part {
	TRACKER_COMPARISON_RUN, /* a measurement over the whole run */
	TRACKER_COMPARISON_PHASE, /* over all calls of a phase */
	TRACKER_COMPARISON_TIME /* how long the calls of a phase took */
};

/* One number of every run. */
struct tracker_comparison_row {
	enum tracker_comparison_part part;
	const char *key; /* of the measurement; borrowed from a report; of TIME NULL */
	char *phase; /* owned; of RUN NULL */
	bool counts; /* whole numbers */
	double *value; /* [side_count] owned */
};

/* Rows of one part lie together, in it those of one key. */
struct tracker_comparison {
	const struct tracker_side *side; /* borrowed */
	size_t side_count;
	struct tracker_comparison_row *row;
	size_t row_count, row_cap;
	char **remark; /* sentences: what differs besides; owned */
	size_t remark_count, remark_cap;
};

void tracker_comparison_init(struct tracker_comparison *comparison,
	const struct tracker_side *side, size_t count);
void tracker_comparison_release(struct tracker_comparison *comparison);

/* Appends a row of unknown values; phase is copied, NULL is none. */
struct tracker_comparison_row *tracker_comparison_add(
	struct tracker_comparison *comparison, enum tracker_comparison_part part,
	const char *key, const char *phase);
void tracker_comparison_remark(struct tracker_comparison *comparison, const char *format,
	...) __attribute__((format(printf, 2, 3)));

#endif
