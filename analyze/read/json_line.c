/* Cuts an object into its members; what cJSON accepted needs no second check. */
#include "read/json_line.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/json_mend.h"

void json_line_release(struct json_line *line)
{
	free(line->member);
	free(line->order);
	strbuf_release(&line->raw);
	strbuf_release(&line->mended);
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

/* The next member of an object behind its brace or a comma. False: there is none. */
static bool cut_member(struct span *s, struct json_member *member)
{
	skip_space(s);
	if (!s->len || s->at[0] != '"')
		return false;
	member->key = cut_string(s);
	member->key.at++, member->key.len -= 2;
	skip_space(s);
	if (!s->len)
		return false;
	s->at++, s->len--; /* ':' */
	skip_space(s);
	member->value = cut_value(s);
	if (s->len)
		s->at++, s->len--; /* ',' or '}' */
	return true;
}

bool json_cut_object(struct span *text, struct span *object)
{
	struct span s = *text;
	int depth = 0;

	if (!span_begins(s, "{"))
		return false;
	do {
		char c = s.at[0];

		if (c == '"') {
			cut_string(&s);
			continue;
		}
		s.at++, s.len--;
		depth += c == '{';
		depth -= c == '}';
	} while (depth && s.len);
	if (depth)
		return false;
	*object = (struct span){text->at, (size_t)(s.at - text->at)};
	*text = s;
	return true;
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

/* Whether every \u of a string has its four digits. */
static bool has_json_escapes(struct span string)
{
	for (size_t i = 0; i < string.len; i++) {
		if (string.at[i] != '\\')
			continue;
		if (string.at[++i] != 'u')
			continue;
		for (int digits = 0; digits < 4; digits++)
			if (++i >= string.len || !isxdigit((unsigned char)string.at[i]))
				return false;
	}
	return true;
}

/*
 * Of text that cJSON accepted: it reads numbers with strtod, which accepts more, and an
 * escape without digits as U+0000.
 */
static bool is_strict(struct span text)
{
	while (text.len) {
		char c = text.at[0];

		if (c == '"' && !has_json_escapes(cut_string(&text)))
			return false;
		if (c == '"')
			continue;
		if (c != '-' && (c < '0' || c > '9'))
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

	json = cJSON_ParseWithLengthOpts(text.at, text.len, &end, false);
	good = cJSON_IsObject(json);
	cJSON_Delete(json);
	if (!good)
		return false;
	text.len -= (size_t)(end - text.at), text.at = end;
	skip_space(&text);
	return !text.len && is_strict(all);
}

/* The text, or a mended copy of it in line->mended. */
static struct span mended(struct json_line *line, struct span text)
{
	if (!json_needs_mending(text))
		return text;
	if (!line->raw.text) {
		strbuf_init(&line->raw);
		strbuf_init(&line->mended);
	}
	strbuf_clear(&line->raw);
	strbuf_clear(&line->mended);
	strbuf_add(&line->raw, text.at, text.len);
	json_mend(&line->mended, line->raw.text);
	return (struct span){line->mended.text, line->mended.len};
}

/* Equal keys lie together, in the order of the line. */
static int by_key(const void *a, const void *b)
{
	const struct json_member *x = *(struct json_member *const *)a,
				 *y = *(struct json_member *const *)b;
	size_t len = x->key.len < y->key.len ? x->key.len : y->key.len;
	int order = len ? memcmp(x->key.at, y->key.at, len) : 0;

	if (order)
		return order;
	if (x->key.len != y->key.len)
		return x->key.len < y->key.len ? -1 : 1;
	return x < y ? -1 : 1;
}

/* Of equal keys the last one stays. Sorted: a line of 1 MiB may have 200,000 keys. */
static void drop_repeated(struct json_line *line)
{
	size_t kept = 0;

	ALLOC_GROW(line->order, line->count, line->order_cap);
	for (size_t i = 0; i < line->count; i++)
		line->order[i] = &line->member[i];
	if (line->count)
		qsort(line->order, line->count, sizeof *line->order, by_key);
	for (size_t i = 1; i < line->count; i++)
		if (span_equal(line->order[i - 1]->key, line->order[i]->key))
			line->order[i - 1]->value.len = 0;
	for (size_t i = 0; i < line->count; i++)
		if (line->member[i].value.len)
			line->member[kept++] = line->member[i];
	line->count = kept;
}

bool json_line_parse(struct json_line *line, struct span text)
{
	struct json_member member;

	line->count = 0;
	if (memchr(text.at, '\0', text.len))
		return false;
	text = mended(line, text);
	if (!is_object(text))
		return false;
	skip_space(&text);
	text.at++, text.len--; /* '{' */
	while (cut_member(&text, &member)) {
		ALLOC_GROW(line->member, line->count + 1, line->cap);
		line->member[line->count++] = member;
	}
	drop_repeated(line);
	return true;
}

struct span json_line_get(const struct json_line *line, const char *key)
{
	for (size_t i = 0; i < line->count; i++)
		if (span_is(line->member[i].key, key))
			return line->member[i].value;
	return (struct span){NULL, 0};
}

struct span json_line_find(const struct json_line *line, const char *path)
{
	struct span none = {NULL, 0}, key = {path, strcspn(path, ".")}, value = none;

	for (size_t i = 0; i < line->count; i++)
		if (span_equal(line->member[i].key, key))
			value = line->member[i].value;
	while (key.at[key.len] == '.') {
		struct json_member member;
		struct span inner = value;

		key.at += key.len + 1;
		key.len = strcspn(key.at, ".");
		value = none;
		if (!inner.len || inner.at[0] != '{')
			return none;
		inner.at++, inner.len--;
		while (cut_member(&inner, &member))
			if (span_equal(member.key, key))
				value = member.value;
	}
	return value;
}

static bool is_among(struct span key, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (keys[i] && span_is(key, keys[i]))
			return true;
	return false;
}

char *json_line_rest(const struct json_line *line, const char *const *keys, size_t count)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (size_t i = 0; i < line->count; i++) {
		const struct json_member *m = &line->member[i];

		if (is_among(m->key, keys, count))
			continue;
		strbuf_adds(&sb, sb.len ? ", \"" : "{\"");
		strbuf_add(&sb, m->key.at, m->key.len);
		strbuf_adds(&sb, "\": ");
		strbuf_add(&sb, m->value.at, m->value.len);
	}
	if (!sb.len) {
		strbuf_release(&sb);
		return NULL;
	}
	strbuf_addc(&sb, '}');
	return strbuf_detach(&sb);
}

bool json_is_text(struct span value)
{
	return value.len >= 2 && value.at[0] == '"';
}

char *json_text(struct span value)
{
	cJSON *json = value.len ? cJSON_ParseWithLength(value.at, value.len) : NULL;
	char *string = cJSON_IsString(json) ? xstrdup(json->valuestring) : NULL;

	cJSON_Delete(json);
	return string;
}
