/*
 * Pushes runs and their summaries to PostgreSQL, several runs per transaction. Each
 * run has a row in its table `pushed`, which is locked until the run's rows are
 * written. So several pushes may run at once, and a repeated push finds what is there.
 * The only file that calls libpq; without libpq at build time a push fails.
 */
#include "store/store.h"

#ifdef HAVE_LIBPQ
#include <dlfcn.h>
#include <libpq-fe.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "model/coverage.h"
#include "store/internal.h"

/*
 * PostgreSQL's client library, loaded on first use. It and its twenty libraries take
 * longer to load than most answers take, and only push needs it.
 */
#define LIBPQ_FUNCTIONS(F)      \
	F(PQclear)              \
	F(PQconnectStartParams) \
	F(PQconninfoFree)       \
	F(PQconninfoParse)      \
	F(PQdb)                 \
	F(PQerrorMessage)       \
	F(PQexec)               \
	F(PQexecParams)         \
	F(PQfinish)             \
	F(PQgetResult)          \
	F(PQgetisnull)          \
	F(PQgetvalue)           \
	F(PQhost)               \
	F(PQntuples)            \
	F(PQputCopyData)        \
	F(PQputCopyEnd)         \
	F(PQreset)              \
	F(PQresultErrorField)   \
	F(PQresultStatus)       \
	F(PQserverVersion)      \
	F(PQsetNoticeProcessor) \
	F(PQstatus)

struct libpq {
#define LIBPQ_POINTER(name) __typeof__(name) *name;
	LIBPQ_FUNCTIONS(LIBPQ_POINTER)
#undef LIBPQ_POINTER
};

#define LIBRARY "libpq.so.5"

/* -1: it is not there, or not all of it. It stays loaded. */
static int libpq_load(struct libpq *out, struct error *err)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return error_set(err,
			"PostgreSQL's client library can't be loaded: %s; install the "
			"package libpq5",
			dlerror());
