/*
 * The database of runs: stores samples and reports, and is a source of both; answers
 * SQL; merges and pushes runs. One SQLite file (schema/), one transaction per run.
 * Knows model/, SQLite and PostgreSQL; knows no log and no statistics.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/diag.h"
#include "model/answer.h"
#include "model/report.h"
#include "model/run.h"
#include "model/sample.h"

struct store;

/*
 * Opens or creates a runs database and brings it to today's schema. Refused with a
 * sentence: not a database, another program's, a newer one, not writable, locked for
 * longer than the timeout. Nothing of a refused file is changed.
 */
int store_open(struct store **out, const char *path, struct error *err);
/*
 * The same, but an existing one that can't be written is opened as by store_open_reader,
 * and refuses.
 */
int store_open_or_read(struct store **out, const char *path, struct error *err);
/*
 * Why it takes no run any more, as a sentence without an end: it can't be written. What
 * it has can still be asked. NULL: it takes runs.
 */
const char *store_refusal(const struct store *store);
/*
 * Opens an existing runs database for questions alone; it need not be writable. One of an
 * earlier schema is brought to today's first or, where it can't be written, a copy of it
 * that vanishes when it is closed. A file without a table, as an empty one, holds no run.
 * Refused as by store_open.
 */
int store_open_reader(struct store **out, const char *path, struct error *err);
/*
 * The same of one of which runs are taken, and which is never changed: one of an earlier
 * schema is always copied.
 */
int store_open_source(struct store **out, const char *path, struct error *err);
/* A database of its own that vanishes when it is closed; for sorting what came unsorted.
 */
int store_open_temporary(struct store **out, struct error *err);
/* Rolls back an open load; removes a file that it created if no run is in it. NULL is
 * fine. */
void store_close(struct store *store);

/*
 * Loading, by a store that does not refuse. Begin, add batches, finish; one run at a
 * time, in one transaction. An earlier load of the same run->key is replaced. `shape`
 * names the options that shaped the reading (time zone, intervals, ...); a later call
 * reuses the run only if it is equal. The run outlives the load: its texts are what the
 * states of batches stand for. Labels that an earlier load was given come to it when it
 * is finished, but for keys that are given now.
 */
int store_begin_run(
	struct store *store, struct run *run, const char *shape, struct error *err);
/*
 * Takes the batch, for which the caller gets a cleared one with the same columns; a
 * thread may store it while the caller makes the next. What fails may be said by a later
 * call.
 */
int store_add(struct store *store, struct sample_batch *batch, struct error *err);
/* Forgets the samples of a kind of log, which will be added again, segmented otherwise.
 */
int store_drop_source(struct store *store, enum source_kind kind, struct error *err);
/*
 * Writes devices, files, events, diagnostics and summaries of report->run; commits.
 * stamp: what store_recall() finds the report by; NULL: nothing.
 */
int store_finish_run(struct store *store, const struct report *report, const char *stamp,
	struct error *err);
void store_abandon_run(
	struct store *store); /* rolls back; nothing was begun: no effect */
/*
 * Did the run that was finished since this was asked last take the place of one of other
 * files and another time, whose labels did not come to it? *started_ns: when that began.
 */
bool store_replaced(struct store *store, int64_t *started_ns);

/*
 * Where this run is stored under a place that it has left, that is this one from now on:
 * a run with a recorder's id is known by it, another by its logs, of which it is to be
 * known what they hold. Its labels stay with it. A transaction, where there is something
 * to do.
 */
int store_place_run(struct store *store, const struct run *run, struct error *err);

/* Gives the stored run with this key these labels beside its own; a transaction. */
int store_label_run(struct store *store, const char *key, const struct label_list *labels,
	struct error *err);

/*
 * Asking. 1: found, and *run (initialized with run_init) filled just as the reader left
 * it: devices in the same order, files, events, diagnostics, manifest, time zone; 0: no
 * such run, or loaded in another shape or with other definitions; -1.
 */
int store_get_run(struct store *store, const char *key, const char *shape,
	struct run *run, struct error *err);
/*
 * The report that was stored with that stamp, by this very build of the program, and its
 * run with the labels that it has now. 1: found, and both filled; 0; -1.
 */
int store_recall(struct store *store, const char *stamp, struct run *run,
	struct report *report, const struct rule_set *rules, struct error *err);
/* Would it find one? */
bool store_knows(struct store *store, const char *stamp);
/* Stores the report of a stored run for the next time, if nobody else is writing. */
void store_keep(struct store *store, const char *stamp, const struct report *report);

/*
 * From now on the database is seen in one state: no run in it is loaded anew or
 * forgotten, as others that want to write wait. So let go soon.
 */
int store_hold(struct store *store, struct error *err);
void store_let_go(struct store *store);
/*
 * Asks a store that is open for questions one in SQL, in which nothing changes anything.
 * -1: the query would, or is wrong, or the database can't answer. To be freed before the
 * store is closed.
 */
int store_ask(
	struct store *store, const char *query, struct answer **out, struct error *err);

