/*
 * Which numbers a rule is of, what their tests together can show, and whether a limit is
 * broken. README.md, "Gate".
 */
#include "compute/gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "compute/compare.h"
#include "compute/rank.h"

struct judging {
	struct gate *out;
	size_t new_runs;
};

/* The same but for the kind of log. */
static bool is_other_source(const struct measure *a, const struct measure *b)
{
	struct measure x = *a, y = *b;

	x.source = y.source = NULL;
	return measure_same(&x, &y);
}

/* Where a rule names no kind of log the first one that has it counts. */
static bool is_first(const struct gate *gate, const struct gate_rule *rule, size_t from,
	const struct measure *measure)
{
	for (size_t i = from; i < gate->count && !rule->source; i++)
		if (is_other_source(&gate->result[i].row->measure, measure))
			return false;
	return true;
}

static struct gate_result *add_result(
	struct gate *gate, const struct gate_rule *rule, const struct comparison_row *row)
{
	struct gate_result *result;

	ALLOC_GROW(gate->result, gate->count + 1, gate->cap);
	result = &gate->result[gate->count++];
	*result = (struct gate_result){.rule = rule,
		.row = row,
		.limit = GATE_LIMITS,
		.p = NAN,
		.detectable = NAN,
		.run = SIZE_MAX};
	return result;
}

static void add_results(struct gate *gate, const struct gate_rule *rule)
{
	const struct comparison *comparison = gate->comparison;
	size_t from = gate->count;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (gate_rule_wants(rule, &row->measure) &&
			is_first(gate, rule, from, &row->measure))
			add_result(gate, rule, row);
	}
	if (gate->count == from)
		add_result(gate, rule, NULL);
}

/* A change of which chance is asked, with values on both sides. */
static bool is_tested(const struct gate_result *result)
{
	return result->row && gate_rule_compares(result->rule) && !result->rule->exact &&
		result->row->side[SIDE_BASE].n && result->row->side[SIDE_NEW].n;
}

/* Could any difference be significant, if so many are tested? */
static bool can_tell(const struct gate *gate, const struct comparison_row *row)
{
	switch (row->by) {
	case COMPARED_BY_NOTHING:
		return false;
	case COMPARED_BY_RANKS:
		return rank_least_p(row->side[SIDE_BASE].n, row->side[SIDE_NEW].n) *
			(double)gate->tests <=
			RANK_ALPHA;
	case COMPARED_BY_HISTORY:
		return true;
	}
	return false;
}

/* The levels of all tests together. */
static void find_levels(struct gate *gate)
{
	double *p = xcalloc(gate->count + 1, sizeof *p);

	for (size_t i = 0; i < gate->count; i++) {
		p[i] = is_tested(&gate->result[i]) ? gate->result[i].row->p : NAN;
		gate->tests += is_tested(&gate->result[i]);
	}
	rank_holm(p, gate->count);
	for (size_t i = 0; i < gate->count; i++) {
		struct gate_result *result = &gate->result[i];

		if (!is_tested(result))
			continue;
		result->p = p[i];
		result->detectable = contrast_detectable(
			result->row, RANK_ALPHA / (double)gate->tests);
	}
	free(p);
}

static void settle(struct gate_result *result, enum gate_outcome outcome,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

static void settle(
	struct gate_result *result, enum gate_outcome outcome, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	free(result->why);
	result->why = xstrdup(text);
	result->outcome = outcome;
}

/* How far a value lies beyond a limit; not above 0: it keeps it. */
static double beyond(
	const struct gate_result *result, enum gate_limit limit, double value)
{
	double at = result->rule->limit[limit];

	switch (limit) {
	case GATE_AT_LEAST:
		return at - value;
	case GATE_AT_MOST:
		return value - at;
	case GATE_MAX_INCREASE:
	case GATE_MAX_INCREASE_PCT:
		return value - at;
	case GATE_MAX_DECREASE:
	case GATE_MAX_DECREASE_PCT:
		return -value - at;
	case GATE_LIMITS:
		break;
	}
	return NAN;
}

/* Every new run keeps the bounds; the run that is farthest beyond one is named. */
static bool breaks_bound(const struct gate *gate, struct gate_result *result)
{
	const struct comparison *comparison = gate->comparison;
	double worst = 0;

	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		if (gate_limit_is_change(limit))
			continue;
		for (size_t i = 0; i < comparison->run_count; i++) {
			double far = comparison->run[i].side == SIDE_NEW
				? beyond(result, limit, result->row->value[i])
				: NAN;

			if (!(far > worst))
				continue;
			worst = far;
			result->run = i;
			result->limit = limit;
		}
	}
	return result->run != SIZE_MAX;
}

