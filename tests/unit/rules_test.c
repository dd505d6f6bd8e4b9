/*
 * Rules out of JSON: all that the program carries, each under its own name; and those
 * that are refused, with one sentence that names the file, the key and what was expected,
 * and leaves the set as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rules/rules.h"

#define WHILE	  "\"while\": [{\"metric\": \"gpu_util_pct\", \"at_most\": 5}]"
#define MEANWHILE "\"meanwhile\": [\"cpu_busy_pct\"]"
#define SECONDS	  "\"values\": {\"v\": \"while.seconds\"}"

/* A rule; what a case gives stands in for one of its lines. */
static const char *const lines[] = {"\"id\": \"x\"", "\"version\": 1", "\"title\": \"X\"",
	"\"severity\": \"warning\"", "\"scope\": \"gpu\"", WHILE,
	"\"values\": {\"idle\": \"while.seconds\", \"power\": \"while.mean.power_w\"}",
	"\"fires\": [{\"value\": \"idle\", \"at_least\": 10}]",
	"\"sentence\": \"{device} was idle for {idle}[, at {power}]\"",
	"\"remedy\": \"Work.\""};

#define LINES (sizeof lines / sizeof lines[0])

/* Up to the colon the key is the same. */
static bool replaces(const char *with, const char *line)
{
	size_t key = strcspn(line, ":");

	return with && strncmp(with, line, key) == 0;
}

/* With one line replaced, or added; the caller frees. */
static char *rule_with(const char *with)
{
	struct strbuf sb;
	bool placed = !with;

	strbuf_init(&sb);
	for (size_t i = 0; i < LINES; i++) {
		bool here = replaces(with, lines[i]);

		strbuf_addf(&sb, "%s%s", i ? ", " : "{", here ? with : lines[i]);
		placed |= here;
	}
	if (!placed)
		strbuf_addf(&sb, ", %s", with);
	strbuf_addc(&sb, '}');
	return strbuf_detach(&sb);
}

static void assert_refused(const char *json, const char *part, const char *other)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};
	char *good = rule_with(NULL);

	assert_int_equal(rules_parse(&set, "good.json", good, &err), 0);
	assert_string_equal(err.message, "");
	if (rules_parse(&set, "bad.json", json, &err) == 0)
		fail_msg("taken: %.300s", json);
	assert_int_equal(set.count, 1);
	assert_string_equal(set.rule[0].id, "x");
	if (strncmp(err.message, "bad.json: ", 10) != 0 || !strstr(err.message, part) ||
		!strstr(err.message, other) || !strstr(err.message, "expected") ||
		strchr(err.message, '\n'))
		fail_msg("'%s' names not '%s' and '%s'", err.message, part, other);
	rule_set_release(&set);
	free(good);
}

