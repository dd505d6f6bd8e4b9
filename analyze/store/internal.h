/*
 * Shared by the files of store/ and private to them: the open database, buckets of
 * samples, the writer thread, SQL statements, and the rows of runs, reports, labels
 * and paths. Each group of functions names the file that defines it.
 */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "model/member.h"
#include "model/metric.h"
#include "model/report.h"
#include "model/run.h"
#include "model/sample.h"

struct writer_thread; /* the thread, and the batches on their way to it */
struct run_choice;
struct run_list;
struct load; /* a run that is being loaded: load.c */
struct sample_sink; /* what store_add keeps between batches, of one kind of log */
struct transfer_counts;

/*
 * Buckets (write_samples.c): samples of one kind of log that wait to be stored.
 * Samples of a device are then written together, so their keys and pages are adjacent.
 * Stored row by row.
 */

#define BUCKET_ROWS  ((size_t)32 * SAMPLE_BATCH_ROWS)
#define BUCKET_CELLS (20 * BUCKET_ROWS) /* of all rows together, but for a few */

/* The metrics of a batch, and where a row has them. */
struct bucket_set {
	size_t width; /* cells of a row */
	enum metric_id metric[METRIC_COUNT]; /* [width] */
	uint16_t place[METRIC_COUNT]; /* of the cell, from 1; 0: none */
};

struct bucket_row {
	int64_t t_ns;
	int64_t mark; /* of whoever stores it, as tables */
	size_t cell; /* the first one */
	int32_t segment;
	uint32_t ordinal;
	uint32_t device;
	uint16_t set; /* which */
	uint8_t tables;
	uint8_t header, unavailable;
};

/* Rows of a device lie side by side, so many of them. */
#define BUCKET_STRIP 32

/* Where the next row of a device goes. */
struct bucket_strip {
	size_t cell;
	size_t left; /* rows that have room there */
	uint16_t set; /* of which they are */
};

struct bucket {
	enum source_kind source; /* of all rows */
	bool timed;
	struct bucket_row *row; /* [rows] in the order of the log; owned, as all arrays */
	size_t rows;
	struct bucket_set *set; /* [sets] */
	size_t sets, set_cap;
	int64_t *value; /* [cells] as a batch has them */
	uint8_t *presence; /* [cells] */
	size_t cells, value_cap, presence_cap; /* in strips */
	struct bucket_strip *strip; /* [devices] */
	size_t devices, strip_cap; /* of which there are rows, and all before them */
	uint32_t *order; /* [rows] their numbers by device, once they are sorted */
	uint32_t *end; /* [devices] where those of a device end in it */
	size_t end_cap;
};

void bucket_release(struct bucket *bucket); /* zeroed is empty */
void bucket_clear(struct bucket *bucket);

/* Is there room for a batch, of the same kind and with times or without as those before?
 */
bool bucket_takes(const struct bucket *bucket, const struct sample_batch *batch);
void bucket_add(struct bucket *bucket, const struct sample_batch *batch);

/* Fills order and end: the rows by device, else as they came. */
void bucket_sort(struct bucket *bucket);

/* The cell of a metric; SIZE_MAX: the row has none. */
static inline size_t bucket_cell(
	const struct bucket *bucket, const struct bucket_row *row, enum metric_id metric)
{
	uint16_t place = bucket->set[row->set].place[metric];

	return place ? row->cell + place - 1 : SIZE_MAX;
}

/*
 * The writer thread (writer_thread.c) stores the batches of a long run while the
 * caller reads on. Anyone else who uses the database waits for it first. Knows neither
 * SQLite nor tables.
 */

/* What the thread does with each batch; -1: err is set, and it gets no more of them. */
typedef int writer_thread_work(
	void *context, const struct sample_batch *batch, struct error *err);

struct writer_thread *writer_thread_new(writer_thread_work *work, void *context);

/* Waits for all batches, ends the thread, and says what failed first: 0, -1. */
int writer_thread_end(struct writer_thread *writer, struct error *err); /* NULL: 0 */

/*
 * Leaves the batch to the thread. The caller's is another one then, cleared, that has the
 * same columns. -1: an earlier batch failed; this one is lost.
 */
