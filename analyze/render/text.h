/* Prints documents as text. */
#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include "render/doc.h"
#include "render/render.h"

/* Adds the run over time, a line a device and metric, if its report has a timeline. */
void text_timeline(
	struct doc *doc, const struct report *report, const struct render_options *opt);

void text_print(const struct doc *doc, const struct render_options *opt, FILE *out);

#endif
