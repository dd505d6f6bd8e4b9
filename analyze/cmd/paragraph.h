/* Words into lines, for what --help prints. */
#ifndef CMD_PARAGRAPH_H
#define CMD_PARAGRAPH_H

#include <stddef.h>
#include <stdio.h>

/* Where they go: as wide as the terminal is, but no wider than people read. */
struct help_page {
	FILE *out;
	size_t columns;
};

#define PARAGRAPH_COLUMNS 80 /* at most */

/* Goes on in a line of which `used` columns are taken; further lines are indented by
 * `hang`. text is ASCII, with single blanks between its words. Ends the line. */
void paragraph_print(
	const struct help_page *page, size_t used, size_t hang, const char *text);

/* What is said of `left`, which may be indented: beside it, from `column` on, or where
 * the page has no room there below it. */
void paragraph_beside(
	const struct help_page *page, const char *left, size_t column, const char *text);

#endif
