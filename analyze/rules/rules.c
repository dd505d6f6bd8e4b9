/* One JSON object, key by key. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "rules/internal.h"

/* ISO C asks compilers for 4095 characters a literal only; gcc and clang know no end. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const struct {
	const char *name, *text;
} builtin[] = {
#include "findings.inc"
};
#pragma GCC diagnostic pop

static bool is_known(const char *key, const char *const *known)
{
	for (; *known; known++)
		if (strcmp(key, *known) == 0)
			return true;
	return false;
}

static int refuse_key(
	const struct at *at, const char *key, const char *what, const char *const *known)
{
	struct strbuf list;

	strbuf_init(&list);
	for (size_t i = 0; known[i]; i++)
		strbuf_addf(&list, "%s%s", i ? ", " : "", known[i]);
	error_set(at->err, "%s: unknown key \"%.60s\" in \"%s\": expected one of %s",
		at->file, key, what, list.text);
	strbuf_release(&list);
	return -1;
}

int rule_check_keys(const struct at *at, const cJSON *object, const char *what,
	const char *const *known)
{
	const cJSON *member;

	if (!cJSON_IsObject(object))
		return rule_refuse(at, what, object, "an object");
	cJSON_ArrayForEach(member, object)
	{
		if (!is_known(member->string, known))
			return refuse_key(at, member->string, what, known);
	}
	return 0;
}

int rule_take_text(const struct at *at, const cJSON *object, const char *key, char **text)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!cJSON_IsString(member) || !*member->valuestring)
		return rule_refuse(at, key, member, "a text");
	*text = xstrdup(member->valuestring);
	return 0;
}

static int take_word(const struct at *at, const cJSON *object, const char *key,
	const char *const *words, const char *expected, int *word)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);

	for (int i = 0; cJSON_IsString(member) && words[i]; i++)
		if (strcmp(member->valuestring, words[i]) == 0) {
			*word = i;
			return 0;
		}
	return rule_refuse(at, key, member, expected);
}

int rule_take_bound(const struct at *at, const cJSON *object, const char *what,
	enum bound *bound, double *limit)
{
	int found = 0;

	for (enum bound b = 0; b < BOUND_COUNT; b++) {
		const cJSON *member =
			cJSON_GetObjectItemCaseSensitive(object, bound_name(b));

		if (!member)
			continue;
		if (!cJSON_IsNumber(member))
			return rule_refuse(at, bound_name(b), member, "a number");
		*bound = b;
		*limit = member->valuedouble;
		found++;
	}
	if (found != 1)
		return rule_refuse(at, what, object,
			"exactly one of above, at_least, below, at_most");
	return 0;
}

#define REFERENCE "a number of a report, such as \"gpu_util_pct.mean\""

static int take_reference(const struct at *at, const cJSON *object, const char *key,
	struct reference *reference)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!member)
		return 0;
	if (!cJSON_IsString(member) ||
		!reference_parse(reference, at->rule, span_of(member->valuestring)))
		return rule_refuse(at, key, member, REFERENCE);
	reference->text = xstrdup(member->valuestring);
	return 0;
}

#define STEPS "an array of at most 16 ascending numbers"

static int take_steps(const struct at *at, const cJSON *object, struct rule_value *value)
{
	const cJSON *steps = cJSON_GetObjectItemCaseSensitive(object, "steps"), *step;

	if (steps && !cJSON_IsArray(steps))
		return rule_refuse(at, "steps", steps, STEPS);
	cJSON_ArrayForEach(step, steps)
	{
		if (!cJSON_IsNumber(step) || value->steps == RULE_STEPS_MAX)
			return rule_refuse(at, "steps", steps, STEPS);
		value->step[value->steps++] = step->valuedouble;
		if (value->steps > 1 &&
			value->step[value->steps - 2] >= step->valuedouble)
			return rule_refuse(at, "steps", steps, STEPS);
	}
	return 0;
}

/* It must stand before, and be the number of one of the GPUs. */
static int take_gpu_of(const struct at *at, const cJSON *object, struct rule_value *value)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "gpu_of");
	const struct rule_value *of = NULL;

	if (!name)
		return 0;
	if (cJSON_IsString(name))
		value->gpu_of = rule_value_of(at->rule, name->valuestring);
	if (value->gpu_of < at->rule->value_count)
		of = &at->rule->value[value->gpu_of];
	if (!of || of == value || (of->of.pool != POOL_MAX && of->of.pool != POOL_MIN))
		return rule_refuse(at, "gpu_of", name,
			"the name of a value before it, which is a max or min over the "
			"GPUs");
	return 0;
}