static void say_number(struct strbuf *sb, const struct measure *measure, double x)
{
	quantity_number(sb, x, measure->decimals);
	if (*measure->unit)
		strbuf_addf(sb, " %s", measure->unit);
}

/* "401.1 J -> 431.7 J, +7.6 %". */
static void say_change(struct strbuf *sb, const struct comparison_row *row)
{
	double base = row->side[SIDE_BASE].median;

	say_number(sb, &row->measure, base);
	strbuf_adds(sb, " -> ");
	say_number(sb, &row->measure, row->side[SIDE_NEW].median);
	if (base != 0)
		strbuf_addf(sb, ", %+.1f %%", 100 * row->difference / fabs(base));
}

/*
 * The limit of changes that the medians break most, in parts of it; GATE_LIMITS: they
 * keep all, or differ by no more than min_abs. *nought: a percentage is asked of a base
 * that is nought.
 */
static enum gate_limit broken_limit(const struct gate_result *result, bool *nought)
{
	const struct comparison_row *row = result->row;
	double base = fabs(row->side[SIDE_BASE].median);

	*nought = false;
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		bool pct = limit >= GATE_MAX_INCREASE_PCT;
		double change = row->difference;

		if (!gate_limit_is_change(limit) || isnan(result->rule->limit[limit]) ||
			fabs(change) <= result->rule->min_abs)
			continue;
		if (pct && base == 0) {
			*nought |=
				limit == GATE_MAX_INCREASE_PCT ? change > 0 : change < 0;
			continue;
		}
		if (beyond(result, limit, pct ? 100 * change / base : change) > 0)
			return limit;
	}
	return GATE_LIMITS;
}

static void say_too_few(const struct gate *gate, struct gate_result *result)
{
	size_t base = result->row->side[SIDE_BASE].n, new = result->row->side[SIDE_NEW].n;

	result->runs_needed = rank_runs_needed(0, 1, RANK_ALPHA / (double)gate->tests);
	settle(result, GATE_INCONCLUSIVE,
		"%zu against %zu runs can show no change in %zu test%s: take %zu on each "
		"side, or %d against one; or \"assume\": \"exact\" where there is no "
		"noise",
		base, new, gate->tests, gate->tests == 1 ? "" : "s", result->runs_needed,
		CONTRAST_HISTORY);
}

/* What of a change is known that breaks no limit, or is not significant. */
static void pass_change(struct gate_result *result, const struct strbuf *change)
{
	double base = fabs(result->row->side[SIDE_BASE].median);
	const char *more = result->limit == GATE_LIMITS ? "" : ", not significant";

	if (isnan(result->p))
		settle(result, GATE_PASS, "%s", change->text);
	else if (base > 0)
		settle(result, GATE_PASS, "%s%s (p %.3f); a change of %.1f %% would show",
			change->text, more, result->p, 100 * result->detectable / base);
	else
		settle(result, GATE_PASS, "%s%s (p %.3f)", change->text, more, result->p);
}

