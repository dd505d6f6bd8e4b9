/*
 * A list of flat JSON objects as records, as pandas and the like write tables: the names
 * of the members, whenever they are others than before, then the values of an object. An
 * object may go over several lines. Knows nothing of what the members mean.
 */
#ifndef READ_JSON_ROWS_H
#define READ_JSON_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "read/json_line.h"
#include "read/log.h"

#define JSON_ROW_BYTES_MAX (1024 * 1024) /* of an object */

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