/* "name": "metric.statistic", or an object of it and what is done with it. */
static int add_value(const struct at *at, const cJSON *member)
{
	static const char *const known[] = {"of", "minus", "absolute", "times", "over",
		"scale", "up_to", "steps", "unit", "gpu_of", NULL};
	const cJSON *scale = cJSON_GetObjectItemCaseSensitive(member, "scale");
	const cJSON *absolute = cJSON_GetObjectItemCaseSensitive(member, "absolute");
	struct rule_value *value;

	if (at->rule->value_count == RULE_PARTS_MAX)
		return rule_refuse(at, "values", member, "no more than 12 values");
	value = &at->rule->value[at->rule->value_count++];
	*value = (struct rule_value){
		.name = xstrdup(member->string), .gpu_of = SIZE_MAX, .scale = 1};
	if (cJSON_IsString(member)) {
		if (!reference_parse(&value->of, at->rule, span_of(member->valuestring)))
			return rule_refuse(at, member->string, member, REFERENCE);
		value->of.text = xstrdup(member->valuestring);
		return 0;
	}
	if (rule_check_keys(at, member, member->string, known) < 0 ||
		take_reference(at, member, "of", &value->of) < 0 ||
		take_reference(at, member, "minus", &value->minus) < 0 ||
		take_reference(at, member, "times", &value->times) < 0 ||
		take_reference(at, member, "over", &value->over) < 0 ||
		take_reference(at, member, "up_to", &value->up_to) < 0 ||
		take_steps(at, member, value) < 0 || take_gpu_of(at, member, value) < 0)
		return -1;
	if (value->of.kind == REFERENCE_NONE)
		return rule_refuse(at, member->string, member, "\"of\" in it");
	if (scale && !cJSON_IsNumber(scale))
		return rule_refuse(at, "scale", scale, "a number");
	if (absolute && !cJSON_IsBool(absolute))
		return rule_refuse(at, "absolute", absolute, "true or false");
	value->scale = scale ? scale->valuedouble : 1;
	value->absolute = cJSON_IsTrue(absolute);
	return cJSON_HasObjectItem(member, "unit")
		? rule_take_text(at, member, "unit", &value->unit)
		: 0;
}

/* key: of the list that it is in. */
static int take_test(const struct at *at, const cJSON *object, const char *key,
	struct value_test *test)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "value");

	test->value = cJSON_IsString(name) ? rule_value_of(at->rule, name->valuestring)
					   : SIZE_MAX;
	if (test->value == SIZE_MAX)
		return rule_refuse(at, "value", name, "the name of one of its values");
	return rule_take_bound(at, object, key, &test->bound, &test->limit);
}

static int take_tests(const struct at *at, const cJSON *object, const char *key,
	struct value_test *tests, size_t *count)
{
	static const char *const known[] = {
		"value", "above", "at_least", "below", "at_most", NULL};
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key), *test;

	if (list && !cJSON_IsArray(list))
		return rule_refuse(at, key, list, "an array of conditions");
	cJSON_ArrayForEach(test, list)
	{
		if (rule_check_keys(at, test, key, known) < 0)
			return -1;
		if (*count == RULE_PARTS_MAX)
			return rule_refuse(at, key, test, "no more than 12 conditions");
		if (take_test(at, test, key, &tests[*count]) < 0)
			return -1;
		++*count;
	}
	return 0;
}

/* Conditions on values, each with a text that says why it is in doubt then. */
static int take_doubts(const struct at *at, const cJSON *object)
{
	static const char *const known[] = {
		"value", "above", "at_least", "below", "at_most", "always", "why", NULL};
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "doubts"), *one;

	if (list && (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > RULE_DOUBTS_MAX))
		return rule_refuse(
			at, "doubts", list, "an array of up to four conditions");
	cJSON_ArrayForEach(one, list)
	{
		struct rule_doubt *doubt = &at->rule->doubt[at->rule->doubt_count];

		const cJSON *always = cJSON_GetObjectItemCaseSensitive(one, "always");

		if (always && !cJSON_IsBool(always))
			return rule_refuse(at, "always", always, "true or false");
		doubt->always = cJSON_IsTrue(always);
		if (rule_check_keys(at, one, "doubts", known) < 0 ||
			take_test(at, one, "doubts", &doubt->test) < 0 ||
			rule_take_text(at, one, "why", &doubt->why) < 0)
			return -1;
		at->rule->doubt_count++;
	}
	return 0;
}

