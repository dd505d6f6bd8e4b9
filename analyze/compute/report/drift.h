/*
 * What does not stay the same in a steady state, though the GPUs are used alike all
 * along: their power and their clock, which go along a line, or take one step. README.md,
 * "Steady state".
 */
#ifndef COMPUTE_DRIFT_H
#define COMPUTE_DRIFT_H

#include "compute/run/state.h"

/*
 * Fills steady->drift of each GPU and metric that its log has enough of; what is no drift
 * has a change of 0. kept[number, from the origin]: the bins of 2^shift ns at its level.
 */
void drift_find(const struct aggregate *agg, const struct report *report,
	const bool *kept, unsigned shift, struct steady *steady);

#endif
