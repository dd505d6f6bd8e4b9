/*
 * The database of runs: stores samples and reports, and is a source of both; answers
 * SQL; merges and pushes runs. One SQLite file (schema/), one transaction per run.
 * Knows model/, SQLite and PostgreSQL; knows no log and no statistics.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "model/answer.h"
#include "model/report.h"
#include "model/sample.h"

struct store;

/*
 * Opens or creates a runs database and updates its schema. -1: it is no database, another
 * program's, of a newer version, not writable, or locked for longer than the timeout. The
 * file is unchanged then.
 */
int store_open(struct store **out, const char *path, struct error *err);
/* As store_open(), but a database that can't be written is opened as by
 * store_open_reader(); store_refusal() says why. */
int store_open_or_read(struct store **out, const char *path, struct error *err);
/*
 * Why the database can't be written, as a sentence without a full stop; it can still be
 * read. NULL: it can be written.
 */
const char *store_refusal(const struct store *store);
/*
 * Opens an existing runs database for reading. An earlier schema is updated first; if the
 * file can't be written, a temporary copy is. A file without tables has no runs. -1: as
 * store_open().
 */
int store_open_reader(struct store **out, const char *path, struct error *err);
/* As store_open_reader(), for a database to merge: it is never changed, an earlier schema
 * is updated in a copy. */
int store_open_source(struct store **out, const char *path, struct error *err);
/* A temporary database, which is gone when it is closed. */
int store_open_temporary(struct store **out, struct error *err);
/* Rolls back an open load. Removes a file that it created and that has no run. NULL is
 * fine. */
void store_close(struct store *store);

/*
 * Loads a run into a store without a refusal: begin, add batches, finish. One run at a
 * time, in one transaction. An earlier load of the same run->key is replaced. `shape`
 * names the options that change what is read (time zone, columns, ...); a stored run is
 * reused only if its shape is equal. The run must outlive the load: the states in batches
 * are numbers of its texts. Labels given to an earlier load are kept, except for keys
 * that are given now.
 */
int store_begin_run(
	struct store *store, struct run *run, const char *shape, struct error *err);
/*
 * Takes the batch; the caller gets a cleared one with the same columns. A thread may
 * store the batch while the caller fills the next one, so a later call may return its
 * failure.
 */
int store_add(struct store *store, struct sample_batch *batch, struct error *err);
/* Deletes the samples of a kind of log, to be added again with other segments. */
int store_drop_source(struct store *store, enum source_kind kind, struct error *err);
/*
 * Writes devices, files, events, diagnostics and summaries of report->run, and commits.
 * stamp: the key of the report for store_recall(); NULL: it is not cached.
 */
int store_finish_run(struct store *store, const struct report *report, const char *stamp,
	struct error *err);
void store_abandon_run(
	struct store *store); /* rolls back; no effect if nothing was begun */
/*
 * Did the last finished run replace another recording (other files, another time), whose
 * labels were not kept? *started_ns: when that recording began. Asked once for each run.
 */
bool store_replaced(struct store *store, int64_t *started_ns);

/* Did the last failure come from a damaged row of a run? A load of the run replaces it.
 * Asked once. */
bool store_met_bad_row(struct store *store);

/*
 * Gives a stored run that has moved its new key and path; its labels stay. A run with a
 * recorder's id is recognized by the id, others by the content of their logs.
 */
int store_place_run(struct store *store, const struct run *run, struct error *err);

/* Adds labels to the stored run with this key, in a transaction. */
int store_label_run(struct store *store, const char *key, const struct label_list *labels,
	struct error *err);

/*
 * Reads a stored run into *run, which is initialized with run_init(): devices in the same
 * order, files, events, diagnostics, manifest, time zone, as the reader left them.
 * 1: found; 0: no such run, or of another shape or other definitions; -1.
 */
int store_get_run(struct store *store, const char *key, const char *shape,
	struct run *run, struct error *err);
/*
 * The report that this build of the program stored with the stamp, and its run with its
 * present labels. 1: found; 0; -1.
 */
int store_recall(struct store *store, const char *stamp, struct run *run,
	struct report *report, const struct rule_set *rules, struct error *err);
/* Would store_recall() find a report? */
bool store_knows(struct store *store, const char *stamp);
/* Caches the report of a stored run, unless another program is writing. */
void store_keep(struct store *store, const char *stamp, const struct report *report);

/*
 * Until store_let_go() the database is read in one state: other programs can't change it,
 * but wait. So let go soon.
 */
int store_hold(struct store *store, struct error *err);
void store_let_go(struct store *store);
/*
 * Runs a read-only SQL query. -1: the query would change something, or it is wrong, or
 * the database can't be read. note: appends which names were read as other columns. The
 * answer is freed by the caller, before the store is closed. Its rows fail once SQLite
 * has worked on them for limit_ns.
 */
int store_ask(struct store *store, const char *query, int64_t limit_ns,
	struct answer **out, struct strbuf *note, struct error *err);

