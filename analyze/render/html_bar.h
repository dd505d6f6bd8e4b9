/* Bars, and lines through bars, as pictures of a page. */
#ifndef RENDER_HTML_BAR_H
#define RENDER_HTML_BAR_H

#include "base/text.h"
#include "render/doc.h"

/* A bar of a table; nothing where nothing is known. */
void html_bar(struct strbuf *sb, const struct doc_cell *cell);

/* The line of a DOC_SPARK. */
void html_spark(struct strbuf *sb, const struct doc_block *block);

#endif
