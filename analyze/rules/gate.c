/* One JSON document, rule by rule. */
#include "rules/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "rules/line.h"

#define FORMAT_VERSION "1.0"

/* ISO C asks compilers for 4095 characters a literal only; gcc and clang know no end. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const struct {
	const char *name, *text;
} carried[] = {
#include "gates.inc"
};
#pragma GCC diagnostic pop

/* The files are called NAME.json. */
const char *gate_rules_carried(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof carried / sizeof *carried; i++)
		if (strncmp(carried[i].name, name, len) == 0 &&
			strcmp(carried[i].name + len, ".json") == 0)
			return carried[i].text;
	return NULL;
}

/* Where the parser stands: for sentences. */
struct at {
	const char *file, *json;
	size_t rule; /* its number; SIZE_MAX: beside the rules */
	struct error *err;
};

/* "FILE:LINE: "KEY" is VALUE: expected ..."; value: NULL: it is missing. Gives -1. */
static int refuse(
	const struct at *at, const char *key, const cJSON *value, const char *expected)
{
	char *text = value ? cJSON_PrintUnformatted(value) : NULL;
	size_t line = line_of_key(at->json, at->rule, value ? key : NULL);

	if (text)
		error_set(at->err, "%s:%zu: \"%.60s\" is %.60s: expected %s", at->file,
			line, key, text, expected);
	else
		error_set(at->err, "%s:%zu: \"%.60s\" is missing: expected %s", at->file,
			line, key, expected);
	cJSON_free(text);
	return -1;
}

static const char *const texts[] = {"name", "metric", "statistic", "state", "device",
	"phase", "work", "source", "assume", "severity", NULL};

static bool is_known_key(const char *key)
{
	for (size_t i = 0; texts[i]; i++)
		if (strcmp(key, texts[i]) == 0)
			return true;
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++)
		if (strcmp(key, gate_limit_name(limit)) == 0)
			return true;
	return strcmp(key, "min_abs") == 0;
}

static int refuse_key(const struct at *at, const char *key)
{
	struct strbuf list;

	strbuf_init(&list);
	for (size_t i = 0; texts[i]; i++)
		strbuf_addf(&list, "%s, ", texts[i]);
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++)
		strbuf_addf(&list, "%s, ", gate_limit_name(limit));
	error_set(at->err, "%s:%zu: unknown key \"%.60s\": expected one of %smin_abs",
		at->file, line_of_key(at->json, at->rule, key), key, list.text);
	strbuf_release(&list);
	return -1;
}

/* A copy of a member's text; NULL: there is none. */
static int take_text(
	const struct at *at, const cJSON *object, const char *key, char **text)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!member)
		return 0;
	if (!cJSON_IsString(member) || !*member->valuestring)
		return refuse(at, key, member, "a text");
	*text = xstrdup(member->valuestring);
	return 0;
}

static int take_number(
	const struct at *at, const cJSON *object, const char *key, double *number)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!member)
		return 0;
	if (!cJSON_IsNumber(member) || !isfinite(member->valuedouble))
		return refuse(at, key, member, "a number");
	*number = member->valuedouble;
	return 0;
}

/* One of two words, or none. */
static int take_word(const struct at *at, const cJSON *object, const char *key,
	const char *no, const char *yes, bool *word)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);
	struct strbuf expected;

	*word = false;
	if (!member)
		return 0;
	if (cJSON_IsString(member) && no && strcmp(member->valuestring, no) == 0)
		return 0;
	*word = cJSON_IsString(member) && strcmp(member->valuestring, yes) == 0;
	if (*word)
		return 0;
	strbuf_init(&expected);
	strbuf_addf(&expected, "\"%s\"", yes);
	if (no)
		strbuf_addf(&expected, " or \"%s\"", no);
	refuse(at, key, member, expected.text);
	strbuf_release(&expected);
	return -1;
}

static int take_limits(const struct at *at, const cJSON *object, struct gate_rule *rule)
{
	size_t given = 0;

	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		const char *key = gate_limit_name(limit);

		rule->limit[limit] = NAN;
		if (take_number(at, object, key, &rule->limit[limit]) < 0)
			return -1;
		if (!isnan(rule->limit[limit]))
			given++;
		if (gate_limit_is_change(limit) && rule->limit[limit] < 0)
			return refuse(at, key,
				cJSON_GetObjectItemCaseSensitive(object, key),
				"a number from 0 on");
	}
	if (!given)
		return refuse(at, "at_most", NULL,
			"one or more of at_least, at_most, max_increase, max_decrease, "
			"max_increase_pct, max_decrease_pct");
	if (take_number(at, object, "min_abs", &rule->min_abs) < 0)
		return -1;
	if (rule->min_abs < 0)
		return refuse(at, "min_abs",
			cJSON_GetObjectItemCaseSensitive(object, "min_abs"),
			"a number from 0 on");
	return 0;
}

/* Is there a number by that name, in what the rule is of? */
static int check_subject(
	const struct at *at, const cJSON *object, const struct gate_rule *rule)
{
	const cJSON *metric = cJSON_GetObjectItemCaseSensitive(object, "metric");
	bool of_device = rule->statistic || rule->state || rule->device || rule->source;
	bool known = measure_part_has(MEASURE_METRIC, rule->metric);

	if (rule->work && (rule->phase || of_device))
		return refuse(at, "work", cJSON_GetObjectItem(object, "work"),
			"no phase, device, statistic, state or source beside it");
	if (rule->work)
		known = measure_part_has(MEASURE_WORK, rule->metric);
	else if (rule->phase && !of_device)
		known = known || measure_part_has(MEASURE_PHASE, rule->metric);
	else if (!of_device)
		known = known || measure_part_has(MEASURE_SUMMARY, rule->metric) ||
			measure_part_has(MEASURE_STEADY, rule->metric);
	if (known)
		return 0;
	return refuse(at, "metric", metric,
		rule->work	    ? "a number of units of work, as units_per_s"
			: of_device ? "a metric (see --list-metrics)"
			: rule->phase
			? "a metric, or a number of phases, as total_s"
			: "a metric (see --list-metrics), or a key of resource_summary; "
			  "a "
			  "number of units of work needs \"work\", one of a phase "
			  "\"phase\"");
}

