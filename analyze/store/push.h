/* What push.c and push_rows.c share: the rows of runs on their way into PostgreSQL. */
#ifndef STORE_PUSH_H
#define STORE_PUSH_H

#include "store/internal.h"
#include "store/postgres.h"

/* A run that may be pushed. */
struct offer {
	int64_t run_id;
	char *run; /* its name there: UTF-8 */
	char month[32]; /* "2026-11-01", "-infinity" */
	bool has_id; /* by a recorder; else its name is a path */
	int64_t files, bytes, stamp; /* as the table pushed has them */
	int64_t files_on_disk; /* as earlier versions had files: of packed bytes */
	int64_t definitions;
	enum offer_verdict {
		UNDECIDED,
		TAKE,
		RENEW,
		KNOWN, /* it says the same, or more */
		REFUSE
	} verdict;
};

/*
 * An offer of the stored run, undecided; its name is to be freed whatever is returned. 1;
 * 0: it has been forgotten meanwhile; -1
 */
int offer_read(
	struct offer *offer, struct store *store, int64_t run_id, struct error *err);

/* The tables in PostgreSQL, with the views that their rows come from. */
struct push_rows;
int push_rows_open(struct push_rows **out, struct store *store, struct postgres *pg,
	struct error *err);
void push_rows_close(struct push_rows *rows); /* NULL is fine */

/*
 * Puts all rows of the offers that are to be taken or renewed in the place of those that
 * are there; runs and months: arrays of PostgreSQL, of what may be there.
 */
int push_rows_copy(struct push_rows *rows, const struct offer *offer, size_t count,
	const char *runs, const char *months, struct error *err);
/* What every metric means, in a transaction of its own. */
int push_metrics(struct store *store, struct postgres *pg, struct error *err);

/* Appends a cell of COPY's text format: an offer's, or a row's. NULL: NULL. */
void copy_text(struct strbuf *sb, const char *text);

#endif
