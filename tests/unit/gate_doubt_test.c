/* Gates of numbers of which not all of the time is covered, or not all of the work done.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate_fixture.h"

/*
 * What a value in doubt leaves open. A base of 100 and 10 more, or less, in the new run:
 * + is a lower bound, - an upper one, ? either; of the base, then of the new run.
 */
static void doubts(void **state)
{
	static const struct {
		const char *rule;
		double new;
		const char *doubt;
		enum gate_cause cause;
	} cases[] = {
		{"\"max_increase_pct\": 5", 110, "  ", GATE_BROKEN},
		{"\"max_increase_pct\": 5", 110, " +", GATE_BROKEN},
		{"\"max_increase_pct\": 5", 110, "+ ", GATE_UNCOVERED},
		{"\"max_increase_pct\": 5", 110, "++", GATE_UNCOVERED},
		{"\"max_increase_pct\": 5", 110, " -", GATE_UNCOVERED},
		{"\"max_increase_pct\": 5", 110, "- ", GATE_BROKEN},
		{"\"max_increase_pct\": 5", 110, " ?", GATE_UNCOVERED},
		{"\"max_increase_pct\": 5", 110, "? ", GATE_UNCOVERED},
		{"\"max_increase_pct\": 5", 90, "  ", GATE_KEPT},
		{"\"max_increase_pct\": 5", 90, " +", GATE_UNCOVERED},
		{"\"max_increase_pct\": 5", 90, "+ ", GATE_KEPT},
		{"\"max_increase_pct\": 5", 90, "- ", GATE_UNCOVERED},
		{"\"max_increase_pct\": 5", 90, " -", GATE_KEPT},
		{"\"max_increase_pct\": 5", 90, "? ", GATE_UNCOVERED},
		{"\"max_decrease_pct\": 5", 90, "  ", GATE_BROKEN},
		{"\"max_decrease_pct\": 5", 90, " +", GATE_UNCOVERED},
		{"\"max_decrease_pct\": 5", 90, "+ ", GATE_BROKEN},
		{"\"max_decrease_pct\": 5", 110, " +", GATE_KEPT},
		{"\"max_decrease_pct\": 5", 110, "+ ", GATE_UNCOVERED},
		{"\"max_increase_pct\": 5, \"max_decrease_pct\": 5", 101, " +",
			GATE_UNCOVERED},
		{"\"at_most\": 105", 110, " +", GATE_BROKEN},
		{"\"at_most\": 105", 110, " -", GATE_UNCOVERED},
		{"\"at_most\": 105", 90, " +", GATE_UNCOVERED},
		{"\"at_most\": 105", 90, "+ ", GATE_KEPT},
		{"\"at_least\": 95", 90, " +", GATE_UNCOVERED},
		{"\"at_least\": 95", 110, " +", GATE_KEPT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct made_gate made;
		char rule[200];

		snprintf(rule, sizeof rule,
			"{\"name\": \"r\", \"metric\": \"energy_j\", %s" EXACT "}",
			cases[i].rule);
		gate_make(&made, rule, 1, 1);
		gate_row(&made, of_run("energy_j"), ROW(100, cases[i].new));
		for (size_t k = 0; k < 2; k++) {
			char doubt = cases[i].doubt[k];

			gate_cover(&made, k, doubt == ' ' ? 1 : 0.5,
				doubt == '+'	       ? DOUBT_MORE
					: doubt == '-' ? DOUBT_LESS
					: doubt == '?' ? DOUBT_EITHER
						       : DOUBT_NONE);
		}
		gate_decide(&made);
		assert_gate(&made, 0, cases[i].cause,
			strcmp(cases[i].doubt, "  ") == 0 ? NULL : "(50.0 % covered)");
		gate_unmake(&made);
	}
}

/* Of bounds a run that is surely beyond decides, however far one in doubt is. */
static void sure_bounds(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made, "{\"name\": \"r\", \"metric\": \"energy_j\", \"at_least\": 95}",
		0, 3);
	gate_row(&made, of_run("energy_j"), ROW(10, 90, 99));
	gate_cover(&made, 0, 0.5, DOUBT_MORE);
	gate_decide(&made);
	assert_gate(&made, 0, GATE_BROKEN,
		"90.0 s in new1; expected at least 95 s; a lower bound in new0");
	gate_unmake(&made);
}

