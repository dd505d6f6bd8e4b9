/* A sentence for each cause. Judges nothing. */
#include "compute/gate/gate_why.h"

#include <math.h>
#include <stdlib.h>

#include "base/name_match.h"
#include "base/quantity.h"
#include "base/text.h"
#include "compute/compare/compare.h"
#include "compute/gate/gate_gpus.h"
#include "compute/gate/gate_limit.h"
#include "compute/numbers/rank.h"

static double rounded(double x, int decimals)
{
	double scale = pow(10, decimals);

	return round(x * scale) / scale;
}

#define NAMED_MOST    3 /* runs, of those that lack something */
#define MORE_DECIMALS 9 /* at most, than are usual */

/*
 * Decimals more than usual that it takes to see why a value, or a new one beside its
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

/* "401.1 J -> 431.7 J, +7.6 %"; of a single run "4 -> 3 in new7, -25.0 %". */
static void say_change(
	struct strbuf *sb, const struct gate *gate, const struct gate_result *result)
{
	const struct comparison_row *row = result->row;
	bool one = result->run != SIZE_MAX && gate_limit_is_change(result->limit);
	double base = row->side[SIDE_BASE].median;
	double new = one ? row->value[result->run] : row->side[SIDE_NEW].median;

	int more = more_decimals(result, base, new);

	say_more(sb, &row->measure, base, more);
	strbuf_adds(sb, " -> ");
	say_more(sb, &row->measure, new, more);
	if (one)
		strbuf_addf(sb, " in %s", gate->comparison->run[result->run].name);
	strbuf_adds(sb, ", ");
	say_part(sb, row, "+", new - base, more);
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

	strbuf_addf(sb, "%zu against %zu run%s can show no change in %zu test%s; take ",
		base, new, new == 1 ? "" : "s", result->tests,
		result->tests == 1 ? "" : "s");
	if (new == 1)
		strbuf_addf(sb, "a base of %d, or ", CONTRAST_HISTORY);
	strbuf_addf(sb,
		"%zu on each side, or \"assume\": \"exact\" where there is no noise",
		result->runs_needed);
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

	if (gate_is_untold(gate->comparison, row)) {
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
	struct strbuf doubt;

	strbuf_init(&doubt);
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
	case GATE_NO_PERCENTAGE:
		say_change(sb, gate, r);
		strbuf_adds(sb,
			": there is no percentage of 0; expected max_increase or "
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
		strbuf_addf(sb,
			"no run%s has it; expected a number that the recordings hold",
			gate->comparison->left_out_count ? " that counts" : "");
		break;
	}
}

void gate_say_why(const struct gate *gate, struct gate_result *result)
{
	struct strbuf sb;

	strbuf_init(&sb);
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
