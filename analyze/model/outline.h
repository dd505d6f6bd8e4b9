/*
 * A run over time as it is drawn beside others: of each metric whose scale begins at 0
 * all devices together. It is small, and needs its report no more.
 */
#ifndef MODEL_OUTLINE_H
#define MODEL_OUTLINE_H

#include "model/report.h"

struct outline_devices {
	char **name; /* [count] owned */
	size_t count;
};

struct outline_series {
	struct timeline_series all; /* without columns: there is none; owned */
	double mean; /* of all devices together; NAN */
	double whole; /* the largest value of the metric that is the whole of it; NAN */
	struct outline_devices lacking, partial; /* those without a value, and those with
						    gaps that not all have */
};

struct outline {
	struct timeline axis; /* where its columns stand; it has no series */
	bool more; /* it has metrics whose scale begins elsewhere */
	struct outline_series *series; /* one for each of timeline_metrics(); owned */
};

/* NULL: nothing of the report is drawn. */
struct outline *outline_make(const struct report *report);
void outline_free(struct outline *outline); /* NULL is fine */

#endif
