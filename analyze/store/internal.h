/*
 * Private to store/: the open database, buckets of samples, the writer thread, SQL
 * statements, and the rows of runs, reports, labels and paths. Each group of functions
 * names the file that defines it.
 */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include <sqlite3.h>

#include "model/report.h"
#include "model/sample.h"

struct writer_thread; /* the thread, and the batches on their way to it */
struct run_choice;
struct run_list;
struct load; /* a run that is being loaded: load.c */
struct transfer_counts;

/*
 * Buckets (load.c): samples of one kind of log that wait to be stored, row by
 * row. The samples of a device are written together, so their keys and pages are
 * adjacent.
 */

#define BUCKET_ROWS  ((size_t)32 * SAMPLE_BATCH_ROWS)
#define BUCKET_CELLS (20 * BUCKET_ROWS) /* of all rows together, roughly */

/* The metrics of a batch, and where a row has them. */
struct bucket_set {
	size_t width; /* cells of a row */
	enum metric_id metric[METRIC_COUNT]; /* [width] */
	uint16_t place[METRIC_COUNT]; /* of the cell, from 1; 0: none */
};

struct bucket_row {
	int64_t t_ns;
	int64_t mark; /* mark and tables are set when the row is stored */
	size_t cell; /* its first cell */
	int32_t segment;
	uint32_t ordinal;
	uint32_t device;
	uint16_t set; /* number of its metrics' set */
	uint8_t tables;
	uint8_t header, unavailable;
};

/* So many rows of a device have adjacent cells. */
#define BUCKET_STRIP 32

/* Room for the next rows of a device. */
struct bucket_strip {
	size_t cell; /* of the next row */
	size_t left; /* number of rows */
	uint16_t set; /* of these rows */
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
	size_t devices, strip_cap; /* highest device with a row, plus one */
	uint32_t *order; /* [rows] numbers of rows, by device; after bucket_sort() */
	uint32_t *end; /* [devices] where the rows of a device end in order */
	size_t end_cap;
};

void bucket_release(struct bucket *bucket); /* zeroed is empty */
void bucket_clear(struct bucket *bucket);

/* Has the bucket room for the batch, and does it have rows of the same kind only? */
bool bucket_takes(const struct bucket *bucket, const struct sample_batch *batch);
void bucket_add(struct bucket *bucket, const struct sample_batch *batch);

/* Fills order and end: the rows by device, and otherwise in their order. */
void bucket_sort(struct bucket *bucket);

/* The cell of a metric; SIZE_MAX: the row has no such metric. */
static inline size_t bucket_cell(
	const struct bucket *bucket, const struct bucket_row *row, enum metric_id metric)
{
	uint16_t place = bucket->set[row->set].place[metric];

	return place ? row->cell + place - 1 : SIZE_MAX;
}

/*
 * The writer thread (load.c) stores the batches of a long run while the caller
 * reads on. Before any other use of the database, wait for it (store_settle()).
 */

/* Stores a batch; -1: err is set, and no more batches follow. */
typedef int writer_thread_work(
	void *context, const struct sample_batch *batch, struct error *err);

struct writer_thread *writer_thread_new(writer_thread_work *work, void *context);

/* Waits for all batches and ends the thread. -1: the first failure. */
int writer_thread_end(struct writer_thread *writer, struct error *err); /* NULL: 0 */

/*
 * Takes the batch; the caller gets a cleared one with the same columns. -1: an earlier
 * batch failed, and this one is lost.
 */
int writer_thread_add(
	struct writer_thread *writer, struct sample_batch *batch, struct error *err);

/* "hwsr": marks a runs database. Never changes. */
#define STORE_APPLICATION_ID 0x68777372

/* "hwsm": marks databases of versions before the first release. */
#define STORE_UNRELEASED_ID 0x6877736d
#define STORE_BUSY_SECONDS  60

/* Statements of a run that are kept for the next one. */
#define STORE_KEPT 64

/* The rows of the virtual table "feed" (load.c). */
struct feed {
	const struct bucket *bucket; /* NULL: no rows */
	int64_t first; /* number of the first sample */
	size_t row; /* first row of the table */
	int64_t origin_ns;
	const struct texts *texts; /* the words of states */
	int64_t per_unit[METRIC_COUNT]; /* of numbers; 0: a word */
};

struct store {
	sqlite3 *db;
	char *path; /* as given, for messages */
	bool created; /* the file did not exist before */
	bool temporary; /* gone when closed */
	char *refusal; /* why nothing can be written, as a sentence; NULL: it can be */
	int64_t source_id[SOURCE_KIND_COUNT]; /* source_kind.id in this database */
	struct feed feed;
	struct load *load; /* NULL: none */
	struct bucket bucket; /* samples of the load that wait */
	struct writer_thread *writer; /* stores the samples; NULL: all are stored */
	size_t readers; /* number of store_hold() */
	sqlite3_stmt *kept[STORE_KEPT]; /* idle, for the same text of another run; NULL */
	size_t next_kept; /* which goes next */
	char *found_key; /* the last run that store_get_run() found, and its id: */
	int64_t found; /* samples of a later load must not be mixed with it */
	bool bad_row; /* store_met_bad_row */
	bool replaced; /* store_replaced */
	int64_t replaced_ns;
};

