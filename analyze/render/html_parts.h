/*
 * What the rooms of the HTML format share: cells as text, and tables. Only html*.c
 * include this.
 */
#ifndef RENDER_HTML_PARTS_H
#define RENDER_HTML_PARTS_H

#include "base/text.h"
#include "render/doc.h"

/* Text whose lines don't end between a number and the word behind it; a colour alone says
 * nothing to who can't see it, so a sign stands before what is toned. */
void html_toned(struct strbuf *sb, enum doc_tone tone, const char *text);
/* "-" for unknown, nothing for a blank one. */
void html_cell(struct strbuf *sb, const struct doc_cell *cell);
/* The attributes of an element that may be cut, if its text has more bytes than `most`:
 * the whole text is in its title. */
void html_cut(struct strbuf *sb, const char *class, const char *text, size_t most);

/* heading: what the table is of, as HTML. */
void html_table(struct strbuf *sb, const struct doc_block *block, const char *heading);

#endif
