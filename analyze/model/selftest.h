/*
 * What a gate says of changes that were put into a copy of its base: does each rule catch
 * what it is there for? Filled by compute, shown by render. README.md of compute/,
 * "Gate".
 */
#ifndef MODEL_SELFTEST_H
#define MODEL_SELFTEST_H

#include "model/gate.h"

enum injection {
	INJECTION_NOTHING, /* passes */
	INJECTION_CHANGE, /* a tenth beyond a limit: a regression */
	INJECTION_VANISHED /* one run has the number no longer: a regression */
};
const char *injection_name(enum injection injection); /* "nothing" ... */

struct selftest_result {
	const struct gate_rule *rule; /* borrowed */
	const struct comparison_row *row; /* of the base; borrowed; NULL: no number fits
					     the rule */
	enum injection injection;
	enum gate_limit limit; /* of CHANGE; GATE_LIMITS */
	double base, new; /* medians; of a bound, new is the value injected */
	enum gate_outcome expected, outcome;
	double p; /* as the gate's; NAN */
	size_t runs_needed; /* on each side, to show it; 0: there are enough, or it is not
			       known */
	bool proved; /* it came out as expected */
	char *why; /* a sentence; owned */
};

struct selftest {
	const struct gate_rules *rules; /* borrowed */
	const struct comparison *comparison; /* borrowed */
	struct selftest_result *result; /* [count] in the order of the rules and rows */
	size_t count, cap;
	size_t counted, failed; /* results, and those not proved, of rules that do not
				   only warn */
};

#define SELFTEST_INIT ((struct selftest){0})
void selftest_release(struct selftest *selftest);

#endif
