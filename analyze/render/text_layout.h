/*
 * What the rooms of the text format share: where lines go, how wide they may be, colour.
 * Only text*.c and bar.c include this.
 */
#ifndef RENDER_TEXT_LAYOUT_H
#define RENDER_TEXT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "render/doc.h"
#include "render/render.h"

#define TEXT_INDENT 2 /* of all but headings */

struct text_layout {
	FILE *out;
	size_t width;
	bool color, unicode;
	size_t label; /* width of the first column, alike in a section; 0: of its own */
};

/* Appends text in the colour of a tone; colour stands for damage and doubt alone. */
void text_toned(const struct text_layout *l, struct strbuf *sb, enum doc_tone tone,
	const char *text);
/* What stands for what was cut off. */
const char *text_ellipsis(const struct text_layout *l);
/* The printable form of a cell: "-" for unknown, "" for a blank one. */
void text_cell(struct strbuf *sb, const struct doc_cell *cell);
/* Ends a line: without blanks at its end. */
void text_flush(const struct text_layout *l, struct strbuf *line);

void text_table(const struct text_layout *l, const struct doc_block *block);
/* Columns that the first column of a table wants. */
size_t text_table_label(const struct doc_block *block);

/* Appends exactly `columns` columns; blanks where nothing is known. */
void bar_draw(
	struct strbuf *sb, const struct doc_cell *cell, size_t columns, bool unicode);

/* A whole document as text. text.c */
void text_print(const struct doc *doc, const struct render_options *opt, FILE *out);

#endif
