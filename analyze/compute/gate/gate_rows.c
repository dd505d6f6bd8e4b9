/* Walks over the rows. */
#include "compute/gate/gate_rows.h"

#include <string.h>

bool gate_same_but_log(const struct measure *a, const struct measure *b)
{
	struct measure x = *a, y = *b;

	x.source = y.source = NULL;
	return measure_same(&x, &y);
}

static bool is_first(
	const struct comparison *comparison, const struct gate_rule *rule, size_t nth)
{
	for (size_t i = 0; i < nth && !rule->source; i++)
		if (gate_same_but_log(
			    &comparison->row[i].measure, &comparison->row[nth].measure))
			return false;
	return true;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool gate_row_stands_in(const struct comparison *comparison, const struct gate_rule *rule,
	size_t nth, size_t other)
{
	const struct measure *a = &comparison->row[nth].measure;
	const struct measure *b = &comparison->row[other].measure;

	return rule->instead && gate_rule_wants(rule->instead, a) &&
		gate_rule_wants(rule, b) && is_same(a->device, b->device) &&
		is_same(a->phase, b->phase) && is_same(a->work, b->work);
}

/* Is it of what the rule names instead, where the number itself has no row? */
static bool is_instead(
	const struct comparison *comparison, const struct gate_rule *rule, size_t nth)
{
	if (!rule->instead ||
		!gate_rule_wants(rule->instead, &comparison->row[nth].measure))
		return false;
	for (size_t i = 0; i < comparison->row_count; i++)
		if (gate_row_stands_in(comparison, rule, nth, i))
			return false;
	return true;
}

const struct comparison_row *gate_next_row(
	const struct comparison *comparison, const struct gate_rule *rule, size_t *at)
{
	while (*at < comparison->row_count) {
		size_t nth = (*at)++;

		if ((gate_rule_wants(rule, &comparison->row[nth].measure) ||
			    is_instead(comparison, rule, nth)) &&
			is_first(comparison, rule, nth))
			return &comparison->row[nth];
	}
	return NULL;
}
