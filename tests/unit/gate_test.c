/*
 * Every way in which a rule of a gate can come out, each worked out by hand. With n runs
 * on each side the smallest p of a test by ranks is 2 / C(2n, n): 0.1 of three, 0.029 of
 * four, 0.0079 of five, 0.0022 of six.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate_fixture.h"

/* One rule of duration_s, judged over these runs. */
static void assert_one(const char *limits, size_t base, size_t new, const double *value,
	enum gate_cause cause, const char *why)
{
	struct made_gate made;
	char rule[256];

	snprintf(rule, sizeof rule, "{\"name\": \"r\", \"metric\": \"duration_s\", %s}",
		limits);
	gate_make(&made, rule, base, new);
	gate_row(&made, of_run("duration_s"), value);
	gate_decide(&made);
	assert_int_equal(made.gate.count, 1);
	assert_gate(&made, 0, cause, why);
	assert_int_equal(made.gate.outcome, gate_cause_outcome(cause));
	assert_int_equal(made.gate.outcomes[made.gate.outcome], 1);
	gate_unmake(&made);
}

/* Each new run keeps them; of several that do not, the worst is named. */
static void bounds(void **state)
{
	(void)state;
	assert_one("\"at_most\": 10", 0, 1, ROW(10), GATE_KEPT, "10.0 s");
	assert_one("\"at_most\": 10", 0, 1, ROW(10.0000001), GATE_BROKEN,
		"; expected at most 10 s");
	assert_one("\"at_least\": 10", 0, 1, ROW(10), GATE_KEPT, NULL);
	assert_one("\"at_least\": 10", 0, 1, ROW(9.9), GATE_BROKEN,
		"9.9 s; expected at least 10 s");
	assert_one("\"at_most\": 10", 0, 3, ROW(11, 14, 12), GATE_BROKEN,
		"14.0 s in new1; expected at most 10 s");
	assert_one("\"at_least\": 5, \"at_most\": 10", 0, 3, ROW(11, 3, 7), GATE_BROKEN,
		"3.0 s in new1; expected at least 5 s");
	/* The base is not asked, and one run alone is enough. */
	assert_one("\"at_most\": 10", 3, 1, ROW(99, 99, 99, 9), GATE_KEPT, "9.0 s");
	assert_one("\"at_most\": -1", 0, 1, ROW(-1), GATE_KEPT, NULL);
	/* A new run that has none does not keep it; the base need not have it. */
	assert_one("\"at_most\": 10", 0, 2, ROW(9, NAN), GATE_VANISHED,
		"vanished: 1 of 2 new runs has it; not in new1");
	assert_one("\"at_most\": 10", 2, 1, ROW(NAN, NAN, 9), GATE_KEPT, NULL);
	assert_one("\"at_most\": 10", 0, 2, ROW(99, NAN), GATE_BROKEN, NULL);
	assert_one("\"at_most\": 10", 2, 1, ROW(9, NAN, NAN), GATE_VANISHED,
		"vanished: none of 1 new run has it");
}

