/*
 * A run over time as it is drawn beside others: of each metric whose scale begins at 0
 * all devices together. It is small, and needs its report no more.
 */
#ifndef MODEL_OUTLINE_H
#define MODEL_OUTLINE_H

#include "model/report.h"

struct outline_series {
	struct timeline_series all; /* without columns: there is none; owned */
	double mean; /* of all devices together; NAN */
	double whole; /* the largest value of the metric that is the whole of it; NAN */
	char **lacking; /* [lacking_count] names of devices without a value; owned */
	size_t lacking_count;
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
