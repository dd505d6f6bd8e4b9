/*
 * One JSON object as text: its members where they lie, byte for byte. Values that are
 * kept must stay as they were (cJSON would print doubles anew and lose nanoseconds),
 * but for what json_mend mends.
 */
#ifndef READ_JSON_H
#define READ_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "read/csv.h"
#include "read/prefix.h"

struct json_member {
	struct span key; /* without quotes, escapes as they are */
	struct span value; /* with quotes, if it is a string */
};

struct json_line {
	struct json_member *member; /* no two keys are equal */
	size_t count, cap;
	struct json_member **order; /* scratch */
	size_t order_cap;
	struct strbuf raw, mended; /* a line that needed it */
};

void json_line_release(struct json_line *line);

/*
 * The members of an object, of equal keys the last; valid as long as text and until the
 * next call. False: text is no JSON object (RFC 8259, but control characters are blanks,
 * or stand in strings; lists lie in one another 1000 deep at most).
 */
bool json_line_parse(struct json_line *line, struct span text);

/* The value of a key, or of a path of keys into objects: "record.time"; len 0: none. */
struct span json_line_find(const struct json_line *line, const char *path);

/*
 * All members but the ones with these keys (NULL is none) as a JSON object, to be freed;
 * NULL: nothing is left.
 */
char *json_line_rest(const struct json_line *line, const char *const *keys, size_t count);

/*
 * Cuts the object off that text begins with; whether it is JSON inside is not looked at.
 * False, with both as they were: no brace, or none that ends it.
 */
bool json_cut_object(struct span *text, struct span *object);

bool json_is_text(struct span value); /* a string */

/* A string value with its escapes resolved, to be freed; NULL: not a string. */
char *json_text(struct span value);

/*
 * Text that is nearly JSON, made so: bytes that are not UTF-8, "\u0000" (a C string
 * would end there) and half surrogate pairs become U+FFFD; NaN and Infinity, which
 * Python writes, null. All else stays byte for byte.
 */

/* Appends the mended s. False: it is as it was. */
bool json_mend(struct strbuf *sb, const char *s);

/* The time of a JSON line, whoever wrote it. */

/*
 * The path of the first member that can be read as a time, in *t_ns; a time that does not
 * say its zone is in the one that is given. NULL: there is none, and *t_ns stays.
 */
const char *json_time_find(
	const struct json_line *line, const struct zone *zone, int64_t *t_ns);

/*
 * Lines of a log that are strings of JSON objects: docker's log files, Loki, the
 * Cloud's and anybody's logger ({"log": "timestamp, index, ...\\n", "time": ...}).
 */

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

/* Takes the text of another member. */
void message_take(struct message *message, const char *member);

/* The next line of the text; false: there is none left. */
bool message_line(struct message *message, struct span *line);

#endif