/* By the values alone: a change that is as large as the limit keeps it. */
static void exact_changes(void **state)
{
	(void)state;
	assert_one("\"max_decrease_pct\": 5" EXACT, 1, 1, ROW(100, 95), GATE_KEPT,
		"100.0 s -> 95.0 s, -5.0 %");
	assert_one("\"max_decrease_pct\": 5" EXACT, 1, 1, ROW(100, 94.9), GATE_BROKEN,
		"100.0 s -> 94.9 s, -5.1 %; expected at most 5 % below the base");
	/* As many digits as it takes to see why. */
	assert_one("\"max_decrease_pct\": 5" EXACT, 1, 1, ROW(100, 94.9987), GATE_BROKEN,
		"100.000 s -> 94.999 s, -5.001 %; expected at most 5 % below the base");
	assert_one("\"at_least\": 95" EXACT, 1, 1, ROW(100, 94.9987), GATE_BROKEN,
		"94.999 s; expected at least 95 s");
	assert_one("\"max_increase_pct\": 5" EXACT, 1, 1, ROW(100, 105), GATE_KEPT, NULL);
	assert_one("\"max_increase_pct\": 5" EXACT, 1, 1, ROW(100, 105.1), GATE_BROKEN,
		NULL);
	/* 0.315 - 0.3 is 0.015000000000000013. */
	assert_one(
		"\"max_increase_pct\": 5" EXACT, 1, 1, ROW(0.3, 0.315), GATE_KEPT, NULL);
	assert_one("\"max_increase\": 0.1" EXACT, 1, 1, ROW(0.2, 0.3), GATE_KEPT, NULL);
	assert_one("\"max_increase\": 2" EXACT, 1, 1, ROW(7, 9), GATE_KEPT, NULL);
	assert_one("\"max_increase\": 2" EXACT, 1, 1, ROW(7, 9.01), GATE_BROKEN,
		"expected at most 2 s above the base");
	assert_one("\"max_decrease\": 2" EXACT, 1, 1, ROW(7, 4.9), GATE_BROKEN, NULL);
	/* The good direction has no limit, of what is negative either. */
	assert_one("\"max_increase_pct\": 5" EXACT, 1, 1, ROW(100, 1), GATE_KEPT, NULL);
	assert_one("\"max_decrease\": 2" EXACT, 1, 1, ROW(7, 700), GATE_KEPT, NULL);
	assert_one("\"max_increase_pct\": 10" EXACT, 1, 1, ROW(-100, -89), GATE_BROKEN,
		NULL);
	assert_one(
		"\"max_increase_pct\": 10" EXACT, 1, 1, ROW(-100, -91), GATE_KEPT, NULL);
	/* Of two limits the one that is farther broken is said. */
	assert_one("\"max_increase\": 1, \"max_increase_pct\": 50" EXACT, 1, 1,
		ROW(10, 20), GATE_BROKEN, "expected at most 1 s above the base");
	/* From the base's median, 100, each new run; the farthest is said. */
	assert_one("\"max_increase_pct\": 5" EXACT, 3, 3, ROW(99, 100, 300, 9, 104, 105),
		GATE_KEPT, "100.0 s -> 105.0 s in new2, +5.0 %");
	assert_one("\"max_increase_pct\": 5" EXACT, 3, 3, ROW(99, 100, 300, 9, 104, 106),
		GATE_BROKEN, "100.0 s -> 106.0 s in new2, +6.0 %");
	assert_one("\"max_decrease_pct\": 5" EXACT, 3, 3, ROW(99, 100, 300, 9, 104, 106),
		GATE_BROKEN, "100.0 s -> 9.0 s in new0, -91.0 %");
}

/* What is no larger than min_abs is no change. */
static void least_changes(void **state)
{
	(void)state;
	assert_one("\"max_increase_pct\": 5, \"min_abs\": 1" EXACT, 1, 1, ROW(10, 11),
		GATE_KEPT, NULL);
	assert_one("\"max_increase_pct\": 5, \"min_abs\": 1" EXACT, 1, 1, ROW(10, 11.1),
		GATE_BROKEN, NULL);
	assert_one("\"max_increase_pct\": 0, \"min_abs\": 0.1" EXACT, 1, 1, ROW(0.2, 0.3),
		GATE_KEPT, NULL);
	assert_one("\"max_increase\": 0" EXACT, 1, 1, ROW(10, 10), GATE_KEPT, NULL);
	assert_one("\"max_increase\": 0" EXACT, 1, 1, ROW(10, 10.1), GATE_BROKEN, NULL);
}

