/*
 * Offers text layout to text.c, text_timeline.c and spark.c: where lines go, their
 * width, color. Private to these.
 */
#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "render/doc.h"
#include "render/render.h"

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
