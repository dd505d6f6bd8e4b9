/*
 * The time for which all GPUs have values. Means over different times can't be
 * compared. README.md, "Findings".
 */
#ifndef COMPUTE_REPORT_COMMON_TIME_H
#define COMPUTE_REPORT_COMMON_TIME_H

#include "compute/report/figure.h"
#include "model/report.h"

/* Of a GPU, what of its values is of that time. */
struct common_values {
	double mean; /* plain, in the metric's unit; NAN: there is none */
	double count; /* NAN: the GPU has no values at all */
};

/* Of the GPUs that are held, as it was asked for last. Zeroed is none. */
struct common_time {
	bool known; /* what follows is of: */
	enum metric_id metric;
	bool held; /* ... of the rows alone that fulfil the rule's conditions */
	bool apart; /* it is not about all that each of them has */
	struct common_values *of; /* [gpus of scope->held] owned */
};

void common_release(struct common_time *common);

/*
 * Of one of the GPUs that are held, over the bins of the course in which each of them
 * that has the metric has values; of those of the rows that fulfil the rule's conditions,
 * or of all. NULL: all of them have values in 95 % and more of the bins that one has, so
 * that there is no other time; or no log keeps a course of it. Valid until the next call.
 */
const struct common_values *common_values(const struct figure_scope *scope,
	uint32_t device, enum metric_id metric, bool held);

/* How much of the time two logs of one GPU have in common. README.md, "Findings". */

/*
 * The time that the query log of a GPU and its dmon both cover, over that of the one that
 * covers more, 0 to 1. NAN: one of them is not there or has no times, or not all of its
 * gaps are listed.
 */
double shared_time(const struct report *report, uint32_t device);

/*
 * The part of the query log's time that dmon has not, and that of dmon's that the query
 * log has not, together, 0 to 2; NAN as above. So much of its range what only one of them
 * saw may move their means apart.
 */
double unshared_time(const struct report *report, uint32_t device);

#endif
