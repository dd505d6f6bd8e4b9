/*
 * Rules of a gate out of JSON: all that the program carries, each under its own name; and
 * those that are refused, with one sentence that names the file, the line, the key and
 * what was expected.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rules/gate.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The second rule of a file, which begins in line 5, a key a line. */
static const char *const lines[] = {
	"\"name\": \"b\"", "\"metric\": \"power_w\"", "\"at_most\": 5"};

/* Up to the colon the key is the same. */
static bool replaces(const char *with, const char *line)
{
	size_t key = strcspn(line, ":") + 1;

	return strncmp(with, line, key) == 0;
}

/*
 * With a line replaced, or added in line 9; one that begins with a minus is left out. The
 * caller frees.
 */
static char *rules_with(const char *with)
{
	bool placed = !*with, without = *with == '-';
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_adds(&sb,
		"{\n\"format_version\": \"1.0\",\n\"rules\": [\n"
		"{\"name\": \"a\", \"metric\": \"duration_s\", \"at_most\": 9},\n{");
	for (size_t i = 0, printed = 0; i < COUNT(lines); i++) {
		bool here = replaces(with + without, lines[i]);

		placed |= here;
		if (!here || !without)
			strbuf_addf(&sb, "%s\n%s", printed++ ? "," : "",
				here ? with : lines[i]);
	}
	if (!placed)
		strbuf_addf(&sb, ",\n%s", with);
	strbuf_adds(&sb, "\n}]}\n");
	return strbuf_detach(&sb);
}

static void assert_refused(
	const char *json, size_t line, const char *part, const char *other)
{
	struct gate_rules rules;
	struct error err = {""};
	char place[32];

	snprintf(place, sizeof place, "r.json:%zu: ", line);
	if (gate_rules_parse(&rules, "r.json", json, &err) == 0)
		fail_msg("taken: %.300s", json);
	if (strncmp(err.message, place, strlen(place)) != 0 ||
		!strstr(err.message, part) || !strstr(err.message, other) ||
		!strstr(err.message, "expected"))
		fail_msg("'%s' says not '%s' '%s' and '%s'", err.message, place, part,
			other);
	gate_rules_release(&rules);
}

