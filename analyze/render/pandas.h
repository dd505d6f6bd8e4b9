/*
 * Tables as pandas prints its frames: an index on the left, columns to the right of their
 * names, every cell right-justified. Knows no numbers.
 */
#ifndef RENDER_PANDAS_H
#define RENDER_PANDAS_H

#include <stddef.h>

#include "base/text.h"

/* Cells, row by row; the first row is the header, the first column the index. */
struct table {
	char **cell; /* owned */
	size_t count, cap;
	size_t columns;
};

void table_add(struct table *table, struct strbuf *text); /* takes the text over */
void table_add_text(struct table *table, const char *text);
/* Each line begins with the indent. */
void table_print(struct strbuf *sb, const struct table *table, const char *indent);
void table_release(struct table *table); /* zeroed is empty */

/* The blanks that bring a text to a width. */
void table_pad(struct strbuf *sb, const char *text, size_t width);

#endif