#define GPU_NUMBER                                                                    \
	"a statistic of a metric of GPUs, such as \"gpu_util_pct.max\", or, without " \
	"\"alone\", a number of \"while\""

/* A number of the GPU itself, whatever the others are like. */
static bool is_of_gpu(const struct rule *rule, const struct reference *r)
{
	if (r->pool != POOL_NONE)
		return false;
	if (r->kind == REFERENCE_WHILE)
		return rule->row_count && rule->alone == ALONE_NOT_ASKED &&
			r->item != WHILE_GPUS && r->item < WHILE_COMMON;
	return r->kind == REFERENCE_STATISTIC &&
		metric_get(r->metric)->device == DEVICE_GPU;
}

static int take_among(const struct at *at, const cJSON *object)
{
	static const char *const known[] = {
		"number", "above", "at_least", "below", "at_most", NULL};
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "among"), *one;

	if (list && (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > RULE_AMONG_MAX))
		return rule_refuse(
			at, "among", list, "an array of up to four conditions");
	cJSON_ArrayForEach(one, list)
	{
		struct gpu_test *test = &at->rule->among[at->rule->among_count];

		if (rule_check_keys(at, one, "among", known) < 0 ||
			take_reference(at, one, "number", &test->of) < 0)
			return -1;
		if (!is_of_gpu(at->rule, &test->of))
			return rule_refuse(at, "number",
				cJSON_GetObjectItemCaseSensitive(one, "number"),
				GPU_NUMBER);
		if (rule_take_bound(at, one, "among", &test->bound, &test->limit) < 0)
			return -1;
		at->rule->among_count++;
	}
	return 0;
}

/* Numbers and switches that may be left away. */
static int take_options(const struct at *at, const cJSON *object)
{
	const cJSON *version = cJSON_GetObjectItemCaseSensitive(object, "version");
	const cJSON *stretch = cJSON_GetObjectItemCaseSensitive(object, "stretch_s");
	const cJSON *cost = cJSON_GetObjectItemCaseSensitive(object, "cost");
	const cJSON *any = cJSON_GetObjectItemCaseSensitive(object, "any_evidence");

	if (!cJSON_IsNumber(version) || version->valueint < 1 ||
		(double)version->valueint < version->valuedouble)
		return rule_refuse(at, "version", version, "a whole number from 1");
	at->rule->version = version->valueint;
	if (stretch && (!cJSON_IsNumber(stretch) || stretch->valuedouble < 0))
		return rule_refuse(at, "stretch_s", stretch, "seconds");
	at->rule->stretch_s = stretch ? stretch->valuedouble : -1;
	if (any && !cJSON_IsBool(any))
		return rule_refuse(at, "any_evidence", any, "true or false");
	at->rule->any_evidence = cJSON_IsTrue(any);
	at->rule->cost = SIZE_MAX;
	if (!cost)
		return 0;
	if (cJSON_IsString(cost))
		at->rule->cost = rule_value_of(at->rule, cost->valuestring);
	if (at->rule->cost == SIZE_MAX)
		return rule_refuse(at, "cost", cost, "the name of one of its values");
	return 0;
}

/* Values that are told of each phase. */
static int take_in_phases(const struct at *at, const cJSON *object)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "in_phases"), *name;

	if (list &&
		(!cJSON_IsArray(list) || cJSON_GetArraySize(list) > RULE_IN_PHASES_MAX))
		return rule_refuse(
			at, "in_phases", list, "an array of up to two of its values");
	cJSON_ArrayForEach(name, list)
	{
		size_t value = cJSON_IsString(name)
			? rule_value_of(at->rule, name->valuestring)
			: SIZE_MAX;

		if (value == SIZE_MAX)
			return rule_refuse(
				at, "in_phases", name, "the name of one of its values");
		at->rule->in_phases[at->rule->in_phases_count++] = value;
	}
	return 0;
}

/* Ids of other rules. */
static int take_said_by(const struct at *at, const cJSON *object)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "said_by"), *id;

	if (!list)
		return 0;
	if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > RULE_SAID_BY_MAX)
		return rule_refuse(at, "said_by", list, "an array of up to four rules");
	cJSON_ArrayForEach(id, list)
	{
		if (!cJSON_IsString(id) || !*id->valuestring)
			return rule_refuse(at, "said_by", id, "the id of a rule");
		if (strcmp(id->valuestring, at->rule->id) == 0)
			return rule_refuse(at, "said_by", id, "another rule");
		at->rule->said_by[at->rule->said_by_count++] = xstrdup(id->valuestring);
	}
	return 0;
}

