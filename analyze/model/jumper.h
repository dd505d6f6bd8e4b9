/*
 * The words of JUmPER that several stages share: its levels, a range of cells, what a
 * recording of it says of the machine, the thresholds of its tags. Computes nothing.
 */
#ifndef MODEL_JUMPER_H
#define MODEL_JUMPER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "model/run.h"

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

#endif
