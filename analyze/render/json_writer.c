/*
 * A streaming JSON writer, after git's json-writer. Must not know what it writes; its
 * output is always well-formed, and equal for equal calls.
 */
#include "render/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/utf8.h"

#define FLUSH_BYTES 65536
#define LINE_BYTES  100
#define JOINED_MAX  4096 /* more than the lines that join_lines can join */

/* Writes what no longer changes: the end of an open value may still be joined. */
static void flush_text(struct json_writer *w)
{
	struct strbuf rest = strbuf_new();
	size_t n = w->text.len;

	for (int i = w->depth - 1; i >= 0; i--) {
		struct json_level *level = &w->level[i];

		level->joins = level->joins && w->text.len - level->start <= JOINED_MAX;
		if (level->joins)
			n = level->start;
	}
	for (int i = 0; i < w->depth; i++)
		if (w->level[i].joins)
			w->level[i].start -= n;
	fwrite(w->text.text, 1, n, w->out);
	strbuf_add(&rest, w->text.text + n, w->text.len - n);
	strbuf_release(&w->text);
	w->text = rest;
}

static void indent(struct json_writer *w)
{
	static const char blanks[] = "                                ";
	size_t left = 2 * (size_t)w->depth;

	strbuf_addc(&w->text, '\n');
	for (size_t n; left; left -= n) {
		n = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
		strbuf_add(&w->text, blanks, n);
	}
}

/* Legal as they are: but what is hidden would reach somebody's terminal, marks a runner.
 */
static bool is_better_escaped(const char *s, int32_t point)
{
	return utf8_is_hidden(point) || utf8_is_mark(s);
}

/* Beyond the first plane as a pair of surrogates. */
static void add_escape(struct strbuf *sb, int32_t point)
{
	unsigned above = (unsigned)point - 0x10000;

	if (point < 0x10000)
		strbuf_addf(sb, "\\u%04x", (unsigned)point);
	else
		strbuf_addf(sb, "\\u%04x\\u%04x", 0xd800 + (above >> 10),
			0xdc00 + (above & 0x3ff));
}

/* Bytes at the start that stand in a string as they are, and begin no mark. */
static size_t plain_bytes(const char *s)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] <= '~' && s[n] != '"' && s[n] != '\\' && s[n] != '#')
		n++;
	return n;
}

static void add_quoted(struct strbuf *sb, const char *s)
{
	int32_t point;

	strbuf_addc(sb, '"');
	while (*s) {
		size_t plain = plain_bytes(s), n;

		strbuf_add(sb, s, plain);
		s += plain;
		if (!*s)
			break;
		n = utf8_read(s, &point);
		if (point == UTF8_INVALID)
			strbuf_adds(sb, "\xef\xbf\xbd");
		else if (point == '"' || point == '\\')
			strbuf_addf(sb, "\\%c", (char)point);
		else if (point == '\n')
			strbuf_adds(sb, "\\n");
		else if (point == '\t')
			strbuf_adds(sb, "\\t");
		else if (is_better_escaped(s, point))
			add_escape(sb, point);
		else
			strbuf_add(sb, s, n);
		s += n;
	}
	strbuf_addc(sb, '"');
}

/* Does a value of the innermost array have a line of its own? */
static bool is_line(const struct json_writer *w)
{
	return w->style == JSON_LINES && w->depth == 2 && w->level[1].array;
}

static bool is_row(const struct json_writer *w)
{
	return w->depth && w->level[w->depth - 1].row;
}

/* Puts the value's line, or a blank, before it. */
static void separate(struct json_writer *w, bool opens)
{
	struct json_level *level = &w->level[w->depth - 1];
	size_t n = w->value.len + 1; /* and a comma */

	if (level->filled)
		strbuf_addc(&w->text, ',');
	switch (w->style) {
	case JSON_PRETTY:
		indent(w);
		break;
	case JSON_FILLED:
		if (level->row ||
			(!opens && w->column && w->column + 1 + n <= LINE_BYTES)) {
			if (level->filled)
				strbuf_addc(&w->text, ' ');
			w->column += 1 + n;
		} else {
			indent(w);
			w->column = 2 * (size_t)w->depth + n;
		}
		break;
	case JSON_LINES:
		if (is_line(w))
			strbuf_addc(&w->text, '\n');
		break;
	case JSON_SPACED:
		if (level->filled)
			strbuf_addc(&w->text, ' ');
		break;
	case JSON_COMPACT:
		break;
	}
	level->filled = true;
}

/* Begins w->value. */
static void begin_value(struct json_writer *w, const char *key)
{
	assert(w->depth ? w->level[w->depth - 1].array == !key : !key);
	if (!key)
		return;
	add_quoted(&w->value, key);
	strbuf_adds(&w->value,
		w->style == JSON_COMPACT || w->style == JSON_LINES ? ":" : ": ");
}

/* Appends w->value to the document. opens: more of it comes. */
static void put_value(struct json_writer *w, bool opens)
{
	if (w->depth)
		separate(w, opens);
	strbuf_add(&w->text, w->value.text, w->value.len);
	strbuf_clear(&w->value);
}

static void end_document(struct json_writer *w)
{
	if (!w->depth)
		strbuf_addc(&w->text, '\n');
	if (w->out && w->text.len >= FLUSH_BYTES)
		flush_text(w);
}

static void end_value(struct json_writer *w)
{
	put_value(w, false);
	end_document(w);
}

void json_init(struct json_writer *w, FILE *out, enum json_style style)
{
	*w = (struct json_writer){.out = out, .style = style};
	strbuf_init(&w->text);
	strbuf_init(&w->value);
}