static void bases_of_nought(void **state)
{
	const char *no = "a percentage of 0 is not defined; use max_increase";

	(void)state;
	assert_one(
		"\"max_increase_pct\": 5" EXACT, 1, 1, ROW(0, 3), GATE_NO_PERCENTAGE, no);
	assert_one("\"max_increase_pct\": 5" EXACT, 1, 1, ROW(0, 0), GATE_KEPT, NULL);
	assert_one("\"max_increase_pct\": 5" EXACT, 1, 1, ROW(0, -3), GATE_KEPT, NULL);
	assert_one("\"max_decrease_pct\": 5" EXACT, 1, 1, ROW(0, 3), GATE_KEPT, NULL);
	assert_one("\"max_decrease_pct\": 5" EXACT, 1, 1, ROW(0, -3), GATE_NO_PERCENTAGE,
		no);
	assert_one("\"max_increase_pct\": 5, \"min_abs\": 3" EXACT, 1, 1, ROW(0, 3),
		GATE_KEPT, NULL);
	assert_one("\"max_increase_pct\": 5, \"max_increase\": 2" EXACT, 1, 1, ROW(0, 3),
		GATE_BROKEN, "0.0 s -> 3.0 s, +3.0 s");
	assert_one("\"max_increase_pct\": 5, \"max_increase\": 9" EXACT, 1, 1, ROW(0, 3),
		GATE_NO_PERCENTAGE, no);
}

#define FOUR	 100, 101, 102, 103
#define FOUR_UP	 110, 111, 112, 113
#define THREE	 100, 101, 102
#define THREE_UP 110, 111, 112

/* Of one test, and sides that do not meet, p is the smallest that there is. */
static void tested_changes(void **state)
{
	(void)state;
	assert_one("\"max_increase_pct\": 5", 4, 4, ROW(FOUR, FOUR_UP), GATE_BROKEN,
		"101.5 s -> 111.5 s, +9.9 % (p 0.029); expected at most 5 % above");
	assert_one("\"max_increase_pct\": 10", 4, 4, ROW(FOUR, FOUR_UP), GATE_KEPT,
		"would show");
	assert_one("\"max_decrease_pct\": 5", 4, 4, ROW(FOUR, FOUR_UP), GATE_KEPT, NULL);
	/* 4 of the 70 arrangements are as uneven: p = 2 * 2 / 70. */
	assert_one("\"max_increase_pct\": 1", 4, 4,
		ROW(100, 101, 102, 110.5, 110, 111, 112, 113), GATE_UNDETECTED,
		"+9.9 % (p 0.057); these runs show a change from 7.0 % on, the limit is "
		"1.0 %: take 199 runs on each side, or accept");
	assert_one("\"max_increase_pct\": 8", 4, 4,
		ROW(100, 101, 102, 110.5, 110, 111, 112, 113), GATE_NOT_SIGNIFICANT,
		"not significant (p 0.057); a change of 7.0 % would show");
	assert_one("\"max_increase_pct\": 5", 3, 3, ROW(THREE, THREE_UP), GATE_TOO_FEW,
		"3 against 3 runs are too few; take 4 on each side");
	assert_one("\"max_increase_pct\": 50", 3, 3, ROW(THREE, THREE_UP), GATE_TOO_FEW,
		NULL);
	assert_one("\"max_increase_pct\": 5", 1, 1, ROW(100, 200), GATE_TOO_FEW, NULL);
	assert_one("\"max_increase_pct\": 5", 4, 1, ROW(FOUR, 200), GATE_TOO_FEW,
		"is too few; take a base of 5, or 4 on each side, or");
	assert_one("\"max_increase_pct\": 5" EXACT, 3, 3, ROW(THREE, THREE_UP),
		GATE_BROKEN, NULL);
	/* Equal runs have no noise: any change would show, and there is none. */
	assert_one("\"max_increase_pct\": 5", 4, 4, ROW(7, 7, 7, 7, 7, 7, 7, 7),
		GATE_KEPT, "7.0 s -> 7.0 s, 0.0 % (p 1.000)");
	/* A bound that is kept leaves the change to be tested; a broken one does not. */
	assert_one("\"at_most\": 120, \"max_increase_pct\": 5", 4, 4, ROW(FOUR, FOUR_UP),
		GATE_BROKEN, "expected at most 5 % above");
	assert_one("\"at_most\": 112, \"max_increase_pct\": 50", 3, 4,
		ROW(THREE, FOUR_UP), GATE_BROKEN, "113.0 s in new3");
}

