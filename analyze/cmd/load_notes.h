/*
 * What is said of a run once all of its logs have been read: into its diagnostics, each
 * once. Knows no database and no options.
 */
#ifndef CMD_LOAD_NOTES_H
#define CMD_LOAD_NOTES_H

#include "compute/run/aggregate.h"
#include "model/report.h"
#include "model/run.h"

/*
 * Zones and intervals that logs disagree about, GPUs that none of them has, rows beyond
 * the command. assumes: logs without times have the interval of another log.
 */
void notes_add(struct run *run, const struct aggregate *agg, const struct report *report,
	bool assumes);

/* The values that can't be, where nobody else looks at each. */
void note_impossible(struct run *run, const struct aggregate *agg);

/*
 * One entry for the gaps of a device in a log, at the longest of them. Where the recorder
 * was started again after one, nothing is missing. Of gaps whose rows were sorted it
 * finds the file, if there is but one.
 */
void note_gaps(struct run *run, struct report *report);

/* -1: its logs hold not one sample or event; why, as its first damage says. */
int usable_check(const struct run *run, struct error *err);

/*
 * Refuses events that are far from all samples, which are no longer the run's then. True:
 * there were some, and agg, which knew them, has to be given the samples anew.
 */
bool far_refuse(struct run *run, struct aggregate *agg);

#endif
