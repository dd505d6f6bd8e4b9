/*
 * Values that a rule tells of each phase, in closed forms; and rules that ask for what no
 * phase has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "made_run.h"
#include "rules/rules.h"

/* -1: refused, and err says why. */
static int parse(struct rule_set *set, const char *scope, const char *stretch,
	const char *values, const char *in_phases, struct error *err)
{
	struct strbuf sb;
	int rc;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"{\"id\": \"x\", \"version\": 1, \"title\": \"X\", \"severity\": "
		"\"warning\", \"scope\": \"%s\", \"while\": [{\"metric\": "
		"\"gpu_util_pct\", \"at_most\": 5}], %s\"values\": {%s}, "
		"\"in_phases\": %s, \"fires\": [{\"value\": \"s\", \"above\": 0}], "
		"\"any_evidence\": true, \"sentence\": \"{s}\", \"remedy\": \"r\"}",
		scope, stretch, values, in_phases);
	rc = rules_parse(set, "x.json", sb.text, err);
	strbuf_release(&sb);
	return rc;
}

#define STRETCH "\"stretch_s\": 0, "
#define VALUES                                                                     \
	"\"s\": \"while.seconds\", \"mean\": \"while.mean.power_w\", \"all\": "    \
	"\"sum(while.seconds)\", \"share\": \"while.share\", \"below\": {\"of\": " \
	"\"power_w.max\", \"minus\": \"while.mean.power_w\"}, \"energy\": "        \
	"\"while.integral.power_w\""

static void phase(struct made *made, const char *name, double from_s, double to_s)
{
	struct event *event = run_add_event(&made->run);

	event->type = EVENT_PHASE;
	event->t_ns = at_ns(from_s);
	event->end_ns = at_ns(to_s);
	event->name = run_keep(&made->run, name);
}

/*
 * A row a second from 0 to 40, but none in (silent, 20): its power is its second in W,
 * its utilization 0 % in [10, 20). Phase a is [5.5, 15.5), b [12, 30).
 */
static void make(struct made *made, const struct rule_set *rules, int silent)
{
	begin(made, 1);
	made->options.rules = rules;
	phase(made, "a", 5.5, 15.5);
	phase(made, "b", 12, 30);
	for (int t = 0; t <= 40; t++) {
		if (t > silent && t < 20)
			continue;
		sample(made, t, 0, METRIC_gpu_util_pct, t >= 10 && t < 20 ? 0 : 40);
		also(made, METRIC_power_w, t);
	}
	finish(made);
	assert_int_equal(made->report.finding_count, 1);
	assert_int_equal(made->report.finding[0].phase_count, 2);
}

static void expect(
	const struct made *made, size_t i, double seconds, double mean, double energy)
{
	const struct finding_phase *phase = &made->report.finding[0].phase[i];

	near(phase->seconds, seconds);
	near(phase->value[0], 40 - mean);
	near(phase->value[1], energy);
}

static void what_a_row_says_is_cut_at_the_edges_of_calls(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};
	struct made made;

	(void)state;
	assert_int_equal(
		parse(&set, "gpu", STRETCH, VALUES, "[\"below\", \"energy\"]", &err), 0);
	make(&made, &set, 40);
	/* 10 + 11 + 12 + 13 + 14 + 15 / 2 in a; 12 + ... + 19 in b */
	expect(&made, 0, 5.5, 67.5 / 5.5, 67.5);
	expect(&made, 1, 8, 124 / 8.0, 124);
	/* 10 + ... + 19 in all */
	near(made.report.finding[0].value[4], 40 - 145 / 10.0);
	near(made.report.finding[0].value[5], 145);
	release(&made);
	rule_set_release(&set);
}

/* From 15 to 20 no row comes, which at 1 Hz is a gap. */
static void gaps_count_in_no_phase(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};
	struct made made;

	(void)state;
	assert_int_equal(
		parse(&set, "gpu", STRETCH, VALUES, "[\"below\", \"energy\"]", &err), 0);
	make(&made, &set, 15);
	expect(&made, 0, 5, 60 / 5.0, 60);
	expect(&made, 1, 3, 39 / 3.0, 39);
	release(&made);
	rule_set_release(&set);
}

static void what_no_phase_has_is_refused(void **state)
{
	static const struct {
		const char *scope, *stretch, *in_phases, *expected;
	} bad[] = {
		{"gpu", STRETCH, "{}", "an array"},
		{"gpu", STRETCH, "[\"s\", \"mean\", \"s\"]", "up to two"},
		{"gpu", STRETCH, "[\"hours\"]", "one of its values"},
		{"gpu", STRETCH, "[5]", "one of its values"},
		{"gpu", STRETCH, "[\"all\"]", "seconds, mean and integral"},
		{"gpu", STRETCH, "[\"share\"]", "seconds, mean and integral"},
		{"gpu", "", "[\"s\"]", "\"stretch_s\""},
		{"gpu", STRETCH, "[], \"alone\": 5", "true, false or \"not\""},
		{"gpu", STRETCH, "[], \"alone\": \"only\"", "true, false or \"not\""},
		{"gpu", STRETCH, "[], \"stretch_rows\": 0", "a whole number from 1"},
		{"gpu", STRETCH, "[], \"stretch_rows\": 1.5", "a whole number from 1"},
		{"gpu", STRETCH, "[], \"stretch_rows\": 2", "\"alone\""},
		{"gpu", STRETCH, "[], \"alone\": true", "together of \"alone\""},
		{"run", STRETCH, "[], \"alone\": true", "\"alone\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct rule_set set = RULE_SET_INIT;
		struct error err = {""};

		assert_int_equal(parse(&set, bad[i].scope, bad[i].stretch, VALUES,
					 bad[i].in_phases, &err),
			-1);
		if (!strstr(err.message, bad[i].expected))
			fail_msg("'%s' does not say '%s'", err.message, bad[i].expected);
		rule_set_release(&set);
	}
}

static void a_run_tells_none_of_phases(void **state)
{
	struct rule_set set = RULE_SET_INIT;
	struct error err = {""};

	(void)state;
	assert_int_equal(
		parse(&set, "run", STRETCH, "\"s\": \"while.seconds\"", "[\"s\"]", &err),
		-1);
	assert_non_null(strstr(err.message, "scope gpu"));
	rule_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_row_says_is_cut_at_the_edges_of_calls),
		cmocka_unit_test(gaps_count_in_no_phase),
		cmocka_unit_test(what_no_phase_has_is_refused),
		cmocka_unit_test(a_run_tells_none_of_phases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
