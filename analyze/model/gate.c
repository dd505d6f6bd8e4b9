/* Memory of gates, calibrations and self-tests, and the names of their verdicts. */
#include "model/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_match.h"
#include "base/number.h"

#define GATE_STATISTIC "mean" /* of a metric, where a rule names none */
#define GATE_SHARE     "share" /* of a state */

const char *gate_limit_name(enum gate_limit limit)
{
	static const char *const name[GATE_LIMITS] = {"at_least", "at_most",
		"max_increase", "max_decrease", "max_increase_pct", "max_decrease_pct"};

	return name[limit];
}

bool gate_limit_is_change(enum gate_limit limit)
{
	return limit >= GATE_MAX_INCREASE;
}

const char *gate_outcome_name(enum gate_outcome outcome)
{
	static const char *const name[GATE_UNUSABLE + 1] = {[GATE_PASS] = "pass",
		[GATE_INCONCLUSIVE] = "inconclusive",
		[GATE_REGRESSION] = "regression",
		[GATE_UNUSABLE] = "unusable"};

	return name[outcome];
}

static const struct {
	const char *name;
	enum gate_outcome outcome;
} causes[GATE_CAUSES] = {
	[GATE_KEPT] = {"kept", GATE_PASS},
	[GATE_NOT_SIGNIFICANT] = {"not_significant", GATE_PASS},
	[GATE_NEW] = {"new", GATE_PASS},
	[GATE_TOO_FEW] = {"too_few_runs", GATE_INCONCLUSIVE},
	[GATE_UNDETECTED] = {"undetected", GATE_INCONCLUSIVE},
	[GATE_NO_PERCENTAGE] = {"no_percentage", GATE_INCONCLUSIVE},
	[GATE_NO_BASE] = {"no_base", GATE_INCONCLUSIVE},
	[GATE_OTHER_WORK] = {"other_work", GATE_INCONCLUSIVE},
	[GATE_UNCOVERED] = {"uncovered", GATE_INCONCLUSIVE},
	[GATE_SPARSE] = {"sparse", GATE_INCONCLUSIVE},
	[GATE_ELSEWHERE] = {"elsewhere", GATE_INCONCLUSIVE},
	[GATE_BROKEN] = {"broken", GATE_REGRESSION},
	[GATE_VANISHED] = {"vanished", GATE_REGRESSION},
	[GATE_ABSENT] = {"absent", GATE_UNUSABLE},
};

const char *gate_cause_name(enum gate_cause cause)
{
	return causes[cause].name;
}

enum gate_outcome gate_cause_outcome(enum gate_cause cause)
{
	return causes[cause].outcome;
}

static const struct {
	const char *id, *noun, *nouns;
} incidents[GATE_INCIDENTS] = {
	[GATE_RUN_LOST] = {"run-lost", "this new run", "these new runs"},
	[GATE_RUN_FAILED] = {"run-failed", "this new run", "these new runs"},
	[GATE_RUN_CUT_OFF] = {"run-cut-off", "this new run was", "these new runs were"},
	[GATE_DEVICE_VANISHED] = {"device-vanished", "this GPU", "these GPUs"},
	[GATE_DEVICE_LOST] = {"device-lost", "this GPU", "these GPUs"},
};

const char *gate_incident_id(enum gate_incident_kind kind)
{
	return incidents[kind].id;
}

const char *gate_incident_noun(enum gate_incident_kind kind, size_t count)
{
	return count > 1 ? incidents[kind].nouns : incidents[kind].noun;
}

static void release_rule(struct gate_rule *rule)
{
	free(rule->name);
	free(rule->metric);
	free(rule->statistic);
	free(rule->state);
	free(rule->device);
	free(rule->phase);
	free(rule->work);
	free(rule->source);
	if (rule->instead)
		release_rule(rule->instead);
	free(rule->instead);
}

void gate_rules_release(struct gate_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		release_rule(&rules->rule[i]);
	free(rules->rule);
	free(rules->file);
	*rules = GATE_RULES_INIT;
}

void gate_release(struct gate *gate)
{
	for (size_t i = 0; i < gate->count; i++)
		free(gate->result[i].why);
	for (size_t i = 0; i < gate->incident_count; i++) {
		free(gate->incident[i].subject);
		free(gate->incident[i].why);
	}
	free(gate->incident);
	free(gate->result);
	*gate = GATE_INIT;
}

