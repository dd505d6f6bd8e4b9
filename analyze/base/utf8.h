/*
 * Foreign bytes that ought to be UTF-8: names and messages that anybody wrote.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

#define UTF8_INVALID (-1)

/* Bytes of the next character (1 for a byte that is not UTF-8: *point UTF8_INVALID). */
size_t utf8_read(const char *s, int32_t *point); /* s[0] != 0 */

bool utf8_is_valid(const char *s);

/* Appends s with U+FFFD for every byte that is not UTF-8; all else as it is. */
void utf8_repair(struct strbuf *sb, const char *s);

#endif
