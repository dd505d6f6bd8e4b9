/* Numbers over time as a table, folded up: of the devices of a run, or of several runs.
 */
#ifndef RENDER_HTML_NUMBERS_H
#define RENDER_HTML_NUMBERS_H

#include "base/text.h"
#include "model/report.h"

/* A row of it. */
struct html_numbers {
	const char *name; /* raw */
	double mean, min, max; /* NAN: there is none */
	const struct timeline_series *series; /* whose gaps they are; NULL: unknown */
	int64_t max_at_ns; /* of a run alone; TIME_NONE */
	uint64_t missing; /* likewise */
};

/* alone: the run, of which more is told; NULL: of several. Further tables may stand
 * between the end of its rows and its own. */
void html_numbers_begin(struct strbuf *sb, const struct report *alone);
/* A title of the rows behind it. */
void html_numbers_title(struct strbuf *sb, const struct report *alone, const char *title,
	const char *unit); /* "": none */
void html_numbers_row(struct strbuf *sb, const struct metric *metric,
	const struct html_numbers *numbers, const struct report *alone);
void html_numbers_end_rows(struct strbuf *sb);
void html_numbers_end(struct strbuf *sb);

#endif