#define LIBPQ_FIND(name)                              \
	*(void **)&out->name = dlsym(library, #name); \
	if (!out->name)                               \
		return error_set(err, LIBRARY ": it has no " #name);
	LIBPQ_FUNCTIONS(LIBPQ_FIND)
#undef LIBPQ_FIND
	return 0;
}

#define VERSION_MIN 120000 /* partitions that are attached without a lock, views */

struct postgres {
	struct libpq pq;
	PGconn *conn;
	char *name;
};

struct postgres_rows {
	const struct postgres *pg;
	PGresult *result;
};

/* What the server or the library says, up to the end of its line. */
static int cut_line(const char *text)
{
	return (int)strcspn(text, "\r\n");
}

static int failed(const struct postgres *pg, const PGresult *result, struct error *err)
{
	const char *what = pg->pq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (pg->pq.PQstatus(pg->conn) == CONNECTION_BAD)
		return error_set(err,
			"%s: the connection broke; no run was pushed in part, so push "
			"again",
			pg->name);
	if (!what)
		what = pg->pq.PQerrorMessage(pg->conn);
	return error_set(
		err, "%s: PostgreSQL says: %.*s", pg->name, cut_line(what), what);
}

/*
 * A password with an @ or a / in it that is not written as %40 or %2F makes the rest of
 * it a host or a port, which libpq would tell. -1: it could be such a one.
 */
static int check_url(const char *dsn, struct error *err)
{
	const char *rest = strstr(dsn, "://"), *at;

	if (!rest)
		return 0;
	rest += strlen("://");
	at = strchr(rest, '@');
	if (!at || (!strchr(at + 1, '@') && strcspn(rest, "/?#") > (size_t)(at - rest)))
		return 0;
	return error_set(err,
		"--dsn: can't find the host; write @, / and ? in a name or a password as "
		"%%40, %%2F and %%3F");
}

/* libpq's own sentence would repeat what it does not understand. */
static int check_dsn(const struct postgres *pg, const char *dsn, struct error *err)
{
	PQconninfoOption *options = pg->pq.PQconninfoParse(dsn, NULL);

	if (!options)
		return error_set(err,
			"--dsn: expected postgresql://USER@HOST:PORT/DATABASE or "
			"keywords and values");
	pg->pq.PQconninfoFree(options);
	return check_url(dsn, err);
}

static void ignore_notice(void *context, const char *message)
{
	(void)context;
	(void)message;
}

static char *name_of(const struct postgres *pg)
{
	const char *host = pg->pq.PQhost(pg->conn), *name = pg->pq.PQdb(pg->conn);
	struct strbuf sb = strbuf_new();

	strbuf_addf(&sb, "%s at %s", name ? name : "the database",
		host && *host ? host : "this machine");
	return strbuf_detach(&sb);
}

/*
 * A server may have something to say while it is connected, as of its collations, which
 * libpq would print. So a connection that was only begun learns what to do with that, and
 * is then made anew, with libpq's own waiting.
 */
static PGconn *connect_quietly(
	const struct libpq *pq, const char *const *keyword, const char *const *value)
{
	PGconn *conn = pq->PQconnectStartParams(keyword, value, 1);

	pq->PQsetNoticeProcessor(conn, ignore_notice, NULL);
	if (pq->PQstatus(conn) != CONNECTION_BAD)
		pq->PQreset(conn);
	return conn;
}

/* Statements without parameters and answers. */
static int postgres_exec(struct postgres *pg, const char *text, struct error *err)
{
	PGresult *result = pg->pq.PQexec(pg->conn, text);
	ExecStatusType status = pg->pq.PQresultStatus(result);
	int rc = 0;

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		rc = failed(pg, result, err);
	pg->pq.PQclear(result);
	return rc;
}

static void postgres_close(struct postgres *pg)
{
	if (!pg)
		return;
	pg->pq.PQfinish(pg->conn);
	free(pg->name);
	free(pg);
}

/*
 * dsn: postgresql://USER@HOST:PORT/DATABASE, or keywords and values; libpq takes what is
 * missing from its environment. No sentence repeats it: it may hold a password.
 */
static int postgres_open(struct postgres **out, const char *dsn, struct error *err)
{
	/* The later ones win: who gives the DSN may want another time limit. */
	static const char *const keyword[] = {"connect_timeout", "dbname",
		"client_encoding", "fallback_application_name", NULL};
	const char *const value[] = {"30", dsn, "UTF8", "hwsummarize", NULL};
	struct postgres *pg = xcalloc(1, sizeof *pg);
	int rc = 0;

	if (libpq_load(&pg->pq, err) < 0 || check_dsn(pg, dsn, err) < 0) {
		free(pg);
		return -1;
	}
	pg->conn = connect_quietly(&pg->pq, keyword, value);
	pg->name = name_of(pg);
	if (pg->pq.PQstatus(pg->conn) != CONNECTION_OK)
		rc = error_set(err, "%s: no connection: %.*s", pg->name,
			cut_line(pg->pq.PQerrorMessage(pg->conn)),
			pg->pq.PQerrorMessage(pg->conn));
	else if (pg->pq.PQserverVersion(pg->conn) < VERSION_MIN)
		rc = error_set(err, "%s: PostgreSQL %d is too old; expected 12 or newer",
			pg->name, pg->pq.PQserverVersion(pg->conn) / 10000);
	else
		rc = postgres_exec(pg,
			"SET search_path = pg_catalog; SET TIME ZONE 'UTC'; "
			"SET standard_conforming_strings = on",
			err);
	if (rc < 0)
		postgres_close(pg);
	else
		*out = pg;
	return rc;
}

/* One statement; its parameters are texts. NULL: err is set. To be freed before the
 * connection is closed. */
static struct postgres_rows *postgres_ask(struct postgres *pg, const char *text,
	const char *const *parameter, int count, struct error *err)
{
	PGresult *result = pg->pq.PQexecParams(
		pg->conn, text, count, NULL, parameter, NULL, NULL, 0);
	struct postgres_rows *rows;

	if (pg->pq.PQresultStatus(result) != PGRES_TUPLES_OK &&
		pg->pq.PQresultStatus(result) != PGRES_COMMAND_OK) {
		failed(pg, result, err);
		pg->pq.PQclear(result);
		return NULL;
	}
	rows = xcalloc(1, sizeof *rows);
	*rows = (struct postgres_rows){pg, result};
	return rows;
}

static size_t postgres_rows_count(const struct postgres_rows *rows)
{
	return (size_t)rows->pg->pq.PQntuples(rows->result);
}

/* NULL: SQL's NULL. Valid until the rows are freed. */
static const char *postgres_cell(const struct postgres_rows *rows, size_t row, int column)
{
	const struct libpq *pq = &rows->pg->pq;

	return pq->PQgetisnull(rows->result, (int)row, column)
		? NULL
		: pq->PQgetvalue(rows->result, (int)row, column);
}

static void postgres_rows_free(struct postgres_rows *rows)
{
	if (rows)
		rows->pg->pq.PQclear(rows->result);
	free(rows);
}

/* As postgres_ask, where nothing is answered: 0, -1 */
static int postgres_do(struct postgres *pg, const char *text,
	const char *const *parameter, int count, struct error *err)
{
	struct postgres_rows *rows = postgres_ask(pg, text, parameter, count, err);

	postgres_rows_free(rows);
	return rows ? 0 : -1;
}

/* COPY ... FROM STDIN, in the text format: begin, put, end. */

static int postgres_copy_begin(struct postgres *pg, const char *text, struct error *err)
{
	PGresult *result = pg->pq.PQexec(pg->conn, text);
	int rc = 0;

	if (pg->pq.PQresultStatus(result) != PGRES_COPY_IN)
		rc = failed(pg, result, err);
	pg->pq.PQclear(result);
	return rc;
}

static int postgres_copy_put(
	struct postgres *pg, const char *bytes, size_t len, struct error *err)
{
	if (len <= INT_MAX && pg->pq.PQputCopyData(pg->conn, bytes, (int)len) == 1)
		return 0;
	return failed(pg, NULL, err);
}

static int postgres_copy_end(struct postgres *pg, struct error *err)
{
	PGresult *result;
	int rc = 0;

	if (pg->pq.PQputCopyEnd(pg->conn, NULL) != 1)
		return failed(pg, NULL, err);
	/* The end of the COPY, and then NULL: other statements may follow. */
	while ((result = pg->pq.PQgetResult(pg->conn))) {
		if (rc == 0 && pg->pq.PQresultStatus(result) != PGRES_COMMAND_OK)
			rc = failed(pg, result, err);
		pg->pq.PQclear(result);
	}
	return rc;
}

/* All three, of rows that are there. */
static int postgres_copy(struct postgres *pg, const char *text, const struct strbuf *rows,
	struct error *err)
{
	if (postgres_copy_begin(pg, text, err) < 0 ||
		postgres_copy_put(pg, rows->text, rows->len, err) < 0)
		return -1;
	return postgres_copy_end(pg, err);
}

/* A run that may be pushed. */
struct offer {
	int64_t run_id;
	char *run; /* its name there: UTF-8 */
	char month[32]; /* "2026-11-01", "-infinity" */
	bool has_id; /* by a recorder; else its name is a path */
	int64_t files, bytes, stamp; /* as the table pushed has them */
	int64_t definitions;
	enum offer_verdict {
		UNDECIDED,
		TAKE,
		RENEW,
		KNOWN, /* it says the same, or more */
		REFUSE
	} verdict;
};

/* Rows: copies views by COPY into the tables of schema/postgres.sql. */

static const struct pushed_table {
	const char *name, *view;
	const char *without; /* columns of the view that another table has */
} tables[] = {{"run", "runs", ""}, {"run_label", "labels", " path "},
	{"gpu", "gpus", " path "},
	{"metric_summary", "metrics", " path unit better title "},
	{"metric_state", "states", " path "}, {"phase", "phases", " path "},
	{"phase_metric", "phase_metrics", " path unit "},
	{"work", "work_units", " path "}, {"finding", "checks", " path "},
	{"finding_value", "finding_values", " path "}, {"ending", "endings", " path "},
	{"drift", "drifts", " path "}, {"source", "sources", " path "},
	{"diagnostic", "diagnostics", " path "}};

#define TABLE_COUNT (sizeof tables / sizeof tables[0])
#define COPY_BYTES  (64 << 10) /* handed over at once */

struct push_rows {
	struct postgres *pg;
	struct sql_row row[TABLE_COUNT]; /* asks a view for a run */
	char *copy[TABLE_COUNT], *clear[TABLE_COUNT]; /* statements */
	struct strbuf bytes;
};

/* Appends a cell of COPY's text format: an offer's, or a row's. NULL: NULL. */
static void copy_text(struct strbuf *sb, const char *text)
{
	struct strbuf valid;

	if (!text) {
		strbuf_adds(sb, "\\N");
		return;
	}
	strbuf_init(&valid);
	utf8_repair(&valid, text);
	for (const char *c = valid.text; *c; c++) {
		const char *special = strchr("\\\t\n\r", *c);

		if (special) {
			strbuf_addc(sb, '\\');
			strbuf_addc(sb, "\\tnr"[special - "\\\t\n\r"]);
		} else {
			strbuf_addc(sb, *c);
		}
	}
	strbuf_release(&valid);
}

/* A number that no double carries is a BLOB of its digits. */
static void copy_cell(struct strbuf *sb, sqlite3_stmt *stmt, int column)
{
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_NULL:
		copy_text(sb, NULL);
		break;
	case SQLITE_INTEGER:
		strbuf_addf(sb, "%lld", (long long)sqlite3_column_int64(stmt, column));
		break;
	case SQLITE_FLOAT:
		strbuf_addf(sb, "%.17g", sqlite3_column_double(stmt, column));
		break;
	default:
		copy_text(sb, (const char *)sqlite3_column_text(stmt, column));
	}
}

