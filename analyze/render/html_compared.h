/* What several runs were over time: the runs of a page, those of a comparison. */
#ifndef RENDER_HTML_COMPARED_H
#define RENDER_HTML_COMPARED_H

#include "base/text.h"
#include "model/comparison.h"
#include "model/report.h"

/* first: the number of the first run's section; room: bytes that are left for it. Nothing
 * where there is nothing to draw. */
void html_together(struct strbuf *sb, const struct report *report, size_t count,
	size_t first, size_t room);
void html_compared(struct strbuf *sb, const struct comparison *comparison);

#endif
