/* Cuts an object into its members; what cJSON accepted needs no second check. */
#include "read/json_line.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void json_line_release(struct json_line *line)
{
	free(line->member);
	*line = (struct json_line){0};
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(struct span *s)
{
	while (s->len && is_space(s->at[0]))
		s->at++, s->len--;
}

/* A string with its quotes; s stands on the first. */
static struct span cut_string(struct span *s)
{
	struct span string = {s->at, 1};

	while (string.len < s->len && string.at[string.len] != '"')
		string.len += string.at[string.len] == '\\' ? 2 : 1;
	string.len++;
	if (string.len > s->len)
		string.len = s->len;
	s->at += string.len, s->len -= string.len;
	return string;
}

/* A value up to the comma or brace that ends it. */
static struct span cut_value(struct span *s)
{
	struct span value = {s->at, 0};
	int depth = 0;

	while (s->len) {
		char c = s->at[0];

		if (c == '"') {
			cut_string(s);
			continue;
		}
		if (!depth && (c == ',' || c == '}'))
			break;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		s->at++, s->len--;
	}
	value.len = (size_t)(s->at - value.at);
	while (value.len && is_space(value.at[value.len - 1]))
		value.len--;
	return value;
}

static bool is_object(struct span text)
{
	const char *end;
	cJSON *json;
	bool good;

	if (memchr(text.at, '\0', text.len))
		return false;
	json = cJSON_ParseWithLengthOpts(text.at, text.len, &end, false);
	good = cJSON_IsObject(json);
	cJSON_Delete(json);
	if (!good)
		return false;
	text.len -= (size_t)(end - text.at), text.at = end;
	skip_space(&text);
	return !text.len;
}

bool json_line_parse(struct json_line *line, struct span text)
{
	line->count = 0;
	if (!is_object(text))
		return false;
	skip_space(&text);
	text.at++, text.len--; /* '{' */
	for (;;) {
		struct json_member member;

		skip_space(&text);
		if (!text.len || text.at[0] != '"')
			return true;
		member.key = cut_string(&text);
		member.key.at++, member.key.len -= 2;
		skip_space(&text);
		if (!text.len)
			return true;
		text.at++, text.len--; /* ':' */
		skip_space(&text);
		member.value = cut_value(&text);
		ALLOC_GROW(line->member, line->count + 1, line->cap);
		line->member[line->count++] = member;
		if (text.len)
			text.at++, text.len--; /* ',' or '}' */
	}
}

struct span json_line_get(const struct json_line *line, const char *key)
{
	for (size_t i = line->count; i-- > 0;)
		if (span_is(line->member[i].key, key))
			return line->member[i].value;
	return (struct span){NULL, 0};
}

char *json_text(struct span value)
{
	cJSON *json = value.len ? cJSON_ParseWithLength(value.at, value.len) : NULL;
	char *string = cJSON_IsString(json) ? xstrdup(json->valuestring) : NULL;

	cJSON_Delete(json);
	return string;
}
