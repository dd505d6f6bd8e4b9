/* Formats the sentence of a failure; knows nothing of who will print it. */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define CUT "[...]"

/* Is it inside a character of UTF-8? */
static bool goes_on(const char *at)
{
	return ((unsigned char)*at & 0xc0) == 0x80;
}

/* Its begin and its end, which says what was expected, around what is too long. */
static void cut(char *message, size_t size, const char *text, size_t len)
{
	size_t head = size / 2, tail = len - (size - head - sizeof CUT);

	while (head > 0 && goes_on(text + head))
		head--;
	while (tail < len && goes_on(text + tail))
		tail++;
	memcpy(message, text, head);
	memcpy(message + head, CUT, sizeof CUT - 1);
	memcpy(message + head + sizeof CUT - 1, text + tail, len - tail + 1);
}

int error_set(struct error *err, const char *format, ...)
{
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(err->message, sizeof err->message, format, ap);
	va_end(ap);
	if (len >= (int)sizeof err->message) {
		char *text = xcalloc((size_t)len + 1, 1);

		va_start(ap, format);
		vsnprintf(text, (size_t)len + 1, format, ap);
		va_end(ap);
		cut(err->message, sizeof err->message, text, (size_t)len);
		free(text);
	}
	return -1;
}
