/*
 * Which numbers a rule is of, what their tests together can show, and whether a limit is
 * broken. README.md, "Gate".
 */
#include "compute/gate/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate_gpus.h"
#include "compute/gate/gate_incidents.h"
#include "compute/gate/gate_limit.h"
#include "compute/gate/gate_rows.h"
#include "compute/gate/gate_why.h"
#include "compute/numbers/distribution.h"
#include "compute/numbers/rank.h"

static void add_result(
	struct gate *gate, const struct gate_rule *rule, const struct comparison_row *row)
{
	ALLOC_GROW(gate->result, gate->count + 1, gate->cap);
	gate->result[gate->count++] = (struct gate_result){.rule = rule,
		.row = row,
		.limit = GATE_LIMITS,
		.p = NAN,
		.lost_p = NAN,
		.detectable = NAN,
		.allowed = NAN,
		.excess = NAN,
		.run = SIZE_MAX};
}

static void add_results(struct gate *gate, const struct gate_rule *rule)
{
	size_t from = gate->count, at = 0;
	const struct comparison_row *row;

	while ((row = gate_next_row(gate->comparison, rule, &at)))
		add_result(gate, rule, row);
	if (gate->count == from)
		add_result(gate, rule, NULL);
}

static size_t base_had(const struct gate *gate, const struct comparison_row *row)
{
	return comparison_had(
		row, gate->comparison->run, gate->comparison->run_count, SIDE_BASE);
}

/* Something of which chance is asked, from a base on. */
static bool is_of_chance(const struct gate_result *result)
{
	return result->row && gate_rule_compares(result->rule) && !result->rule->exact &&
		result->row->side[SIDE_BASE].n;
}

/* Does it come and go: not all of the base have it, nor all new runs? */
static bool is_sparse(const struct gate *gate, const struct gate_result *result)
{
	const size_t *runs = gate->comparison->on_side;

	return result->row && result->row->side[SIDE_NEW].n < runs[SIDE_NEW] &&
		base_had(gate, result->row) < runs[SIDE_BASE];
}

/* Its change: from what of the base has it to what of the new runs has it. */
static bool is_tested(const struct gate *gate, const struct gate_result *result)
{
	size_t runs = gate->comparison->on_side[SIDE_NEW];

	return is_of_chance(result) &&
		(result->row->side[SIDE_NEW].n == runs ||
			(result->row->side[SIDE_NEW].n && is_sparse(gate, result)));
}

/* The p that so few of the new runs have it, or fewer, by chance. */
static double lost_by_chance(const struct gate *gate, const struct gate_result *result)
{
	const size_t *runs = gate->comparison->on_side;
	size_t have = result->row->side[SIDE_NEW].n;

	return drawn_at_most(have, runs[SIDE_NEW], have + base_had(gate, result->row),
		runs[SIDE_NEW] + runs[SIDE_BASE]);
}

/*
 * One run against a history of nothing but 0, whose noise is none: every change is beyond
 * its prediction interval, and the limit alone says which is too large.
 */
static bool is_without_noise(const struct comparison_row *row)
{
	return row->by == COMPARED_BY_NOTHING && row->side[SIDE_NEW].n == 1 &&
		row->side[SIDE_BASE].n >= CONTRAST_HISTORY;
}

/* Could any difference be significant, if so many are tested? */
static bool can_tell(const struct comparison_row *row, size_t tests)
{
	switch (row->by) {
	case COMPARED_BY_NOTHING:
		return is_without_noise(row);
	case COMPARED_BY_RANKS:
		return rank_least_p(row->side[SIDE_BASE].n, row->side[SIDE_NEW].n) *
			(double)tests <=
			RANK_ALPHA;
	case COMPARED_BY_HISTORY:
		return true;
	}
	return false;
}

/*
 * The levels of all tests of one severity together, so that a rule that only warns
 * changes no other; what can't be tested counts, and shows nothing. Of what comes and
 * goes two things are asked: how it changed, and whether it comes as often.
 */
