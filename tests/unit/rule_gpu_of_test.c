/* Values of the GPU that gave another value: which rules may ask for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "rules/rules.h"

static int parse(const char *values, struct error *err)
{
	struct rule_set set = RULE_SET_INIT;
	struct strbuf sb;
	int rc;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"{\"id\": \"x\", \"version\": 1, \"title\": \"X\", \"severity\": "
		"\"warning\", \"scope\": \"run\", \"values\": {%s}, \"fires\": "
		"[{\"value\": "
		"\"most\", \"above\": 0}], \"sentence\": \"{most}\", \"remedy\": \"r\"}",
		values);
	rc = rules_parse(&set, "x.json", sb.text, err);
	strbuf_release(&sb);
	rule_set_release(&set);
	return rc;
}

#define TOTAL(of) "\"total\": {\"of\": \"mem_total_mib.max\", \"gpu_of\": " of "}"

/* It must be one GPU that gave it, and be known by then. */
static void of_one_gpu(void **state)
{
	static const struct {
		const char *values, *refused; /* NULL: it is fine */
	} expected[] = {
		{"\"most\": \"max(mem_used_mib.max)\", " TOTAL("\"most\""), NULL},
		{"\"most\": \"min(mem_used_mib.max)\", " TOTAL("\"most\""), NULL},
		{"\"most\": \"sum(mem_used_mib.max)\", " TOTAL("\"most\""), "\"most\""},
		{"\"most\": \"summary.samples\", " TOTAL("\"most\""), "\"most\""},
		{TOTAL("\"most\"") ", \"most\": \"max(mem_used_mib.max)\"", "\"most\""},
		{"\"most\": \"max(mem_used_mib.max)\", " TOTAL("\"total\""), "\"total\""},
		{"\"most\": \"max(mem_used_mib.max)\", " TOTAL("5"), "5"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct error err;
		struct strbuf sb;

		if (!expected[i].refused) {
			assert_int_equal(parse(expected[i].values, &err), 0);
			continue;
		}
		assert_int_equal(parse(expected[i].values, &err), -1);
		strbuf_init(&sb);
		strbuf_addf(&sb, "\"gpu_of\" is %s: expected", expected[i].refused);
		assert_non_null(strstr(err.message, sb.text));
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_gpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
