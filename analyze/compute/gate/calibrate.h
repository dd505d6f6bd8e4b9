/*
 * Calibrates and tests a gate. Calibration: the noise between repeated runs of one
 * program. README.md, "Gate".
 */
#ifndef COMPUTE_GATE_CALIBRATE_H
#define COMPUTE_GATE_CALIBRATE_H

#include "model/gate.h"

/*
 * Learns the noise of all numbers that the rules are of. All runs of the comparison are
 * repeats. *out is empty before; rules and comparison outlive it.
 */
void calibrate(struct calibration *out, const struct gate_rules *rules,
	const struct comparison *comparison);

/*
 * Self-test: do the rules catch changes? The gate judges changed copies of a base.
 * README.md, "Gate".
 */

/*
 * Puts changes into copies of the base, one number at a time. All runs of the comparison
 * are the base; as many are new. *out is empty before; rules and comparison outlive it.
 */
void selftest(struct selftest *out, const struct gate_rules *rules,
	const struct comparison *comparison);

#endif
