/* The numbers of a timeline as a table, folded up. */
#ifndef RENDER_HTML_TIMELINE_TABLE_H
#define RENDER_HTML_TIMELINE_TABLE_H

#include "base/text.h"
#include "model/report.h"

/* Appends those that the report's filter has left; there is a timeline. */
void html_timeline_table(struct strbuf *sb, const struct report *report, bool together);

#endif