int writer_thread_add(
	struct writer_thread *writer, struct sample_batch *batch, struct error *err);

/* "hwsr": tells a runs database from other SQLite files. Never changes. */
#define STORE_APPLICATION_ID 0x68777372

/* "hwsm": of versions before the first release, whose tables are others. */
#define STORE_UNRELEASED_ID 0x6877736d
#define STORE_BUSY_SECONDS  60

/* The rows that the table "feed" shows (write_samples.c): mark, and tables of which bit n
 * says that there is a row of it in the source's n-th table. */
struct feed {
	const struct bucket *bucket; /* NULL: no rows */
	int64_t first; /* number of its first sample */
	size_t row; /* with which the table begins */
	int64_t origin_ns;
	const struct texts *texts; /* the words of states */
	int64_t per_unit[METRIC_COUNT]; /* of numbers; 0: a word */
};

struct store {
	sqlite3 *db;
	char *path; /* as given, for sentences */
	bool created; /* the file was not there before */
	bool temporary; /* vanishes when closed */
	char *refusal; /* why nothing can be written, as a sentence; NULL: it can be */
	int64_t source_id[SOURCE_KIND_COUNT]; /* source_kind.id; ids outlive the enum */
	struct feed feed;
	struct load *load; /* NULL: none */
	struct bucket bucket; /* its samples that wait */
	struct writer_thread *writer; /* stores its samples; NULL: all are stored */
	size_t readers; /* sample sources that hold the read transaction */
	char *found_key; /* what store_get_run found last, and where: samples of a */
	int64_t found; /* run that was loaded anew meanwhile must not follow it */
	bool replaced; /* store_replaced */
	int64_t replaced_ns;
};

/* open.c: from now on nothing is written, for this reason; the first one stays. */
void store_refuse(struct store *store, const struct error *why);

/* sql.c */

/* The sentence for SQLite's latest failure. Returns -1. Of one to write that is the
 * store's refusal, too. */
int sql_error(struct store *store, struct error *err);

/* What the database holds can't be: "what" says which. Returns -1. */
int sql_damaged(const struct store *store, const char *what, struct error *err);

/* Its tables or views are not those of a runs database. Returns -1. */
int sql_misshapen(const struct store *store, const char *what, struct error *err);
int sql_exec(struct store *store, const char *text, struct error *err);
int sql_prepare(
	struct store *store, sqlite3_stmt **stmt, const char *text, struct error *err);

/* 1: a row, 0: none left, -1 */
int sql_step(struct store *store, sqlite3_stmt *stmt, struct error *err);

/* Runs a statement of this text with one integer bound, or several; wants no rows. */
int sql_exec_int(struct store *store, const char *text, int64_t value, struct error *err);
int sql_exec_ints(struct store *store, const char *text, const int64_t *value, int count,
	struct error *err);

/* The first columns of the first row, integers. 1; 0: no row; -1. What is NULL, or in no
 * row, stays as it was. */
int sql_ask(struct store *store, const char *text, const int64_t *parameter, int count,
	int64_t *out, int outs, struct error *err);
/* One integer without parameters: 0, -1 */
int sql_number(struct store *store, const char *text, int64_t *out, struct error *err);

/* A transaction that was begun is rolled back; there need be none. */
void sql_rollback(struct store *store);

/*
 * The parameters of a statement, or the columns of its row, one after the other. After a
 * failure nothing more happens, and sql_row_end() returns it.
 */
struct sql_row {
	struct store *store;
	sqlite3_stmt *stmt;
	struct error *err;
	int next; /* parameter or column */
	int rc; /* -1: something failed, and err says what */
};

void sql_row_prepare(
	struct sql_row *row, struct store *store, const char *text, struct error *err);
/* A statement of which the run's id is the first parameter, and bound. */
void sql_prepare_of_run(struct sql_row *row, struct store *store, const char *text,
	int64_t run_id, struct error *err);

/* INSERT rows of a run into these columns of a table, a parameter for each. */
void sql_prepare_insert(struct sql_row *row, struct store *store, const char *table,
	int64_t run_id, const char *columns, struct error *err);
int sql_row_end(struct sql_row *row); /* frees it, prepared or zeroed; 0, -1 */