static const struct {
	const char *line, *part, *other;
} bad[] = {
	{"\"color\": 1", "\"color\"", "id, version, title"},
	{"\"remedy\": \"Work.\"", "\"id\" is \"x\"", "no other rule has"},
	{"\"id\": 5", "\"id\" is 5", "a text"},
	{"\"co\nlour\": 1", "\"co?lour\"", "id, version, title"},
	{"\"id\": \"\"", "\"id\"", "a text"},
	{"\"title\": null", "\"title\" is null", "a text"},
	{"\"version\": 0", "\"version\" is 0", "a whole number from 1"},
	{"\"version\": 1.5", "\"version\" is 1.5", "a whole number"},
	{"\"severity\": \"fatal\"", "\"severity\" is \"fatal\"",
		"info, warning or problem"},
	{"\"scope\": \"node\"", "\"scope\" is \"node\"", "run or gpu"},
	{"\"stretch_s\": -1", "\"stretch_s\" is -1", "seconds"},
	{"\"among\": {}", "\"among\" is {}", "an array"},
	{"\"among\": [{\"number\": \"gpu_util_pct.max\"}]", "\"among\"",
		"exactly one of above"},
	{"\"among\": [{\"number\": \"gpu_util_pct\", \"above\": 5}]", "\"number\"",
		"a number of a report"},
	{"\"among\": [{\"number\": \"max(gpu_util_pct.max)\", \"above\": 5}]",
		"\"number\"", "of a metric of GPUs"},
	{"\"among\": [{\"number\": \"cpu_busy_pct.max\", \"above\": 5}]", "\"number\"",
		"of a metric of GPUs"},
	{"\"among\": [{\"value\": \"idle\", \"above\": 5}]", "unknown key", "number"},
	{"\"any_evidence\": 1", "\"any_evidence\" is 1", "true or false"},
	{"\"cost\": \"none\"", "\"cost\" is \"none\"", "one of its values"},
	/* while */
	{"\"while\": {}", "\"while\" is {}", "an array"},
	{"\"while\": [7]", "\"while\" is 7", "an object"},
	{"\"while\": [{\"any\": []}]", "\"any\" is []", "an array of conditions"},
	{"\"while\": [{\"metric\": \"gpu_usage\", \"above\": 1}]",
		"\"metric\" is \"gpu_usage\"", "a metric of GPUs"},
	{"\"while\": [{\"above\": 1}]", "\"metric\" is missing", "a metric of GPUs"},
	{"\"while\": [{\"metric\": \"cpu_busy_pct\", \"above\": 1}]", "cpu_busy_pct",
		"a metric of GPUs"},
	{"\"while\": [{\"metric\": \"gpu_util_pct\"}]", "\"while\"",
		"exactly one of above"},
	{"\"while\": [{\"metric\": \"gpu_util_pct\", \"above\": 1, \"below\": 2}]",
		"\"while\"", "exactly one of above"},
	{"\"while\": [{\"metric\": \"gpu_util_pct\", \"above\": \"1\"}]",
		"\"above\" is \"1\"", "a number"},
	{"\"while\": [{\"metric\": \"gpu_util_pct\", \"above\": 1, \"ever\": 2}]",
		"\"ever\"", "metric, over, has"},
	{"\"while\": [{\"metric\": \"mem_used_mib\", \"over\": \"x\", \"above\": 1}]",
		"\"over\" is \"x\"", "a metric of GPUs"},
	{"\"while\": [{\"metric\": \"gpu_util_pct\", \"has\": \"5\"}]",
		"\"has\" is \"5\"", "a state"},
	{"\"while\": [{\"metric\": \"clock_reasons\", \"has\": \"heat\"}]",
		"\"has\" is \"heat\"", "flags"},
	{"\"while\": [{\"metric\": \"clock_reasons\", \"above\": 1}]", "\"while\"",
		"\"has\""},
	{"\"while\": [{\"metric\": \"clock_reasons\", \"has\": \"hw_slowdown\", "
	 "\"above\": 1}]",
		"\"while\"", "no bound"},
	{"\"while\": []", "\"idle\"", "\"while\" in the same rule"},
	/* values */
	{"\"values\": [1]", "\"values\" is [1]", "an object"},
	{"\"values\": {\"idle\": 5}", "\"idle\" is 5", "an object"},
	{"\"values\": {\"idle\": \"gpu_util_pct.average\"}",
		"\"idle\" is \"gpu_util_pct.average\"", "a number of a report"},
	{"\"values\": {\"idle\": \"gpu.mean\"}", "gpu.mean", "a number of a report"},
	{"\"values\": {\"idle\": \"while.mean\"}", "while.mean", "a number of a report"},
	{"\"values\": {\"idle\": \"while.seconds.power_w\"}", "while.seconds.power_w",
		"a number of a report"},
	{"\"values\": {\"idle\": \"mean(while.seconds)\"}", "mean(while.seconds)",
		"a number of a report"},
	{"\"values\": {\"idle\": \"max(while.seconds\"}", "max(while.seconds",
		"a number of a report"},
	{"\"values\": {\"idle\": \"nvidia:power_w.mean\"}", "nvidia:", "a number"},
	{"\"values\": {\"idle\": {\"minus\": \"while.seconds\"}}", "\"idle\"", "\"of\""},
	{"\"values\": {\"idle\": {\"of\": 5}}", "\"of\" is 5", "a number of a report"},
	{"\"values\": {\"idle\": {\"of\": \"while.seconds\", \"times\": 5}}",
		"\"times\" is 5", "a number of a report"},
	{"\"values\": {\"idle\": {\"of\": \"while.seconds\", \"by\": 5}}", "\"by\"",
		"of, or, minus, absolute, times, over"},
	/* value., last. */
	{"\"values\": {\"idle\": \"value.power\", \"power\": \"while.mean.power_w\"}",
		"\"idle\" is \"value.power\"", "a number of a report"},
	{"\"values\": {\"idle\": \"while.seconds\", \"power\": {\"of\": "
	 "\"while.seconds\", \"over\": \"value.later\"}, \"later\": "
	 "\"while.share\"}",
		"\"over\" is \"value.later\"", "a number of a report"},
	{"\"values\": {\"idle\": {\"of\": \"while.seconds\", \"over\": "
	 "\"value.idle\"}}",
		"\"over\" is \"value.idle\"", "a number of a report"},
	{"\"values\": {\"idle\": \"while.seconds\", \"power\": \"max(value.idle)\"}",
		"max(value.idle)", "a number of a report"},
	{"\"values\": {\"idle\": \"while.seconds\", \"power\": \"value.\"}", "\"value.\"",
		"a number of a report"},
	{"\"values\": {\"idle\": \"last.gpu_usage\"}", "last.gpu_usage",
		"a number of a report"},
	{"\"values\": {\"idle\": \"last.\"}", "\"last.\"", "a number of a report"},
	{"\"values\": {\"idle\": \"last.sm_clock_mhz\"}", "last.sm_clock_mhz",
		"a number of a report"},
	{"\"values\": {\"idle\": \"last.cpu_busy_pct\"}", "last.cpu_busy_pct",
		"a number of a report"},
	/* meanwhile, said_by */
	{"\"meanwhile\": 5", "\"meanwhile\" is 5", "an array of up to eight metrics"},
	{"\"meanwhile\": [\"cpu_busy_pct\", \"cpu_iowait_pct\", \"cpu_usr_pct\", "
	 "\"cpu_sys_pct\", \"cpu_user_pct\", \"cpu_nice_pct\", \"cpu_idle_pct\", "
	 "\"load1\", \"ram_used_mib\"]",
		"\"meanwhile\"", "an array of up to eight metrics"},
	{"\"meanwhile\": [5]", "\"meanwhile\" is 5", "a metric of hosts"},
	{"\"meanwhile\": [\"cpu\"]", "\"meanwhile\" is \"cpu\"", "a metric of hosts"},
	{"\"meanwhile\": [\"gpu_util_pct\"]", "gpu_util_pct", "a metric of hosts"},
	{"\"meanwhile\": [\"process_gpu_mem_mib\"]", "process_gpu_mem_mib",
		"a metric of hosts"},
	{"\"meanwhile\": [\"cpu_busy_pct\"]", "\"meanwhile\"", "scope run"},
	{"\"said_by\": \"y\"", "\"said_by\" is \"y\"", "an array of up to five rules"},
	{"\"said_by\": [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]", "\"said_by\"",
		"an array of up to five rules"},
	{"\"said_by\": [5]", "\"said_by\" is 5", "the id of a rule"},
	{"\"said_by\": [\"\"]", "\"said_by\" is \"\"", "the id of a rule"},
	{"\"said_by\": [\"x\"]", "\"said_by\" is \"x\"", "another rule"},
	{"\"values\": {\"idle\": {\"of\": \"while.seconds\", \"scale\": \"5\"}}",
		"\"scale\" is \"5\"", "a number"},
	{"\"values\": {\"idle\": {\"of\": \"while.seconds\", \"absolute\": 5}}",
		"\"absolute\" is 5", "true or false"},
	{"\"values\": {\"idle\": {\"of\": \"while.seconds\", \"steps\": 5}}",
		"\"steps\" is 5", "ascending"},
	{"\"values\": {\"idle\": {\"of\": \"while.seconds\", \"steps\": [2, 1]}}",
		"\"steps\" is [2,1]", "ascending"},
	{"\"values\": {\"idle\": \"while.seconds\", \"idle\": \"while.share\"}",
		"\"idle\"", "no other value has"},
	{"\"values\": {\"idle\": \"while.seconds\", \"device\": \"while.share\"}",
		"\"device\"", "none of device, run and said"},
	{"\"values\": {\"idle\": \"while.seconds\", \"run\": \"while.share\"}", "\"run\"",
		"none of device, run and said"},
	{"\"values\": {\"idle\": \"while.seconds\", \"a\": \"while.mean.power_w\", "
	 "\"b\": \"while.mean.temperature_c\", \"c\": \"while.integral.sm_clock_mhz\", "
	 "\"power\": \"while.mean.mem_used_mib\"}",
		"\"values\"", "fewer metrics"},
	{"\"values\": {\"idle\": \"while.seconds\", \"power\": \"while.gpus\"}",
		"\"power\"", "scope run"},
	/* fires, sentence */
	{"\"fires\": []", "\"fires\" is []", "a condition"},
	{"\"fires\": {}", "\"fires\" is {}", "an array"},
	{"\"fires\": [{\"value\": \"busy\", \"above\": 1}]", "\"value\" is \"busy\"",
		"one of its values"},
	{"\"fires\": [{\"value\": \"idle\"}]", "\"fires\"", "exactly one of above"},
	{"\"fires\": [{\"value\": \"idle\", \"above\": 1, \"at_least\": 1}]", "\"fires\"",
		"exactly one of above"},
	{"\"doubts\": [{\"value\": \"idle\", \"below\": 1}]", "\"why\" is missing",
		"a text"},
	{"\"sentence\": \"{device} idled for {hours}\"", "\"sentence\"", "{names}"},
	{"\"sentence\": \"{device} idled for {idle\"", "\"sentence\"", "{names}"},
	{"\"sentence\": \"{device} idled [for {idle}\"", "\"sentence\"", "brackets"},
	{"\"sentence\": \"{device} [idled]] [for {idle}\"", "\"sentence\"", "brackets"},
	{"\"sentence\": \"{device} idled [for {+hours}]\"", "\"sentence\"", "{names}"},
	{"\"sentence\": \"[{device}] idled for {+idle}\"", "\"sentence\"", "brackets"},
};

