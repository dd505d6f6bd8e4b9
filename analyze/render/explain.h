/*
 * What `explain` prints: where the numbers of one metric come from, series by series: how
 * they were worked out, from how many values in which lines, and what stood between them.
 */
#ifndef RENDER_EXPLAIN_H
#define RENDER_EXPLAIN_H

#include "model/origin.h"
#include "render/render.h"

struct explain_input {
	const struct report *report; /* its statistics are those that are explained */
	const struct origins *origins;
	enum summary_key key; /* that was asked for; SUMMARY_COUNT: a metric was */
};

/* How a mean, an increase or a time in a state was worked out: a sentence. Static. */
const char *explain_method(const struct metric_stats *stats);

/* The values behind some statistics; NULL: not a line has any, as of shares of ticks. */
const struct origin *explain_origin(
	const struct explain_input *in, const struct metric_stats *stats);

/* Is it a counter that those shares are made of? */
bool explain_is_part(const struct origin *origin, const struct metric_stats *stats);

/* Rows that were refused in all files of a kind. */
uint64_t explain_refused(const struct run *run, enum source_kind kind);

int explain_text(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err);
int explain_json(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err);

#endif
