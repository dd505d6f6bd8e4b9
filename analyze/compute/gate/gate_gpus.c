/* GPUs, and logs, of which a rule has no value. */
#include "compute/gate/gate_gpus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate_limit.h"
#include "compute/gate/gate_rows.h"
#include "compute/numbers/lookup.h"

static const struct compared_gpu *find_gpu(
	const struct comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->gpu_count && name; i++)
		if (strcmp(comparison->gpu[i].name, name) == 0)
			return &comparison->gpu[i];
	return NULL;
}

bool gate_is_untold(const struct comparison *comparison, const struct comparison_row *row)
{
	for (size_t i = 0; i < comparison->run_count; i++)
		if (!isnan(row->value[i]) || comparison_doubt(row, i))
			return false;
	return true;
}

/* The rows that a rule is of, by what they are of: whichever log or name it is from. */
struct told {
	struct lookup places;
	size_t *row; /* [places.count] of the comparison; owned */
	size_t cap;
};

static struct measure subject_of(const struct measure *measure, const char *device)
{
	return (struct measure){.part = MEASURE_METRIC,
		.key = "",
		.phase = measure->phase,
		.device = device};
}

static bool is_told(const struct told *told, const struct comparison *comparison,
	const struct measure *subject)
{
	const struct lookup *places = &told->places;

	for (size_t at = lookup_first(places, measure_hash(subject)); at != LOOKUP_NONE;
		at = lookup_next(places, at)) {
		const struct measure *measure = &comparison->row[told->row[at]].measure;
		struct measure other = subject_of(measure, measure->device);

		if (measure_same(&other, subject))
			return true;
	}
	return false;
}

static void tell(struct told *told, const struct comparison *comparison, size_t nth)
{
	const struct measure *measure = &comparison->row[nth].measure;
	struct measure subject = subject_of(measure, measure->device);

	ALLOC_GROW(told->row, told->places.count + 1, told->cap);
	told->row[told->places.count] = nth;
	lookup_add(&told->places, measure_hash(&subject));
}

/* Has a run that is judged a number of a row, and another GPU of which it may be, too? */
static bool is_expected(const struct comparison *comparison,
	const struct comparison_row *row, const struct compared_gpu *gpu)
{
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].side != SIDE_BASE && gpu->has[i] &&
			!isnan(row->value[i]))
			return true;
	return false;
}

static void add_row(struct comparison *comparison, struct measure measure)
{
	struct comparison_row *row;

	ALLOC_GROW(comparison->row, comparison->row_count + 1, comparison->row_cap);
	row = &comparison->row[comparison->row_count++];
	*row = (struct comparison_row){.measure = measure_copy(&measure),
		.value = xcalloc(comparison->run_count, sizeof *row->value),
		.best = SIZE_MAX};
	for (size_t i = 0; i < comparison->run_count; i++)
		row->value[i] = NAN;
	contrast_row(row, comparison->run, comparison->run_count);
}

static bool is_of(const struct gate_rule *rule, const struct measure *measure)
{
	return gate_rule_wants(rule, measure) ||
		(rule->instead && gate_rule_wants(rule->instead, measure));
}

/* Beside the nth row, one of each GPU that has none. */
static void add_beside(struct comparison *comparison, const struct gate_rule *rule,
	struct told *told, size_t nth)
{
	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct compared_gpu *gpu = &comparison->gpu[i];
		struct measure measure = comparison->row[nth].measure;
		struct measure subject = subject_of(&measure, gpu->name);

		measure.device = gpu->name;
		if (!is_of(rule, &measure) || is_told(told, comparison, &subject) ||
			!is_expected(comparison, &comparison->row[nth], gpu))
			continue;
		add_row(comparison, measure);
		tell(told, comparison, comparison->row_count - 1);
	}
}

void gate_add_untold(struct comparison *comparison, const struct gate_rule *rule)
{
	struct told told = {LOOKUP_INIT, NULL, 0};

	if (!gate_rule_bounds(rule))
		return;
	for (size_t at = 0; gate_next_row(comparison, rule, &at);)
		tell(&told, comparison, at - 1);
	for (size_t i = 0, told_count = told.places.count; i < told_count; i++)
		if (find_gpu(comparison, comparison->row[told.row[i]].measure.device))
			add_beside(comparison, rule, &told, told.row[i]);
	lookup_release(&told.places);
	free(told.row);
}

size_t gate_count_gpus(const struct comparison *comparison, size_t run)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->gpu_count; i++)
		count += comparison->gpu[i].has[run];
	return count;
}

/*
 * Has a new run that lacks a row's number other GPUs instead of the row's, no fewer than
 * any run that has it? Of a rule that names the GPU itself, never.
 */
static bool has_other_gpus(const struct comparison *comparison,
	const struct gate_rule *rule, const struct comparison_row *row, size_t run)
{
	const struct compared_gpu *gpu = find_gpu(comparison, row->measure.device);
	size_t gpus = gate_count_gpus(comparison, run);

	if (!gpu || gpu->has[run] ||
		(rule->device && strcmp(rule->device, gpu->name) == 0))
		return false;
	for (size_t i = 0; i < comparison->run_count; i++)
		if (!isnan(row->value[i]) && gpus < gate_count_gpus(comparison, i))
			return false;
	return gpus > 0;
}

const struct comparison_row *gate_other_log(const struct comparison *comparison,
	const struct gate_rule *rule, const struct comparison_row *row, size_t run)
{
	for (size_t i = 0; i < comparison->row_count && !rule->source; i++) {
		const struct comparison_row *other = &comparison->row[i];

		if (other != row && !isnan(other->value[run]) &&
			gate_same_but_log(&other->measure, &row->measure))
			return other;
	}
	return NULL;
}

/* What a run has from another log breaks a bound, or the whole base has it, too, and what
 * is compared is gone. */
static bool is_no_substitute(const struct comparison *comparison,
	const struct gate_rule *rule, const struct comparison_row *other, size_t run)
{
	size_t bases = comparison->on_side[SIDE_BASE];

	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++)
		if (!gate_limit_is_change(limit) &&
			gate_beyond(rule, limit, NAN, other->value[run]) > 0)
			return true;
	return bases && other->side[SIDE_BASE].n == bases;
}

bool gate_is_elsewhere(const struct comparison *comparison, const struct gate_rule *rule,
	const struct comparison_row *row)
{
	bool any = false;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct comparison_row *other;

		if (comparison->run[i].side != SIDE_NEW || !isnan(row->value[i]))
			continue;
		any = true;
		other = gate_other_log(comparison, rule, row, i);
		if (other ? is_no_substitute(comparison, rule, other, i)
			  : !has_other_gpus(comparison, rule, row, i))
			return false;
	}
	return any;
}
