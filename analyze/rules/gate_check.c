/* Is there a number that a rule asks for, and can it be asked so? */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/metric.h"
#include "rules/gate_internal.h"

/* Names that only a metric of a device has. */
static bool is_of_device(const struct gate_rule *rule)
{
	return rule->statistic || rule->state || rule->device || rule->source;
}

static int check_work(const struct gate_at *at, const struct gate_rule *rule)
{
	if (rule->phase || is_of_device(rule))
		return gate_refuse(at, "work",
			"no phase, device, statistic, state or source beside it");
	return measure_part_has(MEASURE_WORK, rule->metric)
		? 0
		: gate_refuse(at, "metric", "a number of units of work, as units_per_s");
}

/* Is there a number by that name, in what the rule is of? */
static int check_subject(const struct gate_at *at, const struct gate_rule *rule)
{
	if (rule->work)
		return check_work(at, rule);
	if (measure_part_has(MEASURE_METRIC, rule->metric))
		return 0;
	if (is_of_device(rule))
		return gate_refuse(at, "metric", "a metric (see --list-metrics)");
	if (rule->phase)
		return measure_part_has(MEASURE_PHASE, rule->metric)
			? 0
			: gate_refuse(at, "metric",
				  "a metric, or a number of phases, as total_s");
	return measure_part_has(MEASURE_SUMMARY, rule->metric) ||
			measure_part_has(MEASURE_STEADY, rule->metric)
		? 0
		: gate_refuse(at, "metric",
			  "a metric (see --list-metrics) or a key of resource_summary; "
			  "of units of work \"work\" beside it, of phases \"phase\"");
}

static bool is_flag(enum metric_id metric, const char *name)
{
	for (unsigned bit = 0; metric_flag_name(metric, bit); bit++)
		if (strcmp(name, metric_flag_name(metric, bit)) == 0)
			return true;
	return false;
}

/* The words of a state are the log's; those of flags are known. */
static int check_state(const struct gate_at *at, const struct gate_rule *rule)
{
	enum metric_id id = metric_find(span_of(rule->metric));
	bool is_state = id != METRIC_none && metric_is_state(id);

	if (is_state && !rule->state)
		return gate_refuse(at, "state", "the state whose share of time counts");
	if (!rule->state)
		return 0;
	if (!is_state)
		return gate_refuse(at, "state", "it for a metric that is a state");
	if (rule->statistic)
		return gate_refuse(
			at, "statistic", "none: of a state its share of time counts");
	return metric_is_text(id) || is_flag(id, rule->state)
		? 0
		: gate_refuse(at, "state", "the name of one of the metric's flags");
}

static int check_names(const struct gate_at *at, const struct gate_rule *rule)
{
	if (rule->statistic &&
		!measure_statistic_counts(statistic_find(span_of(rule->statistic))))
		return gate_refuse(
			at, "statistic", "the name of a statistic, as mean, max or p95");
	if (rule->source && source_find(rule->source) == SOURCE_NONE)
		return gate_refuse(at, "source", "a kind of log, as nvidia-query");
	return 0;
}

static int check_limits(const struct gate_at *at, const struct gate_rule *rule)
{
	bool any = false;

	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		any |= !isnan(rule->limit[limit]);
		if (gate_limit_is_change(limit) && rule->limit[limit] < 0)
			return gate_refuse(
				at, gate_limit_name(limit), "a number from 0 on");
	}
	if (!any)
		return gate_refuse(at, gate_limit_name(GATE_AT_MOST),
			"it, or at_least, max_increase, max_decrease, "
			"max_increase_pct or max_decrease_pct");
	if (rule->limit[GATE_AT_LEAST] > rule->limit[GATE_AT_MOST])
		return gate_refuse(at, gate_limit_name(GATE_AT_LEAST),
			"no more than at_most beside it");
	if (rule->min_abs < 0)
		return gate_refuse(at, "min_abs", "a number from 0 on");
	if (cJSON_HasObjectItem(at->object, "min_abs") && !gate_rule_compares(rule))
		return gate_refuse(at, "min_abs", "a largest change beside it");
	return 0;
}

/* Shares of time, or numbers of one unit. */
static bool is_alike(const struct gate_rule *a, const struct gate_rule *b)
{
	enum metric_id x = metric_find(span_of(a->metric));
	enum metric_id y = metric_find(span_of(b->metric));

	if (!a->state != !b->state || (x == METRIC_none) != (y == METRIC_none))
		return false;
	return a->state || x == METRIC_none ||
		strcmp(metric_get(x)->unit, metric_get(y)->unit) == 0;
}

int gate_check_instead(const struct gate_at *at, const struct gate_rule *rule)
{
	if (!rule->instead->metric)
		return gate_refuse(at, "metric", "a metric, or a key of a report");
	if (check_subject(at, rule->instead) < 0 || check_state(at, rule->instead) < 0 ||
		check_names(at, rule->instead) < 0)
		return -1;
	return is_alike(rule, rule->instead)
		? 0
		: gate_refuse(at, "metric", "a number of the same kind and unit");
}

int gate_check_rule(const struct gate_at *at, const struct gate_rule *rule)
{
	if (!rule->name)
		return gate_refuse(at, "name", "a name for the rule");
	if (!rule->metric)
		return gate_refuse(at, "metric", "a metric, or a key of a report");
	return check_limits(at, rule) < 0 || check_subject(at, rule) < 0 ||
			check_state(at, rule) < 0 || check_names(at, rule) < 0
		? -1
		: 0;
}
