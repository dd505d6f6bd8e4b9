/*
 * A comparison while runs are added to it. Only the rooms of the comparison include this;
 * everybody else asks compute/compare.h.
 */
#ifndef COMPUTE_COMPARING_H
#define COMPUTE_COMPARING_H

#include <stdint.h>

#include "compute/compare.h"

/* A row in the table of rows. */
struct place {
	uint64_t hash;
	size_t next; /* in its bucket, + 1; 0: none */
};

struct comparing {
	struct comparison *out;
	size_t runs_most;
	compare_wanted *wanted;
	void *context;
	size_t *bucket; /* [buckets] a power of two */
	size_t buckets;
	struct place *row; /* beside out->row */
	size_t row_cap;
	uint64_t *content; /* [out->run_count] */
	size_t content_cap;
};

/* What the last run says of its circumstances; drops what does not differ. */
void circumstances_add(struct comparing *comparing, const struct report *report);
void circumstances_end(struct comparing *comparing);

/* The times and energies of the last run's phases; the differences of the means. */
void waterfall_add(struct comparing *comparing, const struct report *report);
void waterfall_end(struct comparing *comparing);

#endif
