/*
 * Joins the stages for one run: reader, aggregate, database.
 */
#ifndef CMD_LOAD_H
#define CMD_LOAD_H

#include "cmd/kept_batches.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "compute/inspect/timeline.h"
#include "compute/run/aggregate.h"
#include "compute/run/soundness.h"
#include "model/report.h"
#include "model/sample.h"
#include "read/read_run.h"
#include "store/store.h"

struct load_job;

/* Of the runs that are named in an array of paths those that are drawn: so many of them
 * from this one on. */
struct timeline_share {
	const char *const *from; /* NULL: none */
	size_t count;
};

/*
 * What is asked of a load: the options, understood once, and what the command adds to
 * them. Its texts and lists are the options'.
 */
struct load_plan {
	struct read_options read; /* but for the operands */
	struct compute_options compute; /* but for the window and the tool; without
					   rules there are no findings */
	int64_t since_ns, until_ns; /* the window, from the run's start on; -1 */
	const struct label_list *labels; /* that are given to the run */
	const struct tool *tool; /* whose numbers are wanted; NULL: ours */
	bool samples; /* they are shown, so a store keeps them till the run is released */
	bool several; /* runs are told from one another by what logs hold */
	size_t timeline_columns; /* of a run's timeline; 0: there is none */
	struct timeline_share timeline_of[2]; /* whose */
	struct progress *progress; /* NULL: nobody watches */
};

struct load_plan load_plan_of(const struct options *opt);

/* Does a part of the run count alone? */
static inline bool load_plan_has_window(const struct load_plan *plan)
{
	return plan->since_ns >= 0 || plan->until_ns >= 0;
}

/* The options that shape what is stored of a run, as a text. To be freed. */
char *load_plan_shape(const struct load_plan *plan);

/* A run with its report; release both with loaded_release. */
struct loaded {
	struct run run;
	struct report report;
	bool is_new; /* read from its logs, and put into the database */
	bool is_unkept; /* it, or labels that it is given, are not in the database, which
			   can't be written */
	struct store *samples; /* its own store, where its samples are asked for and no
				  other keeps them; NULL: none */
};

/*
 * Loads the run that these operands are and computes its report. store: where it is kept,
 * or what is already there is taken from if its files have not changed; what one that
 * refuses has not is computed all the same. NULL: no database. observer: without one,
 * every batch goes there too, in the order of the log; it may be told of a second
 * reading. NULL: nobody asks. -1: the run is unreadable, or holds not one usable sample
 * or event; nothing is stored.
 */
int load_run(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct store *store,
	struct batch_observer *observer, struct error *err);
void loaded_drop_report(struct loaded *loaded); /* what the run was stays */
void loaded_release(struct loaded *loaded);

/* A run's logs read once more, by somebody who wants their lines. */

/*
 * All rows of the logs that a run was loaded from go to the observer, without rules and
 * whatever window was asked for. *out: the run as it was read now; release it. False: the
 * logs can't be read again; nothing to release.
 */
bool load_again(struct loaded *out, const struct loaded *loaded, const char *const *path,
	size_t path_count, const struct load_plan *plan, struct batch_observer *observer);

/*
 * Loads a run and looks at everything: what `check` prints, and what --strict asks of
 * the other commands.
 */

/*
 * As load_run, from the logs themselves; what does not hold of values and of the time
 * between rows is added to the run's diagnostics. *found: how much was looked at.
 */
int load_checked(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct soundness_count *found, struct error *err);

/*
 * A run that a thread loads before its turn. One that is to be put into a database,
 * which one thread at a time can have, is read, worked out and kept in memory till then:
 * with the usual options alone, and if its files can be read again.
 */

/* Is the run that this operand is one to be loaded beforehand? Not where the store knows
 * it. */
bool load_job_pays(
	const char *const *path, const struct load_plan *plan, struct store *store);

/* By any thread. stores: it is to be put into a database. The operand is borrowed. */
struct load_job *load_job_new(
	const char *const *path, const struct load_plan *plan, bool stores);

/* It was a run of more samples than may wait in memory. */
bool load_job_is_too_long(const struct load_job *job);

/*
 * As load_run, and the job is freed. 1: done; 0: it is of no use for the store, which
 * load_run will say; -1.
 */
int load_job_end(
	struct load_job *job, struct loaded *out, struct store *store, struct error *err);
void load_job_drop(struct load_job *job); /* NULL is fine */

#define DRAWING_RUNS 50 /* that are drawn on a page at most */

/* How many columns the timelines of so many runs on a page have. */
size_t drawing_columns(size_t runs);

#endif
