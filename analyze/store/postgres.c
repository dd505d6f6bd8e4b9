/*
 * PostgreSQL through libpq. Without libpq at build time every function fails with an
 * error. The only file that calls libpq.
 */
#include "store/postgres.h"

#ifdef HAVE_LIBPQ
#include <dlfcn.h>
#include <libpq-fe.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

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
			"PostgreSQL's client library can't be loaded: %s; expected it as "
			"package libpq5 brings it",
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
			"%s: the connection broke; no run is there in part, push again",
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
			"--dsn: it can't be understood; expected "
			"postgresql://USER@HOST:PORT/DATABASE or keywords and values");
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
	struct strbuf sb;

	strbuf_init(&sb);
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

int postgres_open(struct postgres **out, const char *dsn, struct error *err)
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
		rc = error_set(err, "%s: it is PostgreSQL %d; expected 12 or newer",
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

void postgres_close(struct postgres *pg)
{
	if (!pg)
		return;
	pg->pq.PQfinish(pg->conn);
	free(pg->name);
	free(pg);
}

const char *postgres_name(const struct postgres *pg)
{
	return pg->name;
}

int postgres_exec(struct postgres *pg, const char *text, struct error *err)
{
	PGresult *result = pg->pq.PQexec(pg->conn, text);
	ExecStatusType status = pg->pq.PQresultStatus(result);
	int rc = 0;

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		rc = failed(pg, result, err);
	pg->pq.PQclear(result);
	return rc;
}

struct postgres_rows *postgres_ask(struct postgres *pg, const char *text,
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

size_t postgres_rows_count(const struct postgres_rows *rows)
{
	return (size_t)rows->pg->pq.PQntuples(rows->result);
}

const char *postgres_cell(const struct postgres_rows *rows, size_t row, int column)
{
	const struct libpq *pq = &rows->pg->pq;

	return pq->PQgetisnull(rows->result, (int)row, column)
		? NULL
		: pq->PQgetvalue(rows->result, (int)row, column);
}

void postgres_rows_free(struct postgres_rows *rows)
{
	if (rows)
		rows->pg->pq.PQclear(rows->result);
	free(rows);
}

int postgres_copy_begin(struct postgres *pg, const char *text, struct error *err)
{
	PGresult *result = pg->pq.PQexec(pg->conn, text);
	int rc = 0;

	if (pg->pq.PQresultStatus(result) != PGRES_COPY_IN)
		rc = failed(pg, result, err);
	pg->pq.PQclear(result);
	return rc;
}

int postgres_copy_put(
	struct postgres *pg, const char *bytes, size_t len, struct error *err)
{
	if (len <= INT_MAX && pg->pq.PQputCopyData(pg->conn, bytes, (int)len) == 1)
		return 0;
	return failed(pg, NULL, err);
}

int postgres_copy_end(struct postgres *pg, struct error *err)
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

#else

int postgres_open(struct postgres **out, const char *dsn, struct error *err)
{
	(void)out;
	(void)dsn;
	return error_set(err,
		"this program was built without libpq, PostgreSQL's client library; "
		"build it anew where that is installed (libpq-dev)");
}

/* Built without libpq: no connection exists, so these are never called. */

void postgres_close(struct postgres *pg)
{
	(void)pg;
}

const char *postgres_name(const struct postgres *pg)
{
	(void)pg;
	return "";
}

int postgres_exec(struct postgres *pg, const char *text, struct error *err)
{
	return postgres_open(&pg, text, err);
}

struct postgres_rows *postgres_ask(struct postgres *pg, const char *text,
	const char *const *parameter, int count, struct error *err)
{
	(void)parameter;
	(void)count;
	postgres_open(&pg, text, err);
	return NULL;
}

size_t postgres_rows_count(const struct postgres_rows *rows)
{
	(void)rows;
	return 0;
}

const char *postgres_cell(const struct postgres_rows *rows, size_t row, int column)
{
	(void)rows;
	(void)row;
	(void)column;
	return NULL;
}

void postgres_rows_free(struct postgres_rows *rows)
{
	(void)rows;
}

int postgres_copy_begin(struct postgres *pg, const char *text, struct error *err)
{
	return postgres_open(&pg, text, err);
}

int postgres_copy_put(
	struct postgres *pg, const char *bytes, size_t len, struct error *err)
{
	(void)len;
	return postgres_open(&pg, bytes, err);
}

int postgres_copy_end(struct postgres *pg, struct error *err)
{
	return postgres_open(&pg, "", err);
}
#endif
