/*
 * The records of a recording that is written as CSV or into an SQLite database, as if
 * the two were one: of CSV its rows, of a database the names of the columns and the
 * rows of one table after the other. A record of CSV may go over several lines: a name
 * in quotes may hold newlines. A quote that damage opened may hold nothing: it ends
 * where the reader knows a line for a row. Knows nothing of what the cells mean.
 */
#ifndef FOREIGN_RECORDS_H
#define FOREIGN_RECORDS_H

#include "read/columns.h"

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

/*
 * Is a row as long as its header of so many columns (0: none yet)? Else it is refused.
 * torn: the file ends in it; last: what may be cut then, "the time".
 */
bool row_fits(struct log *log, size_t count, size_t columns, bool torn, const char *last);

/* Is one of the first lines, as CSV, what is asked? */
bool probe_has_row(
	const struct probe *probe, bool (*is)(const struct span *cell, size_t count));

/* The first cell of that name; SIZE_MAX: none. */
size_t records_find(const struct span *cell, size_t count, const char *name);

/*
 * Columns of records each of which has values of several devices: column->part says
 * whose. Column `at` is of a metric, unless an earlier one of its part is; false: it is
 * none.
 */
bool part_bind(struct columns *columns, size_t at, const struct binding *binding);

/* Appends what a record says of one part; cell[i] is that of column i. */
void part_put(struct columns *columns, struct log *log, struct sample_batch *batch,
	int64_t t_ns, uint32_t device, int32_t part, bool *header_pending,
	const struct span *cell);

/*
 * A list of flat JSON objects as records, as pandas and the like write tables: the
 * names of the members, whenever they are others than before, then the values of an
 * object. An object may go over several lines. Knows nothing of what the members mean.
 */

struct json_rows {
	struct log *log; /* borrowed */
	const struct span *cell; /* of the last record; valid until the next */
	size_t count;
	bool names; /* it is the names */
	struct strbuf *text; /* [count] of a value: a string without its quotes */

	struct json_line object;
	struct strbuf joined; /* its text */
	struct strbuf rest; /* of the last line, not looked at yet */
	uint64_t rest_line; /* ... its number */
	struct strbuf keys; /* of the names that were given out */
	struct span *cells; /* [cap] */
	size_t cap, text_cap;
	bool pending; /* the values behind the names are due */
	bool torn; /* the file ends in the last line */
};

/* first: a line of the log that was read already, its last one. */
void json_rows_open(struct json_rows *rows, struct log *log, struct span first);
void json_rows_close(struct json_rows *rows);

/*
 * The next record; what is no object is refused. False: the end. log->record is the line
 * that the object begins in.
 */
bool json_rows_next(struct json_rows *rows);

#endif
