/*
 * What of findings lies in the phases that are asked for: for how long, and the parts of
 * their stretches. Of all else that they say nothing is known there. README.md, "Parts of
 * a run".
 */
#ifndef COMPUTE_SELECTION_FINDINGS_H
#define COMPUTE_SELECTION_FINDINGS_H

#include "compute/series/slices.h"
#include "model/report.h"

/* Time in any call of some phases. */
struct chosen_time {
	struct stretch *at; /* [count] ascending, apart from one another; owned */
	size_t count;
};

/* Of the phases that match, of which "(outside)" may be one; of NULL nothing. Nothing has
 * been selected from the report. */
struct chosen_time chosen_time(const struct report *report, const char *pattern);

/* Marks those that say how long it was in phases: before the other phases go. */
void selection_mark_findings(struct report *report);

/* Of what was marked; report_select has left the phases that the time is of. */
void selection_findings(struct report *report, const struct chosen_time *chosen);

#endif
