/*
 * Whether a run finished its work. A crashed run looks fast and cheap. README.md,
 * "Comparing runs".
 */
#ifndef COMPUTE_REPORT_RUN_OUTCOME_H
#define COMPUTE_REPORT_RUN_OUTCOME_H

#include "model/run.h"
#include "model/run_outcome.h"

/* Of a run as it was read, or as a database keeps it. Release. */
struct run_outcome run_outcome_of(const struct run *run);

/* "137 (SIGKILL)", "\"-9\"": as run.json has it. Nothing: it does not say. */
void run_outcome_say_status(struct strbuf *sb, const struct run *run);

#endif
