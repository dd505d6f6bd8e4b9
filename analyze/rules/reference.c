/*
 * Names of numbers: METRIC.STATISTIC, value.NAME, last.METRIC, summary.KEY,
 * evidence.ITEM, while.ITEM, while.ITEM.METRIC,
 * drift.ITEM.METRIC, course.ITEM.METRIC; in front of a metric's the kind of log,
 * "nvidia-dmon:"; around it min(...), max(...), median(...) or sum(...) over the GPUs.
 */
#include <string.h>

#include "model/report.h"
#include "rules/internal.h"

static const char *const while_items[WHILE_ITEM_COUNT] = {"samples", "sample_share",
	"seconds", "share", "stretches", "longest_s", "median_s", "period_s", "first_s",
	"last_s", "gpu_seconds", "gpus", "possible_s", "together", "mean", "integral",
	"common", "common_n"};
static const char *const evidence_items[EVIDENCE_ITEM_COUNT] = {"coverage", "gaps",
	"longest_gap_s", "steps_back", "sessions", "lost", "lost_at_s", "lost_s",
	"unrecorded_s", "begins_late_s", "missing_before_s", "missing_after_s",
	"missing_at_s", "impossible", "rows", "shared", "unshared", "away_s",
	"longest_away_s", "away_at_s", "duration_s", "exit_status", "gpus", "models",
	"processes", "process_mib", "abrupt", "signal", "warm_up_s", "steady_s",
	"busiest_core"};
static const char *const course_items[COURSE_ITEM_COUNT] = {
	"least_rise", "recent", "common", "common_n"};
static const char *const drift_items[DRIFT_ITEM_COUNT] = {"from", "to", "change", "at_s"};
static const char *const pools[POOL_COUNT] = {"", "min", "max", "median", "sum"};

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
