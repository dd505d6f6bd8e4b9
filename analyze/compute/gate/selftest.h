/*
 * Whether the rules of a gate catch what they are there for: the gate itself judges
 * copies of a base that were changed. README.md, "Gate".
 */
#ifndef COMPUTE_SELFTEST_H
#define COMPUTE_SELFTEST_H

#include "model/gate.h"

/*
 * Puts changes into copies of the base, one number at a time. All runs of the comparison
 * are the base; as many are new. *out is empty before; rules and comparison outlive it.
 */
void selftest(struct selftest *out, const struct gate_rules *rules,
	const struct comparison *comparison);

#endif
