/*
 * One JSON object as text: its members where they lie, byte for byte. Values that are
 * kept must stay as they were (cJSON would print doubles anew and lose nanoseconds), but
 * for what json_mend.h mends.
 */
#ifndef READ_JSON_LINE_H
#define READ_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

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

#endif
