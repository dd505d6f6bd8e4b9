/*
 * The evidence of a run: how its logs cover time (spans, intervals, coverage, gaps and
 * their causes). Filled by compute. Unknown is NAN (numbers) or TIME_NONE (instants).
 */
#ifndef MODEL_EVIDENCE_H
#define MODEL_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/metric.h"

#define GAPS_LISTED 1000 /* at most; all are counted */

/* Why there are no rows; README.md, "Causes of gaps". */
enum gap_cause {
	GAP_UNKNOWN,
	GAP_SUSPEND, /* the machine slept */
	GAP_CLOCK_STEP, /* the wall clock was set forward */
	GAP_RESTART, /* the recorder was started again */
	GAP_REFUSED, /* rows stand there that could not be read */
	GAP_GPU_LOST, /* other GPUs of the log have rows then */
	GAP_LOG_SILENT, /* other logs have */
	GAP_ALL_SILENT /* no log of the run has */
};

/* "suspend" ...; NULL for GAP_UNKNOWN; static. */
const char *gap_cause_name(enum gap_cause cause);

struct gap {
	int64_t start_ns; /* of the row before it, that says something */
	double length_s;
	uint32_t device;
	enum source_kind source;
	size_t file; /* of the row behind it; SIZE_MAX: not known, as from the database */
	uint64_t line; /* 0: not known */
	bool restart; /* the recorder was started again behind it: a new session */
	bool unanswered; /* rows of the device lie in it, which say nothing of it */
	enum gap_cause cause;
};

/* What one device's rows in one source say about time. */
struct device_evidence {
	enum source_kind source;
	uint32_t device;
	uint64_t rows;
	int64_t first_ns, last_ns; /* that say something; TIME_NONE: no times */
	int64_t log_first_ns, log_last_ns; /* of its log: its rows, and those of the GPUs
					      that share one with it; TIME_NONE */
	double interval_s; /* h; NAN: not known */
	const char *interval_source; /* static: "recorded", "median", "option", "assumed"
					(another device of its log; a timed log beside
					it); NULL: not known */
	double gap_limit_s; /* NAN: no gap can be told */
	double covered_s;
	double coverage; /* 0 to 1; NAN: can't be told */
	uint64_t gaps;
	uint64_t restarts; /* gaps behind which the recorder was started again; 0 from the
			      database */
	uint64_t steps_back; /* segments begun by a step back beyond the limit */
	uint64_t sessions;
	uint64_t resets; /* counters that went back: fields clamped at 0 */
};

struct evidence {
	char grade; /* A B C F */
	double coverage; /* of the worst GPU, or of the CPU; NAN */
	const char *time_source; /* points into the run: zone's origin */
	uint64_t sessions;
	struct device_evidence *device; /* [device_count] by source, then by device */
	size_t device_count, device_cap;
	uint64_t gap_count; /* all of them */
	struct gap *gap; /* the longest 1,000, longest first */
	size_t gap_listed;
};

/* Of a device in a kind of log. NULL: that has no rows of it. */
const struct device_evidence *evidence_find(
	const struct evidence *evidence, enum source_kind source, uint32_t device);

/*
 * Of a device in each of its logs of which the gap limit is known: the next one behind e;
 * NULL: the first. NULL: there is none. A log of processes says nothing of a device that
 * has another, here and below.
 */
const struct device_evidence *evidence_next(const struct evidence *evidence,
	uint32_t device, const struct device_evidence *e);

/* Its gap limit, which is known, in ns. */
int64_t evidence_limit_ns(const struct device_evidence *e);

/*
 * Of a device that of the kind of log which counts where several have rows of it: the
 * first that covers COVERS_ALIKE of the most that one covers; where nothing is covered
 * the first. NULL: none has.
 */
const struct device_evidence *evidence_best(
	const struct evidence *evidence, uint32_t device);

#endif
