/*
 * Notes where values come from, while a log is read. A witness of batches beside the
 * aggregate.
 */
#ifndef COMPUTE_ORIGINS_H
#define COMPUTE_ORIGINS_H

#include "compute/inspect/origin_phases.h"
#include "compute/run/witness.h"
#include "model/report.h"
#include "model/run.h"

struct origins_witness;

/*
 * metric: which ones are noted (globs_match), borrowed; the tick counters too where a
 * share of CPU time is. phase: in which phases, by path or name, borrowed; NULL: in all
 * of the run.
 */
struct origins_witness *origins_new(const char *metric, const char *phase);
void origins_free(struct origins_witness *witness); /* NULL is fine */

struct sample_witness *origins_as_witness(struct origins_witness *witness);

/* What of the run counts: what it was told; not set: all of it. */
const struct compute_window *origins_window(const struct origins_witness *witness);

/* The phases that were asked for; NULL: nothing was read. Each series has one origin of
 * each of them, in their order. */
const struct origin_phases *origins_phases(const struct origins_witness *witness);

/* What was noted, once all of the report is there that nobody has selected from yet. */
struct origins *origins_settle(
	struct origins_witness *witness, const struct report *report);

#endif