static bool is_without(const struct pushed_table *table, const char *column)
{
	char word[64];

	snprintf(word, sizeof word, " %s ", column);
	return strstr(table->without, word) != NULL;
}

static int prepare_table(
	struct push_rows *rows, struct store *store, size_t nth, struct error *err)
{
	const struct pushed_table *table = &tables[nth];
	struct table_columns columns = {0};
	struct strbuf ask = strbuf_new(), copy = strbuf_new();
	int rc = table_columns_read(&columns, store, table->view, err);

	strbuf_addf(&copy, "COPY hwsummarize.%s (month", table->name);
	for (size_t i = 0; i < columns.count; i++) {
		if (is_without(table, columns.name[i]))
			continue;
		strbuf_addf(
			&ask, "%s v.\"%s\"", ask.len ? "," : "SELECT", columns.name[i]);
		strbuf_addf(&copy, ", \"%s\"", columns.name[i]);
	}
	strbuf_addf(&ask, " FROM %s v WHERE v.run_id = ?", table->view);
	strbuf_adds(&copy, ") FROM STDIN");
	if (rc == 0) {
		sql_row_prepare(&rows->row[nth], store, ask.text, err);
		rc = rows->row[nth].rc;
	}
	rows->copy[nth] = strbuf_detach(&copy);
	strbuf_clear(&ask);
	strbuf_addf(&ask,
		"DELETE FROM hwsummarize.%s WHERE run = ANY($1::text[]) "
		"AND month = ANY($2::date[])",
		table->name);
	rows->clear[nth] = strbuf_detach(&ask);
	table_columns_release(&columns);
	return rc;
}

