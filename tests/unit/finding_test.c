/*
 * A finding in words: its values in their units, and the parts in brackets left out whose
 * values are not known, or say nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/finding.h"
#include "model/report.h"
#include "rules/rules.h"

static const char idle[] =
	"{\"id\": \"x\", \"version\": 1, \"title\": \"X\", \"severity\": \"warning\", "
	"\"scope\": \"gpu\", \"while\": [{\"metric\": \"gpu_util_pct\", \"at_most\": "
	"5}], "
	"\"values\": {\"idle\": \"while.seconds\", \"power\": \"while.mean.power_w\"}, "
	"\"fires\": [{\"value\": \"idle\", \"at_least\": 10}], "
	"\"sentence\": \"{device} was idle for {idle}[, at {power}]\", "
	"\"remedy\": \"Work.\"}";

static void assert_says(
	const struct rule *rule, double seconds, double watts, const char *expected)
{
	struct finding finding = {
		.rule = rule, .device = FINDING_RUN, .value = {seconds, watts}};
	const struct report report = {.windowed = false};
	struct strbuf sb;

	strbuf_init(&sb);
	finding_sentence(&sb, &report, &finding, strbuf_adds);
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
}

static void parts_of_unknown_values_are_left_out(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};

	(void)state;
	assert_int_equal(rules_parse(&set, "x.json", idle, &err), 0);
	assert_says(set.rule, 12, 250, "the run was idle for 12.0 s, at 250 W");
	assert_says(set.rule, 12, (double)NAN, "the run was idle for 12.0 s");
	assert_says(set.rule, (double)NAN, (double)NAN, "the run was idle for unknown");
	rule_set_release(&set);
}

/* As its phase was given: a slash in a name is no inner phase. */
static void a_phase_is_told_as_it_was_named(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};
	char name[] = "load%2Fread";
	struct phase_path path = {.path = name};
	struct finding_phase phase = {.path = 0, .seconds = 3, .own_s = 3};
	const struct report report = {.path = &path, .path_count = 1};
	struct finding finding = {.device = FINDING_RUN,
		.of_phases = true,
		.phase = &phase,
		.phase_count = 1};
	struct strbuf sb;

	(void)state;
	assert_int_equal(rules_parse(&set, "x.json", idle, &err), 0);
	finding.rule = set.rule;
	strbuf_init(&sb);
	finding_sentence(&sb, &report, &finding, strbuf_adds);
	assert_string_equal(sb.text, "X: load/read 3.0 s");
	strbuf_release(&sb);
	rule_set_release(&set);
}

/* 0.04 W is printed as "0.0 W". */
static void parts_of_a_value_with_a_plus_are_left_out_if_it_reads_as_nought(void **state)
{
	char *text = strdup(idle), *mark = strstr(text, "{power}");
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	strbuf_add(&sb, text, (size_t)(mark - text));
	strbuf_addf(&sb, "{+power}%s", mark + strlen("{power}"));
	assert_int_equal(rules_parse(&set, "x.json", sb.text, &err), 0);
	assert_says(set.rule, 12, 0.1, "the run was idle for 12.0 s, at 0.1 W");
	assert_says(set.rule, 12, 0.04, "the run was idle for 12.0 s");
	assert_says(set.rule, 12, 0, "the run was idle for 12.0 s");
	assert_says(set.rule, 12, -3, "the run was idle for 12.0 s");
	assert_says(set.rule, 12, (double)NAN, "the run was idle for 12.0 s");
	rule_set_release(&set);
	strbuf_release(&sb);
	free(text);
}

/* Nought is an answer unless the sentence says otherwise. */
static void parts_of_nought_are_told(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};

	(void)state;
	assert_int_equal(rules_parse(&set, "x.json", idle, &err), 0);
	assert_says(set.rule, 12, 0, "the run was idle for 12.0 s, at 0 W");
	rule_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_phase_is_told_as_it_was_named),
		cmocka_unit_test(parts_of_unknown_values_are_left_out),
		cmocka_unit_test(
			parts_of_a_value_with_a_plus_are_left_out_if_it_reads_as_nought),
		cmocka_unit_test(parts_of_nought_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
