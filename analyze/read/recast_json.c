/*
 * JSON as rows: a document, a list of records, JSON lines, or documents one behind the
 * other. Brackets and commas between records mean nothing: a list of records is read
 * one by one, and one that is cut off loses its last record only.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "read/header_words.h"
#include "read/input.h"
#include "read/json.h"
#include "read/log.h"
#include "read/recast.h"

#define LEVELS	    12 /* of objects in objects; deeper ones are not looked at */
#define LIST_MAX    64 /* numbers in a list: columns of their own */
#define RECORD_MAX  (256 * 1024 * 1024) /* bytes of one record */
#define COMPACT_MIN (1024 * 1024)

struct json_source {
	struct strbuf text; /* read, and not all of it taken */
	size_t at; /* what comes next */
	uint64_t line; /* that it is in, from 0 */
	bool ended;
	struct strbuf name, mended;
	struct json_line level[LEVELS];
	const char *record; /* where it begins */
	const char *counted; /* lines of a record, up to here: */
	uint64_t counted_line;
};

static void json_release(void *state)
{
	struct json_source *s = state;

	strbuf_release(&s->text);
	strbuf_release(&s->name);
	strbuf_release(&s->mended);
	for (size_t i = 0; i < LEVELS; i++)
		json_line_release(&s->level[i]);
}

#define LINES_BEFORE 8 /* such as the time, or a warning */

static bool json_is(const struct probe *probe)
{
	for (size_t i = 0; i < probe->count && i <= LINES_BEFORE; i++)
		if (probe->line[i].at[0] == '{' || probe->line[i].at[0] == '[')
			return true;
	return false;
}

/* Values of a record into cells. */

/* A number of JSON lines that stand before a place in the record. */
static uint64_t line_of(struct json_source *s, const char *at)
{
	const char *newline;

	if (at < s->counted) {
		s->counted = s->record;
		s->counted_line = s->line;
	}
	while ((newline = memchr(s->counted, '\n', (size_t)(at - s->counted)))) {
		s->counted = newline + 1;
		s->counted_line++;
	}
	s->counted = at;
	return s->counted_line + 1;
}

static void put_scalar(struct recast *recast, struct span value)
{
	struct span path = recast_path(recast);
	char *text;

	if (span_is(value, "null"))
		value.len = 0;
	if (!json_is_text(value)) {
		recast_put(recast, path, value);
		return;
	}
	if (!memchr(value.at, '\\', value.len)) {
		recast_put(recast, path, (struct span){value.at + 1, value.len - 2});
		return;
	}
	text = json_text(value);
	recast_put(recast, path, span_of(text ? text : ""));
	free(text);
}

/* Cuts the next value of a list, which *rest is the inside of; false: there is none. */
static bool next_value(struct span *rest, struct span *value)
{
	size_t len = 0;

	while (rest->len && (rest->at[0] == ',' || rest->at[0] <= ' '))
		rest->at++, rest->len--;
	if (!rest->len)
		return false;
	if (rest->at[0] == '{')
		return json_cut_object(rest, value);
	if (rest->at[0] == '"')
		for (len = 1; len < rest->len && rest->at[len] != '"'; len++)
			len += rest->at[len] == '\\';
	while (len < rest->len && rest->at[len] != ',')
		len++;
	*value = span_trim((struct span){rest->at, len});
	rest->at += len, rest->len -= len;
	return true;
}

static struct span inside(struct span list)
{
	return (struct span){list.at + 1, list.len - 2};
}

/* The values of a list that has nothing but numbers and words; else 0. */
static size_t count_values(struct span list)
{
	struct span rest, value;
	size_t count = 0;

	if (list.at[0] != '[')
		return 0;
	for (rest = inside(list); next_value(&rest, &value); count++)
		if (value.at[0] == '{' || value.at[0] == '[')
			return 0;
	return count;
}

/*
 * {"time": [0, 1, 2], "power": [30, 40, 35]}: how many rows the columns of an object
 * have, which are as many as it has times; 0: it has no columns.
 */
