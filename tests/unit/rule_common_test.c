/* The time of all GPUs, and which GPUs these are: what a rule may ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "rules/rules.h"

static int parse(
	const char *number, const char *value, const char *more, struct error *err)
{
	struct rule_set set = RULE_SET_INIT;
	struct strbuf sb;
	int rc;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"{\"id\": \"x\", \"version\": 1, \"title\": \"X\", \"severity\": "
		"\"warning\", "
		"\"scope\": \"gpu\", \"among\": [{\"number\": \"%s\", \"above\": 5}], "
		"\"values\": {\"v\": \"%s\"}, \"fires\": [{\"value\": \"v\", \"above\": "
		"0}], \"sentence\": \"{v}\", \"remedy\": \"r\"%s}",
		number, value, more);
	rc = rules_parse(&set, "x.json", sb.text, err);
	strbuf_release(&sb);
	rule_set_release(&set);
	return rc;
}

#define WHILE ", \"while\": [{\"metric\": \"gpu_util_pct\", \"at_least\": 50}]"
#define ALONE ", \"alone\": true, \"stretch_s\": 1"

struct expected {
	const char *what, *more, *refused; /* NULL: it is fine */
};

static void assert_parsed(
	int rc, const struct error *err, const struct expected *expected)
{
	assert_int_equal(rc, expected->refused ? -1 : 0);
	if (expected->refused)
		assert_non_null(strstr(err->message, expected->refused));
}

/* A GPU is chosen by what is known of itself. */
static void among_by_a_gpus_own_numbers(void **state)
{
	static const struct expected expected[] = {
		{"while.seconds", WHILE, NULL},
		{"while.mean.power_w", WHILE, NULL},
		{"while.seconds", "", "\"number\""},
		{"while.seconds", WHILE ALONE, "without \"alone\""},
		{"while.gpus", WHILE, "\"number\""},
		{"max(while.seconds)", WHILE, "\"number\""},
		{"while.common.power_w", WHILE, "\"number\""},
		{"while.common_n.power_w", WHILE, "\"number\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct error err = {""};

		assert_parsed(parse(expected[i].what, "gpu_util_pct.mean",
				      expected[i].more, &err),
			&err, &expected[i]);
	}
}

/* Of `while` any metric has it, of a course alone those that keep one of levels. */
static void values_over_the_time_of_all(void **state)
{
	static const struct expected expected[] = {
		{"while.common.temperature_c", WHILE, NULL},
		{"min(while.common_n.temperature_c)", WHILE, NULL},
		{"while.common.temperature_c", "", "\"while\" in the same rule"},
		{"while.common.temperature_c", WHILE ALONE, "of \"alone\""},
		{"while.common", WHILE, "a number of a report"},
		{"course.common_n.power_w", "", NULL},
		{"course.common_n.mem_used_mib", "", "a number of a report"},
		{"course.common_n", "", "a number of a report"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct error err = {""};

		assert_parsed(parse("gpu_util_pct.max", expected[i].what,
				      expected[i].more, &err),
			&err, &expected[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(among_by_a_gpus_own_numbers),
		cmocka_unit_test(values_over_the_time_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
