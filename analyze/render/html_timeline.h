/* The timeline of a run as a part of a page. */
#ifndef RENDER_HTML_TIMELINE_H
#define RENDER_HTML_TIMELINE_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "model/report.h"

/*
 * Appends its heading, its picture and, folded up, its numbers as a table: of what the
 * report's filter has left. Nothing where there is nothing to draw. small: it is one of
 * several on the page.
 */
void html_timeline(struct strbuf *sb, const struct report *report, bool small);

/* In its caption: what grey blocks are, where there are any, and the marks of gaps, of
 * which one stands for so many at most. */
void html_timeline_keys(struct strbuf *sb, bool blocks, size_t most);

#endif
