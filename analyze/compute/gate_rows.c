/* A walk over the rows. */
#include "compute/gate_rows.h"

/* The same but for the kind of log. */
static bool is_other_source(const struct measure *a, const struct measure *b)
{
	struct measure x = *a, y = *b;

	x.source = y.source = NULL;
	return measure_same(&x, &y);
}

static bool is_first(
	const struct comparison *comparison, const struct gate_rule *rule, size_t nth)
{
	for (size_t i = 0; i < nth && !rule->source; i++)
		if (is_other_source(
			    &comparison->row[i].measure, &comparison->row[nth].measure))
			return false;
	return true;
}

const struct comparison_row *gate_next_row(
	const struct comparison *comparison, const struct gate_rule *rule, size_t *at)
{
	while (*at < comparison->row_count) {
		size_t nth = (*at)++;

		if (gate_rule_wants(rule, &comparison->row[nth].measure) &&
			is_first(comparison, rule, nth))
			return &comparison->row[nth];
	}
	return NULL;
}
