/* Offers sparklines (E. Tufte): a row of heights in a line of text. */
#ifndef RENDER_SPARK_H
#define RENDER_SPARK_H

#include "base/text.h"
#include "render/doc.h"

/* Appends one column: a height from 0 to 1; NAN, of which nothing is known, is blank. */
void spark_column(struct strbuf *sb, double height, bool unicode);

/* The cells of a DOC_SPARK in at most so many columns: each draws the mean of its cells.
 */
void spark_draw(struct strbuf *sb, const struct doc_block *block, size_t columns);

#endif
