/*
 * What is noise: from repeats of one program, what two of them differ by. README.md,
 * "Gate".
 */
#ifndef COMPUTE_CALIBRATE_H
#define COMPUTE_CALIBRATE_H

#include "model/gate.h"

/* Noise is learnt from so many repeats, or more. */
#define CALIBRATION_RUNS 5

/*
 * Learns the noise of all numbers that the rules are of. All runs of the comparison are
 * repeats. *out is empty before; rules and comparison outlive it.
 */
void calibrate(struct calibration *out, const struct gate_rules *rules,
	const struct comparison *comparison);

#endif
