/*
 * Growing strings for output and messages, borrowed pieces of text, and strict UTF-8.
 * Lines of a log are never copied into a growing string.
 */
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Most stay empty: they have no memory of their own, and their text is not written to. */
static void reserve(struct strbuf *sb, size_t more)
{
	if (!sb->cap)
		sb->text = NULL;
	ALLOC_GROW(sb->text, sb->len + more + 1, sb->cap);
}

struct strbuf strbuf_new(void)
{
	return (struct strbuf){.text = (char *)""};
}

void strbuf_init(struct strbuf *sb)
{
	*sb = strbuf_new();
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->cap)
		free(sb->text);
	*sb = (struct strbuf){0};
}

void strbuf_cut(struct strbuf *sb, size_t len)
{
	if (!sb->cap)
		*sb = strbuf_new();
	else
		sb->text[sb->len = len] = '\0';
}

void strbuf_drop(struct strbuf *sb, size_t n)
{
	if (n)
		memmove(sb->text, sb->text + n, sb->len - n);
	strbuf_cut(sb, sb->len - n);
}

void strbuf_clear(struct strbuf *sb)
{
	strbuf_cut(sb, 0);
}

void strbuf_add(struct strbuf *sb, const char *bytes, size_t n)
{
	reserve(sb, n);
	if (n)
		memcpy(sb->text + sb->len, bytes, n);
	sb->len += n;
	sb->text[sb->len] = '\0';
}

void strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addc(struct strbuf *sb, char c)
{
	reserve(sb, 1);
	sb->text[sb->len++] = c;
	sb->text[sb->len] = '\0';
}

void strbuf_addf(struct strbuf *sb, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	strbuf_vaddf(sb, format, ap);
	va_end(ap);
}

/* Appends a text whose only conversions are %s. False: it has others, and nothing was
 * appended. */
static bool add_words(struct strbuf *sb, const char *format, va_list ap)
{
	const char *percent = format;

	while ((percent = strchr(percent, '%')))
		if (percent++[1] != 's')
			return false;
	while ((percent = strchr(format, '%'))) {
		strbuf_add(sb, format, (size_t)(percent - format));
		strbuf_adds(sb, va_arg(ap, const char *));
		format = percent + 2;
	}
	strbuf_adds(sb, format);
	return true;
}

void strbuf_vaddf(struct strbuf *sb, const char *format, va_list ap)
{
	va_list again;
	size_t room;
	int n;

	if (add_words(sb, format, ap))
		return;
	reserve(sb, 0);
	room = sb->cap - sb->len;
	va_copy(again, ap);
	n = vsnprintf(sb->text + sb->len, room, format, ap);
	assert(n >= 0);
	if ((size_t)n >= room) {
		reserve(sb, (size_t)n);
		vsnprintf(sb->text + sb->len, (size_t)n + 1, format, again);
	}
	va_end(again);
	sb->len += (size_t)n;
}

char *strbuf_detach(struct strbuf *sb)
{
	char *text = sb->text && !sb->cap ? xstrdup("") : sb->text;

	*sb = (struct strbuf){0};
	return text;
}

void strbuf_add_or(struct strbuf *sb, size_t nth, bool is_last)
{
	if (nth)
		strbuf_adds(sb, is_last ? " or " : ", ");
}

int strbuf_read(struct strbuf *sb, FILE *file, size_t max)
{
	char bytes[4096];
	size_t n;

	while (sb->len <= max && (n = fread(bytes, 1, sizeof bytes, file)) > 0)
		strbuf_add(sb, bytes, n);
	return ferror(file) ? -1 : 0;
}

char *strbuf_join(const char *const *text, size_t count)
{
	struct strbuf sb = strbuf_new();

	for (size_t i = 0; i < count; i++)
		strbuf_addf(&sb, "%s%s", i ? " " : "", text[i]);
	return strbuf_detach(&sb);
}

/* Spans: trim, compare and cut borrowed text without copying it. */

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ' && (c == ' ' || c == '\t' || c == '\r');
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