/*
 * Base 100 +- 1: mean 100, s = sqrt(2.5) = 1.581, n = 5; t(0.975, 4) = 2.776, so that
 * 100 +- 2.776 * 1.581 * sqrt(1.2) = 4.81 holds the next run.
 */
static void histories(void **state)
{
	(void)state;
	assert_one("\"max_increase_pct\": 1", 5, 1, ROW(98, 99, 100, 101, 102, 104.7),
		GATE_UNDETECTED, "+4.7 % (p 0.053); these runs show a change from 6.4 %");
	assert_one("\"max_increase_pct\": 1", 5, 1, ROW(98, 99, 100, 101, 102, 104.9),
		GATE_BROKEN, "(p 0.047)");
	assert_one("\"max_increase_pct\": 5", 5, 1, ROW(98, 99, 100, 101, 102, 104.9),
		GATE_UNDETECTED, NULL);
	assert_one("\"max_increase_pct\": 7", 5, 1, ROW(98, 99, 100, 101, 102, 104.9),
		GATE_KEPT, NULL);
	assert_one("\"max_increase_pct\": 1", 4, 1, ROW(98, 99, 100, 101, 104.9),
		GATE_TOO_FEW, "a base of 5");
	/* Two new runs are no single one: by ranks, 2 / C(7, 2) = 0.095. */
	assert_one("\"max_increase_pct\": 1", 5, 2, ROW(98, 99, 100, 101, 102, 120, 121),
		GATE_TOO_FEW, NULL);
	/* Without noise 0.5 % of the mean stands for it: 2.776 * 0.5 * 1.095 = 1.52. */
	assert_one("\"max_increase_pct\": 1", 5, 1, ROW(100, 100, 100, 100, 100, 101.5),
		GATE_UNDETECTED, NULL);
	/* 95 + 4.81 = 99.81: even the largest change is a fall. So it is not of 97. */
	assert_one("\"max_increase_pct\": 1", 5, 1, ROW(98, 99, 100, 101, 102, 95),
		GATE_KEPT, "-5.0 %");
	assert_one("\"max_increase_pct\": 1", 5, 1, ROW(98, 99, 100, 101, 102, 97),
		GATE_UNDETECTED, "-3.0 %");
	assert_one("\"max_decrease_pct\": 1", 5, 1, ROW(98, 99, 100, 101, 102, 105),
		GATE_KEPT, NULL);
	assert_one("\"max_increase_pct\": 1", 5, 1, ROW(100, 100, 100, 100, 100, 101.6),
		GATE_BROKEN, NULL);
	/* Nothing but 0 has no noise: the interval is 0, and the limit says what is much.
	 */
	assert_one("\"max_increase\": 2", 5, 1, ROW(0, 0, 0, 0, 0, 0), GATE_KEPT,
		"0.0 s -> 0.0 s");
	assert_one("\"max_increase\": 2", 5, 1, ROW(0, 0, 0, 0, 0, 2), GATE_KEPT, NULL);
	assert_one("\"max_increase\": 2", 5, 1, ROW(0, 0, 0, 0, 0, 3), GATE_BROKEN,
		"0.0 s -> 3.0 s, +3.0 s; expected at most 2 s above the base");
	assert_one("\"max_increase\": 2", 4, 4, ROW(0, 0, 0, 0, 3, 3, 3, 3), GATE_BROKEN,
		NULL);
}

