/*
 * gpu_tracker's analysis of one run, found again among the pieces of its dialect.
 * Compares nothing.
 */
#ifndef COMPUTE_GPU_TRACKER_ANALYSIS_H
#define COMPUTE_GPU_TRACKER_ANALYSIS_H

#include "base/diag.h"
#include "model/dialect.h"

struct block {
	const struct dialect_item *item; /* its object */
	const char *name;
	char *order; /* the name, its line number padded with zeros; owned */
};

struct analysis {
	const char *name; /* of the run */
	const struct dialect_item *overall, *facts;
	struct block *block; /* [block_count] by their order */
	size_t block_count;
};

/*
 * Everything is borrowed from the report, but for what analysis_release frees. -1: the
 * report has none, or the tool would refuse the run; release it all the same.
 */
int analysis_read(
	struct analysis *analysis, const struct tracker_side *of, struct error *err);
void analysis_release(struct analysis *analysis); /* zeroed is empty */

/* Digits behind the last colon, as in "train.py:38"; NULL: the name ends otherwise. */
const char *block_line(const char *name);

/* What follows an item; of an object what follows its end. */
const struct dialect_item *item_behind(const struct dialect_item *item);
/* NULL: the object has no such member, or one of another kind. */
const struct dialect_item *item_member(
	const struct dialect_item *object, const char *key, enum dialect_kind kind);

#endif
