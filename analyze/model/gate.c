/* Memory of gates, their names, and what a rule is of. */
#include "model/gate.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	switch (outcome) {
	case GATE_PASS:
		return "pass";
	case GATE_INCONCLUSIVE:
		return "inconclusive";
	case GATE_REGRESSION:
		return "regression";
	case GATE_UNUSABLE:
		return "unusable";
	}
	return "";
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
	for (size_t i = 0; i < gate->lost_count; i++)
		free(gate->lost[i]);
	free(gate->lost);
	free(gate->result);
	*gate = GATE_INIT;
}

/* A glob, where the rule has one; else the name must be missing if it has to be. */
static bool fits(const char *pattern, const char *name, bool needed)
{
	if (!pattern)
		return !name || !needed;
	return name && fnmatch(pattern, name, 0) == 0;
}

static bool equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool gate_rule_wants(const struct gate_rule *rule, const struct measure *measure)
{
	const char *statistic = rule->statistic ? rule->statistic : GATE_STATISTIC;

	if (strcmp(rule->metric, measure->key) != 0 ||
		!fits(rule->phase, measure->phase, true) ||
		!fits(rule->work, measure->work, true))
		return false;
	if (measure->part != MEASURE_METRIC)
		return !rule->statistic && !rule->state && !rule->device && !rule->source;
	return equal(rule->state ? GATE_SHARE : statistic, measure->statistic) &&
		equal(rule->state, measure->state) &&
		fits(rule->device, measure->device, false) &&
		(!rule->source || equal(rule->source, measure->source));
}

bool gate_rule_compares(const struct gate_rule *rule)
{
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++)
		if (gate_limit_is_change(limit) && !isnan(rule->limit[limit]))
			return true;
	return false;
}

static void add_part(struct strbuf *sb, const char *before, const char *text)
{
	if (text)
		strbuf_addf(sb, "%s%s", before, text);
}

void gate_rule_sentence(struct strbuf *sb, const struct gate_rule *rule)
{
	static const char *const form[GATE_LIMITS][2] = {{"at least ", ""},
		{"at most ", ""}, {"at most ", " above the base"},
		{"at most ", " below the base"}, {"at most ", " % above the base"},
		{"at most ", " % below the base"}};
	bool any = false;

	strbuf_adds(sb, rule->metric);
	add_part(sb, " ", rule->statistic);
	add_part(sb, " of ", rule->state);
	add_part(sb, " of ", rule->work);
	add_part(sb, " of ", rule->device);
	add_part(sb, " in ", rule->phase);
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		if (isnan(rule->limit[limit]))
			continue;
		strbuf_addf(sb, "%s%s", any ? ", " : " ", form[limit][0]);
		number_print(sb, rule->limit[limit]);
		strbuf_adds(sb, form[limit][1]);
		any = true;
	}
}