/* Fails: the database holds what it can't. */
void sql_row_damaged(struct sql_row *row, const char *what);

void sql_put_int(struct sql_row *row, int64_t value);
void sql_put_known(struct sql_row *row, int64_t value); /* -1: NULL */
void sql_put_time(struct sql_row *row, int64_t t_ns); /* TIME_NONE: NULL */
void sql_put_real(struct sql_row *row, double value); /* NAN: NULL */
void sql_put_text(struct sql_row *row, const char *text); /* outlives the write */
void sql_put_span(struct sql_row *row, struct span text); /* likewise */
void sql_put_value(struct sql_row *row, const sqlite3_value *value);
void sql_put_source(struct sql_row *row, enum source_kind kind); /* SOURCE_NONE: NULL */
void sql_row_write(struct sql_row *row); /* runs it, begins again */

bool sql_row_next(struct sql_row *row); /* false: no more rows, or a failure */
void sql_row_again(struct sql_row *row); /* to be asked with other parameters */
int64_t sql_get_int(struct sql_row *row);
double sql_get_real(struct sql_row *row); /* NULL: NAN */
int64_t sql_get_known(struct sql_row *row);
int64_t sql_get_time(struct sql_row *row);
enum source_kind sql_get_source(struct sql_row *row); /* NULL: SOURCE_NONE */
void sql_get_text(struct sql_row *row, char **slot);

/* Into a fixed array, cut if it is too short. */
void sql_get_name(struct sql_row *row, char *name, size_t size);

/* The columns of a table or view but for run_id (sql.c). */
struct table_columns {
	char **name; /* [count] owned */
	bool *is_text; /* [count] as a kind of log is by its name; else a number */
	size_t count, cap, text_cap;
	bool of_run; /* it has run_id */
	size_t own; /* columns of the table; those behind are of the sample's chunk; 0:
		       none */
};

int table_columns_read(struct table_columns *columns, struct store *store,
	const char *table, struct error *err);
void table_columns_add(struct table_columns *columns, const char *name, bool is_text);
void table_columns_release(struct table_columns *columns);

/* A number of source_kind, which is another one in each database: its name goes over. */
bool column_is_kind(const char *column);

/* Values of metrics in statements (sql.c). */

/* How q quanta are stored in the metric's unit, so that value_read gives q again. */
struct value {
	int type; /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_BLOB */
	int64_t integer;
	double real;
	char digits[64]; /* of the BLOB, and their number */
	int length;
};
void value_make(struct value *value, int64_t q, int64_t per_unit);

/* The value as the result of a virtual table's column. */
void value_give(sqlite3_context *context, int64_t q, int64_t per_unit);

/* False: not a value that value_make made. */
bool value_read(sqlite3_stmt *stmt, int column, int64_t per_unit, int64_t *q);

/* The rows of a statement, which the answer then owns (ask.c). */
struct answer *ask_answer(struct store *store, sqlite3_stmt *stmt);

/* Registers the virtual table "feed" with the connection (write_samples.c). */
int feed_register(struct store *store, struct error *err);

/* Samples (write_samples.c). */

void sample_sink_free(struct sample_sink *sink); /* NULL is fine */

/* Waits until all samples are stored; before the database is used otherwise. */
int store_settle(struct store *store, struct error *err);

/* Nothing that waits is stored any more. */
void store_drop_waiting(struct store *store);

/* What was stored under the key of a run that is being loaded. */
struct earlier_run {
	struct label_list label; /* that it was given; owned */
	int64_t started_ns, ended_ns; /* TIME_NONE: not known, or there was none */
	bool other_files; /* than those of the run */
};

struct load {
	int64_t run_id;
	char *key;
	int64_t origin_ns; /* TIME_NONE: the first sample decides */
	struct run *run;
	struct earlier_run earlier;
	int64_t next_sample; /* the number of the next one */
	struct sample_sink *sink[SOURCE_KIND_COUNT];
};

/* Stores the image of a run's report (report_cache.c). */
int image_put(struct store *store, int64_t run_id, const char *stamp,
	const struct report *report, struct error *err);

