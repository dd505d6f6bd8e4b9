/*
 * What GPUs were like over the time that all of them have values of: means of different
 * times say nothing of the GPUs. README.md, "Findings".
 */
#ifndef COMPUTE_COMMON_TIME_H
#define COMPUTE_COMMON_TIME_H

#include "compute/report/figure.h"

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

#endif