static const struct {
	const char *with;
	size_t line;
	const char *part, *other;
} bad[] = {
	/* keys */
	{"\"color\": 1", 9, "unknown key \"color\"", "name, metric, statistic"},
	{"\"Name\": \"x\"", 9, "unknown key \"Name\"", "assume or severity"},
	{"\"\": 1", 9, "unknown key \"\"", "name, metric"},
	{"\"at_least\": 1,\n\"at_least\": 2", 9, "\"at_least\" is given twice", "once"},
	{"-\"name\":", 5, "\"name\" is missing", "a name"},
	{"-\"metric\":", 5, "\"metric\" is missing", "a metric"},
	{"-\"at_most\":", 5, "\"at_most\" is missing", "at_least, max_increase"},
	/* texts */
	{"\"name\": 5", 6, "\"name\" is 5", "a text"},
	{"\"name\": \"\"", 6, "\"name\" is \"\"", "a text"},
	{"\"name\": \"a\"", 5, "the rule of line 4 is called \"a\" too", "its own"},
	{"\"metric\": null", 7, "\"metric\" is null", "a text"},
	{"\"device\": [\"gpu0\",\n\"gpu1\"]", 9, "\"device\" is [", "a text"},
	{"\"phase\": {\"name\":\n\"b\"}", 9, "\"phase\" is {", "a text"},
	{"\"severity\": \"fatal\"", 9, "\"severity\" is \"fatal\"",
		"\"warning\" or \"fail\""},
	{"\"severity\": true", 9, "\"severity\" is true", "\"warning\" or \"fail\""},
	{"\"assume\": \"noise\"", 9, "\"assume\" is \"noise\"", "\"exact\""},
	{"\"assume\": 1", 9, "\"assume\" is 1", "\"exact\""},
	/* numbers */
	{"\"at_most\": \"5\"", 8, "\"at_most\" is \"5\"", "a number"},
	{"\"at_most\": 1e999", 8, "\"at_most\" is ", "a number"},
	{"\"at_least\": 1e400", 9, "\"at_least\" is too large", "a number"},
	{"\"at_least\": 1e-400", 9, "\"at_least\" is too near to 0", "a number"},
	{"\"at_least\" :\n-0.001E-999", 9, "\"at_least\" is too near to 0", "a number"},
	{"\"max_increase\": 1,\n\"min_abs\": 2e-324", 10, "\"min_abs\" is too near to 0",
		"a number"},
	{"\"at_least\": 1, \"min_abs\": 1e999", 9, "\"min_abs\" is too large",
		"a number"},
	{"\"at_least\": null", 9, "\"at_least\" is null", "a number"},
	{"\"at_least\": 6", 9, "\"at_least\" is 6", "at most the rule's at_most"},
	{"\"max_increase\": -1", 9, "\"max_increase\" is -1", "from 0 on"},
	{"\"max_decrease_pct\": -0.5", 9, "\"max_decrease_pct\" is -0.5", "from 0 on"},
	{"\"min_abs\": 1", 9, "\"min_abs\" is 1", "a largest change in the same rule"},
	{"\"max_increase\": 1,\n\"min_abs\": -1", 10, "\"min_abs\" is -1", "from 0 on"},
	{"\"max_increase\": 1,\n\"min_abs\": false", 10, "\"min_abs\" is false",
		"a number"},
	/* what the rule is of */
	{"\"metric\": \"gpu_usage\"", 7, "\"metric\" is \"gpu_usage\"",
		"a key of summary"},
	{"\"metric\": \"mean_s\"", 7, "\"metric\" is \"mean_s\"", "for phases"},
	{"\"metric\": \"energy_method\"", 7, "energy_method", "--list-metrics"},
	{"\"metric\": \"units_per_s\"", 7, "units_per_s", "add \"work\""},
	{"\"metric\": \"duration_s\",\n\"device\": \"gpu0\"", 7, "duration_s",
		"a metric (see --list-metrics)"},
	{"\"metric\": \"duration_s\",\n\"statistic\": \"mean\"", 7, "duration_s",
		"a metric (see --list-metrics)"},
	{"\"metric\": \"steady_warm_up_s\",\n\"phase\": \"x\"", 7, "steady_warm_up_s",
		"a number of phases"},
	{"\"metric\": \"mean_s\",\n\"work\": \"step\"", 7, "mean_s",
		"a number of units of work"},
	{"\"metric\": \"units_per_s\",\n\"work\": \"*\",\n\"phase\": \"x\"", 8,
		"\"work\" is \"*\"", "no phase, device"},
	{"\"statistic\": \"average\"", 9, "\"statistic\" is \"average\"",
		"mean, max or p95"},
	{"\"statistic\": \"n\"", 9, "\"statistic\" is \"n\"", "mean, max or p95"},
	{"\"source\": \"dmon\"", 9, "\"source\" is \"dmon\"", "as nvidia-query"},
	/* states */
	{"\"state\": \"Active\"", 9, "\"state\" is \"Active\"", "a metric that is a"},
	{"\"metric\": \"pstate\"", 5, "\"state\" is missing", "share of time"},
	{"\"metric\": \"pstate\",\n\"state\": \"P0\",\n\"statistic\": \"mean\"", 9,
		"\"statistic\" is \"mean\"", "none: of a state"},
	{"\"metric\": \"clock_reasons\",\n\"state\": \"heat\"", 8,
		"\"state\" is \"heat\"", "the metric's flags"},
	/* another number instead */
	{"\"instead\": \"mem_used_mib\"", 9, "\"instead\" is \"mem_used_mib\"",
		"an object with a metric"},
	{"\"instead\": {}", 9, "\"metric\" is missing", "a metric"},
	{"\"instead\": {\"metric\": \"gpu_energy_j\",\n\"device\": \"gpu0\"}", 9,
		"unknown key \"device\"", "metric, statistic or state"},
	{"\"instead\": {\"metric\":\n\"gpu_usage\"}", 9, "\"metric\" is \"gpu_usage\"",
		"a metric"},
	{"\"instead\": {\"metric\": \"gpu_util_pct\"}", 9,
		"\"metric\" is \"gpu_util_pct\"", "the same kind and unit"},
	{"\"instead\": {\"metric\": \"pstate\"}", 9, "\"state\" is missing",
		"share of time"},
	{"\"instead\": {\"metric\": \"pstate\", \"state\": \"P0\"}", 9,
		"\"metric\" is \"pstate\"", "the same kind and unit"},
};

static void bad_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		char *json = rules_with(bad[i].with);

		assert_refused(json, bad[i].line, bad[i].part, bad[i].other);
		free(json);
	}
}

#define RULE "{\"name\": \"a\", \"metric\": \"duration_s\", \"at_most\": 9}"