void json_finish(struct json_writer *w)
{
	assert(!w->depth);
	if (w->out)
		flush_text(w);
	strbuf_release(&w->value);
	strbuf_release(&w->text);
}

static void open_level(struct json_writer *w, const char *key, struct json_level level)
{
	begin_value(w, key);
	assert(w->depth < JSON_DEPTH_MAX);
	strbuf_addc(&w->value, level.array ? '[' : '{');
	level.row = level.row || is_row(w);
	level.joins = w->style == JSON_FILLED && w->depth && !is_row(w);
	level.start = w->text.len;
	level.column = w->column;
	level.first = w->depth && !w->level[w->depth - 1].filled;
	put_value(w, true);
	if (!level.row)
		w->column = 0;
	w->level[w->depth++] = level;
}

void json_object(struct json_writer *w, const char *key)
{
	open_level(w, key, (struct json_level){0});
}

bool json_object_if(struct json_writer *w, const char *key, bool there)
{
	if (there)
		json_object(w, key);
	else
		json_null(w, key);
	return there;
}

void json_array(struct json_writer *w, const char *key)
{
	open_level(w, key, (struct json_level){.array = true});
}

void json_row(struct json_writer *w, const char *key)
{
	open_level(w, key, (struct json_level){.row = true});
}

/* Puts the value that ends on one line, if it fits. */
static bool join_lines(struct json_writer *w, const struct json_level *level)
{
	size_t room = LINE_BYTES - 2 * (size_t)w->depth - 2;
	const char *s = w->text.text + level->start;

	if (!level->joins || w->text.len - level->start > JOINED_MAX)
		return false;
	s += strspn(s, ",\n ");
	while (*s && w->value.len <= room) {
		size_t n = strcspn(s, "\n");

		strbuf_add(&w->value, s, n);
		s += n;
		if (*s && s[-1] == ',')
			strbuf_addc(&w->value, ' ');
		s += strspn(s, "\n ");
	}
	if (w->value.len > room) {
		strbuf_clear(&w->value);
		return false;
	}
	strbuf_addc(&w->value, level->array ? ']' : '}');
	strbuf_cut(&w->text, level->start);
	w->column = level->column;
	w->level[w->depth - 1].filled = !level->first;
	put_value(w, w->level[w->depth - 1].array);
	return true;
}

void json_close(struct json_writer *w)
{
	bool lines = is_line(w);
	struct json_level *level;

	assert(w->depth > 0);
	level = &w->level[--w->depth];
	if (join_lines(w, level)) {
		end_document(w);
		return;
	}
	if (lines)
		strbuf_addc(&w->text, '\n');
	if (level->filled && !level->row &&
		(w->style == JSON_PRETTY || w->style == JSON_FILLED))
		indent(w);
	strbuf_addc(&w->text, level->array ? ']' : '}');
	if (!is_row(w))
		w->column = 0;
	end_document(w);
}

static void add_value(struct json_writer *w, const char *key, const char *text)
{
	begin_value(w, key);
	strbuf_adds(&w->value, text);
	end_value(w);
}

void json_leave_out_null(struct json_writer *w)
{
	w->level[w->depth - 1].known = true;
}

void json_null(struct json_writer *w, const char *key)
{
	if (!w->depth || !w->level[w->depth - 1].known)
		add_value(w, key, "null");
}

void json_bool(struct json_writer *w, const char *key, bool value)
{
	add_value(w, key, value ? "true" : "false");
}

void json_string(struct json_writer *w, const char *key, const char *value)
{
	if (!value) {
		json_null(w, key);
		return;
	}
	begin_value(w, key);
	add_quoted(&w->value, value);
	end_value(w);
}

void json_number(struct json_writer *w, const char *key, double value)
{
	if (!isfinite(value)) {
		json_null(w, key);
		return;
	}
	begin_value(w, key);
	number_print(&w->value, value);
	end_value(w);
}

void json_count(struct json_writer *w, const char *key, uint64_t value)
{
	begin_value(w, key);
	strbuf_addf(&w->value, "%" PRIu64, value);
	end_value(w);
}

void json_count_if(struct json_writer *w, const char *key, uint64_t value)
{
	if (value)
		json_count(w, key, value);
	else
		json_null(w, key);
}

void json_integer(struct json_writer *w, const char *key, int64_t value)
{
	begin_value(w, key);
	strbuf_addf(&w->value, "%" PRId64, value);
	end_value(w);
}

void json_time(struct json_writer *w, const char *key, int64_t t_ns)
{
	if (!time_is_dated(t_ns)) {
		json_null(w, key);
		return;
	}
	begin_value(w, key);
	strbuf_addc(&w->value, '"');
	time_print(&w->value, t_ns);
	strbuf_addc(&w->value, '"');
	end_value(w);
}

void json_raw(struct json_writer *w, const char *key, const char *text)
{
	struct strbuf whole = strbuf_new();
	int32_t point;

	utf8_repair(&whole, text && *text ? text : "{}");
	begin_value(w, key);
	for (const char *s = whole.text; *s;) {
		size_t n = utf8_read(s, &point);

		/* Control bytes in valid JSON are blanks between its tokens. */
		if (point < 0x20)
			strbuf_addc(&w->value, ' ');
		else if (is_better_escaped(s, point))
			add_escape(&w->value, point);
		else
			strbuf_add(&w->value, s, n);
		s += n;
	}
	end_value(w);
	strbuf_release(&whole);
}
