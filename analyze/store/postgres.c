/*
 * PostgreSQL through libpq, where its library was there when this was built; elsewhere
 * only the sentence that says so. The only file that knows the library.
 */
#include "store/postgres.h"

#ifdef HAVE_LIBPQ
#include <libpq-fe.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

#define VERSION_MIN 120000 /* partitions that are attached without a lock, views */

struct postgres {
	PGconn *conn;
	char *name;
};

/* What the server or the library says, up to the end of its line. */
static int cut_line(const char *text)
{
	return (int)strcspn(text, "\r\n");
}

static int failed(const struct postgres *pg, const PGresult *result, struct error *err)
{
	const char *what = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (PQstatus(pg->conn) == CONNECTION_BAD)
		return error_set(err,
			"%s: the connection broke; no run is there in part, push again",
			pg->name);
	if (!what)
		what = PQerrorMessage(pg->conn);
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
		"--dsn: it can't be told where its host begins; expected @, / and ? in a "
		"name or a password as %%40, %%2F and %%3F");
}

/* libpq's own sentence would repeat what it does not understand. */
static int check_dsn(const char *dsn, struct error *err)
{
	PQconninfoOption *options = PQconninfoParse(dsn, NULL);

	if (!options)
		return error_set(err,
			"--dsn: it can't be understood; expected "
			"postgresql://USER@HOST:PORT/DATABASE or keywords and values");
	PQconninfoFree(options);
	return check_url(dsn, err);
}

static void ignore_notice(void *context, const char *message)
{
	(void)context;
	(void)message;
}

static char *name_of(const PGconn *conn)
{
	struct strbuf sb;
	const char *host = PQhost(conn);

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s at %s", PQdb(conn) ? PQdb(conn) : "the database",
		host && *host ? host : "this machine");
	return strbuf_detach(&sb);
}

int postgres_open(struct postgres **out, const char *dsn, struct error *err)
{
	/* The later ones win: who gives the DSN may want another time limit. */
	static const char *const keyword[] = {"connect_timeout", "dbname",
		"client_encoding", "fallback_application_name", NULL};
	const char *const value[] = {"30", dsn, "UTF8", "hwsummarize", NULL};
	struct postgres *pg;
	int rc = 0;

	if (check_dsn(dsn, err) < 0)
		return -1;
	pg = xcalloc(1, sizeof *pg);
	pg->conn = PQconnectdbParams(keyword, value, 1);
	pg->name = name_of(pg->conn);
	PQsetNoticeProcessor(pg->conn, ignore_notice, NULL);
	if (PQstatus(pg->conn) != CONNECTION_OK)
		rc = error_set(err, "%s: no connection: %.*s", pg->name,
			cut_line(PQerrorMessage(pg->conn)), PQerrorMessage(pg->conn));
	else if (PQserverVersion(pg->conn) < VERSION_MIN)
		rc = error_set(err, "%s: it is PostgreSQL %d; expected 12 or newer",
			pg->name, PQserverVersion(pg->conn) / 10000);
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
	PQfinish(pg->conn);
	free(pg->name);
	free(pg);
}

const char *postgres_name(const struct postgres *pg)
{
	return pg->name;
}

int postgres_exec(struct postgres *pg, const char *text, struct error *err)
{
	PGresult *result = PQexec(pg->conn, text);
	ExecStatusType status = PQresultStatus(result);
	int rc = 0;

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		rc = failed(pg, result, err);
	PQclear(result);
	return rc;
}

/* What is handed out as an answer is libpq's own. */
struct postgres_rows *postgres_ask(struct postgres *pg, const char *text,
	const char *const *parameter, int count, struct error *err)
{
	PGresult *result =
		PQexecParams(pg->conn, text, count, NULL, parameter, NULL, NULL, 0);

	if (PQresultStatus(result) == PGRES_TUPLES_OK ||
		PQresultStatus(result) == PGRES_COMMAND_OK)
		return (struct postgres_rows *)result;
	failed(pg, result, err);
	PQclear(result);
	return NULL;
}

size_t postgres_rows_count(const struct postgres_rows *rows)
{
	return (size_t)PQntuples((const PGresult *)rows);
}

const char *postgres_cell(const struct postgres_rows *rows, size_t row, int column)
{
	const PGresult *result = (const PGresult *)rows;

	return PQgetisnull(result, (int)row, column)
		? NULL
		: PQgetvalue(result, (int)row, column);
}

void postgres_rows_free(struct postgres_rows *rows)
{
	PQclear((PGresult *)rows);
}

int postgres_copy_begin(struct postgres *pg, const char *text, struct error *err)
{
	PGresult *result = PQexec(pg->conn, text);
	int rc = 0;

	if (PQresultStatus(result) != PGRES_COPY_IN)
		rc = failed(pg, result, err);
	PQclear(result);
	return rc;
}

int postgres_copy_put(
	struct postgres *pg, const char *bytes, size_t len, struct error *err)
{
	if (len <= INT_MAX && PQputCopyData(pg->conn, bytes, (int)len) == 1)
		return 0;
	return failed(pg, NULL, err);
}

int postgres_copy_end(struct postgres *pg, struct error *err)
{
	PGresult *result;
	int rc = 0;

	if (PQputCopyEnd(pg->conn, NULL) != 1)
		return failed(pg, NULL, err);
	/* The end of the COPY, and then NULL: other statements may follow. */
	while ((result = PQgetResult(pg->conn))) {
		if (rc == 0 && PQresultStatus(result) != PGRES_COMMAND_OK)
			rc = failed(pg, result, err);
		PQclear(result);
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

/* There is no connection that these could be called with. */

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