/* Metrics of hosts, whose means go with each stretch. */
static int take_meanwhile(const struct at *at, const cJSON *object)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "meanwhile"), *name;

	if (!list)
		return 0;
	if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > RULE_MEANWHILE_MAX)
		return rule_refuse(
			at, "meanwhile", list, "an array of up to eight metrics");
	cJSON_ArrayForEach(name, list)
	{
		enum metric_id metric = cJSON_IsString(name)
			? metric_find(span_of(name->valuestring))
			: METRIC_none;

		if (metric == METRIC_none || metric_get(metric)->device == DEVICE_GPU ||
			metric_get(metric)->device == DEVICE_PROCESS)
			return rule_refuse(at, "meanwhile", name, "a metric of hosts");
		at->rule->meanwhile[at->rule->meanwhile_count++] = metric;
	}
	return 0;
}

static int take_rule(const struct at *at, const cJSON *object)
{
	static const char *const known[] = {"id", "version", "title", "severity", "scope",
		"while", "stretch_s", "values", "meanwhile", "applies", "fires", "cost",
		"any_evidence", "said_by", "among", "in_phases", "doubts", "alone",
		"stretch_rows", "sentence", "remedy", NULL};
	static const char *const severities[] = {"info", "warn", "bad", NULL};
	static const char *const scopes[] = {"run", "gpu", NULL};
	const cJSON *values = cJSON_GetObjectItemCaseSensitive(object, "values");
	const cJSON *part;
	struct rule *rule = at->rule;
	int severity = 0, scope = 0;

	if (rule_check_keys(at, object, "rule", known) < 0 ||
		rule_take_text(at, object, "id", &rule->id) < 0 ||
		rule_take_text(at, object, "title", &rule->title) < 0 ||
		rule_take_text(at, object, "sentence", &rule->sentence) < 0 ||
		rule_take_text(at, object, "remedy", &rule->remedy) < 0 ||
		take_word(at, object, "severity", severities, "info, warn or bad",
			&severity) < 0 ||
		take_word(at, object, "scope", scopes, "run or gpu", &scope) < 0)
		return -1;
	rule->severity = (enum severity)severity;
	rule->scope = (enum rule_scope)scope;
	if (rule_take_while(at, object) < 0 || rule_take_alone(at, object) < 0)
		return -1;
	if (!cJSON_IsObject(values))
		return rule_refuse(at, "values", values, "an object");
	cJSON_ArrayForEach(part, values)
	{
		if (add_value(at, part) < 0)
			return -1;
	}
	if (take_tests(at, object, "applies", rule->applies, &rule->applies_count) < 0 ||
		take_tests(at, object, "fires", rule->fires, &rule->fires_count) < 0 ||
		take_doubts(at, object) < 0 || take_meanwhile(at, object) < 0 ||
		take_said_by(at, object) < 0 || take_among(at, object) < 0 ||
		take_in_phases(at, object) < 0)
		return -1;
	if (!rule->fires_count)
		return rule_refuse(at, "fires",
			cJSON_GetObjectItemCaseSensitive(object, "fires"), "a condition");
	return take_options(at, object) < 0 ? -1 : rule_check(at);
}

/* cJSON takes line breaks and the like within a text; a sentence is one line. */
static void blot_controls(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

int rules_parse(
	struct rule_set *set, const char *file, const char *json, struct error *err)
{
	cJSON *object = cJSON_ParseWithOpts(json, NULL, true);
	struct at at = {file, NULL, err};
	int result;

	if (!object)
		return error_set(err, "%s: expected JSON", file);
	ALLOC_GROW(set->rule, set->count + 1, set->cap);
	at.rule = &set->rule[set->count];
	*at.rule = (struct rule){.version = 1};
	result = take_rule(&at, object);
	for (size_t i = 0; result == 0 && i < set->count; i++)
		if (strcmp(set->rule[i].id, at.rule->id) == 0)
			result = rule_refuse(&at, "id",
				cJSON_GetObjectItemCaseSensitive(object, "id"),
				"one that no other rule has");
	cJSON_Delete(object);
	if (result < 0) {
		rule_release(at.rule);
		blot_controls(err->message);
	} else {
		set->count++;
	}
	return result;
}

int rules_builtin(struct rule_set *set, struct error *err)
{
	for (size_t i = 0; i < sizeof builtin / sizeof builtin[0]; i++)
		if (rules_parse(set, builtin[i].name, builtin[i].text, err) < 0)
			return -1;
	return 0;
}