/* A base whose values were all left out of it is none to be new beside. */
static void lost_base(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"r\", \"metric\": \"duration_s\", \"phase\": \"*\", "
		"\"max_increase\": 1" EXACT "}",
		1, 1);
	gate_row(&made, of_phase("duration_s", "a"), ROW(10, 10));
	gate_row(&made, of_phase("duration_s", "b"), ROW(NAN, 10));
	gate_cover(&made, 0, 0.5, DOUBT_MORE);
	made.comparison.row[1].covered[0].left_out = true;
	gate_decide(&made);
	assert_gate(&made, 0, GATE_KEPT, NULL);
	assert_gate(&made, 1, GATE_UNCOVERED, "too little of its time");
	gate_unmake(&made);
}

/*
 * A new run's value in doubt, of which the base has nothing at all, is new like any
 * other, where the rule has a base for another phase, and else without a base; a bound
 * asks for the value, which may be more.
 */
static void no_base(void **state)
{
	static const struct {
		const char *limits;
		double base; /* of phase a */
		enum gate_cause cause; /* of phase b */
		const char *why;
	} cases[] = {
		{"\"max_increase\": 1", 10, GATE_NEW, "10.0 s, new: the base has none"},
		{"\"max_increase\": 1", NAN, GATE_NO_BASE,
			"10.0 s, but the base has none of it; a lower bound in new0"},
		{"\"max_increase\": 1, \"at_most\": 50", 10, GATE_UNCOVERED,
			"10.0 s; a lower bound in new0"},
		{"\"max_increase\": 1, \"at_least\": 5", 10, GATE_NEW, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct made_gate made;
		char rule[200];

		snprintf(rule, sizeof rule,
			"{\"name\": \"r\", \"metric\": \"duration_s\", \"phase\": \"*\", "
			"%s" EXACT "}",
			cases[i].limits);
		gate_make(&made, rule, 1, 1);
		gate_row(&made, of_phase("duration_s", "a"), ROW(cases[i].base, 10));
		gate_row(&made, of_phase("duration_s", "b"), ROW(NAN, 10));
		gate_cover(&made, 1, 0.5, DOUBT_MORE);
		gate_decide(&made);
		assert_gate(
			&made, 0, isnan(cases[i].base) ? GATE_NO_BASE : GATE_KEPT, NULL);
		assert_gate(&made, 1, cases[i].cause, cases[i].why);
		gate_unmake(&made);
	}
}

/*
 * A base of 100 s and so much in the new run, which did so many units for the base's
 * 1,000: more time of no more work is a rise at least, less of no less is a fall. A bound
 * asks for no base; what is no total is none of more work.
 */
static void other_work(void **state)
{
	static const struct {
		const char *rule;
		double new, units;
		bool total;
		enum gate_cause cause;
	} cases[] = {
		{"\"max_increase_pct\": 5", 50, 500, true, GATE_OTHER_WORK},
		{"\"max_increase_pct\": 5", 50, 2000, true, GATE_KEPT},
		{"\"max_increase_pct\": 5", 50, 1000, true, GATE_KEPT},
		{"\"max_increase_pct\": 5", 200, 2000, true, GATE_OTHER_WORK},
		{"\"max_increase_pct\": 5", 200, 500, true, GATE_BROKEN},
		{"\"max_increase_pct\": 5", 200, 1000, true, GATE_BROKEN},
		{"\"max_increase_pct\": 5", 200, 2000, false, GATE_BROKEN},
		{"\"max_increase_pct\": 5", 50, 500, false, GATE_KEPT},
		{"\"max_decrease_pct\": 5", 50, 500, true, GATE_OTHER_WORK},
		{"\"max_decrease_pct\": 5", 50, 2000, true, GATE_BROKEN},
		{"\"max_decrease_pct\": 5", 200, 2000, true, GATE_OTHER_WORK},
		{"\"at_most\": 105", 50, 500, true, GATE_KEPT},
		{"\"at_most\": 105", 200, 2000, true, GATE_BROKEN},
	};

	(void)state;
	for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
		size_t nth = i / 2;
		bool judged = i % 2, differs = cases[nth].units != 1000;
		struct measure measure = of_run("duration_s");
		struct made_gate made;
		char rule[200];

		snprintf(rule, sizeof rule,
			"{\"name\": \"r\", \"metric\": \"duration_s\", %s" EXACT "}",
			cases[nth].rule);
		gate_make(&made, rule, 1, 1);
		measure.total = cases[nth].total;
		gate_row(&made, measure, ROW(100, cases[nth].new));
		made.comparison.work = xstrdup("step");
		made.comparison.work_differs = differs;
		made.comparison.run[0].units = 1000;
		made.comparison.run[1].units = cases[nth].units;
		made.rules.judges_other_work = judged;
		gate_decide(&made);
		if (judged && cases[nth].cause == GATE_OTHER_WORK)
			assert_int_not_equal(made.gate.result[0].cause, GATE_OTHER_WORK);
		else
			assert_gate(&made, 0, cases[nth].cause,
				cases[nth].cause == GATE_OTHER_WORK
					? "; of other amounts of work: 1,000 step -> "
					: NULL);
		gate_unmake(&made);
	}
}