/* page_sums.c: as sqlite3_open_v2(); pages of the file get sums, and are checked. */
int page_sums_open(struct store *store, const char *path, int flags);

/* sql.c: nothing is written any more, for this reason; the first reason stays. */
void store_refuse(struct store *store, const struct error *why);

/* sql.c */

/* Sets err to SQLite's latest failure, and returns -1. A failure to write also becomes
 * the store's refusal. */
int sql_error(struct store *store, struct error *err);

/* Sets err: the database is damaged ("what" says how). Returns -1. */
int sql_damaged(const struct store *store, const char *what, struct error *err);

/* Sets err: the tables are not those of a runs database. Returns -1. */
int sql_misshapen(const struct store *store, const char *what, struct error *err);
int sql_exec(struct store *store, const char *text, struct error *err);
int sql_prepare(
	struct store *store, sqlite3_stmt **stmt, const char *text, struct error *err);

/* 1: a row, 0: none left, -1 */
int sql_step(struct store *store, sqlite3_stmt *stmt, struct error *err);

/* One integer without parameters: 0, -1 */
int sql_number(struct store *store, const char *text, int64_t *out, struct error *err);

/* Frees the statements that are kept. */
void sql_forget_kept(struct store *store);

/* Rolls back a transaction, if one was begun. */
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
	int bound; /* parameters that stay for all rows that are written */
	bool keeps; /* the statement is kept for the next run */
	int rc; /* -1: something failed, and err says what */
	struct sql_seal *seal; /* owned; NULL: none is written or checked */
};

void sql_row_prepare(
	struct sql_row *row, struct store *store, const char *text, struct error *err);
/* Binds the run's id to the first parameter. The statement is kept for other runs. */
void sql_prepare_of_run(struct sql_row *row, struct store *store, const char *text,
	int64_t run_id, struct error *err);

/* INSERT into these columns of a table of runs, with a parameter for each. */
void sql_prepare_insert(struct sql_row *row, struct store *store, const char *table,
	int64_t run_id, const char *columns, struct error *err);
int sql_row_end(struct sql_row *row); /* frees it, prepared or zeroed; 0, -1 */

/*
 * Seals: a sum over the values of a row, kept in its column `seal`. SQLite does not
 * notice that a bit of a value was turned. The sum goes by the columns' names, not their
 * order. Not in it: what may change later (mtime_ns), and what each database numbers by
 * itself (source).
 */

/* Sums what is put from now on, into these columns; sql_row_write() puts the sum behind.
 */
void sql_seal(struct sql_row *row, const char *columns);

/* As sql_prepare_insert(), with a seal. */
void sql_prepare_sealed(struct sql_row *row, struct store *store, const char *table,
	int64_t run_id, const char *columns, struct error *err);

/* In a SELECT before all sealed columns and the seal, which sql_check_seals() looks at.
 */
#define SQL_SEALED "0 AS sealed, "

/* sql_row_next() fails at a row of the table whose values don't make its seal, if it has
 * one. */
void sql_check_seals(struct sql_row *row, const char *table);

/* Fails: the database is damaged. */
void sql_row_damaged(struct sql_row *row, const char *what);

void sql_put_int(struct sql_row *row, int64_t value);
void sql_put_known(struct sql_row *row, int64_t value); /* -1: NULL */
void sql_put_time(struct sql_row *row, int64_t t_ns); /* TIME_NONE: NULL */
void sql_put_real(struct sql_row *row, double value); /* NAN: NULL */
void sql_put_text(struct sql_row *row, const char *text); /* must outlive the write */
void sql_put_span(struct sql_row *row, struct span text); /* must outlive the write */
void sql_put_value(struct sql_row *row, const sqlite3_value *value);
void sql_put_source(struct sql_row *row, enum source_kind kind); /* SOURCE_NONE: NULL */
void sql_row_write(struct sql_row *row); /* runs it; then the next row may be put */

