/* Offers sparklines (E. Tufte), a row of heights in a line of text, and bars. */
#ifndef RENDER_SPARK_H
#define RENDER_SPARK_H

#include "base/text.h"
#include "render/doc.h"

/* Appends one column: a height from 0 to 1. NAN (unknown) is blank. */
void spark_column(struct strbuf *sb, double height, bool unicode);

/* Draws a DOC_SPARK in at most `columns` columns; each is the mean of its cells. */
void spark_draw(struct strbuf *sb, const struct doc_block *block, size_t columns);

/* Appends a bar of exactly `columns` columns; blanks where nothing is known. */
void bar_draw(
	struct strbuf *sb, const struct doc_cell *cell, size_t columns, bool unicode);

#endif