static const struct {
	const char *json;
	size_t line;
	const char *part, *other;
} bad_files[] = {
	{"", 1, "no JSON", "an object with rules"},
	{"{\n\"format_version\": \"1.0\",\n}", 3, "no JSON", "an object"},
	{"{\n} x", 2, "no JSON", "an object"},
	{"{\n\"a\xff\": 1}", 2, "byte 0xff", "UTF-8"},
	{"[1]", 1, "an object", "\"rules\""},
	{"null", 1, "an object", "\"rules\""},
	{"{}", 1, "\"format_version\" is missing", "\"1.0\""},
	{"{\"format_version\": 1}", 1, "\"format_version\" is 1", "\"1.0\""},
	{"{\n\"format_version\": \"2.0\", \"rules\": []}", 2,
		"\"format_version\" is \"2.0\"", "\"1.0\""},
	{"{\"format_version\": \"1.0\"}", 1, "\"rules\" is missing", "an array"},
	{"{\"format_version\": \"1.0\",\n\"rules\": []}", 2, "\"rules\" is []",
		"one rule or more"},
	{"{\"format_version\": \"1.0\",\n\"rules\": {}}", 2, "\"rules\" is {}",
		"an array"},
	{"{\"format_version\": \"1.0\",\n\"rules\":\n[7]}", 2, "\"rules\" is [7]",
		"an object for each rule"},
	{"{\"format_version\": \"1.0\",\n\"rules\":\n[" RULE ", [" RULE "]]}", 2,
		"\"rules\" is [", "an object for each rule"},
	{"{\"format_version\": \"1.0\",\n\"rules\": [" RULE "],\n\"rules\": []}", 2,
		"\"rules\" is given twice", "once"},
	{"{\"format_version\": \"1.0\",\n\n\"limits\": [{}], \"rules\": [" RULE "]}", 3,
		"unknown key \"limits\"", "no_base or rules"},
};

static void bad_documents(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad_files); i++)
		assert_refused(bad_files[i].json, bad_files[i].line, bad_files[i].part,
			bad_files[i].other);
}

static void take(struct gate_rules *rules, const char *json)
{
	struct error err = {""};

	if (gate_rules_parse(rules, "r.json", json, &err) < 0)
		fail_msg("%s", err.message);
}

static void every_key(void **state)
{
	char *json =
		rules_with("\"at_most\": 5, \"at_least\": -2.5, \"max_increase\": 0, "
			   "\"max_decrease\": 1, \"max_increase_pct\": 2, "
			   "\"max_decrease_pct\": 3, \"min_abs\": 0.5, \"statistic\": "
			   "\"p95\", \"device\": \"gpu*\", \"phase\": \"train/*\", "
			   "\"source\": \"nvidia-dmon\", \"assume\": \"exact\", "
			   "\"severity\": \"warning\"");
	static const double limit[GATE_LIMITS] = {-2.5, 5, 0, 1, 2, 3};
	const struct gate_rule *rule;
	struct gate_rules rules;

	(void)state;
	take(&rules, json);
	assert_string_equal(rules.file, "r.json");
	assert_int_equal(rules.count, 2);
	rule = &rules.rule[1];
	assert_string_equal(rule->name, "b");
	assert_string_equal(rule->metric, "power_w");
	assert_string_equal(rule->statistic, "p95");
	assert_string_equal(rule->device, "gpu*");
	assert_string_equal(rule->phase, "train/*");
	assert_string_equal(rule->source, "nvidia-dmon");
	assert_null(rule->state);
	assert_null(rule->work);
	for (enum gate_limit i = 0; i < GATE_LIMITS; i++)
		assert_true(rule->limit[i] == limit[i]);
	assert_true(rule->min_abs == 0.5);
	assert_true(rule->exact);
	assert_true(rule->warn);
	assert_int_equal(rule->line, 5);
	rule = &rules.rule[0];
	assert_true(isnan(rule->limit[GATE_AT_LEAST]));
	assert_true(rule->min_abs == 0);
	assert_false(rule->exact);
	assert_false(rule->warn);
	assert_int_equal(rule->line, 4);
	assert_true(gate_rule_compares(&rules.rule[1]));
	assert_false(gate_rule_compares(&rules.rule[0]));
	gate_rules_release(&rules);
	free(json);
}

/* Of a metric, a summary, a steady state, a phase, units of work, a state, a flag. */
static void every_subject(void **state)
{
	static const char *const subject[] = {"\"metric\": \"power_w\"",
		"\"metric\": \"energy_j\"", "\"metric\": \"steady_gpu_util_mean_pct\"",
		"\"metric\": \"duration_s\", \"phase\": \"*\"",
		"\"metric\": \"energy_j\", \"phase\": \"*\"",
		"\"metric\": \"power_w\", \"phase\": \"*\", \"statistic\": \"max\"",
		"\"metric\": \"energy_j_per_unit\", \"work\": \"*\"",
		"\"metric\": \"reason_hw_slowdown\", \"state\": \"Active\"",
		"\"metric\": \"clock_reasons\", \"state\": \"hw_slowdown\"",
		("\"metric\": \"clock_reasons\", \"state\": \"hw_slowdown\", "
		 "\"instead\": {\"metric\": \"reason_hw_slowdown\", \"state\": "
		 "\"Active\"}"),
		("\"metric\": \"rss_mib\", \"device\": \"combined\", \"statistic\": "
		 "\"growth\"")};

	(void)state;
	for (size_t i = 0; i < COUNT(subject); i++) {
		char *json = rules_with(subject[i]);
		struct gate_rules rules;

		take(&rules, json);
		gate_rules_release(&rules);
		free(json);
	}
}

