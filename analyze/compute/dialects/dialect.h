/* Numbers as other tools publish them, by their rules, beside the report's own. */
#ifndef COMPUTE_DIALECT_H
#define COMPUTE_DIALECT_H

#include "compute/run/aggregate.h"

struct levels;

/* report->dialect, of the one that is asked for; everything else is in the report. */
void dialect_report(struct aggregate *agg, struct report *report);

/* A further item of that key, which is static; the report's. */
struct dialect_item *dialect_add(
	struct report *report, enum dialect_kind kind, const char *key);
/* JUmPER's object, of its levels. */
void jumper_report(struct report *report, const struct levels *levels,
	const struct dialect_options *options);
/* gpu_tracker's object; levels: of the run, for what several GPUs do together. */
void tracker_report(struct report *report, const struct levels *levels,
	const struct dialect_options *options);

#endif
