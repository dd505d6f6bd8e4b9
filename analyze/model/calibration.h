/*
 * What is noise of the numbers that the rules of a gate are of, learnt from repeats of
 * one program. Filled by compute, shown by render. README.md of compute/, "Gate".
 */
#ifndef MODEL_CALIBRATION_H
#define MODEL_CALIBRATION_H

#include "model/gate.h"

enum calibration_outcome {
	CALIBRATION_LEARNT,
	CALIBRATION_TIGHT, /* noise alone would break a limit */
	CALIBRATION_TOO_FEW, /* too few repeats have the number */
	CALIBRATION_ABSENT /* none has */
};
const char *calibration_outcome_name(enum calibration_outcome outcome);

struct calibration_result {
	const struct gate_rule *rule; /* borrowed */
	const struct comparison_row *row; /* borrowed; NULL: no number fits the rule */
	enum calibration_outcome outcome;
	size_t n; /* repeats that have it */
	double median, deviation; /* of them; NAN: none, fewer than two */
	double noise; /* in 95 % two repeats differ by no more; NAN: not learnt */
	enum gate_limit limit; /* of TIGHT; GATE_LIMITS */
	double least; /* of TIGHT: the limit that is nearest to it and not too tight, as
			 the rule would give it; NAN */
	char *why; /* a sentence; owned */
};

struct calibration {
	const struct gate_rules *rules; /* borrowed */
	const struct comparison *comparison; /* borrowed */
	struct calibration_result
		*result; /* [count] in the order of the rules and rows */
	size_t count, cap;
	double *min_abs; /* [rules->count] for each rule, in its unit; owned */
	size_t refused; /* results that are not learnt, of rules that do not only warn */
};

#define CALIBRATION_INIT ((struct calibration){0})
void calibration_release(struct calibration *calibration);

#endif
