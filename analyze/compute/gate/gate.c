/*
 * Judges a gate: finds the numbers of each rule, tests them together, checks the
 * limits. README.md, "Gate".
 */
#include "compute/gate/gate.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate_rows.h"
#include "compute/numbers/rank.h"

/* The sentence for each result (result->why). */

static double rounded(double x, int decimals)
{
	double scale = pow(10, decimals);

	return round(x * scale) / scale;
}

#define NAMED_MOST    3 /* runs, of those that lack something */
#define MORE_DECIMALS 9 /* at most, than are usual */

/*
 * Decimals more than usual that it takes to see why a value, or a new one against its
 * base, breaks a limit: 95 against 94.999, which both are 95.0.
 */
static int more_decimals(const struct gate_result *result, double base, double value)
{
	int decimals = result->row->measure.decimals, more = 0;

	if (result->cause != GATE_BROKEN)
		return 0;
	while (more < MORE_DECIMALS &&
		!(gate_beyond(result->rule, result->limit, rounded(base, decimals + more),
			  rounded(value, decimals + more)) > 0))
		more++;
	return more;
}

static void say_more(
	struct strbuf *sb, const struct measure *measure, double x, int more_decimals)
{
	quantity_number(sb, x, measure->decimals + more_decimals);
	if (*measure->unit)
		strbuf_addf(sb, " %s", measure->unit);
}

static void say_number(struct strbuf *sb, const struct measure *measure, double x)
{
	say_more(sb, measure, x, 0);
}

/* A change in per cent of the base; where that is 0, in the unit. */
static void say_part(struct strbuf *sb, const struct comparison_row *row,
	const char *sign, double x, int more_decimals)
{
	double base = fabs(row->side[SIDE_BASE].median);
	double part = rounded(100 * x / base, 1 + more_decimals);

	if (!(base > 0)) {
		strbuf_adds(sb, x > 0 ? sign : "");
		say_more(sb, &row->measure, x, more_decimals);
		return;
	}
	strbuf_adds(sb, part > 0 ? sign : "");
	quantity_number(sb, part == 0 ? 0 : part, 1 + more_decimals);
	strbuf_adds(sb, " %");
}

/*
 * The median of the new runs. Of pairs what the base's median becomes by the median
 * change within a pair: so a drift from pair to pair is none of it.
 */
static double gate_new_median(const struct comparison_row *row)
{
	return row->by == COMPARED_BY_PAIRS
		? row->side[SIDE_BASE].median + row->difference
		: row->side[SIDE_NEW].median;
}

/* "401.1 J -> 431.7 J, +7.6 %"; of a single run "4 -> 3 in new7, -25.0 %". */
static void say_change(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison_row *row = result->row;
	bool one = result->run != SIZE_MAX && gate_limit_is_change(result->limit);
	double base = row->side[SIDE_BASE].median;
	double new = one ? row->value[result->run] : gate_new_median(row);

	int more = more_decimals(result, base, new);

	say_more(sb, &row->measure, base, more);
	strbuf_adds(sb, " -> ");
	say_more(sb, &row->measure, one ? new : row->side[SIDE_NEW].median, more);
	if (one)
		strbuf_addf(sb, " in %s", gate->comparison->run[result->run].name);
	strbuf_adds(sb, ", ");
	say_part(sb, row, "+", new - base, more);
	if (row->by == COMPARED_BY_PAIRS && !one)
		strbuf_addf(sb, " in %zu pair%s", row->pairs, row->pairs == 1 ? "" : "s");
}

static void say_p(struct strbuf *sb, double p)
{
	if (p < 0.0005)
		strbuf_adds(sb, " (p < 0.001)");
	else if (!isnan(p))
		strbuf_addf(sb, " (p %.3f)", p);
}

/* What is known of a change that breaks no limit, or is not significant. */
static void say_unseen(struct strbuf *sb, const struct gate_result *result)
{
	if (result->cause == GATE_NOT_SIGNIFICANT)
		strbuf_adds(sb, ", not significant");
	say_p(sb, result->p);
	if (!(result->detectable > 0) || !isfinite(result->detectable))
		return;
	strbuf_adds(sb, "; a change of ");
	say_part(sb, result->row, "", result->detectable, 0);
	strbuf_adds(sb, " would show");
}

/* "5 of 6 new runs have it" */
static void say_have(struct strbuf *sb, size_t have, size_t all, const char *which)
{
	if (have)
		strbuf_addf(sb, "%zu of %zu", have, all);
	else
		strbuf_addf(sb, "none of %zu", all);
	strbuf_addf(sb, " %srun%s ha%s it", which, all == 1 ? "" : "s",
		have > 1 ? "ve" : "s");
}

