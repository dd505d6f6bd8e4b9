/*
 * What the events of one kind count, of one process or of several (README.md, "Units of
 * work"). Knows no sample, and not which kinds there are.
 */
#ifndef COMPUTE_WORK_COUNT_H
#define COMPUTE_WORK_COUNT_H

#include "model/report.h"

/*
 * Events of one kind, [count] by time, and of each a number for the process that it is
 * of. Fills all that work says of units and of processes; told: and what they are from;
 * its pieces are the caller's.
 */
void work_count(struct work *work, struct work_told *told,
	const struct event *const *event, const uint64_t *process, size_t count);

#endif
