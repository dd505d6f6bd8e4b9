/*
 * How a run ended. Says whether its numbers describe finished work; a crashed run
 * looks fast and cheap. compute/README.md, "Comparing runs".
 */
#ifndef MODEL_RUN_OUTCOME_H
#define MODEL_RUN_OUTCOME_H

#include "model/metric.h"

enum run_outcome_kind {
	RUN_WHOLE, /* nothing speaks against it, or nobody knows */
	RUN_FAILED, /* its command did */
	RUN_CUT_OFF, /* nobody wrote down its end */
	RUN_OUTCOMES
};

struct run_outcome {
	enum run_outcome_kind kind;
	char *how; /* "exit status 137 (SIGKILL)", "run.json has no end"; owned; NULL:
		      WHOLE */
};

const char *run_outcome_name(
	enum run_outcome_kind kind); /* "failed", "cut off"; NULL: WHOLE */
void run_outcome_release(struct run_outcome *outcome);

/* "exit status 1", "cut off: run.json has no end": behind a run's name. */
void run_outcome_say(struct strbuf *sb, const struct run_outcome *outcome);

/*
 * What ended the run early, and the last values of each GPU. Part of a report; unknown
 * values as in report.h. compute/README.md, "How it ended".
 */

/* What shows that a run did not end as it was meant to; README.md, "How it ended". */
enum ending_sign {
	ENDING_NO_END, /* the recorder ended before it wrote the end */
	ENDING_SIGNAL, /* the exit status is that of a signal */
	ENDING_TORN, /* a log ends in the middle of a line */
	ENDING_GPU_LOST, /* a GPU's values end before its logs do */
	ENDING_DRIVER_GONE, /* nvidia-smi no longer reached the driver */
	ENDING_SIGNS
};

const char *ending_sign_name(enum ending_sign sign); /* "recorder ended", "signal" ... */

/* Of each of these a GPU's last value is kept. */
#define ENDING_METRICS 4
extern const char *const ending_rate_name[ENDING_METRICS]; /* "power_w_per_min" ... */
extern const enum metric_id ending_metric[ENDING_METRICS];
size_t ending_find(enum metric_id metric); /* its place there; ENDING_METRICS: none */

/*
 * Who asks a GPU that is gone gets no value of it: utilization, power, temperature, SM
 * clock. Memory is the driver's answer, and goes on.
 */
bool metric_shows_life(enum metric_id metric);

/* Whose last value lies by less before those of others may just have had no row. */
#define ENDING_LOST_LEAST_S 10

/* The end of a GPU that counts and has rows with a time. */
struct gpu_ending {
	uint32_t device;
	int64_t last_ns; /* of its last value of those; else of its last row */
	double silent_s; /* from then to the last row of the logs that it is in */
	bool lost; /* that is ten seconds, and more than their gap limit; or nvidia-smi
		      said so */
	const char *said; /* which row was its last, and what nvidia-smi said then:
			     borrowed from the run; NULL: nobody can tell, or it was not
			     lost */
	const char *said_file; /* ... where; if said */
	uint64_t said_line;
	double value[ENDING_METRICS]; /* the last; NAN: none, or it is older by that */
	double rate_per_min[ENDING_METRICS]; /* of it in the last minute; NAN: unknown */
	bool is_trend[ENDING_METRICS]; /* that is more than chance makes */
};

struct ending {
	bool abrupt; /* there is a sign, other than a GPU that is known to be lost; never
			in a window that ends before the run */
	bool sign[ENDING_SIGNS];
	int32_t signal; /* 0: none */
	const char *signal_name; /* as on Linux; NULL: none, or it has no name; static */
	const char *torn_file; /* the first one; borrowed from the run; NULL */
	const char *driver_file; /* the first that ends with the driver gone; likewise */
	int64_t driver_ns; /* the last row of its kind; TIME_NONE: none, or no times */
	enum source_kind early_log; /* that ends first of those which end more than their
				       gap limit before the run; SOURCE_NONE */
	int64_t early_ns; /* its last row; TIME_NONE */
	struct gpu_ending *gpu; /* [gpu_count] by device */
	size_t gpu_count;
};

/* By the signs and the GPUs: that one was lost ended no run, unless nobody knows which.
 */
bool ending_is_abrupt(const struct ending *ending);

#endif