/* Of the run that is nearest to a bound, or farthest beyond it. */
static void say_bound(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison *comparison = gate->comparison;
	double value;

	if (result->run == SIZE_MAX) {
		say_number(sb, &result->row->measure, result->row->side[SIDE_NEW].median);
		return;
	}
	value = result->row->value[result->run];
	say_more(sb, &result->row->measure, value, more_decimals(result, NAN, value));
	if (comparison->on_side[SIDE_NEW] > 1)
		strbuf_addf(sb, " in %s", comparison->run[result->run].name);
}

static void say_broken(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	if (gate_limit_is_change(result->limit)) {
		say_change(sb, gate, result);
		say_p(sb, result->p);
	} else {
		say_bound(sb, gate, result);
	}
	strbuf_adds(sb, "; expected ");
	gate_limit_sentence(sb, result->rule, result->limit, result->row->measure.unit);
}

static void say_kept(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	if (!gate_rule_compares(result->rule)) {
		say_bound(sb, gate, result);
		return;
	}
	say_change(sb, gate, result);
	say_unseen(sb, result);
}

/* Of one new run it may be the base alone that is too small. */
static void say_too_few(struct strbuf *sb, const struct gate_result *result)
{
	size_t base = result->row->side[SIDE_BASE].n, new = result->row->side[SIDE_NEW].n;
	bool pairs = result->row->by == COMPARED_BY_PAIRS;
	const char *verb =
		(pairs ? result->row->pairs : new) == 1 ? " is too few" : " are too few";

	if (pairs)
		strbuf_addf(sb, "%zu pair%s", result->row->pairs,
			result->row->pairs == 1 ? "" : "s");
	else
		strbuf_addf(sb, "%zu against %zu run%s", base, new, new == 1 ? "" : "s");
	strbuf_adds(sb, verb);
	if (result->tests > 1)
		strbuf_addf(sb, " for %zu tests at once", result->tests);
	strbuf_adds(sb, "; take ");
	if (new == 1 && !pairs)
		strbuf_addf(sb, "a base of %d, or ", CONTRAST_HISTORY);
	strbuf_addf(sb,
		"%zu on each side, or \"assume\": \"exact\" where there is no noise",
		result->runs_needed);
}

/* What these runs could have shown, what the limit is, and what would do. */
static void say_undetected(struct strbuf *sb, const struct gate_result *result)
{
	say_p(sb, result->p);
	strbuf_adds(sb, "; these runs show a change from ");
	say_part(sb, result->row, "", result->detectable, 0);
	strbuf_adds(sb, " on, the limit is ");
	say_part(sb, result->row, "", result->allowed, 0);
	if (result->runs_needed)
		strbuf_addf(sb, ": take %zu runs on each side", result->runs_needed);
	else if (result->allowed > 0)
		strbuf_adds(sb, ": a million runs would not show that");
	else
		strbuf_adds(sb,
			": give the rule a min_abs, or \"assume\": \"exact\" where there "
			"is no noise");
	strbuf_adds(sb, ", or accept this with --allow-undetected");
}

/* "; not in new2, new5 and 3 more": of new runs of which others have it. */
static void say_without(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison *comparison = gate->comparison;
	struct name_list names;

	if (!result->row->side[SIDE_NEW].n)
		return;
	name_list_init(&names, NAMED_MOST);
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].side == SIDE_NEW && isnan(result->row->value[i]) &&
			name_list_next(&names))
			strbuf_adds(&names.text, comparison->run[i].name);
	name_list_end(&names);
	if (names.count)
		strbuf_addf(sb, "; not in %s", names.text.text);
	name_list_release(&names);
}

/* "gpu2, gpu3 instead of gpu0 in new0, new1": of the new runs that lack it. */
static void say_other_gpus(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison *comparison = gate->comparison;
	struct name_list runs, gpus;

	name_list_init(&runs, NAMED_MOST);
	name_list_init(&gpus, NAMED_MOST);
	for (size_t g = 0; g < comparison->gpu_count; g++) {
		bool any = false;

		for (size_t i = 0; i < comparison->run_count; i++)
			any |= comparison->run[i].side == SIDE_NEW &&
				comparison->gpu[g].has[i] && isnan(result->row->value[i]);
		if (any && name_list_next(&gpus))
			strbuf_adds(&gpus.text, comparison->gpu[g].name);
	}
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].side == SIDE_NEW && isnan(result->row->value[i]) &&
			name_list_next(&runs))
			strbuf_adds(&runs.text, comparison->run[i].name);
	name_list_end(&gpus);
	name_list_end(&runs);
	strbuf_addf(sb,
		"%s instead of %s in %s; expected the same GPUs, or a rule on a number "
		"over all of them",
		gpus.text.text, result->row->measure.device, runs.text.text);
	name_list_release(&gpus);
	name_list_release(&runs);
}