static void judge_change(const struct gate *gate, struct gate_result *result)
{
	struct strbuf change;
	bool nought;

	if (is_tested(result) && !can_tell(gate, result->row)) {
		say_too_few(gate, result);
		return;
	}
	strbuf_init(&change);
	say_change(&change, result->row);
	result->limit = broken_limit(result, &nought);
	if (result->limit == GATE_LIMITS && nought)
		settle(result, GATE_INCONCLUSIVE,
			"%s: there is no percentage of 0; expected max_increase or "
			"max_decrease",
			change.text);
	else if (result->limit == GATE_LIMITS || result->p > RANK_ALPHA)
		pass_change(result, &change);
	else if (isnan(result->p))
		settle(result, GATE_REGRESSION, "%s", change.text);
	else
		settle(result, GATE_REGRESSION, "%s (p %.2g)", change.text, result->p);
	strbuf_release(&change);
}

static void say_bound(const struct gate *gate, struct gate_result *result)
{
	const struct comparison *comparison = gate->comparison;
	struct strbuf value;

	strbuf_init(&value);
	say_number(&value, &result->row->measure, result->row->value[result->run]);
	settle(result, GATE_REGRESSION, "%s in %.200s", value.text,
		comparison->run[result->run].name);
	strbuf_release(&value);
}

/* Of a rule without changes, or of what the base does not have. */
static void pass_value(struct gate_result *result, bool unknown_base)
{
	struct strbuf value;

	strbuf_init(&value);
	say_number(&value, &result->row->measure, result->row->side[SIDE_NEW].median);
	settle(result, GATE_PASS, "%s%s", value.text,
		unknown_base ? ", new: the base has none" : "");
	strbuf_release(&value);
}

static void judge(const struct judging *j, struct gate_result *result)
{
	const struct comparison_row *row = result->row;
	size_t have = row ? row->side[SIDE_NEW].n : 0;

	if (!row)
		settle(result, GATE_UNUSABLE,
			"no run has it; expected a number that the recordings hold");
	else if (have < j->new_runs)
		settle(result, GATE_REGRESSION, "vanished: %zu of %zu new runs have it",
			have, j->new_runs);
	else if (breaks_bound(j->out, result))
		say_bound(j->out, result);
	else if (!gate_rule_compares(result->rule) || !row->side[SIDE_BASE].n)
		pass_value(result, gate_rule_compares(result->rule));
	else
		judge_change(j->out, result);
}

/* A rule of changes that has a base for none of its numbers has told nothing. */
static void judge_unfounded(struct gate *gate)
{
	for (size_t i = 0, end; i < gate->count; i = end) {
		const struct gate_rule *rule = gate->result[i].rule;
		bool founded = !gate_rule_compares(rule);

		for (end = i; end < gate->count && gate->result[end].rule == rule; end++)
			founded |= !gate->result[end].row ||
				gate->result[end].row->side[SIDE_BASE].n;
		for (size_t k = i; k < end && !founded; k++)
			if (gate->result[k].outcome == GATE_PASS)
				settle(&gate->result[k], GATE_INCONCLUSIVE,
					"the base has no value of it");
	}
}

void gate_judge(struct gate *out, const struct gate_rules *rules,
	const struct comparison *comparison, char *const *lost, size_t lost_count)
{
	const struct judging j = {out, comparison->on_side[SIDE_NEW]};

	out->rules = rules;
	out->comparison = comparison;
	for (size_t i = 0; i < rules->count; i++)
		add_results(out, &rules->rule[i]);
	find_levels(out);
	for (size_t i = 0; i < out->count; i++)
		judge(&j, &out->result[i]);
	judge_unfounded(out);
	for (size_t i = 0; i < out->count; i++) {
		const struct gate_result *result = &out->result[i];

		if (result->rule->warn)
			continue;
		out->outcomes[result->outcome]++;
		if (result->outcome > out->outcome)
			out->outcome = result->outcome;
	}
	for (size_t i = 0; i < lost_count; i++) {
		ALLOC_GROW(out->lost, out->lost_count + 1, out->lost_cap);
		out->lost[out->lost_count++] = xstrdup(lost[i]);
	}
	if (lost_count && out->outcome < GATE_REGRESSION)
		out->outcome = GATE_REGRESSION;
}