static void bad_rules_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		char *json = rule_with(bad[i].line);

		assert_refused(json, bad[i].part, bad[i].other);
		free(json);
	}
}

static void means_of_a_run_are_refused(void **state)
{
	static const char *const items[] = {"samples", "sample_share", "mean.power_w",
		"integral.power_w", "common.power_w", "common_n.power_w"};

	(void)state;
	for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_addf(&sb,
			"{\"id\": \"x\", \"version\": 1, \"title\": \"X\", \"severity\": "
			"\"info\", \"scope\": \"run\", \"while\": [{\"metric\": "
			"\"gpu_util_pct\", \"at_most\": 5}], \"values\": {\"v\": "
			"\"while.%s\"}, \"fires\": [{\"value\": \"v\", \"above\": 1}], "
			"\"sentence\": \"{v}\", \"remedy\": \"r\"}",
			items[i]);
		assert_refused(sb.text, "\"v\"", "over the GPUs");
		strbuf_release(&sb);
	}
}

static void what_is_no_rule_is_refused(void **state)
{
	static const char *const texts[] = {"", " ", "{", "{}x", "[", "nonsense", "\xff",
		"{\"id\": \"x\",}", "{\"id\": tru}"};
	static const char *const values[] = {"[]", "5", "null", "\"x\"", "true"};
	struct strbuf deep;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_refused(texts[i], "JSON", "");
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		assert_refused(values[i], "\"rule\"", "an object");
	assert_refused("{}", "\"id\" is missing", "a text");
	strbuf_init(&deep);
	for (int i = 0; i < 100000; i++)
		strbuf_addc(&deep, '[');
	assert_refused(deep.text, "JSON", "");
	strbuf_clear(&deep);
	strbuf_adds(&deep, "{\"id\": ");
	for (int i = 0; i < 900; i++)
		strbuf_addc(&deep, '[');
	for (int i = 0; i < 900; i++)
		strbuf_addc(&deep, ']');
	strbuf_addc(&deep, '}');
	assert_refused(deep.text, "\"id\" is [[[", "a text");
	strbuf_release(&deep);
}