/* load.c: removes all that hangs on a run, in a transaction that is open. */
int run_delete(struct store *store, int64_t run_id, struct error *err);

/* The tables in which rows of runs lie, those of samples first, `run` last; NULL: none.
 */
const char *run_table(size_t nth);
bool run_has_table(const char *name);

/* choose.c: the runs that are chosen, the earliest first; all names are to be ones. */
int runs_choose(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err);

/*
 * Adds a sentence to the errors of a merge or push, and empties its buffer (merge.c).
 */
void transfer_counts_refuse(struct transfer_counts *counts, struct strbuf *sentence);

/* copy.c: takes over all of a run but its labels, in transactions that are open: into
 * `store`, where it gets the id *run_id. What no loader writes is refused. */
int run_copy(struct store *store, struct store *from, int64_t from_id, int64_t *run_id,
	struct error *err);

/* Equal for runs of two databases that say the same, wherever the run lay: labels, and
 * what texts say of its files, apart. */
int run_hash(struct store *store, int64_t run_id, uint64_t *hash, struct error *err);

/* Paths of runs (moved_runs.c). */

bool moved_run_is_same(const char *a, const char *b); /* two names of one file? */

/*
 * 1: *run_id is the run of `store` that this one of the database `from` is, though under
 * another place: it has no recorder's id but the same logs, which are not in both places
 * or packed in different ways, and `from` knows no run in that one's. 0: none is; -1.
 * *moved: it has come to here.
 */
int moved_run_find_twin(struct store *store, struct store *from, const struct run *run,
	int64_t *run_id, bool *moved, struct error *err);

/* In a transaction that is open. */
int moved_run_set(
	struct store *store, int64_t run_id, const struct run *run, struct error *err);

/* Stored runs (run_rows.c). Finds the run with this key: 1 found, 0 not, -1 error. */
int run_find(struct store *store, const char *key, int64_t *run_id, struct error *err);

/* ", is_directory, manifest_id ...": what the recording says of a run, and run_get reads.
 */
void run_add_columns(struct strbuf *sb);
void run_get(struct sql_row *row, struct run *run);

/* Its devices and files. */
int run_read_files(
	struct store *store, int64_t run_id, struct run *run, struct error *err);

/* All rows of the run itself: that of the table run is there, and gets its values. */
int run_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err);

/* Writes the rows of a report other than samples (report_rows.c). */
int detail_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err);

/* The layouts of a source: which metrics a row has. */
#define LAYOUT_WORDS ((METRIC_COUNT + 63) / 64)

struct layout {
	uint64_t bits[LAYOUT_WORDS];
};

static inline void layout_add(struct layout *layout, enum metric_id metric)
{
	layout->bits[metric / 64] |= UINT64_C(1) << (metric % 64);
}

static inline bool layout_has(const struct layout *layout, enum metric_id metric)
{
	return layout->bits[metric / 64] >> (metric % 64) & 1;
}

/* A row's mark says its layout, whether its log has no times, and had a header there; and
 * sample_batch.unavailable. */
#define MARK_HEADER	 1
#define MARK_UNTIMED	 2
#define MARK_UNAVAILABLE 4
#define MARK_LAYOUT	 8

/* Rows of a report and back (report_rows.c): names of columns, and their values in that
 * order. A text is kept by the report. */

void row_add_columns(struct strbuf *sb, enum member_of of); /* each with ", " before it */
void row_get_members(
	struct sql_row *row, struct report *report, enum member_of struct_of, void *of);
const char *row_get_kept(struct sql_row *row, struct report *report);

/* "source, device, metric", then the members. 1; 0: of a metric that is not known any
 * more. */
int row_get_metric(
	struct sql_row *row, struct report *report, struct metric_stats *stats);

void row_add_summary_keys(struct strbuf *sb);
void row_add_phase_keys(struct strbuf *sb); /* likewise */
void row_get_summary(
	struct sql_row *row, struct report *report, struct summary_item *item);

/* Labels of a run (run_rows.c). */
int labels_put(struct store *store, int64_t run_id, const struct label_list *labels,
	struct error *err);
int labels_read(struct store *store, int64_t run_id, struct label_list *labels,
	struct error *err);

#endif