static size_t count_rows(const struct json_line *members)
{
	for (size_t i = 0; i < members->count; i++)
		if (members->member[i].value.at[0] == '[' &&
			header_name_is_time(members->member[i].key) &&
			count_values(members->member[i].value) > 1)
			return count_values(members->member[i].value);
	return 0;
}

/* {"value": 35, "unit": "W"}: "35 W". */
static bool put_amount(
	struct recast *recast, struct json_source *s, struct json_line *members)
{
	struct span value = json_line_find(members, "value");
	struct span unit = json_line_find(members, "unit");

	if (members->count != 2 || !value.len || !json_is_text(unit) ||
		value.at[0] == '{' || value.at[0] == '[')
		return false;
	if (json_is_text(value) || span_is(value, "null")) {
		put_scalar(recast, value);
		return true;
	}
	strbuf_clear(&s->name);
	strbuf_addf(&s->name, "%.*s %.*s", (int)value.len, value.at, (int)unit.len - 2,
		unit.at + 1);
	recast_put(recast, recast_path(recast), (struct span){s->name.text, s->name.len});
	return true;
}

/* "card0", "gpu_1", "3": the key of one of several; *name: without the number. */
static bool is_device(struct span key, struct span *name, struct span *number)
{
	*name = key;
	while (name->len && is_digit(name->at[name->len - 1]))
		name->len--;
	*number = (struct span){key.at + name->len, key.len - name->len};
	while (name->len && strchr(" _-:.", name->at[name->len - 1]))
		name->len--;
	return number->len && (!name->len || header_word_is_device(*name));
}

static void put_row(
	struct recast *recast, struct json_source *s, struct span object, size_t depth);
static void put_cells(
	struct recast *recast, struct json_source *s, struct span object, size_t depth);
static void put_lists(
	struct recast *recast, struct json_source *s, struct span object, size_t depth);

/* Numbers and words, each a column of its own. */
static void put_list(struct recast *recast, struct span list)
{
	struct span rest = inside(list), value;

	for (int i = 0; i < LIST_MAX && next_value(&rest, &value); i++) {
		char number[16];
		size_t before;

		if (value.at[0] == '{' || value.at[0] == '[')
			return;
		snprintf(number, sizeof number, "%d", i);
		before = recast_enter(recast, span_of(number));
		put_scalar(recast, value);
		recast_leave(recast, before);
	}
}

/* A member that a record has once. */
static void put_cell(
	struct recast *recast, struct json_source *s, struct span value, size_t depth)
{
	if (value.at[0] == '[')
		put_list(recast, value);
	else if (value.at[0] != '{')
		put_scalar(recast, value);
	else if (depth + 1 < LEVELS)
		put_cells(recast, s, value, depth + 1);
}

/* What an object has once. */
static void put_cells(
	struct recast *recast, struct json_source *s, struct span object, size_t depth)
{
	struct json_line *members = &s->level[depth];
	struct span name, number;
	size_t rows;

	if (!json_line_parse(members, object) || put_amount(recast, s, members))
		return;
	rows = count_rows(members);
	for (size_t i = 0; i < members->count; i++) {
		struct span value = members->member[i].value;
		size_t before;

		if (value.at[0] == '{' &&
			is_device(members->member[i].key, &name, &number))
			continue;
		if (rows && count_values(value) == rows)
			continue;
		before = recast_enter(recast, members->member[i].key);
		put_cell(recast, s, value, depth);
		recast_leave(recast, before);
	}
}

/* The elements of a list that are objects: a row each. */
static void put_elements(
	struct recast *recast, struct json_source *s, struct span list, size_t depth)
{
	struct span rest = inside(list), value;

	while (next_value(&rest, &value))
		if (value.at[0] == '{')
			put_row(recast, s, value, depth);
}

/* A member that an object has for one of its devices: a row that says which. */
static void put_device(struct recast *recast, struct json_source *s, struct span name,
	struct span number, struct span object, size_t depth)
{
	size_t cells = recast_cells(recast), before = recast_path(recast).len, key;

