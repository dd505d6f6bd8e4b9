/*
 * What is said of a run when all of its logs have been read: zones and intervals that
 * they disagree about, GPUs that none of them has.
 */
#ifndef CMD_NOTES_H
#define CMD_NOTES_H

#include "cmd/options.h"
#include "compute/run/aggregate.h"

/* Into the run's diagnostics, once. */
void notes_add(struct run *run, const struct aggregate *agg, const struct report *report,
	const struct options *opt);

/* Counts the values that can't be, where nobody else looks at each. */
void note_impossible(struct run *run, const struct aggregate *agg);

#endif
