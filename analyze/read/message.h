/*
 * Lines of a log that are strings of JSON objects: docker's log files, Loki, the Cloud's
 * and anybody's logger ({"log": "timestamp, index, ...\\n", "time": ...}).
 */
#ifndef READ_MESSAGE_H
#define READ_MESSAGE_H

#include <stdbool.h>

#include "read/csv.h"
#include "read/json_line.h"
#include "read/prefix.h"

/* One that is read; zeroed is empty. */
struct message {
	struct json_line object;
	struct strbuf text; /* of the string, its escapes undone */
	size_t at; /* what stands before was given out */
	bool timed;
	int64_t t_ns; /* of the object */
};

void message_release(struct message *message);

/*
 * Reads the member of an object. False: the text is no JSON object; one without such a
 * string has an empty text.
 */
bool message_read(struct message *message, struct span object, const char *member,
	const struct zone *zone);

/* The next line of the text; false: there is none left. */
bool message_line(struct message *message, struct span *line);

/*
 * Which member holds the lines of a log: a header in any, or rows in nearly all. The
 * prefix becomes that of an object: its words, the member, the time.
 */
bool message_find(const struct probe *probe, struct csv_row *row, struct prefix *prefix);

#endif
