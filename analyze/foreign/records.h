/*
 * The records of a recording that is written as CSV, into an SQLite database, or as a
 * list of flat JSON objects, as pandas and the like write tables, as if all were one: of
 * CSV its rows; of a database the names of the columns and the rows of one table after
 * the other; of JSON the names of the members, whenever they are others than before, and
 * the values of an object, which may go over several lines. A record of CSV may go over
 * several lines: a name in quotes may hold newlines. A quote that damage opened may hold
 * nothing: it ends where the reader knows a line for a row. Knows nothing of what the
 * cells mean.
 */
#ifndef FOREIGN_RECORDS_H
#define FOREIGN_RECORDS_H

#include "read/columns.h"

/* The members of a list of flat JSON objects, on their way to records. */
struct json_rows {
	struct log *log; /* borrowed */
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

struct records {
	struct log *log; /* borrowed */
	const struct span *cell; /* of the last record, trimmed; valid until the next */
	size_t count;
	bool torn; /* the file ends in the middle of it, maybe */
	bool broken; /* its quotes: refused already, and split at all commas */
	bool names; /* of JSON: it is the names */
	uint64_t holes; /* so far: blank lines, in which the begin of a row may be lost */

	/* Whether the cells of one line can be a row of the log, by all that is known. */
	bool (*is_row)(const void *reader, const struct span *cell, size_t count);
	const void *reader;

	bool may_list,
		begun; /* the first line tells whether it is JSON, once asked for */
	bool is_json;
	struct json_rows json;

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
 * table: which tables of a database are read, in which order; outlives the records. NULL:
 * it is text, CSV or JSON. What is_row is to be asked, the reader sets.
 */
void records_open(struct records *records, struct log *log, const char *const *table);
void records_close(struct records *records);

/*
 * The next record. What can't be one, or can't be read on, is said in the log. False: the
 * end. log->record is the line that it begins in; of a database, which has no lines, the
 * row.
 */
bool records_next(struct records *records);

/*
 * Is the record as long as its header of so many columns (0: none yet)? Else it is
 * refused, if it wasn't already. last: what may be cut where the file ends, "the time".
 */
bool records_fit(const struct records *records, size_t columns, const char *last);

/* Is one of the first lines, as CSV, what is asked? */
bool probe_has_row(
	const struct probe *probe, bool (*is)(const struct span *cell, size_t count));

/* Do the first lines have all of these members of JSON? Ends with NULL. */
bool probe_has_members(const struct probe *probe, const char *const *name);

/* Reads all of a log, of which text is a copy, as one JSON object. False: what it should
 * be is not one, and that was said. */
bool json_document(
	struct log *log, struct json_line *json, struct strbuf *text, const char *what);

/* The first cell of that name; SIZE_MAX: none. */
size_t records_find(const struct span *cell, size_t count, const char *name);

/* Where the cells of these names are, the last of which is NULL; place: NULL: no matter.
 * False: not all are there, and the places stay. */
bool records_places(
	const struct span *cell, size_t count, const char *const *name, size_t *place);

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

#endif
