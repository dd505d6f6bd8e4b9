/*
 * A part of a report: of some devices, metrics or phases. Numbers over several devices
 * are worked out anew of those that are left, or unknown where that needs the samples.
 */
#ifndef COMPUTE_INSPECT_SELECTION_H
#define COMPUTE_INSPECT_SELECTION_H

#include "compute/series/counter.h"
#include "model/report.h"

/* report: as aggregate_report left it. filter: its texts outlive the report. */
void selection_apply(struct report *report, const struct report_filter *filter);

/*
 * What of findings lies in the phases that are asked for: for how long, and the parts
 * of their stretches. Of all else that they say nothing is known there. README.md,
 * "Parts of a run".
 */

#endif