static void assert_whole(const char *json)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};
	int result = rules_parse(&set, "x.json", json, &err);

	assert_int_equal(set.count, result == 0);
	assert_int_equal(*err.message != '\0', result < 0);
	assert_null(strchr(err.message, '\n'));
	rule_set_release(&set);
}

/* Every byte left out, or replaced: a rule or a sentence, and nothing lost. */
static void any_byte_may_be_wrong(void **state)
{
	static const char with[] = "\"\\{}[],:0-.\n\x80";
	char *good = rule_with(NULL);
	size_t len = strlen(good);

	(void)state;
	for (size_t i = 0; i < len; i++) {
		char was = good[i], *cut = strdup(good);

		memmove(cut + i, cut + i + 1, len - i);
		assert_whole(cut);
		free(cut);
		for (size_t k = 0; with[k]; k++) {
			good[i] = with[k];
			assert_whole(good);
		}
		good[i] = '\0';
		assert_whole(good);
		good[i] = was;
	}
	free(good);
}

/* A list of one part, so many times. */
static void many(struct strbuf *sb, const char *begin, const char *format, int count,
	const char *end)
{
	strbuf_clear(sb);
	strbuf_adds(sb, begin);
	for (int i = 0; i < count; i++) {
		strbuf_adds(sb, i ? ", " : "");
		if (strchr(format, '%'))
			strbuf_addf(sb, "\"v%d\": \"while.seconds\"", i);
		else
			strbuf_adds(sb, format);
	}
	strbuf_adds(sb, end);
}

