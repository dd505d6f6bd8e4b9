/* Parses the JSON of a gate, rule by rule. */
#include "rules/gate.h"

#include <math.h>

#include "base/alloc.h"
#include "rules/rules.h"

struct gate_at {
	const char *file, *json;
	size_t nth; /* the rule; SIZE_MAX: beside the rules */
	const cJSON *object; /* of the rule, or the document */
	const char *within; /* the rule's key whose value the object is; NULL: of none */
	struct error *err;
};

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

/*
 * "FILE:LINE: "KEY" is VALUE: expected ..."; where the object has no such key, "... is
 * missing". Gives -1.
 */
static int gate_refuse(const struct gate_at *at, const char *key, const char *expected)
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

/* Checks that the number of a rule exists and allows the limit. */

/* Names that only a metric of a device has. */
static bool is_of_device(const struct gate_rule *rule)
{
	return rule->statistic || rule->state || rule->device || rule->source;
}

static int check_work(const struct gate_at *at, const struct gate_rule *rule)
{
	if (rule->phase || is_of_device(rule))
		return gate_refuse(at, "work",
			"no phase, device, statistic, state or source with it");
	return measure_part_has(MEASURE_WORK, rule->metric)
		? 0
		: gate_refuse(at, "metric", "a number of units of work, as units_per_s");
}

/* Is there a number by that name, in what the rule is of? */
static int check_subject(const struct gate_at *at, const struct gate_rule *rule)
{
	if (rule->work)
		return check_work(at, rule);
	if (measure_part_has(MEASURE_METRIC, rule->metric))
		return 0;
	if (is_of_device(rule))
		return gate_refuse(at, "metric", "a metric (see --list-metrics)");
	if (rule->phase)
		return measure_part_has(MEASURE_PHASE, rule->metric)
			? 0
			: gate_refuse(at, "metric",
				  "a metric, or a number of phases, as duration_s");
	return measure_part_has(MEASURE_SUMMARY, rule->metric) ||
			measure_part_has(MEASURE_STEADY, rule->metric)
		? 0
		: gate_refuse(at, "metric",
			  "a metric (see --list-metrics) or a key of summary; "
			  "for units of work add \"work\", for phases \"phase\"");
}

/* The words of a state are the log's; those of flags are known. */
static int check_state(const struct gate_at *at, const struct gate_rule *rule)
{
	enum metric_id id = metric_find(span_of(rule->metric));
	bool is_state = id != METRIC_none && metric_is_state(id);

	if (is_state && !rule->state)
		return gate_refuse(at, "state", "the state whose share of time counts");
	if (!rule->state)
		return 0;
	if (!is_state)
		return gate_refuse(at, "state", "it for a metric that is a state");
	if (rule->statistic)
		return gate_refuse(
			at, "statistic", "none: of a state its share of time counts");
	return metric_is_text(id) || metric_flag_find(id, rule->state) >= 0
		? 0
		: gate_refuse(at, "state", "the name of one of the metric's flags");
}

static int check_names(const struct gate_at *at, const struct gate_rule *rule)
{
	if (rule->statistic &&
		!measure_statistic_counts(statistic_find(span_of(rule->statistic))))
		return gate_refuse(
			at, "statistic", "the name of a statistic, as mean, max or p95");
	if (rule->source && source_find(span_of(rule->source)) == SOURCE_NONE)
		return gate_refuse(at, "source", "a kind of log, as nvidia-query");
	return 0;
}

static int check_limits(const struct gate_at *at, const struct gate_rule *rule)
{
	bool any = false;

	for (enum gate_limit limit = 0; limit < GATE_LIMITS; limit++) {
		any |= !isnan(rule->limit[limit]);
		if (gate_limit_is_change(limit) && rule->limit[limit] < 0)
			return gate_refuse(
				at, gate_limit_name(limit), "a number from 0 on");
	}
	if (!any)
		return gate_refuse(at, gate_limit_name(GATE_AT_MOST),
			"it, or at_least, max_increase, max_decrease, "
			"max_increase_pct or max_decrease_pct");
	if (rule->limit[GATE_AT_LEAST] > rule->limit[GATE_AT_MOST])
		return gate_refuse(
			at, gate_limit_name(GATE_AT_LEAST), "at most the rule's at_most");
	if (rule->min_abs < 0)
		return gate_refuse(at, "min_abs", "a number from 0 on");
	if (cJSON_HasObjectItem(at->object, "min_abs") && !gate_rule_compares(rule))
		return gate_refuse(at, "min_abs", "a largest change in the same rule");
	return 0;
}

/* Shares of time, or numbers of one unit. */
static bool is_alike(const struct gate_rule *a, const struct gate_rule *b)
{
	enum metric_id x = metric_find(span_of(a->metric));
	enum metric_id y = metric_find(span_of(b->metric));

	if (!a->state != !b->state || (x == METRIC_none) != (y == METRIC_none))
		return false;
	return a->state || x == METRIC_none ||
		strcmp(metric_get(x)->unit, metric_get(y)->unit) == 0;
}

/* The same of the rule's "instead", which is at `at`. */
static int gate_check_instead(const struct gate_at *at, const struct gate_rule *rule)
{
	if (!rule->instead->metric)
		return gate_refuse(at, "metric", "a metric, or a key of a report");
	if (check_subject(at, rule->instead) < 0 || check_state(at, rule->instead) < 0 ||
		check_names(at, rule->instead) < 0)
		return -1;
	return is_alike(rule, rule->instead)
		? 0
		: gate_refuse(at, "metric", "a number of the same kind and unit");
}

/* What no single key of a rule can tell, once all are taken. -1: refused. */
static int gate_check_rule(const struct gate_at *at, const struct gate_rule *rule)
{
	if (!rule->name)
		return gate_refuse(at, "name", "a name for the rule");
	if (!rule->metric)
		return gate_refuse(at, "metric", "a metric, or a key of a report");
	return check_limits(at, rule) < 0 || check_subject(at, rule) < 0 ||
			check_state(at, rule) < 0 || check_names(at, rule) < 0
		? -1
		: 0;
}

static const struct {
	const char *name, *text;
} carried[] = {
#include "gates.inc"
};

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
	struct strbuf list = strbuf_new();

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
				"%s:%zu: \"%s\" is given twice; expected once", at->file,
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
		take_word(at, "severity", "fail", "warning", &rule->warn) < 0 ||
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
		"format_version", "failed_runs", "other_work", "no_base", "rules", NULL};
	const cJSON *version, *list, *member;

	if (check_keys(at, known) < 0)
		return -1;
	version = cJSON_GetObjectItemCaseSensitive(at->object, "format_version");
	list = cJSON_GetObjectItemCaseSensitive(at->object, "rules");
	if (!cJSON_IsString(version) ||
		strcmp(version->valuestring, GATE_RULES_VERSION) != 0)
		return gate_refuse(at, "format_version", "\"" GATE_RULES_VERSION "\"");
	if (take_word(at, "failed_runs", "fail", "judge", &rules->judges_failed) < 0 ||
		take_word(at, "other_work", "inconclusive", "judge",
			&rules->judges_other_work) < 0 ||
		take_word(at, "no_base", "inconclusive", "skip", &rules->skips_no_base) <
			0)
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
		ALLOC_NEXT(rules->rule, rules->count, rules->cap) = (struct gate_rule){0};
		if (take_rule(&here, &rules->rule[rules->count - 1]) < 0 ||
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
