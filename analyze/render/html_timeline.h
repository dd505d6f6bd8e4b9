/* Prints the timeline of a run, or of several runs, as a part of a page. */
#ifndef RENDER_HTML_TIMELINE_H
#define RENDER_HTML_TIMELINE_H

#include <stdbool.h>

#include "base/text.h"
#include "model/comparison.h"
#include "model/report.h"

/* How much detail a page has for each run. */
struct timeline_detail {
	bool small; /* the page has several runs */
	bool together; /* one strip per metric for all devices */
	size_t per_column; /* columns of the timeline in one drawn column */
};

struct timeline_detail html_timeline_detail(const struct report *report, size_t count);

/*
 * Appends heading, picture and a folded table of its numbers, as far as the report's
 * filter selects them. Nothing if there is nothing to draw.
 */
void html_timeline(struct strbuf *sb, const struct report *report,
	const struct timeline_detail *detail);

/* Several runs over time: those of a page or of a comparison. */

/* first: section number of the first run; room: bytes that it may use. Nothing if there
 * is nothing to draw. */
void html_together(struct strbuf *sb, const struct report *report, size_t count,
	size_t first, size_t room);
void html_compared(struct strbuf *sb, const struct comparison *comparison);

#endif