bool gate_rule_reads(const struct gate_rule *rule, const struct measure *measure)
{
	const char *statistic = rule->statistic ? rule->statistic : GATE_STATISTIC;

	/* Without a phase, or units of work, it is of the run. */
	if (strcmp(rule->metric, measure->key) != 0 || !rule->phase != !measure->phase ||
		!rule->work != !measure->work ||
		(rule->phase && !phase_fits(rule->phase, measure->phase)) ||
		!glob_matches(rule->work, measure->work))
		return false;
	if (measure->part != MEASURE_METRIC)
		return !rule->statistic && !rule->state && !rule->device && !rule->source;
	return text_equal(rule->state ? GATE_SHARE : statistic, measure->statistic) &&
		!rule->state == !measure->state &&
		glob_matches(rule->device, measure->device) &&
		(!rule->source || text_equal(rule->source, measure->source));
}

bool gate_rule_wants(const struct gate_rule *rule, const struct measure *measure)
{
	return gate_rule_reads(rule, measure) && text_equal(rule->state, measure->state);
}

static bool has_limit(const struct gate_rule *rule, bool change)
{
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++)
		if (gate_limit_is_change(limit) == change && !isnan(rule->limit[limit]))
			return true;
	return false;
}

bool gate_rule_compares(const struct gate_rule *rule)
{
	return has_limit(rule, true);
}

bool gate_rule_bounds(const struct gate_rule *rule)
{
	return has_limit(rule, false);
}

static void add_part(struct strbuf *sb, const char *before, const char *text)
{
	if (text)
		strbuf_addf(sb, "%s%s", before, text);
}

void gate_limit_sentence(struct strbuf *sb, const struct gate_rule *rule,
	enum gate_limit limit, const char *unit)
{
	static const char *const form[GATE_LIMITS][2] = {{"at least ", ""},
		{"at most ", ""}, {"at most ", " above the base"},
		{"at most ", " below the base"}, {"at most ", " above the base"},
		{"at most ", " below the base"}};
	bool part = limit == GATE_MAX_INCREASE_PCT || limit == GATE_MAX_DECREASE_PCT;

	strbuf_adds(sb, form[limit][0]);
	number_print(sb, rule->limit[limit]);
	if (part)
		strbuf_adds(sb, " %");
	else if (*unit)
		strbuf_addf(sb, " %s",
			gate_limit_is_change(limit) && strcmp(unit, "%") == 0
				? rule->limit[limit] == 1 ? "percentage point"
							  : "percentage points"
				: unit);
	strbuf_adds(sb, form[limit][1]);
}

static void add_number(struct strbuf *sb, const struct gate_rule *rule)
{
	strbuf_adds(sb, rule->metric);
	add_part(sb, " ", rule->statistic);
	add_part(sb, " share of ", rule->state);
}

void gate_rule_sentence(struct strbuf *sb, const struct gate_rule *rule)
{
	bool any = false;

	add_number(sb, rule);
	if (rule->instead) {
		strbuf_adds(sb, " (or ");
		add_number(sb, rule->instead);
		strbuf_addc(sb, ')');
	}
	add_part(sb, " of ", rule->work);
	add_part(sb, " of ", rule->device);
	add_part(sb, " in ", rule->phase);
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		if (isnan(rule->limit[limit]))
			continue;
		strbuf_adds(sb, any ? ", " : " ");
		gate_limit_sentence(sb, rule, limit, "");
		any = true;
	}
}

/* Calibration: memory and names. */

const char *calibration_outcome_name(enum calibration_outcome outcome)
{
	static const char *const name[CALIBRATION_ABSENT + 1] = {
		[CALIBRATION_LEARNT] = "learnt",
		[CALIBRATION_TIGHT] = "tight",
		[CALIBRATION_TOO_FEW] = "too_few_runs",
		[CALIBRATION_ABSENT] = "absent"};

	return name[outcome];
}

void calibration_release(struct calibration *calibration)
{
	for (size_t i = 0; i < calibration->count; i++)
		free(calibration->result[i].why);
	free(calibration->result);
	free(calibration->min_abs);
	*calibration = CALIBRATION_INIT;
}

/* Self-test: memory and names. */

const char *injection_name(enum injection injection)
{
	static const char *const name[INJECTION_VANISHED + 1] = {
		[INJECTION_NOTHING] = "nothing",
		[INJECTION_CHANGE] = "change",
		[INJECTION_VANISHED] = "vanished"};

	return name[injection];
}

void selftest_release(struct selftest *selftest)
{
	for (size_t i = 0; i < selftest->count; i++)
		free(selftest->result[i].why);
	free(selftest->result);
	*selftest = SELFTEST_INIT;
}
