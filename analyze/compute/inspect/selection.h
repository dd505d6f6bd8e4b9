/*
 * Restricts a report to some devices, metrics or phases. Numbers over several devices
 * are computed again from those that are left, or become unknown if that needs the
 * samples.
 */
#ifndef COMPUTE_INSPECT_SELECTION_H
#define COMPUTE_INSPECT_SELECTION_H

#include "compute/series/counter.h"

/* report: as aggregate_report left it. filter: its texts outlive the report. */
void selection_apply(struct report *report, const struct report_filter *filter);

#endif