/*
 * What every run of the base has, every new one has; what half of the base has, one new
 * run at least. What comes and goes else, nobody knows.
 */
static void vanished(void **state)
{
	(void)state;
	assert_one("\"max_increase_pct\": 5", 2, 2, ROW(1, 2, NAN, NAN), GATE_VANISHED,
		"vanished: none of 2 new runs has it, and the whole base");
	assert_one("\"max_increase_pct\": 5", 2, 3, ROW(1, 2, 1, NAN, 1), GATE_VANISHED,
		"vanished: 2 of 3 new runs have it, and the whole base; not in new1");
	assert_one("\"max_increase_pct\": 5" EXACT, 2, 2, ROW(1, NAN, 1, NAN),
		GATE_SPARSE,
		"1 of 2 base runs has it, 1 of 2 new runs has it; not in new1");
	/* Five of six, one of two: no chance. Two of five may come and go. */
	assert_one("\"max_increase_pct\": 5", 6, 2, ROW(1, 2, 3, 4, 5, NAN, NAN, NAN),
		GATE_VANISHED, "vanished: none of 2 new runs has it, and 5 of 6 base");
	assert_one("\"max_increase_pct\": 5" EXACT, 2, 1, ROW(1, NAN, NAN), GATE_VANISHED,
		"none of 1 new run has it, and 1 of 2 base runs has it");
	assert_one("\"max_increase_pct\": 5", 5, 2, ROW(1, 2, NAN, NAN, NAN, NAN, NAN),
		GATE_SPARSE, "2 of 5 base runs have it, none of 2 new runs has it");
	/* Some new runs have it. */
	assert_one("\"max_increase_pct\": 5", 3, 2, ROW(1, 2, NAN, 1, NAN), GATE_TOO_FEW,
		"2 of 3 base runs have it, 1 of 2 new runs has it");
	/* At most one of six drawn of 12 of which 6 have it: (1 + 6 * 6) / 924 = 0.040;
	 * twice that, as its value is tested, too, may be chance. It passes by no single
	 * run. */
	assert_one("\"max_increase_pct\": 5", 6, 6,
		ROW(1, 2, 3, 4, 5, NAN, 1, NAN, NAN, NAN, NAN, NAN), GATE_SPARSE,
		"5 of 6 base runs have it, 1 of 6 new runs has it");
	/* At most one of five drawn of 25 of which 20 have it: (1 + 20 * 5) / 53,130. */
	assert_one("\"max_increase_pct\": 5", 20, 5,
		ROW(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, NAN, 1, NAN,
			NAN, NAN, NAN),
		GATE_VANISHED,
		"vanished: 1 of 5 new runs has it, and 19 of 20 base runs have it; not "
		"in new1");
	/* Of two tests: p 2 * 2 / C(10, 5). */
	assert_one("\"max_increase_pct\": 5", 6, 6,
		ROW(1, 2, 3, 4, 5, NAN, 6, 7, 8, 9, 10, NAN), GATE_BROKEN, "(p 0.016)");
	assert_one("\"max_increase_pct\": 5", 6, 6,
		ROW(101, 102, 103, 104, 105, NAN, 101, 102, 103, 104, 105, NAN),
		GATE_KEPT,
		"; 5 of 6 base runs have it, 5 of 6 new runs have it; not in new5");
	assert_one("\"max_increase_pct\": 5" EXACT, 2, 2, ROW(1, NAN, 1, 1), GATE_KEPT,
		NULL);
	assert_one("\"max_increase_pct\": 5", 2, 2, ROW(NAN, NAN, 1, 1), GATE_NO_BASE,
		"1.0 s, but the base has none of it");
}

