/* Prints the timeline of a run, or of several runs, as a part of a page. */
#ifndef RENDER_HTML_TIMELINE_H
#define RENDER_HTML_TIMELINE_H

#include <stdbool.h>

#include "base/text.h"
#include "model/comparison.h"
#include "model/report.h"

/* How much of each run a page of so many has room for. */
struct timeline_detail {
	bool small; /* it is one of several */
	bool together; /* all devices of a metric in one strip */
	size_t per_column; /* so many columns are drawn as one */
};

struct timeline_detail html_timeline_detail(const struct report *report, size_t count);

/*
 * Appends its heading, its picture and, folded up, its numbers as a table: of what the
 * report's filter has left. Nothing where there is nothing to draw.
 */
void html_timeline(struct strbuf *sb, const struct report *report,
	const struct timeline_detail *detail);

/* Several runs over time: those of a page or of a comparison. */

/* first: the number of the first run's section; room: bytes that are left for it. Nothing
 * where there is nothing to draw. */
void html_together(struct strbuf *sb, const struct report *report, size_t count,
	size_t first, size_t room);
void html_compared(struct strbuf *sb, const struct comparison *comparison);

#endif