	if (name.len)
		recast_enter(recast, name);
	recast_enter_list(recast);
	key = recast_enter(recast, span_of("key"));
	recast_put(recast, recast_path(recast), number);
	recast_leave(recast, key);
	put_row(recast, s, object, depth);
	recast_back(recast, cells);
	recast_leave(recast, before);
}

#define COLUMNS_MAX 64

/* The rows of an object whose lists are columns. */
static void put_columns(
	struct recast *recast, struct json_source *s, const struct json_line *members)
{
	struct span key[COLUMNS_MAX], rest[COLUMNS_MAX], value;
	size_t rows = count_rows(members), columns = 0, before = recast_path(recast).len;

	for (size_t i = 0; rows && i < members->count && columns < COLUMNS_MAX; i++)
		if (count_values(members->member[i].value) == rows) {
			key[columns] = members->member[i].key;
			rest[columns++] = inside(members->member[i].value);
		}
	recast_enter_list(recast);
	for (size_t row = 0; row < rows; row++) {
		size_t cells = recast_cells(recast);
		uint64_t line = line_of(s, rest[0].at);

		for (size_t i = 0; i < columns; i++) {
			size_t name = recast_enter(recast, key[i]);

			if (next_value(&rest[i], &value))
				put_scalar(recast, value);
			recast_leave(recast, name);
		}
		recast_row(recast, recast_path(recast), line);
		recast_back(recast, cells);
	}
	recast_leave(recast, before);
}

/* What an object may have several times. */
static void put_lists(
	struct recast *recast, struct json_source *s, struct span object, size_t depth)
{
	struct json_line *members = &s->level[depth];
	struct span name, number;

	if (depth + 1 >= LEVELS || !json_line_parse(members, object))
		return;
	put_columns(recast, s, members);
	for (size_t i = 0; i < members->count; i++) {
		struct json_member member = members->member[i];
		size_t before;

		if (member.value.at[0] == '{' && is_device(member.key, &name, &number)) {
			put_device(recast, s, name, number, member.value, depth + 1);
			continue;
		}
		before = recast_enter(recast, member.key);
		if (member.value.at[0] == '{')
			put_lists(recast, s, member.value, depth + 1);
		else if (member.value.at[0] == '[') {
			recast_enter_list(recast);
			put_elements(recast, s, member.value, depth + 1);
		}
		recast_leave(recast, before);
	}
}

/* A record, or an element of one, that the path names; and the rows within it. */
static void put_row(
	struct recast *recast, struct json_source *s, struct span object, size_t depth)
{
	size_t cells = recast_cells(recast);
	uint64_t line = line_of(s, object.at);

	put_cells(recast, s, object, depth);
	recast_row(recast, recast_path(recast), line);
	put_lists(recast, s, object, depth);
	recast_back(recast, cells);
}

/* Records of a file. */

/* What was taken goes; one more line, or a piece of one, comes. False: the end. */
static bool fill(struct recast *recast, struct json_source *s)
{
	struct span line;
	bool more;

	if (s->at && (s->at > COMPACT_MIN || s->at == s->text.len)) {
		strbuf_drop(&s->text, s->at);
		s->at = 0;
	}
	if (s->ended || !log_raw_line(recast_log(recast), &line, &more)) {
		s->ended = true;
		return false;
	}
	strbuf_add(&s->text, line.at, line.len);
	if (!more)
		strbuf_addc(&s->text, '\n');
	return true;
}

/* Moves on, counting lines. */
static void pass(struct json_source *s, size_t to)
{
	for (; s->at < to; s->at++)
		s->line += s->text.text[s->at] == '\n';
}

/* To the begin of a record, or of a line that is none; false: the end. */
static bool find_begin(struct recast *recast, struct json_source *s)
{
	for (;;) {
		while (s->at < s->text.len) {
			char c = s->text.text[s->at];

			if (c > ' ' && c != '[' && c != ']' && c != ',')
				return true;
			pass(s, s->at + 1);
		}
		if (!fill(recast, s))
			return false;
	}
}

enum end {
	END_WHOLE,
	END_BROKEN, /* it can't go on here: another record begins */
	END_OF_FILE
};

/*
 * The end of a record that begins at s->at. No line break stands in a string, and no
 * object begins where a key is expected: there a line was cut off, and the next one is
 * another record.
 */
