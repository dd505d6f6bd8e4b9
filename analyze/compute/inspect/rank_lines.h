/*
 * Looks up in which lines the values stand that percentiles lie between, while the logs
 * are read once more: of all values the nearest on both sides of each. A witness of
 * batches.
 */
#ifndef COMPUTE_RANK_LINES_H
#define COMPUTE_RANK_LINES_H

#include "compute/inspect/origin_phases.h"
#include "compute/run/witness.h"
#include "model/report.h"
#include "model/run.h"

struct rank_lines;

/*
 * Of the origins of series whose statistics the report has; all are borrowed. phases: in
 * which the origins are counted, in their order; window: of the report. NULL: there is
 * nothing to look up.
 */
struct rank_lines *rank_lines_new(struct origins *origins,
	const struct origin_phases *phases, const struct compute_window *window,
	const struct report *report);
void rank_lines_free(struct rank_lines *lines); /* NULL is fine */

struct sample_witness *rank_lines_as_witness(struct rank_lines *lines);

/* Completes the origins. read: the run as it was read for the witness, whose files are to
 * be those of `run`. */
void rank_lines_settle(
	struct rank_lines *lines, const struct run *run, const struct run *read);

#endif