static void push_rows_close(struct push_rows *rows)
{
	if (!rows)
		return;
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		sql_row_end(&rows->row[i]);
		free(rows->copy[i]);
		free(rows->clear[i]);
	}
	strbuf_release(&rows->bytes);
	free(rows);
}

static int push_rows_open(struct push_rows **out, struct store *store,
	struct postgres *pg, struct error *err)
{
	struct push_rows *rows = xcalloc(1, sizeof *rows);

	rows->pg = pg;
	strbuf_init(&rows->bytes);
	for (size_t i = 0; i < TABLE_COUNT; i++)
		if (prepare_table(rows, store, i, err) < 0) {
			push_rows_close(rows);
			return -1;
		}
	*out = rows;
	return 0;
}

static int flush(struct push_rows *rows, size_t limit, struct error *err)
{
	int rc = 0;

	if (rows->bytes.len > limit) {
		rc = postgres_copy_put(rows->pg, rows->bytes.text, rows->bytes.len, err);
		strbuf_clear(&rows->bytes);
	}
	return rc;
}

static int copy_run(
	struct push_rows *rows, size_t nth, const struct offer *offer, struct error *err)
{
	struct sql_row *row = &rows->row[nth];

	sql_put_int(row, offer->run_id);
	while (sql_row_next(row)) {
		strbuf_adds(&rows->bytes, offer->month);
		for (int i = 0; i < sqlite3_column_count(row->stmt); i++) {
			strbuf_addc(&rows->bytes, '\t');
			copy_cell(&rows->bytes, row->stmt, i);
		}
		strbuf_addc(&rows->bytes, '\n');
		if (flush(rows, COPY_BYTES, err) < 0)
			return -1;
	}
	sql_row_again(row);
	return row->rc;
}

static int copy_table(struct push_rows *rows, size_t nth, const struct offer *offer,
	size_t count, struct error *err)
{
	if (postgres_copy_begin(rows->pg, rows->copy[nth], err) < 0)
		return -1;
	strbuf_clear(&rows->bytes);
	for (size_t i = 0; i < count; i++)
		if ((offer[i].verdict == TAKE || offer[i].verdict == RENEW) &&
			copy_run(rows, nth, &offer[i], err) < 0)
			return -1;
	if (flush(rows, 0, err) < 0)
		return -1;
	return postgres_copy_end(rows->pg, err);
}