struct span span_of(const char *s)
{
	return (struct span){s, strlen(s)};
}

struct span strbuf_span(const struct strbuf *sb)
{
	return (struct span){sb->text, sb->len};
}

struct span span_trim(struct span s)
{
	while (s.len && is_blank(s.at[0]))
		s.at++, s.len--;
	while (s.len && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

bool text_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (!a.len || memcmp(a.at, b.at, a.len) == 0);
}

bool span_is_text(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] < ' ' || s.at[i] > '~')
			return false;
	return true;
}

/* Most words differ in the first letter, so their length is not asked for. */
bool span_is(struct span s, const char *word)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word[i] || s.at[i] != word[i])
			return false;
	return !word[s.len];
}

bool span_is_nocase(struct span s, const char *word)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word[i] || lower(s.at[i]) != lower(word[i]))
			return false;
	return !word[s.len];
}

bool span_has_nocase(struct span s, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; n && i + n <= s.len; i++)
		if (lower(s.at[i]) == lower(part[0]) &&
			span_is_nocase((struct span){s.at + i, n}, part))
			return true;
	return false;
}

bool span_begins(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.len >= n && memcmp(s.at, prefix, n) == 0;
}

uint64_t span_hash(struct span s, uint64_t hash)
{
	for (size_t i = 0; i < s.len; i++)
		hash = (hash ^ (unsigned char)s.at[i]) * 0x100000001b3u;
	return hash;
}

struct span span_word(struct span *rest)
{
	const char *at = rest->at, *end = at, *from;

	if (rest->len) /* else there may be no text */
		end += rest->len;
	while (at < end && is_blank(*at))
		at++;
	from = at;
	while (at < end && !is_blank(*at))
		at++;
	*rest = (struct span){at, (size_t)(end - at)};
	return (struct span){from, (size_t)(at - from)};
}

/* UTF-8, read strictly and without the locale. */

size_t utf8_read(const char *s, int32_t *point)
{
	static const int32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = (unsigned char)s[0];
	size_t len = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	int32_t value = len == 1 ? lead : lead & (0x7f >> len);

	*point = UTF8_INVALID;
	if (len > 1 && (lead < 0xc2 || lead > 0xf4))
		return 1;
	for (size_t i = 1; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		/* A terminating NUL is no continuation either. */
		if ((c & 0xc0) != 0x80)
			return 1;
		value = value * 64 + (c & 0x3f);
	}
	if (value < smallest[len] || value > 0x10ffff ||
		(value >= 0xd800 && value <= 0xdfff))
		return 1;
	*point = value;
	return len;
}

bool utf8_is_valid(const char *s)
{
	int32_t point;

	while (*s) {
		s += utf8_read(s, &point);
		if (point == UTF8_INVALID)
			return false;
	}
	return true;
}

/* Marks that a reader can't see, or that turn the order of what follows. */
static bool is_invisible(int32_t point)
{
	return point < 0xa0 || (point >= 0x200b && point <= 0x200f) ||
		(point >= 0x2028 && point <= 0x202e) ||
		(point >= 0x2060 && point <= 0x206f) || point == 0xfeff ||
		point >= 0xe0000;
}

size_t utf8_printable(struct span s, size_t at)
{
	unsigned char c = (unsigned char)s.at[at];
	char character[5] = {0};
	int32_t point;
	size_t len;

	if (c < 0x80)
		return c >= 0x20 && c < 0x7f;
	for (size_t i = 0; i + 1 < sizeof character && at + i < s.len; i++)
		character[i] = s.at[at + i];
	len = utf8_read(character, &point);
	return point == UTF8_INVALID || is_invisible(point) ? 0 : len;
}

void utf8_repair(struct strbuf *sb, const char *s)
{
	int32_t point;

	while (*s) {
		size_t n = utf8_read(s, &point);

		if (point == UTF8_INVALID)
			strbuf_adds(sb, "\xef\xbf\xbd");
		else
			strbuf_add(sb, s, n);
		s += n;
	}
}