static void assert_taken(const char *line)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};
	char *json = rule_with(line);

	if (rules_parse(&set, "x.json", json, &err) < 0)
		fail_msg("refused: %s", err.message);
	rule_set_release(&set);
	free(json);
}

/* Twelve are taken, thirteen are not. */
static void too_many_parts_are_refused(void **state)
{
	static const struct {
		const char *begin, *part, *end, *key;
	} lists[] = {
		{"\"while\": [", "{\"metric\": \"gpu_util_pct\", \"above\": 1}", "]",
			"while"},
		{"\"while\": [{\"any\": [",
			"{\"metric\": \"gpu_util_pct\", \"above\": 1}", "]}]", "while"},
		{"\"fires\": [", "{\"value\": \"idle\", \"above\": 1}", "]", "fires"},
		{"\"applies\": [", "{\"value\": \"idle\", \"above\": 1}", "]", "applies"},
		{"\"values\": {\"idle\": \"while.seconds\", \"power\": \"while.share\", ",
			"%", "}", "values"},
	};
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		int most = *lists[i].part == '%' ? 10 : 12;
		char *json;

		many(&sb, lists[i].begin, lists[i].part, most, lists[i].end);
		assert_taken(sb.text);
		many(&sb, lists[i].begin, lists[i].part, most + 1, lists[i].end);
		json = rule_with(sb.text);
		assert_refused(json, lists[i].key, "no more than 12");
		free(json);
	}
	strbuf_release(&sb);
}