/*
 * Puts all rows of the offers that are to be taken or renewed in the place of those
 * that are there; runs and months: arrays of PostgreSQL, of what may be there.
 */
static int push_rows_copy(struct push_rows *rows, const struct offer *offer, size_t count,
	const char *runs, const char *months, struct error *err)
{
	const char *const parameter[] = {runs, months};

	for (size_t i = 0; i < TABLE_COUNT; i++)
		if (postgres_do(rows->pg, rows->clear[i], parameter, 2, err) < 0 ||
			copy_table(rows, i, offer, count, err) < 0)
			return -1;
	return 0;
}

static int copy_metrics(struct store *store, struct postgres *pg, struct error *err)
{
	struct sql_row row;
	struct strbuf bytes = strbuf_new();
	int rc;

	sql_row_prepare(&row, store,
		"SELECT name, unit, kind, better, title, help FROM metric", err);
	while (sql_row_next(&row))
		for (int i = 0; i < 6; i++) {
			copy_cell(&bytes, row.stmt, i);
			strbuf_addc(&bytes, i < 5 ? '\t' : '\n');
		}
	rc = sql_row_end(&row);
	if (rc == 0)
		rc = postgres_copy(
			pg, "COPY pg_temp.offered_metric FROM STDIN", &bytes, err);
	strbuf_release(&bytes);
	return rc;
}

/* What every metric means, in a transaction of its own. */
static int push_metrics(struct store *store, struct postgres *pg, struct error *err)
{
	if (postgres_exec(pg,
		    "BEGIN; CREATE TEMP TABLE offered_metric "
		    "(LIKE hwsummarize.metric) ON COMMIT DROP",
		    err) < 0 ||
		copy_metrics(store, pg, err) < 0)
		return -1;
	return postgres_exec(pg,
		"INSERT INTO hwsummarize.metric AS m SELECT * FROM "
		"pg_temp.offered_metric ORDER BY name "
		"ON CONFLICT (name) DO UPDATE SET unit = excluded.unit, "
		"kind = excluded.kind, better = excluded.better, "
		"title = excluded.title, help = excluded.help "
		"WHERE m IS DISTINCT FROM excluded; COMMIT",
		err);
}

/* Offers: what identifies a run before its rows are read. */

/* Of the day in UTC that a run began on. */
static void set_month(char month[32], int64_t started_ns)
{
	time_t t = (time_t)(started_ns / NS_PER_S - (started_ns % NS_PER_S < 0));
	struct tm tm;

	if (started_ns == TIME_NONE || !gmtime_r(&t, &tm))
		snprintf(month, 32, "-infinity");
	else
		snprintf(month, 32, "%04d-%02d-01", tm.tm_year + 1900, tm.tm_mon + 1);
}

static uint64_t hash_text(const char *text, uint64_t hash)
{
	/* With its end: "a", "bc" is not "ab", "c". */
	struct span s = {text ? text : "", text ? strlen(text) + 1 : 0};

	return span_hash(s, hash);
}

/* The rows of a statement about a run: a hash of their cells. */
static int hash_rows(struct store *store, const char *text, int64_t run_id,
	uint64_t *hash, struct error *err)
{
	struct sql_row row;

	sql_prepare_of_run(&row, store, text, run_id, err);
	while (sql_row_next(&row))
		for (int i = 0; i < sqlite3_column_count(row.stmt); i++)
			*hash = hash_text(
				(const char *)sqlite3_column_text(row.stmt, i), *hash);
	return sql_row_end(&row);
}

static int read_run(
	struct offer *offer, struct store *store, bool *is_directory, struct error *err)
{
	struct strbuf name;
	struct sql_row row;
	bool found;

	sql_prepare_of_run(&row, store,
		"SELECT run_key, manifest_id IS NOT NULL, started_ns, "
		"definitions_version, is_directory FROM run WHERE run_id = ?",
		offer->run_id, err);
	found = sql_row_next(&row);
	if (found) {
		char *key = NULL;

		strbuf_init(&name);
		sql_get_text(&row, &key);
		utf8_repair(&name, key ? key : "");
		free(key);
		offer->run = strbuf_detach(&name);
		offer->has_id = sql_get_int(&row) != 0;
		set_month(offer->month, sql_get_time(&row));
		offer->definitions = sql_get_int(&row);
		*is_directory = sql_get_int(&row) != 0;
	}
	return sql_row_end(&row) < 0 ? -1 : found;
}

