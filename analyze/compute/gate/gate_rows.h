/*
 * The rows of a comparison that a rule applies to, its limits, and incidents. For
 * judging, calibrating and testing a gate.
 */
#ifndef COMPUTE_GATE_GATE_ROWS_H
#define COMPUTE_GATE_GATE_ROWS_H

#include "model/gate.h"

/*
 * The next row, from *at on, that a rule is of; *at is then behind it. Where the rule
 * names no kind of log, the first one that has the number counts; where it names another
 * number instead, that one's row stands in for the number's own if there is none. NULL:
 * there is none.
 */
const struct comparison_row *gate_next_row(
	const struct comparison *comparison, const struct gate_rule *rule, size_t *at);

/*
 * Rules with a glob where some runs lack some GPUs. Private to compute/gate.
 * README.md, "Gate".
 */

/* Is a row without any value, of the base as of the new runs, and none was left out? */
bool gate_has_no_value(
	const struct comparison *comparison, const struct comparison_row *row);

/* The row of another kind of log from which a run has a row's number; NULL: there is
 * none, or the rule names the kind. */
const struct comparison_row *gate_other_log(const struct comparison *comparison,
	const struct gate_rule *rule, const struct comparison_row *row, size_t run);

/* Does every new run that lacks a row's number have it so, and no whole base, too? */
bool gate_is_elsewhere(const struct comparison *comparison, const struct gate_rule *rule,
	const struct comparison_row *row);

/*
 * Incidents: what fails a gate apart from its rules (gate->incident). Private to
 * gate.c.
 */

/* Fills gate->incident; lost: new runs that could not be used. */
void gate_find_incidents(
	struct gate *gate, const struct lost_run *lost, size_t lost_count);

/* Limits of a rule in the unit of the number. Pure arithmetic. README.md, "Gate". */

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
 * How far beyond a limit a value lies (of a bound), or a new value from its base; above
 * 0 it breaks the limit. What may be rounding is not beyond. NAN: nothing to say, as
 * above.
 */
double gate_beyond(
	const struct gate_rule *rule, enum gate_limit limit, double base, double value);

#endif
