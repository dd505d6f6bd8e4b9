/* Formats the sentence of a failure; knows nothing of who will print it. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(err->message, sizeof err->message, format, ap);
	va_end(ap);
	return -1;
}
