/* Memory, names and units of rules, and which numbers a rule refers to. */
#include "model/rule.h"

#include <stdlib.h>
#include <string.h>

#include "model/report.h"

const char *severity_name(enum severity severity)
{
	static const char *const name[SEVERITY_COUNT] = {"info", "warning", "problem"};

	return name[severity];
}

const char *bound_name(enum bound bound)
{
	static const char *const name[BOUND_COUNT] = {
		"above", "at_least", "below", "at_most"};

	return name[bound];
}

/* schema/references.def as tables. */

enum topic {
	TOPIC_NOTHING,
	TOPIC_ALL,
	TOPIC_GPUS,
	TOPIC_METRIC
};

struct item {
	const char *name, *unit;
	enum topic topic; /* of EVIDENCE, as the next */
	enum metric_id metric;
};

#define ITEM(id, name, unit) {name, unit, TOPIC_NOTHING, METRIC_none},

static const struct item while_items[] = {
#define WHILE ITEM
#include "../schema/references.def"
};
static const struct item evidence_items[] = {
#define EVIDENCE(id, name, unit, topic, metric) \
	{name, unit, TOPIC_##topic, METRIC_##metric},
#include "../schema/references.def"
};
static const struct item course_items[] = {
#define COURSE ITEM
#include "../schema/references.def"
};
static const struct item drift_items[] = {
#define DRIFT ITEM
#include "../schema/references.def"
};
static const struct item hang_items[] = {
#define HANG ITEM
#include "../schema/references.def"
};

/* [count]; NULL: the kind has none. */
static const struct item *items_of(enum reference_kind kind, int *count)
{
	switch (kind) {
	case REFERENCE_WHILE:
		*count = WHILE_ITEM_COUNT;
		return while_items;
	case REFERENCE_EVIDENCE:
		*count = EVIDENCE_ITEM_COUNT;
		return evidence_items;
	case REFERENCE_COURSE:
		*count = COURSE_ITEM_COUNT;
		return course_items;
	case REFERENCE_DRIFT:
		*count = DRIFT_ITEM_COUNT;
		return drift_items;
	case REFERENCE_HANG:
		*count = HANG_ITEM_COUNT;
		return hang_items;
	case REFERENCE_STATISTIC:
	case REFERENCE_SUMMARY:
	case REFERENCE_LAST:
	case REFERENCE_VALUE:
	case REFERENCE_NONE:
		break;
	}
	*count = 0;
	return NULL;
}

int reference_item_find(enum reference_kind kind, struct span name)
{
	int count;
	const struct item *items = items_of(kind, &count);

	for (int i = 0; i < count; i++)
		if (span_is(name, items[i].name))
			return i;
	return -1;
}

static const char *name_of(enum metric_id metric)
{
	return metric == METRIC_none ? NULL : metric_get(metric)->name;
}

const char *row_test_over(const struct row_test *test)
{
	return name_of(test->over);
}

const char *reference_metric(const struct reference *reference)
{
	return name_of(reference->metric);
}

static const char *reference_unit(const struct reference *r)
{
	int count;
	const struct item *items = items_of(r->kind, &count);
	const char *own = items ? items[r->item].unit : NULL;

	/* of what has no unit of its own, it must be said */
	if (r->kind == REFERENCE_VALUE || r->kind == REFERENCE_NONE)
		return "";
	if (r->kind == REFERENCE_SUMMARY)
		return summary_field_get((enum summary_key)r->item)->unit;
	if (r->kind == REFERENCE_STATISTIC)
		own = statistic_unit((enum statistic)r->item);
	return own ? own : metric_get(r->metric)->unit;
}

const char *value_part_name(enum value_part part)
{
	static const char *const names[VALUE_PARTS] = {
		"of", "or", "minus", "times", "over", "up_to"};

	return names[part];
}

const char *rule_value_unit(const struct rule_value *value)
{
	if (value->unit)
		return value->unit;
	return value->part[PART_OVER].kind != REFERENCE_NONE
		? "ratio"
		: reference_unit(&value->part[PART_OF]);
}

void rule_release(struct rule *rule)
{
	free(rule->id);
	free(rule->title);
	free(rule->sentence);
	free(rule->remedy);
	free(rule->distrusts_as);
	for (size_t i = 0; i < rule->said_by_count; i++)
		free(rule->said_by[i]);
	for (size_t i = 0; i < rule->row_count; i++)
		free(rule->row[i].has);
	for (size_t i = 0; i < rule->doubt_count; i++)
		free(rule->doubt[i].why);
	for (size_t i = 0; i < rule->value_count; i++) {
		free(rule->value[i].name);
		free(rule->value[i].unit);
		for (enum value_part p = 0; p < VALUE_PARTS; p++)
			free(rule->value[i].part[p].text);
	}
	for (size_t i = 0; i < RULE_AMONG_MAX; i++)
		free(rule->among[i].of.text);
}

const struct rule *rule_set_find(const struct rule_set *set, const char *id)
{
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->rule[i].id, id) == 0)
			return &set->rule[i];
	return NULL;
}

void rule_set_release(struct rule_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		rule_release(&set->rule[i]);
	free(set->rule);
	*set = RULE_SET_INIT;
}

/* The numbers that a rule refers to, each once. */

static void add_metric(struct rule_topics *topics, enum metric_id metric)
{
	if (metric == METRIC_none)
		return;
	topics->metric[metric] = true;
	topics->kind[metric_get(metric)->device] = true;
}

static void add_evidence(struct rule_topics *topics, const struct item *item)
{
	topics->all_devices |= item->topic == TOPIC_ALL;
	topics->kind[DEVICE_GPU] |= item->topic == TOPIC_GPUS;
	add_metric(topics, item->metric);
}

static void add_reference(struct rule_topics *topics, const struct reference *r)
{
	switch (r->kind) {
	case REFERENCE_STATISTIC:
	case REFERENCE_LAST:
	case REFERENCE_COURSE:
	case REFERENCE_DRIFT:
		add_metric(topics, r->metric);
		break;
	case REFERENCE_HANG:
		add_metric(topics, METRIC_gpu_util_pct);
		add_metric(topics, r->metric);
		break;
	case REFERENCE_WHILE:
		topics->kind[DEVICE_GPU] = true;
		add_metric(topics, r->metric);
		break;
	case REFERENCE_SUMMARY:
		add_metric(topics, summary_field_get((enum summary_key)r->item)->metric);
		break;
	case REFERENCE_EVIDENCE:
		add_evidence(topics, &evidence_items[r->item]);
		break;
	case REFERENCE_VALUE:
	case REFERENCE_NONE:
		break;
	}
}

struct rule_topics rule_topics(const struct rule *rule)
{
	struct rule_topics topics = {.all_devices = false};

	for (size_t i = 0; i < rule->row_count; i++) {
		add_metric(&topics, rule->row[i].metric);
		add_metric(&topics, rule->row[i].over);
	}
	for (size_t i = 0; i < rule->among_count; i++)
		add_reference(&topics, &rule->among[i].of);
	for (size_t i = 0; i < rule->value_count; i++)
		for (enum value_part p = 0; p < VALUE_PARTS; p++)
			add_reference(&topics, &rule->value[i].part[p]);
	for (size_t i = 0; i < rule->distrusts_count; i++)
		add_metric(&topics, rule->distrusts[i]);
	return topics;
}