/* "from nvidia-dmon in new0, not nvidia-query": the first run that has it so. */
static bool say_other_log(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison *comparison = gate->comparison;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct comparison_row *other;

		if (comparison->run[i].side != SIDE_NEW || !isnan(result->row->value[i]))
			continue;
		other = gate_other_log(comparison, result->rule, result->row, i);
		if (!other)
			continue;
		strbuf_addf(sb,
			"from %s in %s, not from %s; expected the same kind of log, or a "
			"rule with its \"source\"",
			other->measure.source, comparison->run[i].name,
			result->row->measure.source);
		return true;
	}
	return false;
}

static void say_elsewhere(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	if (!say_other_log(sb, gate, result))
		say_other_gpus(sb, gate, result);
}

static void say_vanished(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	size_t base = result->row->side[SIDE_BASE].n;
	size_t bases = gate->comparison->on_side[SIDE_BASE];
	struct strbuf log;

	if (result->row->side[SIDE_NEW].n == gate->comparison->on_side[SIDE_NEW]) {
		strbuf_adds(sb, "vanished of a GPU that the whole base has it of");
		return;
	}
	strbuf_adds(sb, "vanished: ");
	say_have(sb, result->row->side[SIDE_NEW].n, gate->comparison->on_side[SIDE_NEW],
		"new ");
	strbuf_init(&log);
	if (say_other_log(&log, gate, result))
		strbuf_addf(sb, " from %s", result->row->measure.source);
	if (base == bases && base) {
		strbuf_adds(sb, ", and the whole base");
	} else if (base) {
		strbuf_adds(sb, ", and ");
		say_have(sb, base, bases, "base ");
	}
	say_without(sb, gate, result);
	if (result->lost_p <= RANK_ALPHA)
		say_p(sb, result->lost_p);
	if (log.len)
		strbuf_addf(sb, "; it is there %s", log.text);
	strbuf_release(&log);
}

/* Of what comes and goes. */
static void say_who_has(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison *comparison = gate->comparison;

	say_have(sb,
		comparison_had(
			result->row, comparison->run, comparison->run_count, SIDE_BASE),
		comparison->on_side[SIDE_BASE], "base ");
	strbuf_adds(sb, ", ");
	say_have(
		sb, result->row->side[SIDE_NEW].n, comparison->on_side[SIDE_NEW], "new ");
	say_without(sb, gate, result);
}

static void say_uncovered(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison_row *row = result->row;

	if (gate_has_no_value(gate->comparison, row)) {
		strbuf_addf(sb,
			"%s has no value of it, and other GPUs have; expected one of "
			"each, or a \"device\" that leaves %s out",
			row->measure.device, row->measure.device);
	} else if (row->side[SIDE_BASE].n && gate_rule_compares(result->rule)) {
		say_change(sb, gate, result);
	} else if (result->run != SIZE_MAX) {
		say_bound(sb, gate, result);
	} else {
		say_number(sb, &row->measure, row->side[SIDE_NEW].median);
		strbuf_adds(sb,
			", but all that the base has of it is of too little of its time");
	}
}

/* What of it is in doubt, whatever came out. */
static void say_doubt(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	struct strbuf doubt = strbuf_new();

	if (comparison_say_doubt(&doubt, gate->comparison, result->row, false) ||
		comparison_say_doubt(&doubt, gate->comparison, result->row, true))
		strbuf_addf(sb, "; %s", doubt.text);
	strbuf_release(&doubt);
}

/* Of a total what the runs did, whatever came out. */
static void say_work(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison_row *row = result->row;

	if (!row || !gate_rule_compares(result->rule) ||
		!comparison_is_other_work(gate->comparison, row))
		return;
	strbuf_adds(sb, "; of other amounts of work: ");
	comparison_say_work(sb, gate->comparison);
}

static void say(struct strbuf *sb, const struct gate *gate, const struct gate_result *r)
{
	const struct comparison_row *row = r->row;

	switch (r->cause) {
	case GATE_KEPT:
		say_kept(sb, gate, r);
		break;
	case GATE_NOT_SIGNIFICANT:
		say_change(sb, gate, r);
		say_unseen(sb, r);
		break;
	case GATE_NEW:
		say_number(sb, &row->measure, row->side[SIDE_NEW].median);
		strbuf_adds(sb, ", new: the base has none");
		break;
	case GATE_TOO_FEW:
		say_too_few(sb, r);
		break;
	case GATE_UNDETECTED:
		say_change(sb, gate, r);
		say_undetected(sb, r);
		break;
	case GATE_NO_PERCENTAGE:
		say_change(sb, gate, r);
		strbuf_adds(sb,
			": a percentage of 0 is not defined; use max_increase or "
			"max_decrease");
		break;
	case GATE_NO_BASE:
		say_number(sb, &row->measure, row->side[SIDE_NEW].median);
		strbuf_adds(sb, ", but the base has none of it");
		break;
	case GATE_OTHER_WORK:
		say_change(sb, gate, r);
		break;
	case GATE_UNCOVERED:
		say_uncovered(sb, gate, r);
		break;
	case GATE_SPARSE:
		say_who_has(sb, gate, r);
		break;
	case GATE_ELSEWHERE:
		say_elsewhere(sb, gate, r);
		break;
	case GATE_BROKEN:
		say_broken(sb, gate, r);
		break;
	case GATE_VANISHED:
		say_vanished(sb, gate, r);
		break;
	case GATE_ABSENT:
	case GATE_CAUSES:
		strbuf_addf(sb, "no run%s recorded it",
			gate->comparison->left_out_count ? " that counts" : "");
		break;
	}
}

