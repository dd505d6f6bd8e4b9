/* A walk over the brackets and strings of a valid text. */
#include "rules/line.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t line_at(const char *text, const char *at)
{
	size_t line = 1;

	for (; text < at && *text; text++)
		line += *text == '\n';
	return line;
}

/* Behind a string that begins here. */
static const char *behind_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

/* Is the string from here on this key? Escapes in keys are not looked through. */
static bool is_key(const char *at, const char *end, const char *key)
{
	size_t len = strlen(key);

	end += strspn(end, " \t\r\n");
	return *end == ':' && strncmp(at + 1, key, len) == 0 && at[len + 1] == '"';
}

/* Where the key begins, which may be NULL; else false, and where its object does. */
static bool find_key(const char *json, size_t nth, const char *key, const char **where)
{
	int depth = 0, wanted = nth == SIZE_MAX ? 1 : 3;
	size_t objects = 0;
	const char *end;

	*where = json;

	for (const char *at = json; *at; at++) {
		bool inside = depth == wanted && (wanted == 1 || objects == nth + 1);

		if (*at == '"') {
			end = behind_string(at);
			if (inside && key && is_key(at, end, key)) {
				*where = at;
				return true;
			}
			at = end - 1;
		} else if (*at == '{' || *at == '[') {
			depth++;
			objects += depth == 3;
			if (depth == wanted && (wanted == 1 || objects == nth + 1))
				*where = at;
		} else if (*at == '}' || *at == ']') {
			depth--;
		}
	}
	return false;
}

size_t line_of_key(const char *json, size_t nth, const char *key)
{
	const char *where;

	find_key(json, nth, key, &where);
	return line_at(json, where);
}

const char *value_of_key(const char *json, size_t nth, const char *key)
{
	const char *at;

	if (!find_key(json, nth, key, &at))
		return NULL;
	at = behind_string(at);
	return at + strspn(at, " \t\r\n:");
}
