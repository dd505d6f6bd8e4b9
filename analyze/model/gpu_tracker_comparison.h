/*
 * Runs beside one another: the struct between compute and render. Numbers are in the
 * units of whoever was asked for them; unknown is NAN. Filled by compute, laid out by
 * render.
 */
#ifndef MODEL_GPU_TRACKER_COMPARISON_H
#define MODEL_GPU_TRACKER_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "model/report.h"

/* A run that is to be compared, by the name that the user calls it. */
struct tracker_side {
	const char *name; /* no two are equal */
	const struct report *report;
};

enum tracker_comparison_part {
	TRACKER_COMPARISON_RUN, /* a measurement over the whole run */
	TRACKER_COMPARISON_PHASE, /* over all calls of a phase */
	TRACKER_COMPARISON_TIME /* how long the calls of a phase took */
};

/* One number of every run. */
struct tracker_comparison_row {
	enum tracker_comparison_part part;
	const char *key; /* of the measurement; borrowed from a report; of TIME NULL */
	char *phase; /* owned; of RUN NULL */
	bool counts; /* whole numbers */
	double *value; /* [side_count] owned */
};

/* Rows of one part lie together, in it those of one key. */
struct tracker_comparison {
	const struct tracker_side *side; /* borrowed */
	size_t side_count;
	struct tracker_comparison_row *row;
	size_t row_count, row_cap;
	char **remark; /* sentences: what differs besides; owned */
	size_t remark_count, remark_cap;
};

void tracker_comparison_init(struct tracker_comparison *comparison,
	const struct tracker_side *side, size_t count);
void tracker_comparison_release(struct tracker_comparison *comparison);

/* Appends a row of unknown values; phase is copied, NULL is none. */
struct tracker_comparison_row *tracker_comparison_add(
	struct tracker_comparison *comparison, enum tracker_comparison_part part,
	const char *key, const char *phase);
void tracker_comparison_remark(struct tracker_comparison *comparison, const char *format,
	...) __attribute__((format(printf, 2, 3)));

#endif
