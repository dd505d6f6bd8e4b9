/* The conditions on a row of a GPU's log, and which of their time counts. */
#include <string.h>

#include "rules/internal.h"

static enum metric_id take_metric(const cJSON *object, const char *key)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsString(member) ? metric_find(span_of(member->valuestring))
				      : METRIC_none;
}

static bool is_flag(enum metric_id metric, const char *name)
{
	for (unsigned bit = 0; metric_flag_name(metric, bit); bit++)
		if (strcmp(name, metric_flag_name(metric, bit)) == 0)
			return true;
	return false;
}

/* The word of a state, instead of a bound. */
static int take_has(const struct at *at, const cJSON *object, struct row_test *test)
{
	const cJSON *has = cJSON_GetObjectItemCaseSensitive(object, "has");

	if (!metric_is_state(test->metric) || test->over != METRIC_none)
		return rule_refuse(at, "has", has, "it for a metric that is a state");
	for (enum bound b = 0; b < BOUND_COUNT; b++)
		if (cJSON_HasObjectItem(object, bound_name(b)))
			return rule_refuse(
				at, "while", object, "\"has\" of a state, and no bound");
	if (rule_take_text(at, object, "has", &test->has) < 0)
		return -1;
	return metric_is_text(test->metric) || is_flag(test->metric, test->has)
		? 0
		: rule_refuse(at, "has", has, "the name of one of the metric's flags");
}

static int add_row_test(
	const struct at *at, const cJSON *object, bool or_next, bool unless)
{
	static const char *const known[] = {
		"metric", "over", "has", "above", "at_least", "below", "at_most", NULL};
	const cJSON *has = cJSON_GetObjectItemCaseSensitive(object, "has");
	const cJSON *metric = cJSON_GetObjectItemCaseSensitive(object, "metric");
	const cJSON *over = cJSON_GetObjectItemCaseSensitive(object, "over");
	struct row_test *test;

	if (rule_check_keys(at, object, "while", known) < 0)
		return -1;
	if (at->rule->row_count == RULE_PARTS_MAX)
		return rule_refuse(at, "while", object, "no more than 12 conditions");
	test = &at->rule->row[at->rule->row_count];
	*test = (struct row_test){.metric = take_metric(object, "metric"),
		.over = take_metric(object, "over"),
		.or_next = or_next,
		.unless = unless};
	if (test->metric == METRIC_none || metric_get(test->metric)->device != DEVICE_GPU)
		return rule_refuse(at, "metric", metric, "the name of a metric of GPUs");
	if (over &&
		(test->over == METRIC_none ||
			metric_get(test->over)->device != DEVICE_GPU ||
			metric_is_state(test->over)))
		return rule_refuse(at, "over", over, "the name of a metric of GPUs");
	at->rule->row_count++;
	return has || metric_is_state(test->metric)
		? take_has(at, object, test)
		: rule_take_bound(at, object, "while", &test->bound, &test->limit);
}

/* Of {"any": [conditions]}, or of {"unless": [conditions]}. */
static int add_group(const struct at *at, const cJSON *object, const char *key)
{
	const char *const known[] = {key, NULL};
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key), *test;
	bool unless = strcmp(key, "unless") == 0;

	if (rule_check_keys(at, object, "while", known) < 0)
		return -1;
	if (!cJSON_IsArray(list) || !cJSON_GetArraySize(list))
		return rule_refuse(at, key, list, "an array of conditions");
	if (unless && !at->rule->row_count)
		return rule_refuse(at, key, list, "a condition before it");
	cJSON_ArrayForEach(test, list)
	{
		if (add_row_test(at, test, test->next != NULL, unless) < 0)
			return -1;
	}
	return 0;
}

static int add_while(const struct at *at, const cJSON *object)
{
	if (cJSON_HasObjectItem(object, "any"))
		return add_group(at, object, "any");
	if (cJSON_HasObjectItem(object, "unless"))
		return add_group(at, object, "unless");
	return add_row_test(at, object, false, false);
}

int rule_take_while(const struct at *at, const cJSON *object)
{
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(object, "while"), *part;

	if (rows && !cJSON_IsArray(rows))
		return rule_refuse(at, "while", rows, "an array of conditions");
	cJSON_ArrayForEach(part, rows)
	{
		if (add_while(at, part) < 0)
			return -1;
	}
	return 0;
}

/* What sets a GPU apart from the others, and which stretches of that count. */
int rule_take_alone(const struct at *at, const cJSON *object)
{
	const cJSON *alone = cJSON_GetObjectItemCaseSensitive(object, "alone");
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(object, "stretch_rows");
	bool other = cJSON_IsString(alone) && strcmp(alone->valuestring, "not") == 0;

	if (alone && !cJSON_IsBool(alone) && !other)
		return rule_refuse(at, "alone", alone, "true, false or \"not\"");
	at->rule->alone = other	      ? ALONE_HOLDS_NOT
		: cJSON_IsTrue(alone) ? ALONE_HOLDS
				      : ALONE_NOT_ASKED;
	if (rows &&
		(!cJSON_IsNumber(rows) || rows->valueint < 1 ||
			(double)rows->valueint < rows->valuedouble))
		return rule_refuse(at, "stretch_rows", rows, "a whole number from 1");
	at->rule->stretch_rows = rows ? (unsigned)rows->valueint : 0;
	return 0;
}
