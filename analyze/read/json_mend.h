/*
 * Text that is nearly JSON, made so: bytes that are not UTF-8, "\u0000" (a C string would
 * end there) and half surrogate pairs become U+FFFD; NaN and Infinity, which Python
 * writes, null. All else stays byte for byte.
 */
#ifndef READ_JSON_MEND_H
#define READ_JSON_MEND_H

#include <stdbool.h>

#include "base/text.h"

/* Appends the mended s. False: it is as it was. */
bool json_mend(struct strbuf *sb, const char *s);

#endif
