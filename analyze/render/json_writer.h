/*
 * Writes JSON as a stream, without a tree: open, values, close. Asserts the nesting
 * and that keys are used in objects only. The only place that escapes JSON text. Knows
 * no report.
 *
 * `key` is NULL in arrays and at the top level. A value at the top level ends with a
 * newline, so several make a stream of lines.
 */
#ifndef RENDER_JSON_WRITER_H
#define RENDER_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

#define JSON_DEPTH_MAX 16

enum json_style {
	JSON_PRETTY, /* a value a line, two blanks a level */
	/* The same, but short values, arrays and objects fill lines of 100 bytes. */
	JSON_FILLED,
	JSON_COMPACT,
	JSON_LINES, /* compact, each value of an array right in the document on a line */
	JSON_SPACED /* one line with ", " and ": ", as Python's json prints */
};

struct json_writer {
	FILE *out; /* NULL: all stays in `text` */
	struct strbuf text; /* what is not written yet */
	struct strbuf value; /* the one that is being made, with its key */
	enum json_style style;
	size_t column; /* bytes on the last line; 0: a value may not join them */
	int depth;
	struct json_level {
		bool array, filled, row;
		bool known; /* it has no null */
		bool joins; /* may still become one line; from here on for that */
		bool first; /* of the values of the level around it */
		size_t start; /* in `text`, with what separates it from the one before */
		size_t column; /* before it */
	} level[JSON_DEPTH_MAX];
};

/* out is borrowed until json_finish; its errors are left in ferror(out). */
void json_init(struct json_writer *w, FILE *out, enum json_style style);
/* Writes what is left and releases; everything must be closed. */
void json_finish(struct json_writer *w);

void json_object(struct json_writer *w, const char *key);
void json_array(struct json_writer *w, const char *key);
/* An object if it is there, to be closed; false: null. */
bool json_object_if(struct json_writer *w, const char *key, bool there);
/* An object that JSON_FILLED keeps on one line, with all in it: one of many of a kind. */
void json_row(struct json_writer *w, const char *key);
void json_close(struct json_writer *w); /* the innermost object or array */

/* From here on the innermost object lacks the keys whose value is null. */
void json_leave_out_null(struct json_writer *w);
void json_null(struct json_writer *w, const char *key);
void json_bool(struct json_writer *w, const char *key, bool value);
/* NULL: null. Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json_writer *w, const char *key, const char *value);
/* The shortest text that reads back as the same double; NaN and infinities: null. */
void json_number(struct json_writer *w, const char *key, double value);
void json_count(struct json_writer *w, const char *key, uint64_t value);
void json_count_if(struct json_writer *w, const char *key, uint64_t value); /* 0: null */
void json_integer(struct json_writer *w, const char *key, int64_t value);
/* RFC 3339; an instant that no wall clock told, as TIME_NONE: null. */
void json_time(struct json_writer *w, const char *key, int64_t t_ns);
/* Valid JSON text from elsewhere, put on one line; NULL or "": an empty object. */
void json_raw(struct json_writer *w, const char *key, const char *text);

#endif
