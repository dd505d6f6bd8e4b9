/*
 * Reports of several runs beside one another. Their numbers are those of the reports:
 * nothing is computed here a second time.
 */
#ifndef COMPUTE_GPU_TRACKER_COMPARE_H
#define COMPUTE_GPU_TRACKER_COMPARE_H

#include "base/diag.h"
#include "model/dialect.h"

#define COMPARE_STATISTIC "mean" /* where none is asked for */

/*
 * As gpu_tracker compares its analyses: one statistic ("min", "max", "mean", "std") of
 * every measurement, over the runs and over their code blocks, and of the blocks' times.
 * Blocks belong together by their names, or in the order of their line numbers where only
 * those differ. The reports carry the analyses (dialect). -1: it is unknown, a report is
 * none or is refused, blocks or units differ; release *out in either case.
 */
int compare_tracker(struct tracker_comparison *out, const struct tracker_side *side,
	size_t count, const char *statistic, struct error *err);

#endif
