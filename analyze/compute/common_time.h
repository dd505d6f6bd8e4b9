/*
 * What GPUs were like over the time in which all of them were recorded: means of
 * different times say nothing of the GPUs. README.md, "Findings".
 */
#ifndef COMPUTE_COMMON_TIME_H
#define COMPUTE_COMMON_TIME_H

#include "compute/figure.h"

/*
 * The plain mean of a metric of one of the GPUs that are held, over the bins of the
 * course in which each of them that has the metric has values, in its unit. NAN: all of
 * them have values in 95 % and more of the bins that one has, so that there is no other
 * time; there is no common one; or the log keeps no course of the metric.
 */
double common_mean(
	const struct figure_scope *scope, uint32_t device, enum metric_id metric);

#endif