/* What its logs hold, and how much. */
static int read_logs(
	struct offer *offer, struct store *store, bool is_directory, struct error *err)
{
	struct run run;
	int rc;

	run_init(&run, "");
	run.is_directory = is_directory;
	rc = run_read_files(store, offer->run_id, &run, err);
	offer->files = (int64_t)run_hash_logs(&run);
	for (size_t i = 0; i < run.file_count; i++)
		offer->bytes += run.file[i].content_size;
	run_release(&run);
	return rc;
}

/*
 * An offer of the stored run, undecided; its name is to be freed whatever is returned.
 * 1; 0: it has been forgotten meanwhile; -1
 */
static int offer_read(
	struct offer *offer, struct store *store, int64_t run_id, struct error *err)
{
	bool is_directory = false;
	uint64_t stamp;
	int rc;

	*offer = (struct offer){.run_id = run_id};
	rc = read_run(offer, store, &is_directory, err);
	if (rc <= 0)
		return rc;
	/* The names of single logs are the operands. */
	if (read_logs(offer, store, is_directory, err) < 0)
		return -1;
	stamp = (uint64_t)offer->files;
	if (hash_rows(store,
		    "SELECT shape, definitions_version FROM run "
		    "WHERE run_id = ?",
		    run_id, &stamp, err) < 0 ||
		hash_rows(store,
			"SELECT key, value, given FROM run_label WHERE run_id = ? "
			"ORDER BY key",
			run_id, &stamp, err) < 0)
		return -1;
	offer->stamp = (int64_t)stamp;
	return 1;
}

/* Of schema/postgres.sql. */
#define SCHEMA_VERSION 1
#define BATCH_RUNS     64

static const struct {
	const char *name, *text;
} schema[] = {
#include "postgres_sql.inc"
};

struct push {
	struct store *store;
	struct postgres *pg;
	struct push_rows *rows;
	struct transfer_counts *result;
	struct offer offer[BATCH_RUNS];
	size_t count;
	struct strbuf months; /* that have partitions: "2026-11-01 " */
};

/* The version of the schema there; 0: there is none, or half of one. */
static int ask_version(struct postgres *pg, int64_t *version, struct error *err)
{
	struct postgres_rows *rows = postgres_ask(pg,
		"SELECT to_regclass('hwsummarize.schema_version') IS NOT NULL", NULL, 0,
		err);
	const char *there;

	*version = 0;
	if (!rows)
		return -1;
	there = postgres_rows_count(rows) ? postgres_cell(rows, 0, 0) : NULL;
	if (!there || *there != 't') {
		postgres_rows_free(rows);
		return 0;
	}
	postgres_rows_free(rows);
	rows = postgres_ask(
		pg, "SELECT version FROM hwsummarize.schema_version", NULL, 0, err);
	if (!rows)
		return -1;
	if (postgres_rows_count(rows))
		*version = strtoll(postgres_cell(rows, 0, 0), NULL, 10);
	postgres_rows_free(rows);
	if (!*version || *version == SCHEMA_VERSION)
		return 0;
	return error_set(err,
		"%s: another version of hwsummarize made the tables (schema %lld; this "
		"version writes %d); push with that version, or drop the schema "
		"hwsummarize",
		pg->name, (long long)*version, SCHEMA_VERSION);
}

static int make_schema(struct postgres *pg, struct error *err)
{
	int64_t version;

	if (ask_version(pg, &version, err) < 0)
		return -1;
	if (version == SCHEMA_VERSION)
		return 0;
	/* Another push may be quicker. */
	if (postgres_exec(pg, "BEGIN; SELECT pg_advisory_xact_lock(1752658797)", err) <
			0 ||
		ask_version(pg, &version, err) < 0 ||
		(!version && postgres_exec(pg, schema[0].text, err) < 0))
		return -1;
	return postgres_exec(pg, "COMMIT", err);
}

static int add_month(struct push *push, const char *month, struct error *err)
{
	if (strstr(push->months.text, month))
		return 0;
	if (postgres_do(push->pg, "SELECT hwsummarize.add_month($1::date)", &month, 1,
		    err) < 0)
		return -1;
	strbuf_addf(&push->months, "%s ", month);
	return 0;
}

