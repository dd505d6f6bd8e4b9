/*
 * One JSON object as text: its members where they lie, byte for byte. cJSON checks that
 * it is JSON; values that are kept must stay as they were (cJSON would print doubles anew
 * and lose nanoseconds).
 */
#ifndef READ_JSON_LINE_H
#define READ_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "base/strbuf.h"

struct json_member {
	struct span key; /* without quotes, escapes as they are */
	struct span value; /* with quotes, if it is a string */
};

struct json_line {
	struct json_member *member;
	size_t count, cap;
};

void json_line_release(struct json_line *line);

/* The members of an object; valid as long as text. False: text is no JSON object. */
bool json_line_parse(struct json_line *line, struct span text);

/* The value of a key; len 0: there is none. The last of equal keys counts. */
struct span json_line_get(const struct json_line *line, const char *key);

/* A string value with its escapes resolved, to be freed; NULL: not a string. */
char *json_text(struct span value);

#endif
