/* What an aggregate says, once all was added. */
#ifndef COMPUTE_AGGREGATE_REPORT_H
#define COMPUTE_AGGREGATE_REPORT_H

#include "compute/run/aggregate.h"

/* Computes all of the report but what was put there before; report_init'ed, run set. */
void aggregate_report(struct aggregate *agg, struct report *report);

#endif
