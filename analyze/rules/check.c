/* What makes a rule that is well formed one that can be judged; and how one is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "rules/internal.h"

#define SHOWN 60 /* bytes of a value in a sentence */

int rule_refuse(
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

size_t rule_value_of(const struct rule *rule, const char *name)
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

/* The metrics whose means the values of a rule ask for. */
struct metric_set {
	enum metric_id metric[5 * RULE_PARTS_MAX];
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
		return refuse(at, name, "\"while\" beside it");
	if ((at->rule->alone != ALONE_NOT_ASKED) != is_known_only_alone(r) &&
		!is_known_alone(r))
		return refuse(at, name,
			at->rule->alone
				? "seconds, stretches, longest_s, median_s, period_s, "
				  "gpu_seconds, possible_s or together of \"alone\""
				: "\"alone\" beside it");
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
		strcmp(name, "said") == 0 || strcmp(name, "worst") == 0;
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
		if (check_reference(at, value->name, &value->of) < 0 ||
			check_reference(at, value->name, &value->minus) < 0 ||
			check_reference(at, value->name, &value->times) < 0 ||
			check_reference(at, value->name, &value->over) < 0 ||
			check_reference(at, value->name, &value->up_to) < 0)
			return -1;
		add_mean(&means, &value->of);
		add_mean(&means, &value->minus);
		add_mean(&means, &value->times);
		add_mean(&means, &value->over);
		add_mean(&means, &value->up_to);
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
	for (size_t i = 0; i < rule->in_phases_count; i++) {
		const struct rule_value *value = &rule->value[rule->in_phases[i]];

		if (!is_of_any_time(&value->of) || !is_of_any_time(&value->minus) ||
			!is_of_any_time(&value->times) || !is_of_any_time(&value->over) ||
			!is_of_any_time(&value->up_to))
			return refuse(at, "in_phases",
				"seconds, mean and integral of the time of \"while\"");
	}
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

int rule_check(const struct at *at)
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