/* Stages the offers; new ones take their place at once. */
static int stage(struct push *push, struct error *err)
{
	struct strbuf bytes = strbuf_new();
	int rc = postgres_exec(push->pg,
		"BEGIN; CREATE TEMP TABLE offered (LIKE hwsummarize.pushed INCLUDING "
		"DEFAULTS) ON COMMIT DROP",
		err);

	for (size_t i = 0; i < push->count; i++) {
		const struct offer *o = &push->offer[i];

		copy_text(&bytes, o->run);
		strbuf_addf(&bytes, "\t%s\t%d\t%lld\t%lld\t%lld\t%lld\n", o->month,
			o->has_id, (long long)o->files, (long long)o->bytes,
			(long long)o->definitions, (long long)o->stamp);
	}
	if (rc == 0)
		rc = postgres_copy(push->pg,
			"COPY pg_temp.offered (run, month, has_id, files, bytes, "
			"definitions, stamp) FROM STDIN",
			&bytes, err);
	strbuf_release(&bytes);
	return rc;
}

static struct offer *find_undecided(struct push *push, const char *run)
{
	for (size_t i = 0; i < push->count; i++)
		if (push->offer[i].verdict == UNDECIDED &&
			strcmp(push->offer[i].run, run) == 0)
			return &push->offer[i];
	return NULL;
}

/* All that push at once take and lock runs in the order of their names. */
static int take_new(struct push *push, struct error *err)
{
	struct postgres_rows *rows = postgres_ask(push->pg,
		"INSERT INTO hwsummarize.pushed SELECT * FROM pg_temp.offered "
		"ORDER BY run COLLATE \"C\" ON CONFLICT (run) DO NOTHING RETURNING run",
		NULL, 0, err);

	if (!rows)
		return -1;
	for (size_t i = 0; i < postgres_rows_count(rows); i++) {
		struct offer *offer = find_undecided(push, postgres_cell(rows, i, 0));

		if (offer)
			offer->verdict = TAKE;
	}
	postgres_rows_free(rows);
	return 0;
}

static int64_t integer(const struct postgres_rows *rows, size_t row, int column)
{
	const char *cell = postgres_cell(rows, row, column);

	return cell ? strtoll(cell, NULL, 10) : 0;
}

static void judge(struct offer *offer, const struct postgres_rows *rows, size_t row)
{
	bool had_id = *postgres_cell(rows, row, 2) == 't';
	int64_t files = integer(rows, row, 3), bytes = integer(rows, row, 4);

	if (integer(rows, row, 6) == offer->stamp)
		offer->verdict = KNOWN;
	else if (files == offer->files)
		offer->verdict =
			offer->definitions < integer(rows, row, 5) ? KNOWN : RENEW;
	else if (!had_id || !offer->has_id || bytes == offer->bytes)
		offer->verdict = REFUSE;
	else
		offer->verdict = bytes < offer->bytes ? RENEW : KNOWN;
}

static void array_add(struct strbuf *array, const char *text)
{
	strbuf_adds(array, array->len ? ",\"" : "{\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf_addc(array, '\\');
		strbuf_addc(array, *text);
	}
	strbuf_addc(array, '"');
}

/* Decides on the others, whose rows it holds; the months that they lay in go to months.
 */
static int judge_old(struct push *push, struct strbuf *months, struct error *err)
{
	struct postgres_rows *rows = postgres_ask(push->pg,
		"SELECT p.run, p.month, p.has_id, p.files, p.bytes, p.definitions, "
		"p.stamp FROM hwsummarize.pushed p WHERE p.run IN "
		"(SELECT o.run FROM pg_temp.offered o) ORDER BY p.run COLLATE \"C\" "
		"FOR UPDATE OF p",
		NULL, 0, err);

	if (!rows)
		return -1;
	for (size_t i = 0; i < postgres_rows_count(rows); i++) {
		struct offer *offer;

		while ((offer = find_undecided(push, postgres_cell(rows, i, 0)))) {
			judge(offer, rows, i);
			if (offer->verdict == RENEW)
				array_add(months, postgres_cell(rows, i, 1));
		}
	}
	postgres_rows_free(rows);
	return 0;
}

static int renew(struct push *push, const char *runs, struct error *err)
{
	return postgres_do(push->pg,
		"UPDATE hwsummarize.pushed p SET month = o.month, has_id = o.has_id, "
		"files = o.files, bytes = o.bytes, definitions = o.definitions, "
		"stamp = o.stamp, pushed_at = now(), pushed_by = session_user "
		"FROM pg_temp.offered o WHERE o.run = p.run "
		"AND p.run = ANY($1::text[]) AND o.stamp <> p.stamp",
		&runs, 1, err);
}

/* The rows of what is taken or renewed in the place of all that lies under their names.
 */
