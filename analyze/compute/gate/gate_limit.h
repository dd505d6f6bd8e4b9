/*
 * What a rule's limits allow, in the unit of the number: pure arithmetic for those who
 * judge a gate, calibrate it or test it. README.md, "Gate".
 */
#ifndef COMPUTE_GATE_LIMIT_H
#define COMPUTE_GATE_LIMIT_H

#include "model/gate.h"

/* Is it broken by values, or changes, that are too large? Else by those too small. */
bool gate_limit_is_upper(enum gate_limit limit);
/* Is it a part of the base? */
bool gate_limit_is_percentage(enum gate_limit limit);

/*
 * The largest change that a limit and min_abs allow from a base, in the unit. NAN: the
 * rule has no such limit, it is a bound, or it is a percentage of a base that is 0.
 */
double gate_allowed(const struct gate_rule *rule, enum gate_limit limit, double base);

/*
 * How far beyond a limit a value lies (of a bound), or a new value beside its base; above
 * 0 it breaks the limit. What may be rounding is not beyond. NAN: nothing to say, as
 * above.
 */
double gate_beyond(
	const struct gate_rule *rule, enum gate_limit limit, double base, double value);

#endif
