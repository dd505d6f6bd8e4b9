/* One JSON document, rule by rule. */
#include "rules/gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "rules/gate_internal.h"
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

void gate_rules_list(struct strbuf *sb)
{
	for (size_t i = 0; i < sizeof carried / sizeof *carried; i++)
		strbuf_addf(sb, "%s%.*s", i ? ", " : "",
			(int)strcspn(carried[i].name, "."), carried[i].name);
}

static size_t line_of(const struct gate_at *at, const char *key)
{
	return line_of_key(at->json, at->nth, at->within ? at->within : key);
}

/* Is a number 0 that is written as another, as 1e-400 is? */
static bool is_lost(const struct gate_at *at, const char *key, const cJSON *number)
{
	const char *text = value_of_key(at->json, at->nth, key);

	return cJSON_IsNumber(number) && number->valuedouble == 0 && text &&
		text[strcspn(text, "123456789eE,}")] >= '1' &&
		text[strcspn(text, "123456789eE,}")] <= '9';
}

int gate_refuse(const struct gate_at *at, const char *key, const char *expected)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(at->object, key);
	char *text = value ? cJSON_PrintUnformatted(value) : NULL;

	if (cJSON_IsNumber(value) && !isfinite(value->valuedouble))
		error_set(at->err, "%s:%zu: \"%.60s\" is too large: expected %s",
			at->file, line_of(at, key), key, expected);
	else if (is_lost(at, key, value))
		error_set(at->err, "%s:%zu: \"%.60s\" is too near to 0: expected %s",
			at->file, line_of(at, key), key, expected);
	else if (text)
		error_set(at->err, "%s:%zu: \"%.60s\" is %.60s: expected %s", at->file,
			line_of(at, key), key, text, expected);
	else
		error_set(at->err, "%s:%zu: \"%.60s\" is missing: expected %s", at->file,
			line_of(at, NULL), key, expected);
	cJSON_free(text);
	return -1;
}

static const char *const known_of_rule[] = {"name", "metric", "statistic", "state",
	"instead", "device", "phase", "work", "source", "at_least", "at_most",
	"max_increase", "max_decrease", "max_increase_pct", "max_decrease_pct", "min_abs",
	"assume", "severity", NULL};

static bool is_known(const char *const known[], const char *key)
{
	for (size_t i = 0; known[i]; i++)
		if (strcmp(key, known[i]) == 0)
			return true;
	return false;
}

static int refuse_key(
	const struct gate_at *at, const char *key, const char *const known[])
{
	struct strbuf list;

	strbuf_init(&list);
	for (size_t i = 0; known[i]; i++) {
		strbuf_add_or(&list, i, !known[i + 1]);
		strbuf_adds(&list, known[i]);
	}
	error_set(at->err, "%s:%zu: unknown key \"%.60s\": expected %s", at->file,
		line_of(at, key), key, list.text);
	strbuf_release(&list);
	return -1;
}

/* Every key is known, and stands once. */
static int check_keys(const struct gate_at *at, const char *const known[])
{
	const cJSON *member;

	cJSON_ArrayForEach(member, at->object)
	{
		if (!is_known(known, member->string))
			return refuse_key(at, member->string, known);
		if (cJSON_GetObjectItemCaseSensitive(at->object, member->string) !=
			member)
			return error_set(at->err,
				"%s:%zu: \"%s\" stands twice: expected it once", at->file,
				line_of(at, member->string), member->string);
	}
	return 0;
}

/* A copy of a member's text; NULL: there is none. */
static int take_text(const struct gate_at *at, const char *key, char **text)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(at->object, key);

	if (!member)
		return 0;
	if (!cJSON_IsString(member) || !*member->valuestring)
		return gate_refuse(at, key, "a text");
	*text = xstrdup(member->valuestring);
	return 0;
}

static int take_number(const struct gate_at *at, const char *key, double *number)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(at->object, key);

	if (!member)
		return 0;
	if (!cJSON_IsNumber(member) || !isfinite(member->valuedouble) ||
		is_lost(at, key, member))
		return gate_refuse(at, key, "a number");
	*number = member->valuedouble;
	return 0;
}

/* One of two words, or none; no: NULL: there is one. */
static int take_word(const struct gate_at *at, const char *key, const char *no,
	const char *yes, bool *word)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(at->object, key);
	const char *text = cJSON_IsString(member) ? member->valuestring : "";
	char expected[64];

	*word = strcmp(text, yes) == 0;
	if (!member || *word || (no && strcmp(text, no) == 0))
		return 0;
	snprintf(expected, sizeof expected, "\"%s\"%s%s%s", yes, no ? " or \"" : "",
		no ? no : "", no ? "\"" : "");
	return gate_refuse(at, key, expected);
}

static int take_limits(const struct gate_at *at, struct gate_rule *rule)
{
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		rule->limit[limit] = NAN;
		if (take_number(at, gate_limit_name(limit), &rule->limit[limit]) < 0)
			return -1;
	}
	return take_number(at, "min_abs", &rule->min_abs);
}

