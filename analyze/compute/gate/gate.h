/*
 * Judges the rules of a gate for a comparison of a base with new runs. README.md,
 * "Gate".
 */
#ifndef COMPUTE_GATE_GATE_H
#define COMPUTE_GATE_GATE_H

#include "model/gate.h"

/*
 * A metric that is recorded, and never in the state that a rule names, has the share 0 of
 * it: adds a row of it where no run was in it. What a run lacks of a rule's number it
 * takes of the one that the rule names instead. A GPU that lacks the number of a bound,
 * which other GPUs of the run have, gets a row without a value. Before gate_judge, of a
 * comparison that holds all that the rules read.
 */
void gate_complete(struct comparison *comparison, const struct gate_rules *rules);

/*
 * Judges every rule. The comparison holds the numbers that the rules want; bounds are
 * kept by each of its new runs, and without a base there is nothing else to judge. lost:
 * names of new runs that could not be used, each of which fails the gate, as does a new
 * run that failed or was cut off, unless the rules judge it, and a GPU of the base that
 * is gone. *out is empty before; rules and comparison outlive it.
 */
void gate_judge(struct gate *out, const struct gate_rules *rules,
	const struct comparison *comparison, const struct lost_run *lost,
	size_t lost_count);

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
