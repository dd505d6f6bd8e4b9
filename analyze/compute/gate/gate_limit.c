/* Limits in the unit of their number. */
#include "compute/gate/gate_limit.h"

#include <math.h>

/*
 * 95 against 100 keeps 5 %, and so does 0.315 against 0.3, whose difference is
 * 0.015000000000000013: what is smaller than this part of the values is rounding.
 */
#define ROUNDING 1e-12

bool gate_limit_is_upper(enum gate_limit limit)
{
	return limit == GATE_AT_MOST || limit == GATE_MAX_INCREASE ||
		limit == GATE_MAX_INCREASE_PCT;
}

bool gate_limit_is_percentage(enum gate_limit limit)
{
	return limit == GATE_MAX_INCREASE_PCT || limit == GATE_MAX_DECREASE_PCT;
}

double gate_allowed(const struct gate_rule *rule, enum gate_limit limit, double base)
{
	double allowed = rule->limit[limit];

	if (isnan(allowed) || !gate_limit_is_change(limit))
		return NAN;
	if (gate_limit_is_percentage(limit)) {
		if (base == 0)
			return NAN;
		allowed *= fabs(base) / 100;
	}
	return fmax(allowed, rule->min_abs);
}

double gate_beyond(
	const struct gate_rule *rule, enum gate_limit limit, double base, double value)
{
	double sign = gate_limit_is_upper(limit) ? 1 : -1, far;

	if (!gate_limit_is_change(limit))
		return sign * (value - rule->limit[limit]);
	far = sign * (value - base) - gate_allowed(rule, limit, base);
	return fabs(far) <= ROUNDING * (fabs(value) + fabs(base)) ? 0 : far;
}
