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

/* What cJSON passes over as blanks. */
static bool is_space(char c)
{
	return (unsigned char)c <= ' ';
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

static size_t count_digits(struct span s)
{
	size_t n = 0;

	while (n < s.len && s.at[n] >= '0' && s.at[n] <= '9')
		n++;
	return n;
}

static void skip(struct span *s, size_t n)
{
	s->at += n, s->len -= n;
}

/* Cuts "-0.5e+3"; false: not as RFC 8259 spells numbers ("01", "1.", "-.5"). */
static bool cut_json_number(struct span *s)
{
	size_t digits;

	skip(s, s->at[0] == '-');
	digits = count_digits(*s);
	if (!digits || (digits > 1 && s->at[0] == '0'))
		return false;
	skip(s, digits);
	if (s->len && s->at[0] == '.') {
		skip(s, 1);
		digits = count_digits(*s);
		if (!digits)
			return false;
		skip(s, digits);
	}
	if (s->len && (s->at[0] == 'e' || s->at[0] == 'E')) {
		skip(s, 1);
		skip(s, s->len && (s->at[0] == '+' || s->at[0] == '-'));
		digits = count_digits(*s);
		if (!digits)
			return false;
		skip(s, digits);
	}
	return true;
}

/* Of text that cJSON accepted: it reads numbers with strtod, which accepts more. */
static bool has_json_numbers(struct span text)
{
	while (text.len) {
		char c = text.at[0];

		if (c == '"')
			cut_string(&text);
		else if (c != '-' && (c < '0' || c > '9'))
			skip(&text, 1);
		else if (!cut_json_number(&text))
			return false;
	}
	return true;
}

static bool is_object(struct span text)
{
	struct span all = text;
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
	return !text.len && has_json_numbers(all);
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