/* Fills result->why, of a gate of which all else is known. */
static void gate_say_why(const struct gate *gate, struct gate_result *result)
{
	struct strbuf sb = strbuf_new();

	say(&sb, gate, result);
	if (!isnan(result->lost_p) && result->cause != GATE_SPARSE &&
		result->cause != GATE_VANISHED) {
		strbuf_adds(&sb, "; ");
		say_who_has(&sb, gate, result);
	}
	say_work(&sb, gate, result);
	if (result->uncovered)
		say_doubt(&sb, gate, result);
	free(result->why);
	result->why = strbuf_detach(&sb);
}

static void add_result(
	struct gate *gate, const struct gate_rule *rule, const struct comparison_row *row)
{
	ALLOC_NEXT(gate->result, gate->count, gate->cap) =
		(struct gate_result){.rule = rule,
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
	case COMPARED_BY_PAIRS:
		return signed_rank_least_p(row->pairs) * (double)tests <= RANK_ALPHA;
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
	double value = gate_new_median(result->row);

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

/*
 * The largest change for the worse that the interval of a row leaves open, in the
 * direction of a limit. NAN: there is no interval.
 */
static double worst_of_interval(const struct comparison_row *row, enum gate_limit limit)
{
	bool upper = gate_limit_is_upper(limit);

	if (row->by == COMPARED_BY_HISTORY)
		return upper ? row->side[SIDE_NEW].median - row->expected_low
			     : row->expected_high - row->side[SIDE_NEW].median;
	return upper ? row->shift_high : -row->shift_low;
}

/*
 * Could these runs have missed a change as large as a limit? Not if they would show one,
 * or if their interval excludes it.
 */
static bool may_miss(const struct gate_result *result)
{
	double base = result->row->side[SIDE_BASE].median;

	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		double allowed = gate_allowed(result->rule, limit, base);

		if (result->detectable > allowed &&
			!(worst_of_interval(result->row, limit) <= allowed))
			return true;
	}
	return false;
}

static enum gate_cause judge_change(const struct gate *gate, struct gate_result *result)
{
	bool nought, tested = is_tested(gate, result);
	double beyond = find_change(gate, result, &nought);
	double level = RANK_ALPHA / (double)result->tests;

	if (tested && !can_tell(result->row, result->tests)) {
		result->runs_needed = contrast_runs_needed(result->row, 0, 1, level);
		return GATE_TOO_FEW;
	}
	result->undetected = may_miss(result);
	if (result->undetected)
		result->runs_needed = contrast_runs_needed(
			result->row, result->row->deviation, result->allowed, level);
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

/* Nothing passes by runs that could have missed what it forbids, unless that is asked
 * for.
 */
static enum gate_cause admit(
	const struct gate *gate, const struct gate_result *result, enum gate_cause cause)
{
	bool kept = cause == GATE_KEPT || cause == GATE_NOT_SIGNIFICANT;

	return kept && result->undetected && !gate->rules->allows_undetected
		? GATE_UNDETECTED
		: cause;
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
	if (gate_has_no_value(gate->comparison, row))
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

static bool has_no_value(const struct gate *gate, const struct gate_result *result)
{
	return result->row && gate_has_no_value(gate->comparison, result->row);
}

/* A rule of changes that has a base for none of its numbers has told nothing. */
static void judge_unfounded(struct gate *gate)
{
	for (size_t i = 0, end; i < gate->count; i = end) {
		const struct gate_rule *rule = gate->result[i].rule;
		bool founded = false;

		for (end = i; end < gate->count && gate->result[end].rule == rule; end++)
			founded |= gate->result[end].cause != GATE_NEW &&
				!has_no_value(gate, &gate->result[end]);
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

		result->outcome = gate->rules->skips_no_base &&
				(result->cause == GATE_NO_BASE ||
					result->cause == GATE_NO_PERCENTAGE)
			? GATE_PASS
			: gate_cause_outcome(result->cause);
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
		result->cause = admit(out, result, weigh(out, result, result->cause));
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
