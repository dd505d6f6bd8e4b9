/* Growing strings for output and messages; not for the lines of a log. */
#include "base/strbuf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void reserve(struct strbuf *sb, size_t more)
{
	ALLOC_GROW(sb->text, sb->len + more + 1, sb->cap);
}

void strbuf_init(struct strbuf *sb)
{
	*sb = (struct strbuf){0};
	reserve(sb, 0);
	sb->text[0] = '\0';
}

void strbuf_release(struct strbuf *sb)
{
	free(sb->text);
	*sb = (struct strbuf){0};
}

void strbuf_clear(struct strbuf *sb)
{
	sb->len = 0;
	sb->text[0] = '\0';
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
	strbuf_add(sb, &c, 1);
}

void strbuf_addf(struct strbuf *sb, const char *format, ...)
{
	va_list ap, again;
	size_t room;
	int n;

	reserve(sb, 0);
	room = sb->cap - sb->len;
	va_start(ap, format);
	va_copy(again, ap);
	n = vsnprintf(sb->text + sb->len, room, format, ap);
	va_end(ap);
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
	char *text = sb->text;

	*sb = (struct strbuf){0};
	return text;
}

void strbuf_add_or(struct strbuf *sb, size_t nth, bool is_last)
{
	if (nth)
		strbuf_adds(sb, is_last ? " or " : ", ");
}

char *strbuf_join(const char *const *text, size_t count)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&sb, "%s%s", i ? " " : "", text[i]);
	return strbuf_detach(&sb);
}