static void nothing_to_judge(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"r\", \"metric\": \"energy_j\", \"at_most\": 5},"
		"{\"name\": \"s\", \"metric\": \"duration_s\", \"at_most\": 5}",
		1, 1);
	gate_row(&made, of_run("duration_s"), ROW(1, 9));
	gate_decide(&made);
	assert_gate(&made, 0, GATE_ABSENT, "no run recorded it");
	assert_null(made.gate.result[0].row);
	assert_gate(&made, 1, GATE_BROKEN, NULL);
	assert_int_equal(made.gate.outcome, GATE_UNUSABLE);
	gate_unmake(&made);
}

/*
 * Two rules: p of 0.0286 alone would do, of two tests 0.057 does not; of six runs a side
 * twice 0.0022 does. What is exact, or only a bound, is no test.
 */
static void several_tests(void **state)
{
	static const char rules[] =
		"{\"name\": \"a\", \"metric\": \"duration_s\", \"max_increase_pct\": 5},"
		"{\"name\": \"b\", \"metric\": \"energy_j\", \"max_increase_pct\": 5},"
		"{\"name\": \"c\", \"metric\": \"energy_j\", \"max_increase_pct\": "
		"5" EXACT "},"
		"{\"name\": \"d\", \"metric\": \"energy_j\", \"at_most\": 500}";
	struct made_gate made;

	(void)state;
	gate_make(&made, rules, 4, 4);
	gate_row(&made, of_run("duration_s"), ROW(FOUR, FOUR_UP));
	gate_row(&made, of_run("energy_j"), ROW(FOUR, FOUR));
	gate_decide(&made);
	assert_int_equal(made.gate.tests, 2);
	assert_gate(&made, 0, GATE_TOO_FEW,
		"4 against 4 runs are too few for 2 tests at once; take 5 on each side");
	assert_gate(&made, 1, GATE_TOO_FEW, NULL);
	assert_gate(&made, 2, GATE_KEPT, NULL);
	assert_gate(&made, 3, GATE_KEPT, NULL);
	assert_int_equal(made.gate.outcome, GATE_INCONCLUSIVE);
	gate_unmake(&made);

	gate_make(&made, rules, 6, 6);
	gate_row(&made, of_run("duration_s"), ROW(FOUR, 104, 105, FOUR_UP, 114, 115));
	gate_row(&made, of_run("energy_j"), ROW(FOUR, 104, 105, FOUR, 104, 105));
	gate_decide(&made);
	assert_gate(&made, 0, GATE_BROKEN, "(p 0.004)");
	assert_true(fabs(made.gate.result[0].p - 4.0 / 924) < 1e-12);
	assert_gate(&made, 1, GATE_KEPT, NULL);
	assert_true(made.gate.result[1].p == 1);
	gate_unmake(&made);
}

/* What these runs could not have seen does not pass: of 4 runs a side with s = 1.29 that
 * is (1.96 + 0.84) * 1.29 * sqrt(pi / 6) = 2.6 s, 2.6 %. */
static void weak_tests(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"a\", \"metric\": \"duration_s\", \"max_increase_pct\": 1}",
		4, 4);
	gate_row(&made, of_run("duration_s"), ROW(FOUR, FOUR));
	gate_decide(&made);
	assert_gate(&made, 0, GATE_UNDETECTED,
		"these runs show a change from 2.6 % on, the limit is 1.0 %");
	assert_true(fabs(made.gate.result[0].allowed - 1.015) < 1e-12);
	/* 2.617 * sqrt(4 / n) <= 1.015 from 27 runs on. */
	assert_int_equal(made.gate.result[0].runs_needed, 27);
	assert_int_equal(made.gate.outcome, GATE_INCONCLUSIVE);
	/* Unless somebody accepts that: then it says so. */
	made.rules.allows_undetected = true;
	gate_decide(&made);
	assert_gate(&made, 0, GATE_KEPT, "a change of 2.6 % would show");
	assert_true(made.gate.result[0].undetected);
	assert_int_equal(made.gate.result[0].runs_needed, 27);
	gate_unmake(&made);
}

