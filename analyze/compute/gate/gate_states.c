/* Rows that a rule is of and no run has, and values by another name. */
#include <math.h>

#include "base/alloc.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate.h"
#include "compute/gate/gate_gpus.h"
#include "compute/gate/gate_rows.h"

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
		.covered = xcalloc(comparison->run_count, sizeof *row->covered),
		.best = SIZE_MAX};
	for (size_t k = 0; k < comparison->run_count; k++)
		row->value[k] = row->covered[k].coverage = NAN;
	for (size_t i = 0; i < comparison->row_count; i++) {
		struct measure other = comparison->row[i].measure;

		if (!other.state)
			continue;
		other.state = measure->state;
		for (size_t k = 0;
			k < comparison->run_count && measure_same(&other, measure); k++)
			if (!isnan(comparison->row[i].value[k])) {
				row->value[k] = 0;
				if (comparison->row[i].covered)
					row->covered[k] = comparison->row[i].covered[k];
			}
	}
	contrast_row(row, comparison->run, comparison->run_count);
	comparison->row_count++;
}

static void add_states(struct comparison *comparison, const struct gate_rule *rule)
{
	size_t rows = comparison->row_count;

	for (size_t k = 0; k < rows && rule->state; k++) {
		struct measure measure = comparison->row[k].measure;

		if (!gate_rule_reads(rule, &measure))
			continue;
		measure.state = rule->state;
		if (!is_in(comparison, &measure))
			add_row(comparison, &measure);
	}
}

/* The values that a row lacks, of another one. */
static void fill(struct comparison *comparison, size_t to, size_t from)
{
	struct comparison_row *row = &comparison->row[to];
	bool any = false;

	for (size_t i = 0; i < comparison->run_count; i++) {
		double value = comparison->row[from].value[i];

		if (!isnan(row->value[i]) || isnan(value))
			continue;
		row->value[i] = value;
		if (row->covered && comparison->row[from].covered)
			row->covered[i] = comparison->row[from].covered[i];
		any = true;
	}
	if (any)
		contrast_row(row, comparison->run, comparison->run_count);
}

static void fill_rows(struct comparison *comparison, const struct gate_rule *rule)
{
	for (size_t to = 0; to < comparison->row_count; to++)
		for (size_t from = 0; from < comparison->row_count; from++)
			if (gate_row_stands_in(comparison, rule, from, to))
				fill(comparison, to, from);
}

void gate_complete(struct comparison *comparison, const struct gate_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		for (const struct gate_rule *rule = &rules->rule[i]; rule;
			rule = rule->instead)
			add_states(comparison, rule);
	for (size_t i = 0; i < rules->count; i++)
		if (rules->rule[i].instead)
			fill_rows(comparison, &rules->rule[i]);
	for (size_t i = 0; i < rules->count; i++)
		gate_add_untold(comparison, &rules->rule[i]);
}
