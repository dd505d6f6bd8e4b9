/* What a rule looks at, gathered from all that it refers to. */
#include "model/report.h"
#include "model/rule.h"

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
	case EVIDENCE_BUSIEST_CORE:
		add_metric(topics, METRIC_cpu_busy_pct);
		break;
	case EVIDENCE_DURATION_S:
	case EVIDENCE_EXIT_STATUS:
	case EVIDENCE_ABRUPT:
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
