/*
 * The records of a recording that is written as CSV or into an SQLite database, as if the
 * two were one: of CSV its rows, of a database the names of the columns and the rows of
 * one table after the other. A record of CSV may go over several lines: a name in quotes
 * may hold newlines. Knows nothing of what the cells mean.
 */
#ifndef READ_RECORDS_H
#define READ_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "base/strbuf.h"
#include "read/csv.h"
#include "read/log.h"
#include "read/sqlitefile.h"

#define RECORD_BYTES_MAX 65536 /* of a record of several lines */

struct records {
	struct log *log; /* borrowed */
	const struct span *cell; /* of the last record, trimmed; valid until the next */
	size_t count;
	bool torn; /* the file ends in the middle of it, maybe */

	struct csv_row row;
	struct strbuf joined; /* a record of several lines */

	struct sqlitefile *db; /* NULL: the log is CSV */
	const char *const *table; /* those wanted, in order; ends with NULL */
	bool in_table, ended;
	struct span *trimmed; /* [cap] */
	size_t cap;
};

/* table: which tables of a database are read, in which order; outlives the records. */
void records_open(struct records *records, struct log *log, const char *const *table);
void records_close(struct records *records);

/*
 * The next record. What can't be one, or can't be read on, is said in the log. False: the
 * end. log->record counts the rows of a database, which has no lines.
 */
bool records_next(struct records *records);

#endif