static void find_levels(struct gate *gate, bool warn)
{
	double *p = xcalloc(2 * gate->count + 1, sizeof *p), *lost = p + gate->count;
	size_t tests = 0;

	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_result *result = &gate->result[i];
		bool asked = result->rule->warn == warn;
		bool tested = asked && is_tested(gate, result);
		bool sparse = asked && is_of_chance(result) && is_sparse(gate, result);

		p[i] = tested ? fmin(1, result->row->p) : NAN;
		lost[i] = sparse ? lost_by_chance(gate, result) : NAN;
		tests += (size_t)tested + sparse;
	}
	rank_holm(p, 2 * gate->count);
	for (size_t i = 0; i < gate->count; i++) {
		struct gate_result *result = &gate->result[i];

		if (!isnan(lost[i]))
			result->lost_p = lost[i];
		if (isnan(p[i]))
			continue;
		result->tests = tests;
		if (isnan(result->row->p))
			continue;
		result->p = p[i];
		result->detectable =
			contrast_detectable(result->row, RANK_ALPHA / (double)tests);
	}
	gate->tests += tests;
	free(p);
}

/*
 * Of the bounds of each new run: the limit and the run that are farthest beyond. What may
 * not be beyond in truth comes behind what is.
 */
static double find_bound(const struct gate *gate, struct gate_result *result)
{
	bool sure = false;
	const struct comparison *comparison = gate->comparison;
	double worst = NAN;

	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		if (gate_limit_is_change(limit))
			continue;
		for (size_t i = 0; i < comparison->run_count; i++) {
			double far = gate_beyond(
				result->rule, limit, NAN, result->row->value[i]);

			bool is_sure = far > 0 &&
				!(comparison_bound_doubt(result->row, i) &
					(gate_limit_is_upper(limit) ? DOUBT_LESS
								    : DOUBT_MORE));

			if (comparison->run[i].side != SIDE_NEW || isnan(far) ||
				(sure && !is_sure) || (sure == is_sure && far <= worst))
				continue;
			worst = far;
			sure = is_sure;
			result->run = i;
			result->limit = limit;
		}
	}
	return worst;
}

/*
 * The median of the new runs; where there is no noise each of them has to keep the limit,
 * and that counts which is farthest in its bad direction. Its run; SIZE_MAX.
 */
static double new_value(const struct gate *gate, const struct gate_result *result,
	enum gate_limit limit, size_t *run)
{
	const struct comparison *comparison = gate->comparison;
	double value = result->row->side[SIDE_NEW].median;

	*run = SIZE_MAX;
	for (size_t i = 0; i < comparison->run_count && result->rule->exact; i++) {
		double x = result->row->value[i];

		if (comparison->run[i].side != SIDE_NEW || isnan(x) ||
			!(gate_limit_is_upper(limit) ? x > value : x < value))
			continue;
		value = x;
		*run = i;
	}
	return value;
}

/*
 * Of the largest changes the one that the new runs are farthest beyond. *nought: one is a
 * percentage of 0, and the change is in its bad direction.
 */
static double find_change(
	const struct gate *gate, struct gate_result *result, bool *nought)
{
	double base = result->row->side[SIDE_BASE].median, worst = NAN;

	*nought = false;
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		size_t run;
		double new = new_value(gate, result, limit, &run);
		double far = gate_beyond(result->rule, limit, base, new);
		double allowed = gate_allowed(result->rule, limit, base);

		if (!gate_limit_is_change(limit) || isnan(result->rule->limit[limit]))
			continue;
		if (isnan(allowed))
			*nought |= fabs(new) > result->rule->min_abs &&
				(new > 0) == gate_limit_is_upper(limit);
		result->allowed = fmin(result->allowed, allowed);
		if (isnan(far) || far <= worst)
			continue;
		worst = far;
		result->limit = limit;
		result->run = run;
	}
	return worst;
}

/* In parts of what is allowed; of a bound, in parts of the bound. */
static double excess_of(const struct gate_result *result, double beyond)
{
	double of = gate_limit_is_change(result->limit)
		? gate_allowed(result->rule, result->limit,
			  result->row->side[SIDE_BASE].median)
		: fabs(result->rule->limit[result->limit]);

	return of > 0 ? beyond / of : INFINITY;
}

static enum gate_cause judge_change(const struct gate *gate, struct gate_result *result)
{
	bool nought, tested = is_tested(gate, result);
	double beyond = find_change(gate, result, &nought);
	double level = RANK_ALPHA / (double)result->tests;

