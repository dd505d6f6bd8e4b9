/* Several runs over time, one below the other, on one axis and one scale: part of a page.
 */
#ifndef RENDER_HTML_MULTIPLES_H
#define RENDER_HTML_MULTIPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/report.h"

struct multiple { /* a run among them */
	const char *name; /* raw */
	const char *side; /* static; NULL: none. Those of one stand together */
	size_t section; /* of the page that is its own; 0: none */
	const struct outline *outline; /* NULL: it has nothing to draw */
};

struct multiples {
	const struct multiple *of; /* [count] */
	size_t count;
	const char *metrics; /* globs of those that are asked for; NULL: all */
	const char *heading; /* of each metric: "h3" */
	double from; /* what the axis begins at: seconds from the start of each run */
	size_t room; /* bytes that the pictures may take, nearly */
};

/*
 * Appends a picture for each metric that any of them has, and a line for each of which
 * there is nothing to see.
 */
void html_multiples(struct strbuf *sb, const struct multiples *these);

/* Is there one? */
bool html_multiples_any(const struct multiples *these);

#endif