/* What a rule asks for is said in one sentence. */
static void sentences(void **state)
{
	char *json =
		rules_with("\"at_most\": 5, \"max_decrease_pct\": 2.5, \"statistic\": "
			   "\"max\", \"device\": \"gpu*\", \"phase\": \"train\"");
	struct gate_rules rules;
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	take(&rules, json);
	gate_rule_sentence(&sb, &rules.rule[1]);
	assert_string_equal(sb.text,
		"power_w max of gpu* in train at most 5, at most 2.5 % below the base");
	strbuf_release(&sb);
	gate_rules_release(&rules);
	free(json);
}

/* What stands in for the number is of the same device and phase, and has no limits. */
static void instead(void **state)
{
	char *json = rules_with(
		"\"metric\": \"clock_reasons\", \"state\": \"hw_slowdown\", \"instead\": "
		"{\"metric\": \"reason_hw_slowdown\", \"state\": \"Active\"}, "
		"\"device\": \"gpu*\"");
	const struct gate_rule *other;
	struct gate_rules rules;
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	take(&rules, json);
	other = rules.rule[1].instead;
	assert_string_equal(other->metric, "reason_hw_slowdown");
	assert_string_equal(other->state, "Active");
	assert_string_equal(other->device, "gpu*");
	assert_false(gate_rule_compares(other) || gate_rule_bounds(other));
	assert_null(rules.rule[0].instead);
	gate_rule_sentence(&sb, &rules.rule[1]);
	assert_string_equal(sb.text,
		"clock_reasons share of hw_slowdown (or reason_hw_slowdown share of "
		"Active) of gpu* at most 5");
	strbuf_release(&sb);
	gate_rules_release(&rules);
	free(json);
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), tail = strlen(end);

	return len > tail && strcmp(name + len - tail, end) == 0;
}

/* Runs in the top directory. */
static void carried_rules(void **state)
{
	DIR *dir = opendir("schema/gates");
	size_t files = 0;

	(void)state;
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		struct gate_rules rules;

		if (!ends_with(entry->d_name, ".json"))
			continue;
		entry->d_name[strlen(entry->d_name) - 5] = '\0';
		assert_non_null(gate_rules_carried(entry->d_name));
		take(&rules, gate_rules_carried(entry->d_name));
		assert_true(rules.count > 0);
		gate_rules_release(&rules);
		files++;
	}
	closedir(dir);
	assert_true(files > 5);
	assert_null(gate_rules_carried("training.json"));
	assert_null(gate_rules_carried("train"));
	assert_null(gate_rules_carried(""));
}

/* However 0 is written, it is 0. */
static void noughts(void **state)
{
	static const char *const nought[] = {"0", "-0.0", "0e-999", "0.000E+5 "};

	(void)state;
	for (size_t i = 0; i < COUNT(nought); i++) {
		struct gate_rules rules;
		struct error err;
		char with[64], *json;

		snprintf(with, sizeof with, "\"at_least\": %s", nought[i]);
		json = rules_with(with);
		if (gate_rules_parse(&rules, "r.json", json, &err) < 0)
			fail_msg("%s", err.message);
		assert_true(rules.rule[1].limit[GATE_AT_LEAST] == 0);
		gate_rules_release(&rules);
		free(json);
	}
}

/* One is no plural. */
static void points(void **state)
{
	static const struct {
		double limit;
		const char *sentence;
	} cases[] = {{1, "at most 1 percentage point below the base"},
		{2, "at most 2 percentage points below the base"},
		{0.5, "at most 0.5 percentage points below the base"}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct gate_rule rule = {.name = NULL};
		struct strbuf sb;

		rule.limit[GATE_MAX_DECREASE] = cases[i].limit;
		strbuf_init(&sb);
		gate_limit_sentence(&sb, &rule, GATE_MAX_DECREASE, "%");
		assert_string_equal(sb.text, cases[i].sentence);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_rules),
		cmocka_unit_test(bad_documents),
		cmocka_unit_test(every_key),
		cmocka_unit_test(every_subject),
		cmocka_unit_test(sentences),
		cmocka_unit_test(instead),
		cmocka_unit_test(carried_rules),
		cmocka_unit_test(noughts),
		cmocka_unit_test(points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
