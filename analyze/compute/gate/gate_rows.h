/*
 * Of which numbers of a comparison a rule is: for those who judge a gate, calibrate it or
 * test it.
 */
#ifndef COMPUTE_GATE_ROWS_H
#define COMPUTE_GATE_ROWS_H

#include "model/gate.h"

/*
 * The next row, from *at on, that a rule is of; *at is then behind it. Where the rule
 * names no kind of log, the first one that has the number counts; where it names another
 * number instead, that one's row stands in for the number's own if there is none. NULL:
 * there is none.
 */
const struct comparison_row *gate_next_row(
	const struct comparison *comparison, const struct gate_rule *rule, size_t *at);

/* The same but for the kind of log, which may be another? */
bool gate_same_but_log(const struct measure *a, const struct measure *b);

/* Is a row of what the rule names instead, and another one the rule's, of the same device
 * (phase, units of work)? */
bool gate_row_stands_in(const struct comparison *comparison, const struct gate_rule *rule,
	size_t nth, size_t other);

#endif
