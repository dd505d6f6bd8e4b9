/*
 * The columns of a table as lines, and which of them have no room. Only text*.c include
 * this.
 */
#ifndef RENDER_TEXT_WIDTHS_H
#define RENDER_TEXT_WIDTHS_H

#include "render/text_layout.h"

#define TEXT_NAME_WIDE	   32
#define TEXT_REMARK_INDENT 2 /* below its row, from where that begins */

struct text_widths {
	size_t *of; /* a column; 0: the column is left out */
	size_t count;
	size_t gap;
	size_t above; /* the first columns stand in a line above each row; 0: none */
	bool **whole; /* [count] which names stand in lines of their own; NULL: none does
		       */
};

void text_widths_init(struct text_widths *w, const struct text_layout *l,
	const struct doc_block *block);
void text_widths_release(struct text_widths *w);

/* How much too wide the table is for the line. */
size_t text_excess(const struct text_widths *w, size_t room);
/*
 * Into `part` the first column, and of those from `from` on as many as fit, one at least.
 * Gives the first that is not in it.
 */
size_t text_widths_part(struct text_widths *part, const struct text_widths *all,
	size_t from, size_t room);
/* Is a column that says something left out for want of room? */
bool text_widths_lack(
	const struct text_widths *w, const struct doc_block *block, size_t column);

/* The first column that is no name; behind it names are remarks about the row. */
size_t text_named_columns(const struct doc_block *block);

#endif
