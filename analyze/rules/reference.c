/*
 * Names of numbers: METRIC.STATISTIC, value.NAME, last.METRIC, summary.KEY,
 * evidence.ITEM, while.ITEM, while.ITEM.METRIC,
 * drift.ITEM.METRIC, course.ITEM.METRIC; in front of a metric's the kind of log,
 * "nvidia-dmon:"; around it min(...), max(...), median(...) or sum(...) over the GPUs.
 */
#include <string.h>

#include "model/report.h"
#include "rules/internal.h"

static const char *const while_items[WHILE_ITEM_COUNT] = {[WHILE_SAMPLES] = "samples",
	[WHILE_SAMPLE_SHARE] = "sample_share",
	[WHILE_SECONDS] = "seconds",
	[WHILE_SHARE] = "share",
	[WHILE_STRETCHES] = "stretches",
	[WHILE_LONGEST_S] = "longest_s",
	[WHILE_MEDIAN_S] = "median_s",
	[WHILE_PERIOD_S] = "period_s",
	[WHILE_FIRST_S] = "first_s",
	[WHILE_LAST_S] = "last_s",
	[WHILE_GPU_SECONDS] = "gpu_seconds",
	[WHILE_GPUS] = "gpus",
	[WHILE_POSSIBLE_S] = "possible_s",
	[WHILE_TOGETHER] = "together",
	[WHILE_MEAN] = "mean",
	[WHILE_INTEGRAL] = "integral",
	[WHILE_COMMON] = "common",
	[WHILE_COMMON_N] = "common_n"};
static const char *const evidence_items[EVIDENCE_ITEM_COUNT] = {
	[EVIDENCE_COVERAGE] = "coverage",
	[EVIDENCE_GAPS] = "gaps",
	[EVIDENCE_LONGEST_GAP_S] = "longest_gap_s",
	[EVIDENCE_STEPS_BACK] = "steps_back",
	[EVIDENCE_SESSIONS] = "sessions",
	[EVIDENCE_LOST] = "lost",
	[EVIDENCE_LOST_AT_S] = "lost_at_s",
	[EVIDENCE_LOST_S] = "lost_s",
	[EVIDENCE_UNRECORDED_S] = "unrecorded_s",
	[EVIDENCE_BEGINS_LATE_S] = "begins_late_s",
	[EVIDENCE_MISSING_BEFORE_S] = "missing_before_s",
	[EVIDENCE_MISSING_AFTER_S] = "missing_after_s",
	[EVIDENCE_MISSING_AT_S] = "missing_at_s",
	[EVIDENCE_IMPOSSIBLE] = "impossible",
	[EVIDENCE_ROWS] = "rows",
	[EVIDENCE_SHARED] = "shared",
	[EVIDENCE_UNSHARED] = "unshared",
	[EVIDENCE_AWAY_S] = "away_s",
	[EVIDENCE_LONGEST_AWAY_S] = "longest_away_s",
	[EVIDENCE_AWAY_AT_S] = "away_at_s",
	[EVIDENCE_DURATION_S] = "duration_s",
	[EVIDENCE_EXIT_STATUS] = "exit_status",
	[EVIDENCE_GPUS] = "gpus",
	[EVIDENCE_MODELS] = "models",
	[EVIDENCE_PROCESSES] = "processes",
	[EVIDENCE_PROCESS_MIB] = "process_mib",
	[EVIDENCE_ABRUPT] = "abrupt",
	[EVIDENCE_SIGNAL] = "signal",
	[EVIDENCE_WARM_UP_S] = "warm_up_s",
	[EVIDENCE_STEADY_S] = "steady_s",
	[EVIDENCE_BUSIEST_CORE] = "busiest_core"};
static const char *const course_items[COURSE_ITEM_COUNT] = {
	[COURSE_ITEM_LEAST_RISE] = "least_rise",
	[COURSE_ITEM_RECENT] = "recent",
	[COURSE_ITEM_COMMON] = "common",
	[COURSE_ITEM_COMMON_N] = "common_n"};
static const char *const drift_items[DRIFT_ITEM_COUNT] = {[DRIFT_FROM] = "from",
	[DRIFT_TO] = "to",
	[DRIFT_CHANGE] = "change",
	[DRIFT_AT_S] = "at_s"};
static const char *const pools[POOL_COUNT] = {[POOL_NONE] = "",
	[POOL_MIN] = "min",
	[POOL_MAX] = "max",
	[POOL_MEDIAN] = "median",
	[POOL_SUM] = "sum"};

/* The place of a word in a list; count: it is not there. */
static int find(struct span word, const char *const *list, int count)
{
	int i = 0;

	while (i < count && !span_is(word, list[i]))
		i++;
	return i;
}