/* What is left to tell of names that only metrics have. */
static int check_names(
	const struct at *at, const cJSON *object, const struct gate_rule *rule)
{
	enum metric_id id = metric_find(span_of(rule->metric));

	if (rule->statistic &&
		statistic_find(span_of(rule->statistic)) == STATISTIC_COUNT)
		return refuse(at, "statistic",
			cJSON_GetObjectItemCaseSensitive(object, "statistic"),
			"the name of a statistic, as mean, max or p95");
	if (rule->state && !metric_is_state(id))
		return refuse(at, "state",
			cJSON_GetObjectItemCaseSensitive(object, "state"),
			"it for a metric that is a state");
	if (rule->state && rule->statistic)
		return refuse(at, "statistic",
			cJSON_GetObjectItemCaseSensitive(object, "statistic"),
			"none: of a state its share of time counts");
	return 0;
}

static int take_rule(const struct at *at, const cJSON *object, struct gate_rule *rule)
{
	const cJSON *member;

	if (!cJSON_IsObject(object))
		return refuse(at, "rules", object, "an object for each rule");
	cJSON_ArrayForEach(member, object)
	{
		if (!is_known_key(member->string))
			return refuse_key(at, member->string);
	}
	rule->line = line_of_key(at->json, at->rule, NULL);
	if (take_text(at, object, "name", &rule->name) < 0 ||
		take_text(at, object, "metric", &rule->metric) < 0 ||
		take_text(at, object, "statistic", &rule->statistic) < 0 ||
		take_text(at, object, "state", &rule->state) < 0 ||
		take_text(at, object, "device", &rule->device) < 0 ||
		take_text(at, object, "phase", &rule->phase) < 0 ||
		take_text(at, object, "work", &rule->work) < 0 ||
		take_text(at, object, "source", &rule->source) < 0 ||
		take_word(at, object, "assume", NULL, "exact", &rule->exact) < 0 ||
		take_word(at, object, "severity", "fail", "warn", &rule->warn) < 0 ||
		take_limits(at, object, rule) < 0)
		return -1;
	if (!rule->name)
		return refuse(at, "name", NULL, "a name for the rule");
	if (!rule->metric)
		return refuse(at, "metric", NULL, "a metric, or a key of a report");
	return check_subject(at, object, rule) < 0 || check_names(at, object, rule) < 0
		? -1
		: 0;
}

static int check_name(const struct at *at, const struct gate_rules *rules)
{
	const struct gate_rule *rule = &rules->rule[rules->count - 1];

	for (size_t i = 0; i + 1 < rules->count; i++)
		if (strcmp(rules->rule[i].name, rule->name) == 0)
			return error_set(at->err,
				"%s:%zu: the rule of line %zu is called \"%.60s\" too: "
				"expected a name of its own",
				at->file, rule->line, rules->rule[i].line, rule->name);
	return 0;
}

static int take_rules(struct at *at, const cJSON *document, struct gate_rules *rules)
{
	const cJSON *version, *list, *member;

	cJSON_ArrayForEach(member, document)
	{
		if (strcmp(member->string, "format_version") != 0 &&
			strcmp(member->string, "rules") != 0)
			return error_set(at->err,
				"%s:%zu: unknown key \"%.60s\": expected format_version "
				"and rules",
				at->file, line_of_key(at->json, SIZE_MAX, member->string),
				member->string);
	}
	version = cJSON_GetObjectItemCaseSensitive(document, "format_version");
	list = cJSON_GetObjectItemCaseSensitive(document, "rules");
	if (!cJSON_IsString(version) || strcmp(version->valuestring, FORMAT_VERSION) != 0)
		return refuse(at, "format_version", version, "\"" FORMAT_VERSION "\"");
	if (!cJSON_IsArray(list) || !list->child)
		return refuse(at, "rules", list, "an array of one rule or more");
	at->rule = 0;
	cJSON_ArrayForEach(member, list)
	{
		ALLOC_GROW(rules->rule, rules->count + 1, rules->cap);
		rules->rule[rules->count] = (struct gate_rule){0};
		if (take_rule(at, member, &rules->rule[rules->count++]) < 0 ||
			check_name(at, rules) < 0)
			return -1;
		at->rule++;
	}
	return 0;
}

int gate_rules_parse(
	struct gate_rules *rules, const char *file, const char *json, struct error *err)
{
	struct at at = {file, json, SIZE_MAX, err};
	const char *end = NULL;
	cJSON *document = cJSON_ParseWithOpts(json, &end, true);
	int status;

	*rules = (struct gate_rules){.file = xstrdup(file)};
	if (!document)
		return error_set(err, "%s:%zu: no JSON: expected an object with rules",
			file, line_at(json, end ? end : json));
	if (!cJSON_IsObject(document))
		status = error_set(err, "%s:1: expected an object with \"rules\"", file);
	else
		status = take_rules(&at, document, rules);
	cJSON_Delete(document);
	return status;
}
