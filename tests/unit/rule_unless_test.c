/* What excludes a row, and values of a course: which rules may say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "rules/rules.h"

#define BUSY "{\"metric\": \"gpu_util_pct\", \"above\": 1}"

static const struct {
	const char *rows, *value, *refused; /* NULL: it is fine */
} expected[] = {
	{BUSY ", {\"unless\": [" BUSY "]}", "while.seconds", NULL},
	{BUSY ", {\"unless\": [" BUSY ", " BUSY "]}", "while.seconds", NULL},
	{BUSY ", {\"unless\": 1}", "while.seconds",
		"\"unless\" is 1: expected an array of conditions"},
	{BUSY ", {\"unless\": []}", "while.seconds",
		"\"unless\" is []: expected an array of conditions"},
	{"{\"unless\": [" BUSY "]}", "while.seconds", "a condition before it"},
	{BUSY ", {\"unless\": [" BUSY "], \"any\": []}", "while.seconds", "unknown key"},
	{BUSY, "course.least_rise.mem_used_mib", NULL},
	{BUSY, "course.recent.ram_used_mib", NULL},
	{BUSY, "course.least_rise.power_w", "a number of a report"},
	{BUSY, "course.rise.mem_used_mib", "a number of a report"},
	{BUSY, "course.recent", "a number of a report"},
};

static void asked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct rule_set set = RULE_SET_INIT;
		struct error err;
		struct strbuf sb;
		int rc;

		strbuf_init(&sb);
		strbuf_addf(&sb,
			"{\"id\": \"x\", \"version\": 1, \"title\": \"X\", \"severity\": "
			"\"warning\", \"scope\": \"gpu\", \"while\": [%s], \"values\": "
			"{\"v\": \"%s\"}, \"fires\": [{\"value\": \"v\", \"above\": 0}], "
			"\"sentence\": \"{v}\", \"remedy\": \"r\"}",
			expected[i].rows, expected[i].value);
		rc = rules_parse(&set, "x.json", sb.text, &err);
		assert_int_equal(rc, expected[i].refused ? -1 : 0);
		if (expected[i].refused && !strstr(err.message, expected[i].refused))
			fail_msg("%s", err.message);
		strbuf_release(&sb);
		rule_set_release(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