/*
 * Base 100 to 150, each new run 3 s slower: s = sqrt(350) = 18.7 of both sides, so that
 * 2.802 * 18.7 * sqrt(2 / 6 * pi / 3) = 31.0 s of 125 s show, 24.8 %, and no 1 %.
 */
static void undetected(void **state)
{
	(void)state;
	assert_one("\"max_increase_pct\": 1", 6, 6,
		ROW(100, 110, 120, 130, 140, 150, 103, 113, 123, 133, 143, 153),
		GATE_UNDETECTED, "from 24.8 % on, the limit is 1.0 %: take 3683 runs");
	assert_one("\"max_increase_pct\": 50", 6, 6,
		ROW(100, 110, 120, 130, 140, 150, 103, 113, 123, 133, 143, 153),
		GATE_KEPT, "+2.4 % (p 0.699)");
	/* No number of runs shows a change of nothing. */
	assert_one("\"max_increase_pct\": 0", 4, 4, ROW(FOUR, FOUR), GATE_UNDETECTED,
		"the limit is 0.0 %: give the rule a min_abs, or \"assume\"");
	/* All new runs are below: the interval of the change, -13 to -7, excludes a rise,
	 * and the limit downwards is broken. */
	assert_one(
		"\"max_increase_pct\": 1", 4, 4, ROW(FOUR_UP, FOUR), GATE_KEPT, "-9.0 %");
	assert_one("\"max_increase_pct\": 1, \"max_decrease_pct\": 1", 4, 4,
		ROW(FOUR_UP, FOUR), GATE_BROKEN, "at most 1 % below");
}

/* A rule that warns is judged, and changes nothing. */
static void warnings(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"a\", \"metric\": \"duration_s\", \"at_most\": 5, "
		"\"severity\": \"warning\"},"
		"{\"name\": \"b\", \"metric\": \"duration_s\", \"at_most\": 50, "
		"\"severity\": \"fail\"}",
		0, 1);
	gate_row(&made, of_run("duration_s"), ROW(9));
	gate_decide(&made);
	assert_gate(&made, 0, GATE_BROKEN, NULL);
	assert_int_equal(made.gate.result[0].outcome, GATE_REGRESSION);
	assert_int_equal(made.gate.outcome, GATE_PASS);
	assert_int_equal(made.gate.outcomes[GATE_REGRESSION], 0);
	gate_unmake(&made);
}

/* A new run that could not be used fails the gate, whatever the others say. */
static void lost_runs(void **state)
{
	struct lost_run lost[] = {{(char *)"new7", (char *)"it is empty"}};
	struct made_gate made;

	(void)state;
	gate_make(&made, "{\"name\": \"b\", \"metric\": \"duration_s\", \"at_most\": 50}",
		0, 1);
	gate_row(&made, of_run("duration_s"), ROW(9));
	gate_judge(&made.gate, &made.rules, &made.comparison, lost, 1);
	assert_gate(&made, 0, GATE_KEPT, NULL);
	assert_int_equal(made.gate.outcome, GATE_REGRESSION);
	assert_int_equal(made.gate.incident_count, 1);
	assert_int_equal(made.gate.incident[0].kind, GATE_RUN_LOST);
	assert_string_equal(made.gate.incident[0].subject, "new7");
	assert_string_equal(made.gate.incident[0].why, "could not be used: it is empty");
	gate_unmake(&made);
}

