/*
 * UTF-8 without the locale: the program never calls setlocale(), so mbrtowc() and
 * wcwidth() don't work. Must not know what the text says.
 */
#include "render/utf8.h"

#include <stdbool.h>
#include <string.h>

struct range {
	int32_t first, last;
};

/* Unicode's East Asian Width W and F, in blocks rather than to the character. */
static const struct range wide[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},
	{0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f},
	{0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
	{0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

/* Marks that stand on the character before them. */
static const struct range combining[] = {{0x0300, 0x036f}, {0x0483, 0x0489},
	{0x0591, 0x05bd}, {0x064b, 0x065f}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
	{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0x3099, 0x309a},
	{0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};

/* What a terminal obeys or hides instead of showing: controls, directions, blanks that
 * are not the usual one or have no width, line separators, tags. */
static const struct range hidden[] = {{0x00, 0x1f}, {0x7f, 0xa0}, {0xad, 0xad},
	{0x061c, 0x061c}, {0x1680, 0x1680}, {0x180e, 0x180e}, {0x2000, 0x200f},
	{0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000}, {0xfeff, 0xfeff},
	{0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

/* What .NET trims beside the controls: a runner does so before it looks for "::". */
static const struct range blank[] = {{0x09, 0x0d}, {0x20, 0x20}, {0xa0, 0xa0},
	{0x1680, 0x1680}, {0x2000, 0x200a}, {0x202f, 0x202f}, {0x205f, 0x205f},
	{0x3000, 0x3000}};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool within(int32_t point, const struct range *range, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (point >= range[i].first && point <= range[i].last)
			return true;
	return false;
}

static size_t point_width(int32_t point)
{
	if (point >= 0x300 && within(point, combining, COUNT(combining)))
		return 0;
	return point >= 0x1100 && within(point, wide, COUNT(wide)) ? 2 : 1;
}

size_t utf8_width(const char *s)
{
	size_t columns = 0;
	int32_t point;

	while (*s) {
		s += utf8_read(s, &point);
		columns += point_width(point);
	}
	return columns;
}

size_t utf8_fit(const char *s, size_t columns)
{
	size_t at = 0, used = 0;
	int32_t point;

	while (s[at]) {
		size_t n = utf8_read(s + at, &point);

		used += point_width(point);
		if (used > columns)
			break;
		at += n;
	}
	return at;
}

bool utf8_is_mark(const char *s)
{
	return s[0] == '#' && s[1] == '#' &&
		s[2 + strspn(s + 2, "abcdefghijklmnopqrstuvwxyz")] == '[';
}

/* Bytes of the blanks before the text. */
static size_t blanks(const char *s)
{
	size_t at = 0, n;
	int32_t point;

	while (s[at]) {
		n = utf8_read(s + at, &point);
		if (!within(point, blank, COUNT(blank)))
			break;
		at += n;
	}
	return at;
}

bool utf8_is_command(const char *s)
{
	return strncmp(s + blanks(s), "::", 2) == 0;
}

bool utf8_is_hidden(int32_t point)
{
	return within(point, hidden, COUNT(hidden));
}

void utf8_inert(struct strbuf *sb, const char *s)
{
	int32_t point;

	while (*s) {
		size_t n = utf8_read(s, &point);

		if (utf8_is_mark(s)) {
			strbuf_adds(sb, "#\\x23");
			n = 2;
		} else if (point == '\n')
			strbuf_adds(sb, "\\n");
		else if (point == '\t')
			strbuf_adds(sb, "\\t");
		else if (point == UTF8_INVALID)
			strbuf_addf(sb, "\\x%02x", (unsigned)(unsigned char)*s);
		else if (!utf8_is_hidden(point))
			strbuf_add(sb, s, n);
		else if (point < 0x80)
			strbuf_addf(sb, "\\x%02x", (unsigned)point);
		else
			strbuf_addf(sb, "\\u%04x", (unsigned)point);
		s += n;
	}
}

void utf8_inert_whole(struct strbuf *sb, const char *s)
{
	struct strbuf whole = strbuf_new();

	utf8_repair(&whole, s);
	utf8_inert(sb, whole.text);
	strbuf_release(&whole);
}

/* "##" of one text may come to stand before "[" of another. */
static void add_unmarked(struct strbuf *sb, const char *s)
{
	for (; *s; s++) {
		if (utf8_is_mark(s)) {
			strbuf_adds(sb, "#\\x23");
			s++;
		} else {
			strbuf_addc(sb, *s);
		}
	}
}

void utf8_no_command(struct strbuf *sb, const char *s)
{
	if (utf8_is_command(s)) {
		size_t before = blanks(s);

		strbuf_add(sb, s, before);
		strbuf_adds(sb, "\\x3a");
		s += before + 1;
	}
	add_unmarked(sb, s);
}

void utf8_no_commands(struct strbuf *sb, char *lines)
{
	char *rest, *line = lines;

	for (; *line; line = rest) {
		bool ended;

		rest = line + strcspn(line, "\n");
		ended = *rest;
		*rest = '\0';
		rest += ended;
		utf8_no_command(sb, line);
		if (ended)
			strbuf_addc(sb, '\n');
	}
}

/* So much of the end of s as fits. */
static const char *fitting_end(const char *s, size_t columns)
{
	size_t width = utf8_width(s);
	int32_t point;

	while (*s && width > columns) {
		s += utf8_read(s, &point);
		width -= point_width(point);
	}
	return s;
}

enum keeps {
	KEEPS_START,
	KEEPS_BOTH,
	KEEPS_END
};

static void cut(struct strbuf *sb, const char *s, size_t columns, const char *mark,
	enum keeps keeps)
{
	size_t room = utf8_width(mark), tail;

	if (utf8_width(s) <= columns) {
		strbuf_adds(sb, s);
		return;
	}
	room = columns > room ? columns - room : 0;
	tail = room * keeps / KEEPS_END;
	strbuf_add(sb, s, utf8_fit(s, room - tail));
	strbuf_adds(sb, mark);
	strbuf_adds(sb, keeps == KEEPS_START ? "" : fitting_end(s, tail));
}

void utf8_cut(struct strbuf *sb, const char *s, size_t columns, const char *mark)
{
	cut(sb, s, columns, mark, KEEPS_START);
}

void utf8_cut_front(struct strbuf *sb, const char *s, size_t columns, const char *mark)
{
	cut(sb, s, columns, mark, KEEPS_END);
}

void utf8_cut_middle(struct strbuf *sb, const char *s, size_t columns, const char *mark)
{
	cut(sb, s, columns, mark, KEEPS_BOTH);
}

/* Character references, by number: XML and HTML both know them. */

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* XML 1.0 has no character for two that are none. */
void xml_text(struct strbuf *sb, const char *text)
{
	struct strbuf clean = strbuf_new();
	int32_t point = 0;

	utf8_inert_whole(&clean, text);
	text = clean.text ? clean.text : "";
	for (size_t n; *text; text += n) {
		n = utf8_read(text, &point);
		if (point == 0xfffe || point == 0xffff)
			strbuf_adds(sb, REPLACEMENT);
		else if (strchr("&<>\"", *text))
			strbuf_addf(sb, "&#%d;", (int)point);
		else
			strbuf_add(sb, text, n);
	}
	strbuf_release(&clean);
}