/* Cuts what is before a mark off; false: there is none. */
static bool cut(struct span *text, char mark, struct span *before)
{
	const char *at = text->len ? memchr(text->at, mark, text->len) : NULL;

	if (!at)
		return false;
	*before = (struct span){text->at, (size_t)(at - text->at)};
	*text = (struct span){at + 1, text->len - before->len - 1};
	return true;
}

static enum summary_key find_summary(struct span name)
{
	enum summary_key key = 0;

	while (key < SUMMARY_COUNT && !span_is(name, summary_field_get(key)->name))
		key++;
	return key;
}

static bool parse_while(struct reference *r, struct span item)
{
	struct span word = item, metric = item;

	if (cut(&metric, '.', &word))
		r->metric = metric_find(metric);
	r->kind = REFERENCE_WHILE;
	r->item = find(word, while_items, WHILE_ITEM_COUNT);
	if (r->item == WHILE_ITEM_COUNT)
		return false;
	return (r->item >= WHILE_MEAN) == (r->metric != METRIC_none);
}

static bool parse_drift(struct reference *r, struct span metric)
{
	struct span item;

	if (!cut(&metric, '.', &item))
		return false;
	r->kind = REFERENCE_DRIFT;
	r->item = find(item, drift_items, DRIFT_ITEM_COUNT);
	r->metric = metric_find(metric);
	return r->item != DRIFT_ITEM_COUNT &&
		(r->metric == METRIC_power_w || r->metric == METRIC_sm_clock_mhz);
}

static bool parse_course(struct reference *r, struct span metric)
{
	struct span item;

	if (!cut(&metric, '.', &item))
		return false;
	r->kind = REFERENCE_COURSE;
	r->item = find(item, course_items, COURSE_ITEM_COUNT);
	r->metric = metric_find(metric);
	return r->item != COURSE_ITEM_COUNT && r->metric != METRIC_none &&
		metric_course(r->metric) ==
		(r->item >= COURSE_ITEM_COMMON ? COURSE_LEVEL : COURSE_GROWTH);
}

static bool parse_metric(struct reference *r, struct span metric, struct span statistic)
{
	r->kind = REFERENCE_STATISTIC;
	r->metric = metric_find(metric);
	r->item = (int)statistic_find(statistic);
	return r->metric != METRIC_none && r->item != STATISTIC_COUNT;
}

static bool parse_source(struct reference *r, struct span *text)
{
	struct span name;

	if (!cut(text, ':', &name))
		return true;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (span_is(name, source_name(kind)))
			r->source = kind;
	return r->source != SOURCE_NONE;
}

static bool parse_pool(struct reference *r, struct span *text)
{
	struct span name;
	int pool;

	if (!text->len || text->at[text->len - 1] != ')')
		return true;
	if (!cut(text, '(', &name))
		return false;
	pool = find(name, pools, POOL_COUNT);
	if (pool <= POOL_NONE || pool == POOL_COUNT)
		return false;
	r->pool = (enum pool)pool;
	text->len--;
	return true;
}

/* Of the rule's values so far; the last one is being read. */
static bool parse_value(struct reference *r, const struct rule *rule, struct span name)
{
	r->kind = REFERENCE_VALUE;
	r->item = 0;
	while ((size_t)r->item + 1 < rule->value_count &&
		!span_is(name, rule->value[r->item].name))
		r->item++;
	return r->pool == POOL_NONE && (size_t)r->item + 1 < rule->value_count;
}

bool reference_parse(struct reference *r, const struct rule *rule, struct span text)
{
	struct span first;

	*r = (struct reference){.metric = METRIC_none, .source = SOURCE_NONE};
	if (!parse_pool(r, &text) || !parse_source(r, &text) || !cut(&text, '.', &first))
		return false;
	if (span_is(first, "while"))
		return parse_while(r, text);
	if (span_is(first, "drift"))
		return parse_drift(r, text);
	if (span_is(first, "course"))
		return parse_course(r, text);
	if (span_is(first, "last")) {
		r->kind = REFERENCE_LAST;
		r->metric = metric_find(text);
		return ending_find(r->metric) < ENDING_METRICS;
	}
	if (span_is(first, "value"))
		return parse_value(r, rule, text);
	if (span_is(first, "summary")) {
		r->kind = REFERENCE_SUMMARY;
		r->item = (int)find_summary(text);
		return r->item != SUMMARY_COUNT;
	}
	if (span_is(first, "evidence")) {
		r->kind = REFERENCE_EVIDENCE;
		r->item = find(text, evidence_items, EVIDENCE_ITEM_COUNT);
		return r->item != EVIDENCE_ITEM_COUNT;
	}
	return parse_metric(r, first, text);
}
