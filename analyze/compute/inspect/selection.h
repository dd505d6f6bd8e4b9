/*
 * A part of a report: of some devices, metrics or phases. Numbers over several devices
 * are worked out anew of those that are left, or unknown where that needs the samples.
 */
#ifndef COMPUTE_SELECTION_H
#define COMPUTE_SELECTION_H

#include "model/report.h"

/* report: as aggregate_report left it. filter: its texts outlive the report. */
void selection_apply(struct report *report, const struct report_filter *filter);

#endif