/* The same of several values: SQL_PUT(row, INT(1), TEXT("a")). */
struct sql_cell {
	enum sql_as {
		SQL_END,
		SQL_INT,
		SQL_KNOWN,
		SQL_TIME,
		SQL_SOURCE,
		SQL_REAL,
		SQL_TEXT
	} as;
	int64_t integer;
	double real;
	const char *text;
};
#define SQL_CELL(kind, member, x) ((struct sql_cell){.as = (kind), .member = (x)})
#define INT(x)			  SQL_CELL(SQL_INT, integer, (int64_t)(x))
#define KNOWN(x)		  SQL_CELL(SQL_KNOWN, integer, x)
#define TIME(t_ns)		  SQL_CELL(SQL_TIME, integer, t_ns)
#define SOURCE(kind)		  SQL_CELL(SQL_SOURCE, integer, kind)
#define REAL(x)			  SQL_CELL(SQL_REAL, real, x)
#define TEXT(x)			  SQL_CELL(SQL_TEXT, text, x)
#define SQL_CELLS(...)		  ((const struct sql_cell[]){__VA_ARGS__, {.as = SQL_END}})
#define SQL_PUT(row, ...)	  sql_put_cells(row, SQL_CELLS(__VA_ARGS__))
#define SQL_WRITE(row, ...)	  (SQL_PUT(row, __VA_ARGS__), sql_row_write(row))
void sql_put_cells(struct sql_row *row, const struct sql_cell *cell);

/* Runs a statement without rows, with these parameters: 0, -1 */
#define SQL_DO(store, err, text, ...) sql_do(store, text, SQL_CELLS(__VA_ARGS__), err)
int sql_do(struct store *store, const char *text, const struct sql_cell *parameter,
	struct error *err);

/* The first columns of the first row, integers. 1; 0: no row; -1. What is NULL, or in no
 * row, stays as it was. */
int sql_ask(struct store *store, const char *text, const struct sql_cell *parameter,
	int64_t *out, int outs, struct error *err);

bool sql_row_next(struct sql_row *row); /* false: no more rows, or a failure */
void sql_row_again(struct sql_row *row); /* to bind other parameters */
int64_t sql_get_int(struct sql_row *row);
double sql_get_real(struct sql_row *row); /* NULL: NAN */
int64_t sql_get_known(struct sql_row *row);
int64_t sql_get_time(struct sql_row *row);
enum source_kind sql_get_source(struct sql_row *row); /* NULL: SOURCE_NONE */
void sql_get_text(struct sql_row *row, char **slot);

/* Into a fixed array; cut if too long. */
void sql_get_name(struct sql_row *row, char *name, size_t size);

/* The columns of a table or view, without run_id (sql.c). */
struct table_columns {
	char **name; /* [count] owned */
	bool *is_text; /* [count] else a number; a kind of log is text (its name) */
	size_t count, cap, text_cap;
	bool of_run; /* the table has run_id */
	size_t own; /* the first `own` columns are of the table, the others of the chunk
		       of a sample; 0: all are of the table */
};

int table_columns_read(struct table_columns *columns, struct store *store,
	const char *table, struct error *err);
void table_columns_add(struct table_columns *columns, const char *name, bool is_text);
void table_columns_release(struct table_columns *columns);

/* Is it an id of source_kind? Each database has its own, so names are copied. */
bool column_is_kind(const char *column);

/* Values of metrics in statements (sql.c). */

/* q quanta as a value in the metric's unit, from which value_read() gets q again. */
struct value {
	int type; /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_BLOB */
	int64_t integer;
	double real;
	char digits[64]; /* of the BLOB */
	int length;
};
void value_make(struct value *value, int64_t q, int64_t per_unit);

/* The value as the result of a virtual table's column. */
void value_give(sqlite3_context *context, int64_t q, int64_t per_unit);

/* False: not a value of value_make(). */
bool value_read(sqlite3_stmt *stmt, int column, int64_t per_unit, int64_t *q);

/* Registers the virtual table "feed" with the connection (load.c). */
int feed_register(struct store *store, struct error *err);

/*
 * Chunks (load.c): ranges of row numbers, each with samples of one device in the
 * order of segment, time and ordinal (schema/001_runs.sql).
 */

/* The order of the samples of a device. */
struct sample_key {
	int64_t segment, t_ns, ordinal;
};

/* As strcmp(). */
static inline int sample_key_order(const struct sample_key *a, const struct sample_key *b)
{
	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->t_ns != b->t_ns)
		return a->t_ns < b->t_ns ? -1 : 1;
	return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

/* The first number after all samples. */
int chunks_next(struct store *store, int64_t *next, struct error *err);

/* The first and last number of a run's samples; 0, 0: it has none. -1 also: damage. */
int chunks_span(struct store *store, int64_t run_id, int64_t *first, int64_t *last,
	struct error *err);

struct sample_sink; /* what store_add keeps between batches, of one kind of log */

/* The stored run that a load replaces. */
struct earlier_run {
	struct label_list label; /* owned */
	int64_t started_ns, ended_ns; /* TIME_NONE: unknown, or there was no such run */
	bool other_files; /* its files differ from those of the new run */
};

