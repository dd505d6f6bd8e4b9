/*
 * Foreign text on its way out: names, paths and commands are bytes that anybody wrote.
 * Knows how wide a character stands in a terminal, and makes text harmless for one.
 * Knows nothing of reports.
 */
#ifndef RENDER_UTF8_H
#define RENDER_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/utf8.h"

/* Columns that a text without control characters takes in a terminal. */
size_t utf8_width(const char *s);

/* Bytes at the beginning of s that fit into so many columns. */
size_t utf8_fit(const char *s, size_t columns);

/*
 * Appends s for a terminal: controls (ESC, newline, C1), characters that turn the
 * direction of writing or can't be seen, and bytes that are not UTF-8 stand as \n, \x1b,
 * \u202e. A backslash stays one: the result is for eyes, not for reading back.
 */
void utf8_inert(struct strbuf *sb, const char *s);

/*
 * The same for the output of a job, which runners read for commands: of a text that
 * begins with "::", blanks apart, the first colon stands as \x3a; in "##[" and the like
 * ("##vso["), wherever they are, the second # as \x23.
 */
void utf8_no_command(struct strbuf *sb, const char *s);
/* Of these only "##[" and the like. */
void utf8_no_mark(struct strbuf *sb, const char *s);

/* Appends s cut to so many columns, with `mark` ("...") in the place of what was cut. */
void utf8_cut(struct strbuf *sb, const char *s, size_t columns, const char *mark);
/* The same, but the beginning is cut: the end of a path says more. */
void utf8_cut_front(struct strbuf *sb, const char *s, size_t columns, const char *mark);

#endif
