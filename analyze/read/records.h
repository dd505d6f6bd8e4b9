/*
 * The records of a recording that is written as CSV or into an SQLite database, as if the
 * two were one: of CSV its rows, of a database the names of the columns and the rows of
 * one table after the other. A record of CSV may go over several lines: a name in quotes
 * may hold newlines. A quote that damage opened may hold nothing: it ends where the
 * reader knows a line for a row. Knows nothing of what the cells mean.
 */
#ifndef READ_RECORDS_H
#define READ_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "read/csv.h"
#include "read/log.h"
#include "read/sqlitefile.h"

#define RECORD_BYTES_MAX 65536 /* of a record of several lines */

struct records {
	struct log *log; /* borrowed */
	const struct span *cell; /* of the last record, trimmed; valid until the next */
	size_t count;
	bool torn; /* the file ends in the middle of it, maybe */
	bool broken; /* its quotes: refused already, and split at all commas */
	uint64_t holes; /* so far: blank lines, in which the begin of a row may be lost */

	/* Whether the cells of one line can be a row of the log, by all that is known. */
	bool (*is_row)(const void *reader, const struct span *cell, size_t count);
	const void *reader;

	struct csv_row row;
	struct csv_row other; /* of a line behind an open quote */
	struct strbuf joined; /* a record of several lines */
	struct strbuf
		ahead; /* lines that were looked at, but are no part of a record yet */
	size_t ahead_at; /* where those begin that are not given out */
	uint64_t last_line; /* that was given out, from 1 */

	struct sqlitefile *db; /* NULL: the log is CSV */
	const char *const *table; /* those wanted, in order; ends with NULL */
	bool in_table, ended;
	struct span *trimmed; /* [cap] */
	size_t cap;
};

/*
 * table: which tables of a database are read, in which order; outlives the records. What
 * is_row is to be asked, the reader sets.
 */
void records_open(struct records *records, struct log *log, const char *const *table);
void records_close(struct records *records);
/* The last line of the log was read already, before any record: it comes again. */
void records_put_back(struct records *records, struct span line);

/*
 * The next record. What can't be one, or can't be read on, is said in the log. False: the
 * end. log->record is the line that it begins in; of a database, which has no lines, the
 * row.
 */
bool records_next(struct records *records);

/* The first cell of that name; SIZE_MAX: none. */
size_t records_find(const struct span *cell, size_t count, const char *name);

#endif
