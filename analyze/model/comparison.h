/*
 * Runs beside one another: the struct between compute and render. Numbers are in the
 * units of whoever was asked for them; unknown is NAN. Filled by compute, laid out by
 * render.
 */
#ifndef MODEL_COMPARISON_H
#define MODEL_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "model/report.h"

/* A run that is to be compared, by the name that the user calls it. */
struct comparison_side {
	const char *name; /* no two are equal */
	const struct report *report;
};

enum comparison_part {
	COMPARISON_RUN, /* a measurement over the whole run */
	COMPARISON_PHASE, /* over all calls of a phase */
	COMPARISON_TIME /* how long the calls of a phase took */
};

/* One number of every run. */
struct comparison_row {
	enum comparison_part part;
	const char *key; /* of the measurement; borrowed from a report; of TIME NULL */
	char *phase; /* owned; of RUN NULL */
	bool counts; /* whole numbers */
	double *value; /* [side_count] owned */
};

/* Rows of one part lie together, in it those of one key. */
struct comparison {
	const struct comparison_side *side; /* borrowed */
	size_t side_count;
	struct comparison_row *row;
	size_t row_count, row_cap;
	char **remark; /* sentences: what differs besides; owned */
	size_t remark_count, remark_cap;
};

void comparison_init(
	struct comparison *comparison, const struct comparison_side *side, size_t count);
void comparison_release(struct comparison *comparison);

/* Appends a row of unknown values; phase is copied, NULL is none. */
struct comparison_row *comparison_add(struct comparison *comparison,
	enum comparison_part part, const char *key, const char *phase);
void comparison_remark(struct comparison *comparison, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
