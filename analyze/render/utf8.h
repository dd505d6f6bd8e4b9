/*
 * Text from outside, ready to print: names, paths and commands may hold any bytes.
 * Offers the width of a character on a terminal and escaping for terminals, XML and
 * HTML. Knows no report.
 */
#ifndef RENDER_UTF8_H
#define RENDER_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Columns that a text without control characters takes in a terminal. */
size_t utf8_width(const char *s);

/* Bytes at the beginning of s that fit into so many columns. */
size_t utf8_fit(const char *s, size_t columns);

/*
 * Is it one that a terminal obeys or hides: a control, a turn of the direction of
 * writing, what can't be seen or told from a blank? JSON, which keeps a text as it is,
 * has it as an escape; whatever else is printed is for eyes somewhere, and inert.
 */
bool utf8_is_hidden(int32_t point);

/*
 * Appends s for a terminal: controls (ESC, newline, C1), characters that turn the
 * direction of writing or can't be seen or told from a blank, and bytes that are not
 * UTF-8 stand as \n, \x1b, \u202e, and of a mark the second # as \x23. A backslash stays
 * one: the result is for eyes, not for reading back.
 */
void utf8_inert(struct strbuf *sb, const char *s);

/* The same with U+FFFD for bytes that are not UTF-8: for programs with no escapes. */
void utf8_inert_whole(struct strbuf *sb, const char *s);

/*
 * Runners read the output of a job for commands. A mark is "##[" or "##vso[" (or with
 * another word), which begins one anywhere in a line (GitHub's Runner.Common,
 * ActionCommand.cs; Azure's agent). "::" begins one in a line's first place, blanks
 * apart. A format that has escapes writes a mark's first # as one.
 */
bool utf8_is_mark(const char *s); /* does one stand here? */
bool utf8_is_command(const char *s); /* of a line */

/*
 * Appends a line that begins no command: the first colon stands as \x3a, of marks the
 * second # as \x23.
 */
void utf8_no_command(struct strbuf *sb, const char *s);

/* The same of every line of a text, which is cut up. */
void utf8_no_commands(struct strbuf *sb, char *lines);

/* Appends s cut to so many columns, with `mark` ("...") in the place of what was cut. */
void utf8_cut(struct strbuf *sb, const char *s, size_t columns, const char *mark);

/* The same, but the beginning is cut: the end of a path says more. */
void utf8_cut_front(struct strbuf *sb, const char *s, size_t columns, const char *mark);

/* The same, but the middle is cut: both ends tell names apart. */
void utf8_cut_middle(struct strbuf *sb, const char *s, size_t columns, const char *mark);

/* Text in XML and HTML, in an element or between double quotes. */

/* Appends it; what can't be shown stands as utf8_inert_whole has it. */
void xml_text(struct strbuf *sb, const char *text);

#endif