	if (tested && !can_tell(result->row, result->tests)) {
		result->runs_needed = rank_runs_needed(0, 1, level);
		return GATE_TOO_FEW;
	}
	if (result->detectable > result->allowed)
		result->runs_needed =
			rank_runs_needed(result->row->deviation, result->allowed, level);
	if (!(beyond > 0))
		return nought ? GATE_NO_PERCENTAGE : GATE_KEPT;
	if (tested && result->p > RANK_ALPHA)
		return GATE_NOT_SIGNIFICANT;
	result->excess = excess_of(result, beyond);
	return GATE_BROKEN;
}

/*
 * A bound, or a base that has it throughout, wants it of every new run. Of a base that
 * has it in half of its runs or more it is no chance that no new run has it. Else chance
 * is asked.
 */
static bool has_vanished(const struct gate *gate, const struct gate_result *result)
{
	const size_t *runs = gate->comparison->on_side;
	size_t base = base_had(gate, result->row), new = result->row->side[SIDE_NEW].n;

	if (new == runs[SIDE_NEW])
		return false;
	return gate_rule_bounds(result->rule) || (base && base == runs[SIDE_BASE]) ||
		(base && !new && 2 * base >= runs[SIDE_BASE]) ||
		result->lost_p <= RANK_ALPHA;
}

/* Which way the truth may lie from any new value that is held against a bound. */
static unsigned bound_doubt(const struct gate *gate, const struct comparison_row *row)
{
	unsigned doubt = DOUBT_NONE;

	for (size_t i = 0; i < gate->comparison->run_count; i++)
		if (gate->comparison->run[i].side == SIDE_NEW && !isnan(row->value[i]))
			doubt |= comparison_bound_doubt(row, i);
	return doubt;
}

/* Could the truth be on the other side of a limit, of a side's values? */
static bool may_cross(const struct gate *gate, const struct gate_result *result,
	enum gate_limit limit, bool broken)
{
	bool more = gate_limit_is_upper(limit) == broken;

	if (gate_limit_is_change(limit))
		return comparison_may_undo(gate->comparison, result->row, more);
	if (broken)
		return comparison_bound_doubt(result->row, result->run) &
			(more ? DOUBT_LESS : DOUBT_MORE);
	return bound_doubt(gate, result->row) & (more ? DOUBT_LESS : DOUBT_MORE);
}

/*
 * Has the whole base all GPUs in it, and a new run not? Of what was left out of a history
 * no more may lack one than there are others.
 */
static bool lost_a_gpu(const struct gate *gate, const struct comparison_row *row)
{
	size_t whole = 0, less = 0;
	bool lost = false;

	for (size_t i = 0; i < gate->comparison->run_count && row->covered; i++) {
		const struct covered *covered = &row->covered[i];
		bool known = !isnan(row->value[i]);

		if (gate->comparison->run[i].side == SIDE_NEW)
			lost |= known && covered->fewer;
		else if (covered->left_out && covered->fewer)
			less++;
		else if (covered->fewer || !(known || covered->left_out))
			return false;
		else
			whole++;
	}
	return lost && whole && whole >= less;
}

/* Is there no value of the base but what was left out of it? */
static bool lost_its_base(const struct gate *gate, const struct comparison_row *row)
{
	return !row->side[SIDE_BASE].n && base_had(gate, row);
}

/* Could a change of a total be another for the same work? */
static bool is_incomparable(const struct gate *gate, const struct gate_result *result,
	enum gate_limit limit, bool broken)
{
	return !gate->rules->judges_other_work && gate_limit_is_change(limit) &&
		result->row->side[SIDE_BASE].n &&
		comparison_work_may_undo(gate->comparison, result->row,
			gate_limit_is_upper(limit) == broken);
}

/* What a number is judged to be, if no truth that its coverage leaves open is another. */
static enum gate_cause weigh(
	const struct gate *gate, const struct gate_result *result, enum gate_cause cause)
{
	bool open = false, other_work = false, pass;

	pass = gate_cause_outcome(cause) == GATE_PASS;
	if (cause == GATE_NEW && lost_its_base(gate, result->row))
		return GATE_UNCOVERED;
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		if (cause == GATE_BROKEN ? limit != result->limit
					 : !pass || isnan(result->rule->limit[limit]))
			continue;
		/* Of no base there is no change, whatever the new value is. */
		if (cause == GATE_NEW && gate_limit_is_change(limit))
			continue;
		open |= may_cross(gate, result, limit, !pass);
		other_work |= is_incomparable(gate, result, limit, !pass);
	}
	if ((open || cause != GATE_BROKEN) && lost_a_gpu(gate, result->row))
		return GATE_VANISHED;
	if (other_work)
		return GATE_OTHER_WORK;
	return open ? GATE_UNCOVERED : cause;
}