struct load {
	int64_t run_id;
	char *key;
	int64_t origin_ns; /* TIME_NONE: time of the first sample */
	struct run *run;
	struct earlier_run earlier;
	int64_t next_sample; /* number of the next sample */
	struct sample_sink *sink[SOURCE_KIND_COUNT];
};

/* Waits until all samples are stored: needed before any other use of the database. */
int store_settle(struct store *store, struct error *err);

/* Stores the image of a run's report (report_cache.c). */
int image_put(struct store *store, int64_t run_id, const char *stamp,
	const struct report *report, struct error *err);

/* load.c: deletes a run from all tables. Needs an open transaction. */
int run_delete(struct store *store, int64_t run_id, struct error *err);

/* The tables with rows of runs, those of samples first, `run` last; NULL: no more. */
const char *run_table(size_t nth);
bool run_has_table(const char *name);

/* ask.c: the selected runs, the earliest first. -1 also: a name matches no run. */
int runs_choose(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err);

/* Adds a sentence on a refused run or label, and empties the buffer (merge.c). */
void transfer_counts_refuse(struct transfer_counts *counts, struct strbuf *sentence);

/* Paths of runs (moved_runs.c). */

bool moved_run_is_same(const char *a, const char *b); /* do they name the same file? */

/*
 * Finds the run of `store` that is the same as a run of the database `from` without a
 * recorder's id, at another path. They have the same logs; these are gone from one path
 * or packed differently; and `from` has no run at the other path. 1: *run_id; 0: none;
 * -1. *moved: the run has moved to the path in `from`.
 */
int moved_run_find_twin(struct store *store, struct store *from, const struct run *run,
	int64_t *run_id, bool *moved, struct error *err);

/* Gives the stored run the key and path of `run`. Needs an open transaction. */
int moved_run_set(
	struct store *store, int64_t run_id, const struct run *run, struct error *err);

/* Stored runs (run_rows.c). Finds the run with this key: 1; 0: none; -1. */
int run_find(struct store *store, const char *key, int64_t *run_id, struct error *err);

/* Appends ", is_directory, manifest_id ...": the columns that run_get() reads. */
void run_add_columns(struct strbuf *sb);

/* Appends what sql_check_seals() looks at. */
void run_add_sealed(struct strbuf *sb);
void run_get(struct sql_row *row, struct run *run);

/* Are all of its rows as they were written, but for samples? -1: no, or it can't be read.
 */
int run_check_seals(struct store *store, int64_t run_id, struct error *err);

/* Reads its devices and files. */
int run_read_files(
	struct store *store, int64_t run_id, struct run *run, struct error *err);

/* Writes all rows of the run itself. Its row in the table run exists, and is updated. */
int run_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err);

/* Writes the run and its report, without samples (report_rows.c). */
int detail_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err);

/* A layout: the metrics that a row has. */
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

/* The mark of a row: its layout; does its log have no times; did a header come before it;
 * and sample_batch.unavailable. */
#define MARK_HEADER	 1
#define MARK_UNTIMED	 2
#define MARK_UNAVAILABLE 4
#define MARK_LAYOUT	 8

/* Labels of a run (run_rows.c). */
int labels_put(struct store *store, int64_t run_id, const struct label_list *labels,
	struct error *err);
int labels_read(struct store *store, int64_t run_id, struct label_list *labels,
	struct error *err);

/* A line of columns.txt: PLACE [UNIT]: WHAT. The text of a view begins with a
 * capital letter, that of a column with a small one. */
struct column_text {
	struct span place, unit, what;
};

/* What a column is (ask.c). Of an unknown one nothing: empty texts. */
void column_explain(const char *view, const char *column, struct column_text *line);

/* Names in queries of users (query_names.c). */

/* Where in the query SQLite stopped; -1: unknown. */
int query_stopped_at(const struct store *store);
/* Appends SQLite's message on an unknown or ambiguous name, and the names near it;
 * nothing, if the message is on something else. */
void query_say_names(struct store *store, const char *query, struct strbuf *sb);
/* Expressions of a query in the places of names. */
struct meant_names {
	struct meant_name {
		char *expression, *asked; /* owned */
	} * at; /* [count] owned */
	size_t count, cap;
};

void meant_names_release(struct meant_names *names);
/* The title of a column of the answer, with the names that were asked for. To be freed.
 */
char *meant_names_title(const struct meant_names *names, const char *title);

/* Puts what names of the query mean in their places, until SQLite takes it or stops at
 * another fault: columns, columns in another unit, values of the row's run, ids of runs.
 * note: appends what was read as what. */
void query_use_meant(struct store *store, struct strbuf *query, struct meant_names *names,
	struct strbuf *note);
/* Says of each max() of a column of means which column has the maximum. */
void query_say_maxima(struct store *store, const char *query, struct strbuf *note);
/* Functions for these queries that SQLite lacks (query_functions.c). */
void query_add_functions(struct store *store);

#endif