static int put_rows(struct push *push, struct strbuf *months, struct error *err)
{
	struct strbuf runs = strbuf_new();
	int rc = 0;

	for (size_t i = 0; i < push->count && rc == 0; i++) {
		const struct offer *o = &push->offer[i];

		if (o->verdict != TAKE && o->verdict != RENEW)
			continue;
		rc = run_check_seals(push->store, o->run_id, err);
		array_add(&runs, o->run);
		array_add(months, o->month);
	}
	if (runs.len && rc == 0) {
		strbuf_addc(&runs, '}');
		strbuf_addc(months, '}');
		rc = renew(push, runs.text, err);
		if (rc == 0)
			rc = push_rows_copy(push->rows, push->offer, push->count,
				runs.text, months->text, err);
	}
	strbuf_release(&runs);
	return rc;
}

static void count_offers(struct push *push)
{
	struct transfer_counts *r = push->result;

	for (size_t i = 0; i < push->count; i++) {
		struct strbuf sb;

		r->taken += push->offer[i].verdict == TAKE;
		r->renewed += push->offer[i].verdict == RENEW;
		r->known += push->offer[i].verdict == KNOWN;
		if (push->offer[i].verdict != REFUSE)
			continue;
		r->refused++;
		strbuf_init(&sb);
		strbuf_addf(&sb,
			"%s: run %s was not pushed: %s has a different recording with "
			"the same id or path",
			push->store->path, push->offer[i].run, push->pg->name);
		transfer_counts_refuse(r, &sb);
	}
}

static int push_batch(struct push *push, struct error *err)
{
	struct strbuf months = strbuf_new();
	int rc = 0;

	for (size_t i = 0; i < push->count && rc == 0; i++)
		rc = add_month(push, push->offer[i].month, err);
	if (rc == 0 &&
		(stage(push, err) < 0 || take_new(push, err) < 0 ||
			judge_old(push, &months, err) < 0 ||
			put_rows(push, &months, err) < 0 ||
			postgres_exec(push->pg, "COMMIT", err) < 0))
		rc = -1;
	if (rc == 0)
		count_offers(push);
	strbuf_release(&months);
	return rc;
}

/* In one state of the database; others that write wait for no more than a batch. */
static int push_runs(
	struct push *push, const struct listed_run *run, size_t count, struct error *err)
{
	int rc = sql_exec(push->store, "BEGIN", err);

	push->count = 0;
	for (size_t i = 0; i < count && rc >= 0; i++) {
		struct offer *offer = &push->offer[push->count];

		rc = offer_read(offer, push->store, run[i].run_id, err);
		if (rc > 0)
			push->count++;
		else
			free(offer->run);
	}
	if (rc >= 0 && push->count)
		rc = push_batch(push, err);
	sql_rollback(push->store);
	for (size_t i = 0; i < push->count; i++)
		free(push->offer[i].run);
	return rc < 0 ? -1 : 0;
}

static int push_all(struct push *push, const struct run_list *list, struct error *err)
{
	if (make_schema(push->pg, err) < 0 ||
		push_metrics(push->store, push->pg, err) < 0 ||
		push_rows_open(&push->rows, push->store, push->pg, err) < 0)
		return -1;
	for (size_t at = 0; at < list->count; at += BATCH_RUNS)
		if (push_runs(push, &list->run[at],
			    list->count - at < BATCH_RUNS ? list->count - at : BATCH_RUNS,
			    err) < 0)
			return -1;
	return 0;
}

int store_push(struct store *store, const char *dsn, const struct run_choice *choice,
	struct transfer_counts *result, struct error *err)
{
	struct push *push = xcalloc(1, sizeof *push);
	struct run_list list;
	int rc;

	*result = (struct transfer_counts){0};
	push->store = store;
	push->result = result;
	strbuf_init(&push->months);
	rc = runs_choose(store, choice, &list, err);
	if (rc == 0) {
		rc = postgres_open(&push->pg, dsn, err);
		if (rc == 0)
			rc = push_all(push, &list, err);
		run_list_release(&list);
	}
	push_rows_close(push->rows);
	postgres_close(push->pg);
	strbuf_release(&push->months);
	free(push);
	return rc;
}

#else

int store_push(struct store *store, const char *dsn, const struct run_choice *choice,
	struct transfer_counts *result, struct error *err)
{
	(void)store;
	(void)dsn;
	(void)choice;
	*result = (struct transfer_counts){0};
	return error_set(err,
		"this program was built without libpq, PostgreSQL's client library; "
		"install libpq-dev and build it again");
}
#endif