static int take_number_of(const struct gate_at *at, struct gate_rule *rule)
{
	return take_text(at, "metric", &rule->metric) < 0 ||
			take_text(at, "statistic", &rule->statistic) < 0 ||
			take_text(at, "state", &rule->state) < 0
		? -1
		: 0;
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

/* A rule of the same subject, without limits. */
static int take_instead(const struct gate_at *at, struct gate_rule *rule)
{
	static const char *const known[] = {"metric", "statistic", "state", NULL};
	struct gate_at here = *at;

	here.within = "instead";
	here.object = cJSON_GetObjectItemCaseSensitive(at->object, here.within);
	if (!here.object)
		return 0;
	if (!cJSON_IsObject(here.object))
		return gate_refuse(at, here.within, "an object with a metric");
	rule->instead = xcalloc(1, sizeof *rule->instead);
	rule->instead->device = copy(rule->device);
	rule->instead->phase = copy(rule->phase);
	rule->instead->work = copy(rule->work);
	rule->instead->source = copy(rule->source);
	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++)
		rule->instead->limit[limit] = NAN;
	if (check_keys(&here, known) < 0 || take_number_of(&here, rule->instead) < 0)
		return -1;
	return gate_check_instead(&here, rule);
}

static int take_rule(const struct gate_at *at, struct gate_rule *rule)
{
	rule->line = line_of(at, NULL);
	if (check_keys(at, known_of_rule) < 0 || take_text(at, "name", &rule->name) < 0 ||
		take_number_of(at, rule) < 0 ||
		take_text(at, "device", &rule->device) < 0 ||
		take_text(at, "phase", &rule->phase) < 0 ||
		take_text(at, "work", &rule->work) < 0 ||
		take_text(at, "source", &rule->source) < 0 ||
		take_word(at, "assume", NULL, "exact", &rule->exact) < 0 ||
		take_word(at, "severity", "fail", "warn", &rule->warn) < 0 ||
		take_limits(at, rule) < 0)
		return -1;
	return gate_check_rule(at, rule) < 0 ? -1 : take_instead(at, rule);
}

static int check_name(const struct gate_at *at, const struct gate_rules *rules)
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

static int take_rules(const struct gate_at *at, struct gate_rules *rules)
{
	static const char *const known[] = {
		"format_version", "failed_runs", "other_work", "rules", NULL};
	const cJSON *version, *list, *member;

	if (check_keys(at, known) < 0)
		return -1;
	version = cJSON_GetObjectItemCaseSensitive(at->object, "format_version");
	list = cJSON_GetObjectItemCaseSensitive(at->object, "rules");
	if (!cJSON_IsString(version) || strcmp(version->valuestring, FORMAT_VERSION) != 0)
		return gate_refuse(at, "format_version", "\"" FORMAT_VERSION "\"");
	if (take_word(at, "failed_runs", "fail", "judge", &rules->judges_failed) < 0 ||
		take_word(at, "other_work", "inconclusive", "judge",
			&rules->judges_other_work) < 0)
		return -1;
	if (!cJSON_IsArray(list) || !list->child)
		return gate_refuse(at, "rules", "an array of one rule or more");
	cJSON_ArrayForEach(member, list)
	{
		struct gate_at here = *at;

		here.nth = rules->count;
		here.object = member;
		if (!cJSON_IsObject(member))
			return gate_refuse(at, "rules", "an object for each rule");
		ALLOC_GROW(rules->rule, rules->count + 1, rules->cap);
		rules->rule[rules->count] = (struct gate_rule){0};
		if (take_rule(&here, &rules->rule[rules->count++]) < 0 ||
			check_name(&here, rules) < 0)
			return -1;
	}
	return 0;
}

/* JSON is UTF-8; names that are not would be others once they are printed. */
static int check_bytes(const char *file, const char *json, struct error *err)
{
	int32_t point = 0;

	for (const char *at = json; *at;) {
		size_t n = utf8_read(at, &point);

		if (point == UTF8_INVALID)
			return error_set(err, "%s:%zu: byte 0x%02x: expected UTF-8", file,
				line_at(json, at), (unsigned)(unsigned char)*at);
		at += n;
	}
	return 0;
}

int gate_rules_parse(
	struct gate_rules *rules, const char *file, const char *json, struct error *err)
{
	const char *end = NULL;
	cJSON *document = cJSON_ParseWithOpts(json, &end, true);
	struct gate_at at = {file, json, SIZE_MAX, document, NULL, err};
	int status;

	*rules = (struct gate_rules){.file = xstrdup(file)};
	if (check_bytes(file, json, err) < 0) {
		cJSON_Delete(document);
		return -1;
	}
	if (!document)
		return error_set(err, "%s:%zu: no JSON: expected an object with rules",
			file, line_at(json, end ? end : json));
	if (!cJSON_IsObject(document))
		status = error_set(err, "%s:1: expected an object with \"rules\"", file);
	else
		status = take_rules(&at, rules);
	cJSON_Delete(document);
	return status;
}
