/* Rows for states that no run was in. */
#include <math.h>

#include "base/alloc.h"
#include "compute/compare.h"
#include "compute/gate.h"

static bool is_in(const struct comparison *comparison, const struct measure *measure)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		if (measure_same(&comparison->row[i].measure, measure))
			return true;
	return false;
}

/* The runs that have any state of the metric were not in this one. */
static void add_row(struct comparison *comparison, const struct measure *measure)
{
	struct comparison_row *row;

	ALLOC_GROW(comparison->row, comparison->row_count + 1, comparison->row_cap);
	row = &comparison->row[comparison->row_count];
	*row = (struct comparison_row){.measure = measure_copy(measure),
		.value = xcalloc(comparison->run_count, sizeof *row->value),
		.best = SIZE_MAX};
	for (size_t k = 0; k < comparison->run_count; k++)
		row->value[k] = NAN;
	for (size_t i = 0; i < comparison->row_count; i++) {
		struct measure other = comparison->row[i].measure;

		if (!other.state)
			continue;
		other.state = measure->state;
		for (size_t k = 0;
			k < comparison->run_count && measure_same(&other, measure); k++)
			if (!isnan(comparison->row[i].value[k]))
				row->value[k] = 0;
	}
	contrast_row(row, comparison->run, comparison->run_count);
	comparison->row_count++;
}

void gate_add_states(struct comparison *comparison, const struct gate_rules *rules)
{
	size_t rows = comparison->row_count;

	for (size_t i = 0; i < rules->count; i++)
		for (size_t k = 0; k < rows && rules->rule[i].state; k++) {
			struct measure measure = comparison->row[k].measure;

			if (!gate_rule_reads(&rules->rule[i], &measure))
				continue;
			measure.state = rules->rule[i].state;
			if (!is_in(comparison, &measure))
				add_row(comparison, &measure);
		}
}
