/*
 * A streaming JSON writer, after git's json-writer. Must not know what it writes; its
 * output is always well-formed, and equal for equal calls.
 */
#include "render/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/utf8.h"

#define FLUSH_BYTES 65536

static void flush_text(struct json_writer *w)
{
	fwrite(w->text.text, 1, w->text.len, w->out);
	strbuf_clear(&w->text);
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

/* Everything that stands before a value. */
static void begin_value(struct json_writer *w, const char *key)
{
	if (!w->depth) {
		assert(!key);
		return;
	}
	assert(w->level[w->depth - 1].array == !key);
	if (w->level[w->depth - 1].filled)
		strbuf_adds(&w->text, w->style == JSON_SPACED ? ", " : ",");
	w->level[w->depth - 1].filled = true;
	if (w->style == JSON_PRETTY)
		indent(w);
	if (is_line(w))
		strbuf_addc(&w->text, '\n');
	if (!key)
		return;
	add_quoted(&w->text, key);
	strbuf_adds(&w->text,
		w->style == JSON_COMPACT || w->style == JSON_LINES ? ":" : ": ");
}

static void end_value(struct json_writer *w)
{
	if (!w->depth)
		strbuf_addc(&w->text, '\n');
	if (w->out && w->text.len >= FLUSH_BYTES)
		flush_text(w);
}

void json_init(struct json_writer *w, FILE *out, enum json_style style)
{
	*w = (struct json_writer){.out = out, .style = style};
	strbuf_init(&w->text);
}

void json_finish(struct json_writer *w)
{
	assert(!w->depth);
	if (w->out)
		flush_text(w);
	strbuf_release(&w->text);
}

static void open_level(struct json_writer *w, const char *key, bool array)
{
	begin_value(w, key);
	assert(w->depth < JSON_DEPTH_MAX);
	w->level[w->depth].array = array;
	w->level[w->depth].filled = false;
	w->depth++;
	strbuf_addc(&w->text, array ? '[' : '{');
}

void json_object(struct json_writer *w, const char *key)
{
	open_level(w, key, false);
}

void json_array(struct json_writer *w, const char *key)
{
	open_level(w, key, true);
}

void json_close(struct json_writer *w)
{
	bool lines = is_line(w);

	assert(w->depth > 0);
	w->depth--;
	if (lines)
		strbuf_addc(&w->text, '\n');
	if (w->level[w->depth].filled && w->style == JSON_PRETTY)
		indent(w);
	strbuf_addc(&w->text, w->level[w->depth].array ? ']' : '}');
	end_value(w);
}

static void add_value(struct json_writer *w, const char *key, const char *text)
{
	begin_value(w, key);
	strbuf_adds(&w->text, text);
	end_value(w);
}

void json_null(struct json_writer *w, const char *key)
{
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
	add_quoted(&w->text, value);
	end_value(w);
}

void json_number(struct json_writer *w, const char *key, double value)
{
	if (!isfinite(value)) {
		json_null(w, key);
		return;
	}
	begin_value(w, key);
	number_print(&w->text, value);
	end_value(w);
}

void json_count(struct json_writer *w, const char *key, uint64_t value)
{
	begin_value(w, key);
	strbuf_addf(&w->text, "%" PRIu64, value);
	end_value(w);
}

void json_integer(struct json_writer *w, const char *key, int64_t value)
{
	begin_value(w, key);
	strbuf_addf(&w->text, "%" PRId64, value);
	end_value(w);
}

void json_time(struct json_writer *w, const char *key, int64_t t_ns)
{
	if (!time_is_dated(t_ns)) {
		json_null(w, key);
		return;
	}
	begin_value(w, key);
	strbuf_addc(&w->text, '"');
	time_print(&w->text, t_ns);
	strbuf_addc(&w->text, '"');
	end_value(w);
}

void json_raw(struct json_writer *w, const char *key, const char *text)
{
	struct strbuf whole;
	int32_t point;

	strbuf_init(&whole);
	utf8_repair(&whole, text && *text ? text : "{}");
	begin_value(w, key);
	for (const char *s = whole.text; *s;) {
		size_t n = utf8_read(s, &point);

		/* Control bytes in valid JSON are blanks between its tokens. */
		if (point < 0x20)
			strbuf_addc(&w->text, ' ');
		else if (is_better_escaped(s, point))
			add_escape(&w->text, point);
		else
			strbuf_add(&w->text, s, n);
		s += n;
	}
	end_value(w);
	strbuf_release(&whole);
}