/*
 * Word by word, of which those that differ are texts: no member may be forgotten where
 * the rules are printed.
 */
static void assert_same(const struct rule *carried, const struct rule *read)
{
	const char *const *a = (const void *)carried, *const *b = (const void *)read;

	for (size_t i = 0; i < sizeof *carried / sizeof *a; i++)
		if (a[i] != b[i] && (!a[i] || !b[i] || strcmp(a[i], b[i]) != 0))
			fail_msg("%s: word %zu is another one", read->id, i);
}

/* The tests run in the root of the repository. */
static void those_carried_are_what_their_files_say(void **state)
{
	const struct rule_set *carried = rules_carried();
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};
	struct strbuf text = strbuf_new();
	glob_t found;

	(void)state;
	assert_int_equal(glob("schema/findings/*.json", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *file = fopen(found.gl_pathv[i], "r");
		const char *name = strrchr(found.gl_pathv[i], '/') + 1;

		strbuf_clear(&text);
		assert_int_equal(strbuf_read(&text, file, 1 << 20), 0);
		fclose(file);
		if (rules_parse(&set, name, text.text, &err) < 0)
			fail_msg("%s", err.message);
		assert_int_equal(strlen(name), strlen(set.rule[i].id) + strlen(".json"));
		assert_memory_equal(name, set.rule[i].id, strlen(set.rule[i].id));
	}
	assert_int_equal(carried->count, set.count);
	for (size_t i = 0; i < set.count; i++)
		assert_same(&carried->rule[i], &set.rule[i]);
	globfree(&found);
	strbuf_release(&text);
	rule_set_release(&set);
}

/* A rule is parsed alone: that the others are there is seen only of all of them. */
static void those_that_say_the_same_are_there(void **state)
{
	const struct rule_set *set = rules_carried();

	(void)state;
	for (size_t i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->rule[i].said_by_count; k++)
			if (!rule_set_find(set, set->rule[i].said_by[k]))
				fail_msg("%s is said by %s, which is no rule",
					set->rule[i].id, set->rule[i].said_by[k]);
}

static void assert_run_taken(const char *more, bool taken)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"{\"id\": \"x\", \"version\": 1, \"title\": \"X\", \"severity\": "
		"\"info\", \"scope\": \"run\", %s, \"fires\": [{\"value\": \"v\", "
		"\"above\": 1}], \"sentence\": \"{v}\", \"remedy\": \"r\"}",
		more);
	assert_int_equal(rules_parse(&set, "x.json", sb.text, &err), taken ? 0 : -1);
	if (!taken && !strstr(err.message, "\"meanwhile\": expected scope run"))
		fail_msg("%s", err.message);
	rule_set_release(&set);
	strbuf_release(&sb);
}

/* Means of stretches need some, of the run. */
static void meanwhile_needs_stretches(void **state)
{
	(void)state;
	assert_run_taken(WHILE ", \"stretch_s\": 3, " MEANWHILE ", " SECONDS, true);
	assert_run_taken(WHILE ", " MEANWHILE ", " SECONDS, false);
	assert_run_taken("\"stretch_s\": 3, " MEANWHILE
			 ", \"values\": {\"v\": \"evidence.gaps\"}",
		false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_carried_are_what_their_files_say),
		cmocka_unit_test(bad_rules_are_refused),
		cmocka_unit_test(means_of_a_run_are_refused),
		cmocka_unit_test(what_is_no_rule_is_refused),
		cmocka_unit_test(too_many_parts_are_refused),
		cmocka_unit_test(any_byte_may_be_wrong),
		cmocka_unit_test(those_that_say_the_same_are_there),
		cmocka_unit_test(meanwhile_needs_stretches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
