/* Objects are cut at their braces, outside of strings; each byte is looked at once. */
#include "read/json_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Where in the text of an object a byte stands. */
struct scan {
	int depth;
	bool string, escape;
};

void json_rows_open(struct json_rows *rows, struct log *log, struct span first)
{
	*rows = (struct json_rows){.log = log,
		.rest_line = input_line_number(log->in),
		.torn = input_line_torn(log->in)};
	strbuf_init(&rows->joined);
	strbuf_init(&rows->rest);
	strbuf_init(&rows->keys);
	strbuf_add(&rows->rest, first.at, first.len);
}

void json_rows_close(struct json_rows *rows)
{
	for (size_t i = 0; i < rows->text_cap; i++)
		strbuf_release(&rows->text[i]);
	free(rows->text);
	free(rows->cells);
	json_line_release(&rows->object);
	strbuf_release(&rows->joined);
	strbuf_release(&rows->rest);
	strbuf_release(&rows->keys);
}

/* True: the object ends with this byte. */
static bool scan_byte(struct scan *s, char c)
{
	if (s->string) {
		if (s->escape)
			s->escape = false;
		else if (c == '\\')
			s->escape = true;
		else if (c == '"')
			s->string = false;
		return false;
	}
	if (c == '"')
		s->string = true;
	else if (c == '{' || c == '[')
		s->depth++;
	else if (c == '}' || c == ']')
		return --s->depth <= 0;
	return false;
}

/* What is left of the line before, or the next line. */
static bool take_line(struct json_rows *rows, struct span *line)
{
	if (rows->rest.len) {
		*line = (struct span){rows->rest.text, rows->rest.len};
		rows->log->record = rows->rest_line;
		return true;
	}
	rows->log->record = 0;
	if (!log_line(rows->log, line))
		return false;
	rows->log->record = input_line_number(rows->log->in);
	rows->torn = input_line_torn(rows->log->in);
	strbuf_clear(&rows->rest);
	strbuf_add(&rows->rest, line->at, line->len);
	rows->rest_line = rows->log->record;
	*line = (struct span){rows->rest.text, rows->rest.len};
	return true;
}

static void leave(struct json_rows *rows, size_t used)
{
	rows->rest.len -= used;
	memmove(rows->rest.text, rows->rest.text + used, rows->rest.len);
	rows->rest.text[rows->rest.len] = '\0';
}

/* To the brace that begins an object; between objects only commas and brackets stand. */
static bool find_brace(struct json_rows *rows)
{
	static const char between[] = " \t\r,[]";
	struct span line;

	while (take_line(rows, &line)) {
		const char *brace = memchr(line.at, '{', line.len);
		size_t before = brace ? (size_t)(brace - line.at) : line.len;
		bool prose = false;

		for (size_t i = 0; i < before; i++)
			prose |= !memchr(between, line.at[i], sizeof between - 1);
		if (prose)
			log_refuse(rows->log, "bad-json",
				"'%s' is no list of JSON objects",
				log_quote((struct span){line.at, before}).text);
		leave(rows, before);
		if (brace)
			return true;
	}
	return false;
}

/* From a brace to its end, or to the line where another object begins. */
static bool cut_object(struct json_rows *rows)
{
	struct scan scan = {0};
	uint64_t first = rows->log->record;
	struct span line;
	bool done = false;

	strbuf_clear(&rows->joined);
	while (!done && rows->joined.len <= JSON_ROW_BYTES_MAX &&
		take_line(rows, &line)) {
		size_t used = 0;

		if (rows->joined.len && line.at[0] == '{')
			break; /* flat objects hold none: the one before is torn */
		while (used < line.len && !done)
			done = scan_byte(&scan, line.at[used++]);
		strbuf_add(&rows->joined, line.at, used);
		strbuf_addc(&rows->joined, '\n');
		leave(rows, used);
	}
	rows->log->record = first;
	if (!done)
		log_refuse(rows->log,
			rows->torn && !rows->rest.len ? "torn-line" : "bad-json",
			"an object that does not end: '%s'",
			log_quote((struct span){rows->joined.text, rows->joined.len})
				.text);
	return done;
}

/* Are the names others than before? They are kept. */
static bool names_change(struct json_rows *rows)
{
	struct strbuf keys;
	bool same;

	strbuf_init(&keys);
	for (size_t i = 0; i < rows->object.count; i++) {
		strbuf_add(&keys, rows->object.member[i].key.at,
			rows->object.member[i].key.len);
		strbuf_addc(&keys, '\n');
	}
	same = keys.len == rows->keys.len && rows->keys.len &&
		memcmp(keys.text, rows->keys.text, keys.len) == 0;
	strbuf_release(&rows->keys);
	rows->keys = keys;
	return !same;
}

static void give_names(struct json_rows *rows)
{
	ALLOC_GROW(rows->cells, rows->object.count, rows->cap);
	for (size_t i = 0; i < rows->object.count; i++)
		rows->cells[i] = rows->object.member[i].key;
	rows->names = rows->pending = true;
}

static struct strbuf *text_at(struct json_rows *rows, size_t i)
{
	size_t before = rows->text_cap;

	ALLOC_GROW(rows->text, i + 1, rows->text_cap);
	for (; before < rows->text_cap; before++)
		strbuf_init(&rows->text[before]);
	strbuf_clear(&rows->text[i]);
	return &rows->text[i];
}

static void give_values(struct json_rows *rows)
{
	ALLOC_GROW(rows->cells, rows->object.count, rows->cap);
	for (size_t i = 0; i < rows->object.count; i++) {
		struct span value = rows->object.member[i].value;
		char *plain = json_text(value);

		if (plain) {
			struct strbuf *text = text_at(rows, i);

			strbuf_adds(text, plain);
			value = (struct span){text->text, text->len};
			free(plain);
		} else if (span_is(value, "null")) {
			value.len = 0;
		}
		rows->cells[i] = value;
	}
	rows->names = rows->pending = false;
}

bool json_rows_next(struct json_rows *rows)
{
	if (!rows->pending) {
		struct span text;

		do {
			do {
				if (!find_brace(rows))
					return false;
			} while (!cut_object(rows));
			text = (struct span){rows->joined.text, rows->joined.len};
			if (json_line_parse(&rows->object, text))
				break;
			log_refuse(rows->log, "bad-json", "'%s' is no JSON object",
				log_quote(text).text);
		} while (true);
	}
	if (!rows->pending && names_change(rows))
		give_names(rows);
	else
		give_values(rows);
	rows->cell = rows->cells;
	rows->count = rows->object.count;
	return true;
}
