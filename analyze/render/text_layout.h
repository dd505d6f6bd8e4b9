/*
 * What the rooms of the text format share: where lines go, how wide they may be, colour.
 * Only text*.c and bar.c include this.
 */
#ifndef RENDER_TEXT_LAYOUT_H
#define RENDER_TEXT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
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

/*
 * Words into lines. The line so far is in `line`, `used` columns wide; further lines are
 * indented by `hang`.
 */
void text_wrap(const struct text_layout *l, struct strbuf *line, size_t used, size_t hang,
	enum doc_tone tone, const char *text);

/*
 * Appends a name of a column without room for all, or a path: shortened if it must be,
 * and set in as far as there is room, beyond which a number says how deep. text_names.c
 */
void text_name(const struct text_layout *l, struct strbuf *sb, const char *text,
	bool path, size_t width);
/* Of each row of a table: must the name in a column that is so wide stand whole beside
 * it, as its shortened one is that of another, too, or too short? The caller frees it. */
bool *text_names_whole(const struct text_layout *l, const struct doc_block *block,
	size_t column, size_t width);

/* text_heading.c, text_table.c */
void text_heading(const struct text_layout *l, const struct doc_block *block);
void text_table(const struct text_layout *l, const struct doc_block *block);
/* Has a table a column of this title, and room for it? */
bool text_table_shows(
	const struct text_layout *l, const struct doc_block *block, const char *title);
/* text_widths.c: columns that the first column of a table wants. */
size_t text_table_label(const struct doc_block *block);

/* Appends exactly `columns` columns; blanks where nothing is known. */
void bar_draw(
	struct strbuf *sb, const struct doc_cell *cell, size_t columns, bool unicode);

/* Adds the run over time, a line a device and metric, if its report has a timeline.
 * text_timeline.c */
void text_timeline(
	struct doc *doc, const struct report *report, const struct render_options *opt);

/* A whole document as text. text.c */
void text_print(const struct doc *doc, const struct render_options *opt, FILE *out);

#endif
