/* Gates of numbers of which not all of the time is covered. */
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
			strcmp(cases[i].doubt, "  ") == 0
				? NULL
				: "(50.0 % of its time covered)");
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
		"90.0 s in new1; expected at least 95; a lower bound in new0");
	gate_unmake(&made);
}

/* A base whose values were all left out of it is none to be new beside. */
static void lost_base(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"r\", \"metric\": \"total_s\", \"phase\": \"*\", "
		"\"max_increase\": 1" EXACT "}",
		1, 1);
	gate_row(&made, of_phase("total_s", "a"), ROW(10, 10));
	gate_row(&made, of_phase("total_s", "b"), ROW(NAN, 10));
	gate_cover(&made, 0, 0.5, DOUBT_MORE);
	gate_decide(&made);
	assert_gate(&made, 0, GATE_KEPT, NULL);
	assert_gate(&made, 1, GATE_UNCOVERED, "too little of its time");
	gate_unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubts),
		cmocka_unit_test(sure_bounds),
		cmocka_unit_test(lost_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
