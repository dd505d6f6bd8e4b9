/* The timeline of a run as a part of a page. */
#ifndef RENDER_HTML_TIMELINE_H
#define RENDER_HTML_TIMELINE_H

#include <stdbool.h>

#include "base/text.h"
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

/* In the caption of what stands in the page from byte `begin` on: what its blocks of wide
 * gaps are, where there are any, and the marks of gaps, of which one stands for so many
 * at most. */
void html_timeline_keys(struct strbuf *sb, size_t begin, size_t most);

#endif