/* What most runs of a side lack can't pass by the others. */
static enum gate_cause judge_sparse(const struct gate *gate, struct gate_result *result)
{
	const size_t *runs = gate->comparison->on_side;
	enum gate_cause cause =
		is_tested(gate, result) ? judge_change(gate, result) : GATE_SPARSE;
	bool most = 2 * result->row->side[SIDE_NEW].n >= runs[SIDE_NEW] &&
		2 * base_had(gate, result->row) >= runs[SIDE_BASE];

	return most || gate_cause_outcome(cause) != GATE_PASS ? cause : GATE_SPARSE;
}

static enum gate_cause judge(const struct gate *gate, struct gate_result *result)
{
	const struct comparison_row *row = result->row;
	double beyond;

	if (!row)
		return GATE_ABSENT;
	if (gate_is_untold(gate->comparison, row))
		return GATE_UNCOVERED;
	beyond = find_bound(gate, result);
	if (beyond > 0) {
		result->excess = excess_of(result, beyond);
		return GATE_BROKEN;
	}
	if (has_vanished(gate, result))
		return gate_is_elsewhere(gate->comparison, result->rule, row)
			? GATE_ELSEWHERE
			: GATE_VANISHED;
	if (!gate_rule_compares(result->rule))
		return GATE_KEPT;
	if (!row->side[SIDE_BASE].n)
		return GATE_NEW;
	return is_sparse(gate, result) ? judge_sparse(gate, result)
				       : judge_change(gate, result);
}

static bool is_untold(const struct gate *gate, const struct gate_result *result)
{
	return result->row && gate_is_untold(gate->comparison, result->row);
}

/* A rule of changes that has a base for none of its numbers has told nothing. */
static void judge_unfounded(struct gate *gate)
{
	for (size_t i = 0, end; i < gate->count; i = end) {
		const struct gate_rule *rule = gate->result[i].rule;
		bool founded = false;

		for (end = i; end < gate->count && gate->result[end].rule == rule; end++)
			founded |= gate->result[end].cause != GATE_NEW &&
				!is_untold(gate, &gate->result[end]);
		for (size_t k = i; k < end && !founded; k++)
			if (gate->result[k].cause == GATE_NEW)
				gate->result[k].cause = GATE_NO_BASE;
	}
}

/* Those that only warn count for nothing. */
static void settle(struct gate *gate)
{
	for (size_t i = 0; i < gate->count; i++) {
		struct gate_result *result = &gate->result[i];

		result->outcome = gate_cause_outcome(result->cause);
		gate_say_why(gate, result);
		if (result->rule->warn)
			continue;
		gate->outcomes[result->outcome]++;
		if (result->outcome > gate->outcome)
			gate->outcome = result->outcome;
	}
	if (gate->incident_count && gate->outcome < GATE_REGRESSION)
		gate->outcome = GATE_REGRESSION;
}

void gate_judge(struct gate *out, const struct gate_rules *rules,
	const struct comparison *comparison, const struct lost_run *lost,
	size_t lost_count)
{
	out->rules = rules;
	out->comparison = comparison;
	for (size_t i = 0; i < rules->count; i++)
		add_results(out, &rules->rule[i]);
	find_levels(out, false);
	find_levels(out, true);
	for (size_t i = 0; i < out->count; i++) {
		struct gate_result *result = &out->result[i];

		result->cause = judge(out, result);
		if (!result->row)
			continue;
		result->cause = weigh(out, result, result->cause);
		result->uncovered =
			comparison_side_doubt(comparison, result->row, SIDE_BASE) ||
			comparison_side_doubt(comparison, result->row, SIDE_NEW) ||
			(gate_rule_bounds(result->rule) && bound_doubt(out, result->row));
		if (result->cause == GATE_UNCOVERED || result->cause == GATE_OTHER_WORK)
			result->excess = NAN;
		if (result->cause == GATE_VANISHED)
			result->excess = INFINITY;
	}
	judge_unfounded(out);
	gate_find_incidents(out, lost, lost_count);
	settle(out);
}
