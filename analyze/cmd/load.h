/*
 * Joins the stages for one run: reader, aggregate, database.
 */
#ifndef CMD_LOAD_H
#define CMD_LOAD_H

#include "cmd/options.h"
#include "compute/run/aggregate.h"
#include "compute/run/soundness.h"
#include "model/report.h"
#include "read/read_run.h"
#include "store/store.h"

struct load_job;

/* The runs that are drawn: `count` of an array of paths, from this one on. */
struct timeline_share {
	const char *const *from; /* NULL: none */
	size_t count;
};

/*
 * How a run is loaded: by the options, and what the command adds. Texts and lists belong
 * to the options.
 */
struct load_plan {
	struct read_options read; /* without the operands */
	struct compute_options compute; /* without window and tool; no findings without
					   rules */
	int64_t since_ns, until_ns; /* the window, since the run's start; -1: none */
	const struct label_list *labels; /* given to the run */
	const struct tool *tool; /* whose numbers are wanted; NULL: our own */
	bool samples; /* a store keeps the samples until the run is released */
	bool several; /* compute the identity of runs from the content of their logs */
	size_t timeline_columns; /* of a run's timeline; 0: none */
	struct timeline_share timeline_of[2]; /* the runs that have one */
	struct progress *progress; /* NULL: none is shown */
};

struct load_plan load_plan_of(const struct options *opt);

/* Does only a part of the run count? */
static inline bool load_plan_has_window(const struct load_plan *plan)
{
	return plan->since_ns >= 0 || plan->until_ns >= 0;
}

/* The options that change what is stored of a run, as a text. Freed by the caller. */
char *load_plan_shape(const struct load_plan *plan);

/* A run with its report; release both with loaded_release. */
struct loaded {
	struct run run;
	struct report report;
	bool is_new; /* read from its logs, and stored */
	bool is_mended; /* ... as rows of it in the database were damaged */
	bool is_unkept; /* the run or its new labels are not stored, as the database can't
			   be written */
	struct store *samples; /* its own temporary store, if samples are wanted and no
				  database has them; NULL: none */
};

/*
 * Loads the run of these operands and computes its report. store: has the run already, if
 * its files are unchanged, or stores it, if it can be written; NULL: no database.
 * observer: without a store, gets every batch in the order of the log, perhaps twice;
 * NULL: none. -1: the run can't be read, or has no usable sample or event; nothing is
 * stored.
 */
int load_run(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct store *store,
	struct batch_observer *observer, struct error *err);

/* Holds the database (store_hold) while it has the run in hand, unchanged: 1, and *stored
 * is as it is there; release it. 0: it has not, and is let go; -1. */
int hold_run(struct store *store, const struct run *run, const char *shape,
	struct run *stored, struct error *err);
void loaded_release(struct loaded *loaded);

/*
 * Reads the logs of a loaded run again: the observer gets all rows, without rules and
 * window. *out: the run as it was read now; released by the caller. False: the logs can't
 * be read again, and *out is not filled.
 */
bool load_again(struct loaded *out, const struct loaded *loaded, const char *const *path,
	size_t path_count, const struct load_plan *plan, struct batch_observer *observer);

/*
 * Loads a run from its logs and checks everything, for `check` and --strict. Wrong values
 * and gaps are added to the run's diagnostics. *found: how much was checked.
 */
int load_checked(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct soundness_count *found, struct error *err);

/*
 * A run that a thread loads before its turn. If it is to be stored, its samples wait in
 * memory, because only one thread can use the database. That needs the default options,
 * and files that can be read again.
 */

/* Should the run of this operand be loaded ahead? Not if the store has it. */
bool load_job_pays(
	const char *const *path, const struct load_plan *plan, struct store *store);

/* In any thread. stores: the run is to be stored. The operand is borrowed. */
struct load_job *load_job_new(
	const char *const *path, const struct load_plan *plan, bool stores);

/* Had the run more samples than may wait in memory? */
bool load_job_is_too_long(const struct load_job *job);

/* As load_run(), and frees the job. 1: done; 0: load_run() has to load the run; -1. */
int load_job_end(
	struct load_job *job, struct loaded *out, struct store *store, struct error *err);
void load_job_drop(struct load_job *job); /* NULL is fine */

#define DRAWING_RUNS 50 /* at most, on a page */

/* The columns of each timeline on a page of so many runs. */
size_t drawing_columns(size_t runs);

#endif
