/*
 * Text that is nearly JSON, made so: bytes that are not UTF-8, "\u0000" (a C string would
 * end there) and half surrogate pairs become U+FFFD; NaN and Infinity, which Python
 * writes, null. All else stays byte for byte.
 */
#ifndef READ_JSON_MEND_H
#define READ_JSON_MEND_H

#include <stdbool.h>

#include "base/span.h"
#include "base/strbuf.h"

/* Quick: true too for some texts that json_mend leaves as they are. */
bool json_needs_mending(struct span text);

/* Appends the mended s. */
void json_mend(struct strbuf *sb, const char *s);

#endif
