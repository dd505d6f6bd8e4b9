/*
 * Parses the JSON of a rule for findings, key by key, and checks that it can be
 * evaluated.
 */
#include "rules/rules.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "model/measure.h"

/* Where a parser stands: for sentences. */
struct at {
	const char *file;
	struct rule *rule;
	struct error *err;
};

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

#define SHOWN 60 /* bytes of a value in a sentence */

/* "FILE: "KEY" is VALUE: expected ..."; value: NULL: it is missing. Gives -1. */
static int rule_refuse(
	const struct at *at, const char *key, const cJSON *value, const char *expected)
{
	char *text = value ? cJSON_PrintUnformatted(value) : NULL;
	size_t len = text ? strlen(text) : 0;

	/* whole characters only */
	if (len > SHOWN)
		for (len = SHOWN; len && ((unsigned char)text[len] & 0xc0) == 0x80;)
			len--;
	if (text)
		error_set(at->err, "%s: \"%.60s\" is %.*s%s: expected %s", at->file, key,
			(int)len, text, text[len] ? "..." : "", expected);
	else
		error_set(at->err, "%s: \"%.60s\" is missing: expected %s", at->file, key,
			expected);
	cJSON_free(text);
	return -1;
}

/* The place of a value; SIZE_MAX: none of that name. */
static size_t rule_value_of(const struct rule *rule, const char *name)
{
	for (size_t i = 0; i < rule->value_count; i++)
		if (strcmp(rule->value[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

/* Of a key whose value is right but not with the others. */
static int refuse(const struct at *at, const char *key, const char *expected)
{
	return error_set(at->err, "%s: \"%.60s\": expected %s", at->file, key, expected);
}

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
	struct strbuf list = strbuf_new();

	for (size_t i = 0; known[i]; i++)
		strbuf_addf(&list, "%s%s", i ? ", " : "", known[i]);
	error_set(at->err, "%s: unknown key \"%.60s\" in \"%s\": expected one of %s",
		at->file, key, what, list.text);
	strbuf_release(&list);
	return -1;
}

/* Refuses what is no object, or has another key; -1. known: ends with NULL. */
static int check_keys(const struct at *at, const cJSON *object, const char *what,
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

/* A copy of a member's text, the caller's. -1: it is none, or empty: refused. */
static int take_text(
	const struct at *at, const cJSON *object, const char *key, char **text)
{
	const cJSON *value = member(object, key);

	if (!cJSON_IsString(value) || !*value->valuestring)
		return rule_refuse(at, key, value, "a text");
	*text = xstrdup(value->valuestring);
	return 0;
}

static int take_word(const struct at *at, const cJSON *object, const char *key,
	const char *const *words, const char *expected, int *word)
{
	const cJSON *value = member(object, key);

	for (int i = 0; cJSON_IsString(value) && words[i]; i++)
		if (strcmp(value->valuestring, words[i]) == 0) {
			*word = i;
			return 0;
		}
	return rule_refuse(at, key, value, expected);
}

/* Exactly one bound of an object that is `what`; or it is refused. */
static int take_bound(const struct at *at, const cJSON *object, const char *what,
	enum bound *bound, double *limit)
{
	int found = 0;

	for (enum bound b = 0; b < BOUND_COUNT; b++) {
		const cJSON *value = member(object, bound_name(b));

		if (!value)
			continue;
		if (!cJSON_IsNumber(value))
			return rule_refuse(at, bound_name(b), value, "a number");
		*bound = b;
		*limit = value->valuedouble;
		found++;
	}
	if (found != 1)
		return rule_refuse(at, what, object,
			"exactly one of above, at_least, below, at_most");
	return 0;
}

static enum metric_id metric_of(const cJSON *name)
{
	return cJSON_IsString(name) ? metric_find(span_of(name->valuestring))
				    : METRIC_none;
}

static bool is_of_gpus(enum metric_id metric)
{
	return metric != METRIC_none && metric_get(metric)->device == DEVICE_GPU;
}

static int take_flag(
	const struct at *at, const cJSON *object, const char *key, bool *flag)
{
	const cJSON *value = member(object, key);

	*flag = cJSON_IsTrue(value);
	return value && !cJSON_IsBool(value)
		? rule_refuse(at, key, value, "true or false")
		: 0;
}

static int take_whole(
	const struct at *at, const cJSON *object, const char *key, int *number)
{
	const cJSON *value = member(object, key);

	if (!cJSON_IsNumber(value) || value->valueint < 1 ||
		(double)value->valueint < value->valuedouble)
		return rule_refuse(at, key, value, "a whole number from 1");
	*number = value->valueint;
	return 0;
}

/* The place of a value that is there already. */
static int take_place(
	const struct at *at, const char *key, const cJSON *name, size_t *place)
{
	*place = cJSON_IsString(name) ? rule_value_of(at->rule, name->valuestring)
				      : SIZE_MAX;
	return *place == SIZE_MAX
		? rule_refuse(at, key, name, "the name of one of its values")
		: 0;
}

/* Takes one after the other of a list, which may be missing. most: 0: any number. */
static int take_list(const struct at *at, const cJSON *object, const char *key, int most,
	const char *expected, int (*take)(const struct at *at, const cJSON *one))
{
	const cJSON *list = member(object, key), *one;

	if (list && (!cJSON_IsArray(list) || (most && cJSON_GetArraySize(list) > most)))
		return rule_refuse(at, key, list, expected);
	cJSON_ArrayForEach(one, list)
	{
		if (take(at, one) < 0)
			return -1;
	}
	return 0;
}

/* Checks of a rule whose keys are all taken. */

/* The metrics whose means the values of a rule ask for. */
struct metric_set {
	enum metric_id metric[VALUE_PARTS * RULE_PARTS_MAX];
	size_t count;
};

/* Of the time that sets one GPU apart from the others. */
static bool is_known_alone(const struct reference *r)
{
	return r->item == WHILE_SECONDS || r->item == WHILE_STRETCHES ||
		r->item == WHILE_LONGEST_S || r->item == WHILE_MEDIAN_S ||
		r->item == WHILE_PERIOD_S || r->item == WHILE_GPU_SECONDS;
}

static bool is_known_only_alone(const struct reference *r)
{
	return r->item == WHILE_TOGETHER || r->item == WHILE_POSSIBLE_S;
}

/*
 * Time in which conditions held needs conditions; of it a run knows no rows and no means
 * but those of its GPUs.
 */
static int check_reference(
	const struct at *at, const char *name, const struct reference *r)
{
	if (r->kind != REFERENCE_WHILE)
		return 0;
	if (!at->rule->row_count)
		return refuse(at, name, "\"while\" in the same rule");
	if ((at->rule->alone != ALONE_NOT_ASKED) != is_known_only_alone(r) &&
		!is_known_alone(r))
		return refuse(at, name,
			at->rule->alone
				? "seconds, stretches, longest_s, median_s, period_s, "
				  "gpu_seconds, possible_s or together of \"alone\""
				: "\"alone\" in the same rule");
	if (at->rule->scope == SCOPE_GPU || r->pool != POOL_NONE)
		return r->item == WHILE_GPUS ? refuse(at, name, "it for scope run") : 0;
	if (r->item == WHILE_SAMPLES || r->item == WHILE_SAMPLE_SHARE ||
		r->metric != METRIC_none)
		return refuse(at, name, "min, max, median or sum over the GPUs");
	return 0;
}

static void add_mean(struct metric_set *set, const struct reference *r)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->metric[i] == r->metric)
			return;
	if (r->kind == REFERENCE_WHILE && r->metric != METRIC_none)
		set->metric[set->count++] = r->metric;
}

/* Names in a sentence that stand for something else. */
static bool is_of_no_value(const char *name)
{
	return strcmp(name, "device") == 0 || strcmp(name, "run") == 0 ||
		strcmp(name, "said") == 0 || strcmp(name, "trouble") == 0 ||
		strcmp(name, "worst") == 0;
}

static int check_values(const struct at *at)
{
	struct metric_set means = {.count = 0};

	for (size_t i = 0; i < at->rule->value_count; i++) {
		const struct rule_value *value = &at->rule->value[i];

		if (is_of_no_value(value->name) ||
			rule_value_of(at->rule, value->name) != i)
			return refuse(at, value->name,
				"a name that no other value has, and none of device, "
				"run and said");
		for (enum value_part p = 0; p < VALUE_PARTS; p++) {
			if (check_reference(at, value->name, &value->part[p]) < 0)
				return -1;
			add_mean(&means, &value->part[p]);
		}
	}
	return means.count > RULE_MEANS_MAX
		? refuse(at, "values", "means of fewer metrics in the time of \"while\"")
		: 0;
}

/* Is it known of a part of the time in which conditions held? */
static bool is_of_any_time(const struct reference *r)
{
	return r->kind != REFERENCE_WHILE ||
		(r->pool == POOL_NONE &&
			(r->item == WHILE_SECONDS || r->item == WHILE_MEAN ||
				r->item == WHILE_INTEGRAL));
}

static int check_in_phases(const struct at *at)
{
	const struct rule *rule = at->rule;

	if (rule->in_phases_count && (rule->scope != SCOPE_GPU || rule->stretch_s < 0))
		return refuse(at, "in_phases", "scope gpu, \"while\" and \"stretch_s\"");
	for (size_t i = 0; i < rule->in_phases_count; i++)
		for (enum value_part p = 0; p < VALUE_PARTS; p++)
			if (!is_of_any_time(&rule->value[rule->in_phases[i]].part[p]))
				return refuse(at, "in_phases",
					"seconds, mean and integral of the time of "
					"\"while\"");
	return 0;
}

/* How deep in brackets a place of a text lies; SIZE_MAX: they don't come in pairs. */
static size_t depth_at(const char *text, const char *place)
{
	size_t depth = 0;

	for (; text < place; text++) {
		if (*text == ']' && !depth)
			return SIZE_MAX;
		depth += *text == '[';
		depth -= *text == ']';
	}
	return depth;
}

/* Every {name} of the sentence is a value, and every {+name} is one in brackets. */
static int check_sentence(const struct at *at)
{
	const char *sentence = at->rule->sentence;

	if (depth_at(sentence, sentence + strlen(sentence)) != 0)
		return refuse(at, "sentence", "brackets in pairs");
	for (const char *p = strchr(sentence, '{'); p; p = strchr(p + 1, '{')) {
		bool plus = p[1] == '+';
		size_t len = strcspn(p + 1, "}");
		char *name = xstrndup(p + 1 + plus, len - plus);
		bool known = p[1 + len] == '}' &&
			((!plus && is_of_no_value(name)) ||
				rule_value_of(at->rule, name) != SIZE_MAX);

		free(name);
		if (!known)
			return refuse(at, "sentence",
				"{device}, {run}, {said} or {names} of its values");
		if (plus && !depth_at(sentence, p))
			return refuse(at, "sentence", "{+names} in brackets");
	}
	return 0;
}

/* What no single key can tell of a rule whose keys are all taken. -1: refused. */
static int rule_check(const struct at *at)
{
	const struct rule *rule = at->rule;

	if (rule->alone && (rule->scope != SCOPE_GPU || !rule->row_count))
		return refuse(at, "alone", "scope gpu and \"while\"");
	if (rule->stretch_rows && (!rule->alone || rule->stretch_s < 0))
		return refuse(at, "stretch_rows", "\"alone\" and \"stretch_s\"");
	if (rule->meanwhile_count &&
		(rule->scope != SCOPE_RUN || !rule->row_count || rule->stretch_s < 0 ||
			rule->among_count))
		return refuse(at, "meanwhile",
			"scope run, \"while\" and \"stretch_s\", and no \"among\"");
	return check_values(at) < 0 || check_in_phases(at) < 0 ? -1 : check_sentence(at);
}

/*
 * Parses references to numbers: METRIC.STATISTIC, value.NAME, last.METRIC,
 * summary.KEY, evidence.ITEM, while.ITEM, while.ITEM.METRIC, drift.ITEM.METRIC,
 * course.ITEM.METRIC, hang.ITEM, hang.ITEM.METRIC. A metric may begin with a kind of log
 * ("nvidia-dmon:"); min(...), max(...), median(...) or sum(...) around it reduces over
 * the GPUs.
 */

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

/* "ITEM" or "ITEM.METRIC", whichever the item needs. */
static bool parse_item(struct reference *r, enum reference_kind kind, struct span text)
{
	struct span item = text;

	if (cut(&text, '.', &item))
		r->metric = metric_find(text);
	r->kind = kind;
	r->item = reference_item_find(kind, item);
	if (r->item < 0)
		return false;
	if (kind == REFERENCE_DRIFT)
		return r->metric == METRIC_power_w || r->metric == METRIC_sm_clock_mhz;
	if (kind == REFERENCE_HANG)
		return (r->item >= HANG_LOW) == metric_shows_work(r->metric);
	if (kind == REFERENCE_COURSE)
		return r->metric != METRIC_none &&
			metric_course(r->metric) ==
			(r->item >= COURSE_ITEM_COMMON ? COURSE_LEVEL : COURSE_GROWTH);
	return (kind == REFERENCE_WHILE && r->item >= WHILE_MEAN) ==
		(r->metric != METRIC_none);
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
	r->source = source_find(name);
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

/* "gpu_util_pct.p95", "max(power_w.mean)", "while.seconds". */
static bool reference_parse(
	struct reference *r, const struct rule *rule, struct span text)
{
	static const struct {
		const char *word;
		enum reference_kind kind;
	} items[] = {{"while", REFERENCE_WHILE}, {"drift", REFERENCE_DRIFT},
		{"hang", REFERENCE_HANG}, {"course", REFERENCE_COURSE},
		{"evidence", REFERENCE_EVIDENCE}};
	struct span first;

	*r = (struct reference){.metric = METRIC_none, .source = SOURCE_NONE};
	if (!parse_pool(r, &text) || !parse_source(r, &text) || !cut(&text, '.', &first))
		return false;
	for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
		if (span_is(first, items[i].word))
			return parse_item(r, items[i].kind, text);
	if (span_is(first, "last")) {
		r->kind = REFERENCE_LAST;
		r->metric = metric_find(text);
		return ending_find(r->metric) < ENDING_METRICS;
	}
	if (span_is(first, "value"))
		return parse_value(r, rule, text);
	if (span_is(first, "summary")) {
		r->kind = REFERENCE_SUMMARY;
		r->item = (int)summary_key_find(text);
		return r->item != SUMMARY_COUNT;
	}
	return parse_metric(r, first, text);
}

/*
 * Parses `while`: conditions on the rows of a GPU's log, and which of their time
 * counts.
 */

/* The word of a state, instead of a bound. */
static int take_has(const struct at *at, const cJSON *object, struct row_test *test)
{
	const cJSON *has = member(object, "has");

	if (!metric_is_state(test->metric) || test->over != METRIC_none)
		return rule_refuse(at, "has", has, "it for a metric that is a state");
	for (enum bound b = 0; b < BOUND_COUNT; b++)
		if (cJSON_HasObjectItem(object, bound_name(b)))
			return rule_refuse(
				at, "while", object, "\"has\" of a state, and no bound");
	if (take_text(at, object, "has", &test->has) < 0)
		return -1;
	return metric_is_text(test->metric) ||
			metric_flag_find(test->metric, test->has) >= 0
		? 0
		: rule_refuse(at, "has", has, "the name of one of the metric's flags");
}

static int add_row_test(
	const struct at *at, const cJSON *object, bool or_next, bool unless)
{
	static const char *const known[] = {
		"metric", "over", "has", "above", "at_least", "below", "at_most", NULL};
	const cJSON *has = member(object, "has");
	const cJSON *metric = member(object, "metric");
	const cJSON *over = member(object, "over");
	struct row_test *test;

	if (check_keys(at, object, "while", known) < 0)
		return -1;
	if (at->rule->row_count == RULE_PARTS_MAX)
		return rule_refuse(at, "while", object, "no more than 12 conditions");
	test = &at->rule->row[at->rule->row_count];
	*test = (struct row_test){.metric = metric_of(metric),
		.over = metric_of(over),
		.or_next = or_next,
		.unless = unless};
	if (!is_of_gpus(test->metric))
		return rule_refuse(at, "metric", metric, "the name of a metric of GPUs");
	if (over && (!is_of_gpus(test->over) || metric_is_state(test->over)))
		return rule_refuse(at, "over", over, "the name of a metric of GPUs");
	at->rule->row_count++;
	return has || metric_is_state(test->metric)
		? take_has(at, object, test)
		: take_bound(at, object, "while", &test->bound, &test->limit);
}

/* Of {"any": [conditions]}, or of {"unless": [conditions]}. */
static int add_group(const struct at *at, const cJSON *object, const char *key)
{
	const char *const known[] = {key, NULL};
	const cJSON *list = member(object, key), *test;
	bool unless = strcmp(key, "unless") == 0;

	if (check_keys(at, object, "while", known) < 0)
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

/* A condition of `while`. -1: refused. */
static int add_while(const struct at *at, const cJSON *object)
{
	if (cJSON_HasObjectItem(object, "any"))
		return add_group(at, object, "any");
	if (cJSON_HasObjectItem(object, "unless"))
		return add_group(at, object, "unless");
	return add_row_test(at, object, false, false);
}

/*
 * Which of their time counts: `alone` and `stretch_rows`. -1: refused.
 *
 * What sets a GPU apart from the others, and which stretches of that count.
 */
static int take_alone(const struct at *at, const cJSON *object)
{
	const cJSON *alone = member(object, "alone");
	int rows;
	bool other = cJSON_IsString(alone) && strcmp(alone->valuestring, "not") == 0;

	if (alone && !cJSON_IsBool(alone) && !other)
		return rule_refuse(at, "alone", alone, "true, false or \"not\"");
	at->rule->alone = other	      ? ALONE_HOLDS_NOT
		: cJSON_IsTrue(alone) ? ALONE_HOLDS
				      : ALONE_NOT_ASKED;
	if (!member(object, "stretch_rows"))
		return 0;
	if (take_whole(at, object, "stretch_rows", &rows) < 0)
		return -1;
	at->rule->stretch_rows = (unsigned)rows;
	return 0;
}

#define REFERENCE "a number of a report, such as \"gpu_util_pct.mean\""

/* text: as the key has it; NULL: it is not there. */
static int take_reference(const struct at *at, const char *key, const cJSON *text,
	struct reference *reference)
{
	if (!text)
		return 0;
	if (!cJSON_IsString(text) ||
		!reference_parse(reference, at->rule, span_of(text->valuestring)))
		return rule_refuse(at, key, text, REFERENCE);
	reference->text = xstrdup(text->valuestring);
	return 0;
}

#define STEPS "an array of at most 16 ascending numbers"

static int take_steps(const struct at *at, const cJSON *object, struct rule_value *value)
{
	const cJSON *steps = member(object, "steps"), *step;

	if (steps && !cJSON_IsArray(steps))
		return rule_refuse(at, "steps", steps, STEPS);
	cJSON_ArrayForEach(step, steps)
	{
		if (!cJSON_IsNumber(step) || value->steps == RULE_STEPS_MAX ||
			(value->steps &&
				value->step[value->steps - 1] >= step->valuedouble))
			return rule_refuse(at, "steps", steps, STEPS);
		value->step[value->steps++] = step->valuedouble;
	}
	return 0;
}

/* It must stand before, and be the number of one of the GPUs. */
static int take_gpu_of(const struct at *at, const cJSON *object, struct rule_value *value)
{
	const cJSON *name = member(object, "gpu_of");
	const struct rule_value *of = NULL;

	if (!name)
		return 0;
	if (cJSON_IsString(name))
		value->gpu_of = rule_value_of(at->rule, name->valuestring);
	if (value->gpu_of < at->rule->value_count)
		of = &at->rule->value[value->gpu_of];
	if (!of || of == value ||
		(of->part[PART_OF].pool != POOL_MAX &&
			of->part[PART_OF].pool != POOL_MIN))
		return rule_refuse(at, "gpu_of", name,
			"the name of a value before it, which is a max or min over the "
			"GPUs");
	return 0;
}

/* "name": "metric.statistic", or an object of it and what is done with it. */
static int add_value(const struct at *at, const cJSON *one)
{
	static const char *const known[] = {"of", "or", "minus", "absolute", "times",
		"over", "scale", "up_to", "steps", "unit", "gpu_of", NULL};
	const cJSON *scale = member(one, "scale");
	struct rule_value *value;

	if (at->rule->value_count == RULE_PARTS_MAX)
		return rule_refuse(at, "values", one, "no more than 12 values");
	value = &at->rule->value[at->rule->value_count++];
	*value = (struct rule_value){
		.name = xstrdup(one->string), .gpu_of = SIZE_MAX, .scale = 1};
	if (cJSON_IsString(one))
		return take_reference(at, one->string, one, &value->part[PART_OF]);
	if (check_keys(at, one, one->string, known) < 0)
		return -1;
	for (enum value_part p = 0; p < VALUE_PARTS; p++)
		if (take_reference(at, value_part_name(p),
			    member(one, value_part_name(p)), &value->part[p]) < 0)
			return -1;
	if (take_steps(at, one, value) < 0 || take_gpu_of(at, one, value) < 0)
		return -1;
	if (value->part[PART_OF].kind == REFERENCE_NONE)
		return rule_refuse(at, one->string, one, "\"of\" in it");
	if (scale && !cJSON_IsNumber(scale))
		return rule_refuse(at, "scale", scale, "a number");
	value->scale = scale ? scale->valuedouble : 1;
	if (take_flag(at, one, "absolute", &value->absolute) < 0)
		return -1;
	return member(one, "unit") ? take_text(at, one, "unit", &value->unit) : 0;
}

/* key: of the list that it is in. */
static int take_test(const struct at *at, const cJSON *object, const char *key,
	struct value_test *test)
{
	return take_place(at, "value", member(object, "value"), &test->value) < 0
		? -1
		: take_bound(at, object, key, &test->bound, &test->limit);
}

static int add_test(const struct at *at, const cJSON *one, const char *key,
	struct value_test *tests, size_t *count)
{
	static const char *const known[] = {
		"value", "above", "at_least", "below", "at_most", NULL};

	if (check_keys(at, one, key, known) < 0)
		return -1;
	if (*count == RULE_PARTS_MAX)
		return rule_refuse(at, key, one, "no more than 12 conditions");
	return take_test(at, one, key, &tests[(*count)++]);
}

static int add_applies(const struct at *at, const cJSON *one)
{
	return add_test(at, one, "applies", at->rule->applies, &at->rule->applies_count);
}

static int add_fires(const struct at *at, const cJSON *one)
{
	return add_test(at, one, "fires", at->rule->fires, &at->rule->fires_count);
}

/* A condition on a value, with a text that says why it is in doubt then. */
static int add_doubt(const struct at *at, const cJSON *one)
{
	static const char *const known[] = {
		"value", "above", "at_least", "below", "at_most", "always", "why", NULL};
	struct rule_doubt *doubt = &at->rule->doubt[at->rule->doubt_count];

	if (take_flag(at, one, "always", &doubt->always) < 0 ||
		check_keys(at, one, "doubts", known) < 0 ||
		take_test(at, one, "doubts", &doubt->test) < 0 ||
		take_text(at, one, "why", &doubt->why) < 0)
		return -1;
	at->rule->doubt_count++;
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
	return r->kind == REFERENCE_STATISTIC && is_of_gpus(r->metric);
}

static int add_among(const struct at *at, const cJSON *one)
{
	static const char *const known[] = {
		"number", "above", "at_least", "below", "at_most", NULL};
	struct gpu_test *test = &at->rule->among[at->rule->among_count];
	const cJSON *number = member(one, "number");

	if (check_keys(at, one, "among", known) < 0 ||
		take_reference(at, "number", number, &test->of) < 0)
		return -1;
	if (!is_of_gpu(at->rule, &test->of))
		return rule_refuse(at, "number", number, GPU_NUMBER);
	if (take_bound(at, one, "among", &test->bound, &test->limit) < 0)
		return -1;
	at->rule->among_count++;
	return 0;
}

/* Numbers and switches that may be left away. */
static int take_options(const struct at *at, const cJSON *object)
{
	const cJSON *stretch = member(object, "stretch_s"),
		    *cost = member(object, "cost");
	struct rule *rule = at->rule;

	if (take_whole(at, object, "version", &rule->version) < 0)
		return -1;
	if (stretch && (!cJSON_IsNumber(stretch) || stretch->valuedouble < 0))
		return rule_refuse(at, "stretch_s", stretch, "seconds");
	rule->stretch_s = stretch ? stretch->valuedouble : -1;
	if (take_flag(at, object, "any_evidence", &rule->any_evidence) < 0 ||
		take_flag(at, object, "unclear", &rule->unclear) < 0)
		return -1;
	rule->cost = SIZE_MAX;
	return cost ? take_place(at, "cost", cost, &rule->cost) : 0;
}

/* A value that is told of each phase. */
static int add_in_phases(const struct at *at, const cJSON *name)
{
	return take_place(
		at, "in_phases", name, &at->rule->in_phases[at->rule->in_phases_count++]);
}

/* The id of another rule. */
static int add_said_by(const struct at *at, const cJSON *id)
{
	if (!cJSON_IsString(id) || !*id->valuestring)
		return rule_refuse(at, "said_by", id, "the id of a rule");
	if (strcmp(id->valuestring, at->rule->id) == 0)
		return rule_refuse(at, "said_by", id, "another rule");
	at->rule->said_by[at->rule->said_by_count++] = xstrdup(id->valuestring);
	return 0;
}

static int add_distrusted(const struct at *at, const cJSON *name)
{
	enum metric_id metric = metric_of(name);

	if (!is_of_gpus(metric))
		return rule_refuse(at, "metrics", name, "the name of a metric of GPUs");
	at->rule->distrusts[at->rule->distrusts_count++] = metric;
	return 0;
}

/* Metrics whose numbers are in doubt where it fires, and as what. */
static int take_distrusts(const struct at *at, const cJSON *object)
{
	static const char *const known[] = {"metrics", "as", NULL};
	static const char expected[] = "an array of one to four metrics";
	const cJSON *distrusts = member(object, "distrusts");

	if (!distrusts)
		return 0;
	if (check_keys(at, distrusts, "distrusts", known) < 0 ||
		take_text(at, distrusts, "as", &at->rule->distrusts_as) < 0 ||
		take_list(at, distrusts, "metrics", RULE_DISTRUSTS_MAX, expected,
			add_distrusted) < 0)
		return -1;
	return at->rule->distrusts_count
		? 0
		: rule_refuse(at, "metrics", member(distrusts, "metrics"), expected);
}

/* A metric of hosts, whose mean goes with each stretch. */
static int add_meanwhile(const struct at *at, const cJSON *name)
{
	enum metric_id metric = metric_of(name);

	if (metric == METRIC_none || metric_get(metric)->device == DEVICE_GPU ||
		metric_get(metric)->device == DEVICE_PROCESS)
		return rule_refuse(at, "meanwhile", name, "a metric of hosts");
	at->rule->meanwhile[at->rule->meanwhile_count++] = metric;
	return 0;
}

static int take_rule(const struct at *at, const cJSON *object)
{
	static const char *const known[] = {"id", "version", "title", "severity", "scope",
		"while", "stretch_s", "values", "meanwhile", "applies", "fires", "cost",
		"any_evidence", "unclear", "said_by", "among", "in_phases", "doubts",
		"alone", "stretch_rows", "distrusts", "sentence", "remedy", NULL};
	static const char *const severities[] = {"info", "warning", "problem", NULL};
	static const char *const scopes[] = {"run", "gpu", NULL};
	static const struct {
		const char *key;
		int most; /* 0: it has a limit of its own */
		const char *expected;
		int (*take)(const struct at *at, const cJSON *one);
	} lists[] = {{"applies", 0, "an array of conditions", add_applies},
		{"fires", 0, "an array of conditions", add_fires},
		{"doubts", RULE_DOUBTS_MAX, "an array of up to four conditions",
			add_doubt},
		{"meanwhile", RULE_MEANWHILE_MAX, "an array of up to eight metrics",
			add_meanwhile},
		{"said_by", RULE_SAID_BY_MAX, "an array of up to five rules",
			add_said_by},
		{"among", RULE_AMONG_MAX, "an array of up to four conditions", add_among},
		{"in_phases", RULE_IN_PHASES_MAX, "an array of up to two of its values",
			add_in_phases}};
	const cJSON *values = member(object, "values"), *part;
	struct rule *rule = at->rule;
	int severity = 0, scope = 0;

	if (check_keys(at, object, "rule", known) < 0 ||
		take_text(at, object, "id", &rule->id) < 0 ||
		take_text(at, object, "title", &rule->title) < 0 ||
		take_text(at, object, "sentence", &rule->sentence) < 0 ||
		take_text(at, object, "remedy", &rule->remedy) < 0 ||
		take_word(at, object, "severity", severities, "info, warning or problem",
			&severity) < 0 ||
		take_word(at, object, "scope", scopes, "run or gpu", &scope) < 0)
		return -1;
	rule->severity = (enum severity)severity;
	rule->scope = (enum rule_scope)scope;
	if (take_list(at, object, "while", 0, "an array of conditions", add_while) < 0 ||
		take_alone(at, object) < 0)
		return -1;
	if (!cJSON_IsObject(values))
		return rule_refuse(at, "values", values, "an object");
	cJSON_ArrayForEach(part, values)
	{
		if (add_value(at, part) < 0)
			return -1;
	}
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		if (take_list(at, object, lists[i].key, lists[i].most, lists[i].expected,
			    lists[i].take) < 0)
			return -1;
	if (take_distrusts(at, object) < 0)
		return -1;
	if (!rule->fires_count)
		return rule_refuse(at, "fires", member(object, "fires"), "a condition");
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
	if (result == 0 && rule_set_find(set, at.rule->id))
		result = rule_refuse(
			&at, "id", member(object, "id"), "one that no other rule has");
	cJSON_Delete(object);
	if (result < 0) {
		rule_release(at.rule);
		blot_controls(err->message);
	} else {
		set->count++;
	}
	return result;
}

/* Finds the line of a JSON value for an error message. */

size_t line_at(const char *text, const char *at)
{
	size_t line = 1;

	for (; text < at && *text; text++)
		line += *text == '\n';
	return line;
}

/* Behind a string that begins here. */
static const char *behind_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

/* Is the string from here on this key? Escapes in keys are not looked through. */
static bool is_key(const char *at, const char *end, const char *key)
{
	size_t len = strlen(key);

	end += strspn(end, " \t\r\n");
	return *end == ':' && strncmp(at + 1, key, len) == 0 && at[len + 1] == '"';
}

/* Where the key begins, which may be NULL; else false, and where its object does. */
static bool find_key(const char *json, size_t nth, const char *key, const char **where)
{
	int depth = 0, wanted = nth == SIZE_MAX ? 1 : 3;
	size_t objects = 0;
	const char *end;

	*where = json;

	for (const char *at = json; *at; at++) {
		bool inside = depth == wanted && (wanted == 1 || objects == nth + 1);

		if (*at == '"') {
			end = behind_string(at);
			if (inside && key && is_key(at, end, key)) {
				*where = at;
				return true;
			}
			at = end - 1;
		} else if (*at == '{' || *at == '[') {
			depth++;
			objects += depth == 3;
			if (depth == wanted && (wanted == 1 || objects == nth + 1))
				*where = at;
		} else if (*at == '}' || *at == ']') {
			depth--;
		}
	}
	return false;
}

size_t line_of_key(const char *json, size_t nth, const char *key)
{
	const char *where;

	find_key(json, nth, key, &where);
	return line_at(json, where);
}

const char *value_of_key(const char *json, size_t nth, const char *key)
{
	const char *at;

	if (!find_key(json, nth, key, &at))
		return NULL;
	at = behind_string(at);
	return at + strspn(at, " \t\r\n:");
}