/* A new run whose command failed fails it too, unless the rules judge such runs. */
static void failed_runs(void **state)
{
	struct made_gate made;

	(void)state;
	gate_make(&made, "{\"name\": \"b\", \"metric\": \"duration_s\", \"at_most\": 50}",
		1, 2);
	gate_row(&made, of_run("duration_s"), ROW(9, 9, 9));
	made.comparison.run[0].outcome =
		(struct run_outcome){RUN_FAILED, xstrdup("exit status 1")};
	made.comparison.run[2].outcome =
		(struct run_outcome){RUN_FAILED, xstrdup("exit status 137 (SIGKILL)")};
	gate_decide(&made);
	assert_gate(&made, 0, GATE_KEPT, NULL);
	assert_int_equal(made.gate.outcome, GATE_REGRESSION);
	assert_int_equal(made.gate.incident_count, 1);
	assert_int_equal(made.gate.incident[0].kind, GATE_RUN_FAILED);
	assert_string_equal(made.gate.incident[0].subject, "new1");
	assert_string_equal(
		made.gate.incident[0].why, "failed: exit status 137 (SIGKILL)");
	made.rules.judges_failed = true;
	gate_decide(&made);
	assert_int_equal(made.gate.outcome, GATE_PASS);
	assert_int_equal(made.gate.incident_count, 0);
	gate_unmake(&made);
}

/* The GPUs of one base run and two new ones: a letter each that has it. */
static size_t vanished_gpus(const char *const has[3])
{
	struct made_gate made;
	struct comparison *comparison = &made.comparison;
	size_t count;

	gate_make(&made, "{\"name\": \"b\", \"metric\": \"duration_s\", \"at_most\": 50}",
		1, 2);
	gate_row(&made, of_run("duration_s"), ROW(9, 9, 9));
	for (char name[] = "a"; *name <= 'c'; ++*name) {
		bool *here = xcalloc(3, sizeof *here);

		for (size_t i = 0; i < 3; i++)
			here[i] = strchr(has[i], *name) != NULL;
		ALLOC_GROW(
			comparison->gpu, comparison->gpu_count + 1, comparison->gpu_cap);
		comparison->gpu[comparison->gpu_count++] = (struct compared_gpu){
			xstrdup(name), here, xcalloc(3, sizeof(bool))};
	}
	gate_decide(&made);
	count = made.gate.incident_count;
	for (size_t i = 0; i < count; i++)
		assert_int_equal(made.gate.incident[i].kind, GATE_DEVICE_VANISHED);
	assert_int_equal(made.gate.outcome, count ? GATE_REGRESSION : GATE_PASS);
	gate_unmake(&made);
	return count;
}

/*
 * Each new run that has fewer than the base lost those that the base has; one in
 * another's place is no loss.
 */
static void vanished_devices(void **state)
{
	(void)state;
	assert_int_equal(vanished_gpus((const char *const[]){"ab", "a", "a"}), 1);
	assert_int_equal(vanished_gpus((const char *const[]){"abc", "a", "b"}), 3);
	assert_int_equal(vanished_gpus((const char *const[]){"ab", "", ""}), 2);
	assert_int_equal(vanished_gpus((const char *const[]){"ab", "ab", "a"}), 1);
	assert_int_equal(vanished_gpus((const char *const[]){"ab", "ac", "a"}), 1);
	assert_int_equal(vanished_gpus((const char *const[]){"a", "b", "c"}), 0);
	assert_int_equal(vanished_gpus((const char *const[]){"a", "ab", "ac"}), 0);
	assert_int_equal(vanished_gpus((const char *const[]){"", "", ""}), 0);
	/* of two new runs nothing says which of them is as usual */
	assert_int_equal(vanished_gpus((const char *const[]){"a", "ab", "a"}), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds),
		cmocka_unit_test(exact_changes),
		cmocka_unit_test(least_changes),
		cmocka_unit_test(bases_of_nought),
		cmocka_unit_test(tested_changes),
		cmocka_unit_test(histories),
		cmocka_unit_test(vanished),
		cmocka_unit_test(nothing_to_judge),
		cmocka_unit_test(several_tests),
		cmocka_unit_test(weak_tests),
		cmocka_unit_test(undetected),
		cmocka_unit_test(warnings),
		cmocka_unit_test(lost_runs),
		cmocka_unit_test(failed_runs),
		cmocka_unit_test(vanished_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
