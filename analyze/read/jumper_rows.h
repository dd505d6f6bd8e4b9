/*
 * The rows of JUmPER's exports, be they CSV or a list of JSON objects; which level a file
 * is of; and its clock, which counts from an unknown moment. Knows no column.
 */
#ifndef READ_JUMPER_ROWS_H
#define READ_JUMPER_ROWS_H

#include "model/dialect.h"
#include "read/json_rows.h"
#include "read/probe.h"
#include "read/records.h"

struct jumper_rows {
	struct log *log; /* borrowed */
	const struct span *cell; /* of the last row; valid until the next */
	size_t count;
	bool names; /* of members of JSON; those of columns the reader knows */
	bool lost; /* it is none: refused already */
	bool torn; /* the file ends in the middle of it, maybe */

	bool begun, is_json; /* not before the first row is asked for */
	struct records records;
	struct json_rows json;
};

void jumper_rows_open(struct jumper_rows *rows, struct log *log);
void jumper_rows_close(struct jumper_rows *rows);
/* The next row, or names of columns. False: the end. */
bool jumper_rows_next(struct jumper_rows *rows);

/* Is the row as long as its header? Else it is refused. */
bool jumper_rows_fits(const struct jumper_rows *rows, size_t columns);

/* Do the first lines name all of these columns, as CSV or as members? Ends with NULL. */
bool jumper_probe_has(const struct probe *probe, const char *const *name);

/*
 * A cell of the clock as a time since 1970, with the run's offset, if that is known.
 * False: none, or beyond all times; not said.
 */
bool jumper_time(const struct log *log, struct span cell, int64_t *t_ns);
/* Says it, where the offset is not known. */
void jumper_say_clock(struct log *log);
/* The difference of two times; false: they are none. */
bool jumper_keep_offset(struct run *run, struct span clock, struct span since_1970);

#endif