/* In which of one base run and two new ones a GPU fell silent: a dot where it did not. */
static void lost_devices(void **state)
{
	static const struct {
		const char *lost;
		const char *why; /* NULL: it is no incident */
	} cases[] = {
		{"...", NULL},
		{".x.", "this GPU fell silent before its log ended, in new0"},
		{".xx", "this GPU fell silent before its log ended, in new0, new1"},
		{"x..", NULL}, {"xx.", NULL}, /* as ever */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct made_gate made;
		struct comparison *comparison = &made.comparison;
		struct compared_gpu gpu = {xstrdup("gpu1"), xcalloc(3, sizeof(bool)),
			xcalloc(3, sizeof(bool))};
		struct strbuf text;

		gate_make(&made,
			"{\"name\": \"b\", \"metric\": \"duration_s\", \"at_most\": 50}",
			1, 2);
		gate_row(&made, of_run("duration_s"), ROW(9, 9, 9));
		for (size_t k = 0; k < 3; k++) {
			gpu.has[k] = true;
			gpu.lost[k] = cases[i].lost[k] == 'x';
		}
		ALLOC_GROW(
			comparison->gpu, comparison->gpu_count + 1, comparison->gpu_cap);
		comparison->gpu[comparison->gpu_count++] = gpu;
		gate_decide(&made);
		assert_int_equal(made.gate.incident_count, cases[i].why != NULL);
		strbuf_init(&text);
		if (cases[i].why)
			strbuf_addf(&text, "%s %s",
				gate_incident_noun(made.gate.incident[0].kind, 1),
				made.gate.incident[0].why);
		if (cases[i].why)
			assert_string_equal(text.text, cases[i].why);
		assert_int_equal(
			made.gate.outcome, cases[i].why ? GATE_REGRESSION : GATE_PASS);
		strbuf_release(&text);
		gate_unmake(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubts),
		cmocka_unit_test(sure_bounds),
		cmocka_unit_test(lost_base),
		cmocka_unit_test(no_base),
		cmocka_unit_test(other_work),
		cmocka_unit_test(lost_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