/* Of a query without rows: a text or number in it that a column never has, and those that
 * it has; to be freed. NULL: no such text was found. */
char *store_why_empty(struct store *store, const char *query);

/* The views, a line each. To be freed. */
struct answer *store_views(void);

/* Is the word the name of a view? Appends "; did you mean runs?" if it is near one. */
bool store_is_view(const char *word, struct strbuf *near_text);

/* The columns of a view, with units; no rows if there is no such view. To be freed. */
int store_describe(const char *view, struct answer **out, struct error *err);

/* Selects stored runs: they have all labels, and match one of the names if there are any.
 */
struct run_choice {
	/* Each a run's key, its path, the last part of that, or a glob over paths. */
	const char *const *name;
	size_t name_count;
	const struct label_list *where;
};

/*
 * A row for each run, the earliest first. brief: the columns for people. -1 also: a name
 * matches no run. The choice must outlive the answer, which is freed before the store is
 * closed.
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
 * Why no run is selected, without a full stop: "runs.db: the database has no runs".
 * *sentence: freed by the caller; NULL: a run is selected. -1: as store_list().
 */
int store_none_chosen(struct store *store, const struct run_choice *choice,
	char **sentence, struct error *err);

/*
 * Deletes the selected runs, all or (-1) none. -1 also: a name matches no run. *list: the
 * deleted runs; released by the caller after 0.
 */
int store_forget(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err);

/* How many runs a merge or a push has: */
struct transfer_counts {
	size_t taken; /* added */
	size_t renewed; /* replaced: of older definitions, or an earlier part of the run
			 */
	size_t known; /* unchanged */
	size_t refused; /* not added: different runs with the same id or path */
	char **refusal; /* [refusal_count] a sentence for each, and each refused label */
	size_t refusal_count, refusal_cap;
};

void transfer_counts_release(struct transfer_counts *counts);

/*
 * Adds the runs of `other` (of store_open_source()) that are missing, in one transaction.
 * A run in both stays, and gets the labels that it lacks. It is replaced if the other one
 * has newer definitions of the same files, or more of the same recording. A different run
 * with the same id or path is refused, with a sentence in *result, which the caller
 * releases after 0. -1: nothing is changed.
 */
int store_merge(struct store *store, struct store *other, struct transfer_counts *result,
	struct error *err);

/*
 * Copies runs and their summaries to the PostgreSQL server of dsn (schema/postgres.sql),
 * several at a time; each run is copied completely or not at all. Runs in both are
 * decided as by a merge, but with the same files and definitions the later push wins.
 * *result counts what was done, also before a failure (-1); released by the caller in
 * either case.
 */
int store_push(struct store *store, const char *dsn, const struct run_choice *choice,
	struct transfer_counts *result, struct error *err);

/*
 * Reads the numbers of all stored runs, without computing anything. `take` gets a report
 * for the time of the call. It has the run without events, diagnostics, facts and clocks;
 * start, end, duration and grade; rows and interval of each device; and for the wanted
 * parts what measures_of() gives, bit for bit as in the report with default options.
 */
struct history {
	/* Is this run wanted? NULL: all are. */
	bool (*wanted)(void *context, const struct run *run);
	void (*take)(void *context, struct report *report);
	void *context;
	unsigned parts; /* bits of enum measure_part; for a metric in phases both */
	const char *metric; /* only this one of MEASURE_METRIC; NULL: all */
	bool calls; /* with MEASURE_PHASE: also the times of calls */
	const struct rule_set *rules; /* with the findings of these; NULL: none */
};

/*
 * The earliest start first, runs without a start last. *outdated: number of wanted runs
 * that are left out, because another version of the definitions made their numbers.
 */
int store_history(struct store *store, const struct history *history, size_t *outdated,
	struct error *err);

/*
 * The samples of a kind of log, of the run with this key, or of the run that is being
 * loaded. Their words are numbered in texts. The order is segment, time, ordinal, device.
 * Rows equal those that were added, with presence and header marks; batches may be cut
 * differently. NULL: err is set. Freed by the caller, before the store is closed or the
 * load is finished.
 */
struct sample_source *store_samples(struct store *store, const char *key,
	enum source_kind kind, struct texts *texts, struct error *err);
/* Zeroed: all samples. */
struct sample_choice {
	/* Only these metrics; NULL: all. Without any of them no row is read. */
	bool (*wanted)(enum metric_id metric);
	/*
	 * Not NULL: only rows within these times (both included) are needed, and for each
	 * GPU one row outside in which it shows life (metric_shows_life). Other rows may
	 * be read, too.
	 */
	const struct run *within;
	int64_t from_ns, to_ns;
};

/* Only those of the choice. */
struct sample_source *store_samples_of(struct store *store, const char *key,
	enum source_kind kind, const struct sample_choice *choice, struct texts *texts,
	struct error *err);

#endif
