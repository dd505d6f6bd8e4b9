/*
 * A thin layer over PostgreSQL: connection, statements with text parameters, COPY. If
 * the program was built without libpq, opening fails with an error. Knows no table.
 */
#ifndef STORE_POSTGRES_H
#define STORE_POSTGRES_H

#include <stddef.h>

#include "base/diag.h"

struct postgres;
struct postgres_rows; /* an answer */

/*
 * dsn: postgresql://USER@HOST:PORT/DATABASE or keywords and values, as libpq knows them;
 * what is not said comes from its environment. No sentence repeats it: it may hold a
 * password.
 */
int postgres_open(struct postgres **out, const char *dsn, struct error *err);
void postgres_close(struct postgres *pg); /* an open transaction is lost; NULL is fine */
const char *postgres_name(const struct postgres *pg); /* "DATABASE at HOST" */

/* Statements without parameters and answers. -1 also: the connection broke. */
int postgres_exec(struct postgres *pg, const char *text, struct error *err);
/* One statement; its parameters are texts. NULL: err is set. */
struct postgres_rows *postgres_ask(struct postgres *pg, const char *text,
	const char *const *parameter, int count, struct error *err);
size_t postgres_rows_count(const struct postgres_rows *rows);
/* NULL: SQL's NULL. Valid until they are freed. */
const char *postgres_cell(const struct postgres_rows *rows, size_t row, int column);
/* Before the connection is closed; NULL is fine. */
void postgres_rows_free(struct postgres_rows *rows);

/* COPY ... FROM STDIN, in the text format: begin, put as often as you like, end. */
int postgres_copy_begin(struct postgres *pg, const char *text, struct error *err);
int postgres_copy_put(
	struct postgres *pg, const char *bytes, size_t len, struct error *err);
int postgres_copy_end(struct postgres *pg, struct error *err);

#endif
