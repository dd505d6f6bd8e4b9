/* Memory, names and units of rules, and which numbers a rule refers to. */
#include "model/rule.h"

#include <stdlib.h>
#include <string.h>

#include "model/report.h"

const char *severity_name(enum severity severity)
{
	static const char *const name[SEVERITY_COUNT] = {"info", "warn", "bad"};

	return name[severity];
}

const char *bound_name(enum bound bound)
{
	static const char *const name[BOUND_COUNT] = {
		"above", "at_least", "below", "at_most"};

	return name[bound];
}

static const char *evidence_unit(enum evidence_item item)
{
	switch (item) {
	case EVIDENCE_COVERAGE:
	case EVIDENCE_SHARED:
	case EVIDENCE_UNSHARED:
		return "ratio";
	case EVIDENCE_PROCESS_MIB:
		return "MiB";
	case EVIDENCE_BUSIEST_CORE:
		return "%";
	case EVIDENCE_STUCK_W:
	case EVIDENCE_SPIKE_W:
	case EVIDENCE_SPIKE_AROUND_W:
		return "W";
	case EVIDENCE_SIGNAL:
		return "signal";
	case EVIDENCE_LONGEST_GAP_S:
	case EVIDENCE_LOST_S:
	case EVIDENCE_LOST_AT_S:
	case EVIDENCE_UNRECORDED_S:
	case EVIDENCE_BEGINS_LATE_S:
	case EVIDENCE_MISSING_BEFORE_S:
	case EVIDENCE_MISSING_AFTER_S:
	case EVIDENCE_MISSING_AT_S:
	case EVIDENCE_AWAY_S:
	case EVIDENCE_LONGEST_AWAY_S:
	case EVIDENCE_AWAY_AT_S:
	case EVIDENCE_DURATION_S:
	case EVIDENCE_WARM_UP_S:
	case EVIDENCE_STEADY_S:
		return "s";
	case EVIDENCE_GAPS:
	case EVIDENCE_ROWS:
	case EVIDENCE_STUCK_ROWS:
	case EVIDENCE_SPIKES:
	case EVIDENCE_IMPOSSIBLE:
	case EVIDENCE_STEPS_BACK:
	case EVIDENCE_SESSIONS:
	case EVIDENCE_EXIT_STATUS:
	case EVIDENCE_GPUS:
	case EVIDENCE_MODELS:
	case EVIDENCE_PROCESSES:
	case EVIDENCE_ABRUPT:
	case EVIDENCE_GPUS_UNSEEN:
	case EVIDENCE_LOST:
	case EVIDENCE_ITEM_COUNT:
		break;
	}
	return "";
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

static const char *hang_unit(const struct reference *r)
{
	switch ((enum hang_item)r->item) {
	case HANG_SECONDS:
	case HANG_AT_S:
	case HANG_OWN_S:
		return "s";
	case HANG_GPU_SECONDS:
		return "GPU-s";
	case HANG_ENERGY_J:
		return "J";
	case HANG_UTIL:
		return "%";
	case HANG_LOW:
	case HANG_BUSY:
		return metric_get(r->metric)->unit;
	case HANG_OTHERS:
	case HANG_ITEM_COUNT:
		break;
	}
	return "";
}

static const char *reference_unit(const struct reference *r)
{
	const char *own;

	switch (r->kind) {
	case REFERENCE_STATISTIC:
		own = statistic_unit((enum statistic)r->item);
		return own ? own : metric_get(r->metric)->unit;
	case REFERENCE_SUMMARY:
		return summary_field_get((enum summary_key)r->item)->unit;
	case REFERENCE_WHILE:
		if (r->item == WHILE_MEAN || r->item == WHILE_COMMON)
			return metric_get(r->metric)->unit;
		if (r->item == WHILE_SHARE || r->item == WHILE_SAMPLE_SHARE ||
			r->item == WHILE_TOGETHER)
			return "ratio";
		return r->item == WHILE_SAMPLES || r->item == WHILE_STRETCHES ||
				r->item == WHILE_GPUS || r->item == WHILE_COMMON_N
			? ""
			: "s";
	case REFERENCE_EVIDENCE:
		return evidence_unit((enum evidence_item)r->item);
	case REFERENCE_DRIFT:
		return r->item == DRIFT_CHANGE	? "ratio"
			: r->item == DRIFT_AT_S ? "s"
						: metric_get(r->metric)->unit;
	case REFERENCE_HANG:
		return hang_unit(r);
	case REFERENCE_COURSE:
		if (r->item == COURSE_ITEM_COMMON_N)
			break;
		return metric_get(r->metric)->unit;
	case REFERENCE_LAST:
		return metric_get(r->metric)->unit;
	case REFERENCE_VALUE: /* of what has no unit of its own, it must be said */
	case REFERENCE_NONE:
		break;
	}
	return "";
}

const char *rule_value_unit(const struct rule_value *value)
{
	if (value->unit)
		return value->unit;
	return value->over.kind != REFERENCE_NONE ? "ratio" : reference_unit(&value->of);
}

void rule_release(struct rule *rule)
{
	free(rule->id);
	free(rule->title);
	free(rule->sentence);
	free(rule->remedy);
	for (size_t i = 0; i < rule->said_by_count; i++)
		free(rule->said_by[i]);
	for (size_t i = 0; i < rule->row_count; i++)
		free(rule->row[i].has);
	for (size_t i = 0; i < rule->doubt_count; i++)
		free(rule->doubt[i].why);
	for (size_t i = 0; i < rule->value_count; i++) {
		free(rule->value[i].name);
		free(rule->value[i].unit);
		free(rule->value[i].of.text);
		free(rule->value[i].minus.text);
		free(rule->value[i].times.text);
		free(rule->value[i].over.text);
		free(rule->value[i].up_to.text);
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

static void add_evidence(struct rule_topics *topics, enum evidence_item item)
{
	switch (item) {
	case EVIDENCE_COVERAGE:
	case EVIDENCE_GAPS:
	case EVIDENCE_LONGEST_GAP_S:
	case EVIDENCE_STEPS_BACK:
	case EVIDENCE_SESSIONS:
	case EVIDENCE_LOST:
	case EVIDENCE_LOST_S:
	case EVIDENCE_LOST_AT_S:
	case EVIDENCE_UNRECORDED_S:
	case EVIDENCE_ROWS:
	case EVIDENCE_IMPOSSIBLE:
	case EVIDENCE_BEGINS_LATE_S:
	case EVIDENCE_MISSING_BEFORE_S:
	case EVIDENCE_MISSING_AFTER_S:
	case EVIDENCE_MISSING_AT_S:
	case EVIDENCE_AWAY_S:
	case EVIDENCE_LONGEST_AWAY_S:
	case EVIDENCE_AWAY_AT_S:
		topics->all_devices = true;
		break;
	case EVIDENCE_SHARED:
	case EVIDENCE_UNSHARED:
	case EVIDENCE_GPUS:
	case EVIDENCE_MODELS:
		topics->kind[DEVICE_GPU] = true;
		break;
	case EVIDENCE_WARM_UP_S:
	case EVIDENCE_STEADY_S:
		add_metric(topics, METRIC_gpu_util_pct);
		break;
	case EVIDENCE_PROCESSES:
		add_metric(topics, METRIC_process_type);
		break;
	case EVIDENCE_PROCESS_MIB:
		add_metric(topics, METRIC_process_gpu_mem_mib);
		break;
	case EVIDENCE_STUCK_ROWS:
	case EVIDENCE_STUCK_W:
	case EVIDENCE_SPIKES:
	case EVIDENCE_SPIKE_W:
	case EVIDENCE_SPIKE_AROUND_W:
		add_metric(topics, METRIC_power_w);
		break;
	case EVIDENCE_BUSIEST_CORE:
		add_metric(topics, METRIC_cpu_busy_pct);
		break;
	case EVIDENCE_DURATION_S:
	case EVIDENCE_EXIT_STATUS:
	case EVIDENCE_ABRUPT:
	case EVIDENCE_GPUS_UNSEEN:
	case EVIDENCE_SIGNAL:
	case EVIDENCE_ITEM_COUNT:
		break;
	}
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
		add_evidence(topics, (enum evidence_item)r->item);
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
	for (size_t i = 0; i < rule->value_count; i++) {
		add_reference(&topics, &rule->value[i].of);
		add_reference(&topics, &rule->value[i].minus);
		add_reference(&topics, &rule->value[i].times);
		add_reference(&topics, &rule->value[i].over);
		add_reference(&topics, &rule->value[i].up_to);
	}
	return topics;
}