static enum end find_end(struct recast *recast, struct json_source *s, size_t *len)
{
	bool in_string = false;
	uint64_t lists = 0; /* a bit for each bracket that is open: of a list */
	size_t depth = 0;
	char last = ':';

	for (size_t i = 0; i < RECORD_MAX; i++) {
		char c;

		*len = i;
		if (s->at + i == s->text.len && !fill(recast, s))
			return END_OF_FILE;
		c = s->text.text[s->at + i];
		if (c == '\n' && in_string)
			return s->at + i + 1 < s->text.len || fill(recast, s)
				? END_BROKEN
				: END_OF_FILE;
		if (in_string) {
			if (c == '\\' && s->at + i + 1 < s->text.len &&
				s->text.text[s->at + i + 1] != '\n')
				i++;
			in_string = c != '"';
			continue;
		}
		if ((unsigned char)c <= ' ')
			continue;
		if (c == '{' && !strchr(lists & 1 ? "[,:" : ":", last))
			return END_BROKEN;
		last = c;
		in_string = c == '"';
		if (c == '{' || c == '[') {
			depth++;
			lists = lists << 1 | (c == '[');
		} else if (c == '}' || c == ']') {
			depth--;
			lists >>= 1;
		}
		if (!depth)
			return *len = i + 1, END_WHOLE;
	}
	return END_BROKEN;
}

static void refuse(struct recast *recast, struct json_source *s, size_t len, bool torn)
{
	struct span text = {s->text.text + s->at, len};

	recast_refuse(recast, s->line + 1, torn,
		torn ? "file ends inside a JSON object" : "not a JSON object", text);
}

static void take_record(struct recast *recast, struct json_source *s, size_t len)
{
	struct span object = {s->text.text + s->at, len};
	const struct json_line *members = &s->level[0];

	if (!json_line_parse(&s->level[0], object)) {
		refuse(recast, s, len, false);
		return;
	}
	if (members->count &&
		(members->member->key.at < object.at ||
			members->member->key.at > object.at + len)) {
		/* it was mended, as a whole */
		strbuf_clear(&s->mended);
		strbuf_add(&s->mended, members->mended.text, members->mended.len);
		object = (struct span){s->mended.text, s->mended.len};
	}
	s->counted = s->record = object.at;
	s->counted_line = s->line;
	put_row(recast, s, object, 0);
}

/* Of a record that the file ends in: up to a line that may begin another one. */
static size_t torn_length(const struct json_source *s, size_t len)
{
	const char *at = s->text.text + s->at, *newline = at;

	while ((newline = memchr(newline, '\n', len - (size_t)(newline - at)))) {
		newline++;
		if ((size_t)(newline - at) < len && *newline == '{')
			return (size_t)(newline - at);
	}
	return len;
}

static void pass_line(struct recast *recast, struct json_source *s)
{
	const char *end;
	size_t len;

	while (!(end = memchr(s->text.text + s->at, '\n', s->text.len - s->at)) &&
		fill(recast, s))
		;
	len = (size_t)((end ? end : s->text.text + s->text.len) - (s->text.text + s->at));
	recast_pass(
		recast, span_trim((struct span){s->text.text + s->at, len}), s->line + 1);
	pass(s, s->at + len);
}

static bool json_next(struct recast *recast)
{
	struct json_source *s = recast_state(recast);
	size_t len;

	if (!find_begin(recast, s))
		return false;
	if (s->text.text[s->at] != '{') {
		pass_line(recast, s);
		return true;
	}
	switch (find_end(recast, s, &len)) {
	case END_WHOLE:
		take_record(recast, s, len);
		break;
	case END_BROKEN:
		refuse(recast, s, len, false);
		break;
	case END_OF_FILE:
		refuse(recast, s, len, torn_length(s, len) == len);
		len = torn_length(s, len);
		break;
	}
	pass(s, s->at + len);
	return true;
}

const struct recast_shape recast_json = {.name = "JSON",
	.is = json_is,
	.next = json_next,
	.state_size = sizeof(struct json_source),
	.release = json_release};