/* The views, a line each. To be freed. */
struct answer *store_views(void);

/* Is the word the name of a view? Appends "; did you mean runs?" if it is near one. */
bool store_is_view(const char *word, struct strbuf *near_text);

/* The columns of a view, with units; no rows if there is no such view. To be freed. */
int store_describe(const char *view, struct answer **out, struct error *err);

/* Which stored runs: those that have all labels, and one of the names if there are any.
 */
struct run_choice {
	/* Each a run's key, its path, the last part of that, or a glob over paths. */
	const char *const *name;
	size_t name_count;
	const struct label_list *where;
};

/*
 * A row a run, the earliest first: for people (brief), or all that is asked for first.
 * -1 also: no run is called by one of the names. The choice outlives the answer, which
 * is to be freed before the store is closed.
 */
int store_list(struct store *store, const struct run_choice *choice, bool brief,
	struct answer **out, struct error *err);

struct listed_run {
	int64_t run_id;
	char *key, *path;
};

struct run_list {
	struct listed_run *run;
	size_t count, cap;
};

void run_list_release(struct run_list *list);

/*
 * Why no run is chosen, without a full stop: "runs.db: the database holds no run".
 * *sentence: owned by the caller; NULL: a run is chosen. -1 as of store_list.
 */
int store_none_chosen(struct store *store, const struct run_choice *choice,
	char **sentence, struct error *err);

/*
 * Removes these runs whole, all of them or (-1) none: none also where no run is called by
 * one of the names. *list: those that were; to be released where 0 is returned.
 */
int store_forget(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err);

/* What a merge or a push did, of so many runs. */
struct transfer_counts {
	size_t taken; /* were not there */
	size_t renewed; /* were there by older definitions, or as recorded so far */
	size_t known; /* were there */
	size_t refused; /* are others than those that are there */
	char **refusal; /* [refusal_count] a sentence for each of these, and each label */
	size_t refusal_count, refusal_cap;
};

void transfer_counts_release(struct transfer_counts *counts);

/*
 * Takes the runs of `other` (of store_open_source) that are not there yet, in one
 * transaction. A run that is there stays as it is, but for labels that it lacks; it is
 * renewed by one that newer definitions made of the same files, or whose recorder had
 * written more by then. What else is under its name is not taken, and said in *result,
 * which is to be released where 0 is returned. -1: nothing is changed.
 */
int store_merge(struct store *store, struct store *other, struct transfer_counts *result,
	struct error *err);

/*
 * Copies runs and their summaries into the PostgreSQL that dsn names
 * (schema/postgres.sql), some at a time: each run is there whole or not at all, whatever
 * breaks. Which of two of one name stays is decided as by a merge, but that of the same
 * files and definitions the later one does. *result, to be released in either case,
 * counts what was done, also before it failed (-1).
 */
int store_push(struct store *store, const char *dsn, const struct run_choice *choice,
	struct transfer_counts *result, struct error *err);

/*
 * The numbers of all stored runs, as they were when each was loaded: nothing is computed.
 * Of the report that `take` gets, its own during the call, there are the run with all but
 * its events, diagnostics, facts and clocks; start, end, duration and grade; each
 * device's rows and interval; and of the parts that are asked for what measures_of()
 * gives, bit for bit as from the report of the run under default options.
 */
struct history {
	/* Is this run's wanted? NULL: each one's is. */
	bool (*wanted)(void *context, const struct run *run);
	void (*take)(void *context, struct report *report);
	void *context;
	unsigned parts; /* of enum measure_part as bits; of a metric in phases both */
	const char *metric; /* of MEASURE_METRIC this one alone; NULL: all */
	bool calls; /* with MEASURE_PHASE: when each call was, too */
	const struct rule_set *rules; /* findings of these, without numbers; NULL: none */
};

/*
 * Those with the earliest start first, those without one last. *outdated: how many that
 * are wanted are left out because other definitions made their numbers.
 */
int store_history(struct store *store, const struct history *history, size_t *outdated,
	struct error *err);

/*
 * The samples of a kind of log, their words numbered in texts, ordered by segment, time,
 * ordinal and device: of the run being loaded, or else of the run with this key. Batches
 * equal those that were added (presence, header marks and all), whatever their sizes.
 * NULL: err is set. The source must be freed before the store is closed or the load
 * finished.
 */
struct sample_source *store_samples(struct store *store, const char *key,
	enum source_kind kind, struct texts *texts, struct error *err);
/* Zeroed are all. */
struct sample_choice {
	/* NULL: all metrics are; else no row comes where none is. */
	bool (*wanted)(enum metric_id metric);
	/*
	 * Not NULL: of the rows outside of these times, both of which are in, this run
	 * needs none, but for one of each GPU in which it shows life, if there is any
	 * (metric_shows_life). Others may come, too.
	 */
	const struct run *within;
	int64_t from_ns, to_ns;
};

/* The same of a choice. */
struct sample_source *store_samples_of(struct store *store, const char *key,
	enum source_kind kind, const struct sample_choice *choice, struct texts *texts,
	struct error *err);

#endif
