/*
 * What repeats say of a gate: the noise that is learnt of them, by hand, and what the
 * gate says of changes put into a copy of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/gate/gate.h"
#include "gate_fixture.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void make(struct made_gate *made, const char *limits, size_t runs)
{
	char rule[256];

	snprintf(rule, sizeof rule, "{\"name\": \"r\", \"metric\": \"duration_s\", %s}",
		limits);
	gate_make(made, rule, 0, runs);
}

static void assert_calibrated(const char *limits, size_t runs, const double *value,
	enum calibration_outcome outcome, const char *why)
{
	struct calibration calibration = CALIBRATION_INIT;
	struct made_gate made;

	make(&made, limits, runs);
	gate_row(&made, of_run("duration_s"), value);
	calibrate(&calibration, &made.rules, &made.comparison);
	assert_int_equal(calibration.count, 1);
	if (calibration.result[0].outcome != outcome ||
		!strstr(calibration.result[0].why, why))
		fail_msg("%s: '%s' says not '%s'",
			calibration_outcome_name(calibration.result[0].outcome),
			calibration.result[0].why, why);
	assert_int_equal(calibration.refused, outcome != CALIBRATION_LEARNT);
	calibration_release(&calibration);
	gate_unmake(&made);
}

#define FIVE ROW(98, 99, 100, 101, 102)

/*
 * FIVE: mean 100, s = sqrt(2.5) = 1.5811; t(0.975, 4) = 2.7764. Two repeats differ by up
 * to 2.7764 * 1.5811 * sqrt(2) = 6.2083; the next one lies within 2.7764 * 1.5811 *
 * sqrt(1.2) = 4.8089 of 100.
 */
static void tight_limits(void **state)
{
	(void)state;
	assert_calibrated("\"max_increase_pct\": 5", 5, FIVE, CALIBRATION_TIGHT,
		"max_increase_pct is 5, but two repeats differ by up to 6.2 s, 6.2 %; "
		"expected 6.209 or more");
	assert_calibrated(
		"\"max_increase_pct\": 6.2", 5, FIVE, CALIBRATION_TIGHT, "6.209");
	assert_calibrated("\"max_increase_pct\": 6.209", 5, FIVE, CALIBRATION_LEARNT,
		"two repeats differ by up to 6.2 s, 6.2 %");
	assert_calibrated("\"max_decrease\": 6", 5, FIVE, CALIBRATION_TIGHT, "6.209");
	assert_calibrated("\"max_decrease\": 7", 5, FIVE, CALIBRATION_LEARNT, "");
	/* What min_abs allows is allowed. */
	assert_calibrated("\"max_increase_pct\": 1, \"min_abs\": 6", 5, FIVE,
		CALIBRATION_TIGHT, "");
	assert_calibrated("\"max_increase_pct\": 1, \"min_abs\": 6.3", 5, FIVE,
		CALIBRATION_LEARNT, "");
	assert_calibrated("\"at_most\": 104", 5, FIVE, CALIBRATION_TIGHT,
		"at_most is 104, but the next repeat may have 104.8 s; expected 104.9 "
		"or more");
	assert_calibrated("\"at_most\": 104.9", 5, FIVE, CALIBRATION_LEARNT, "");
	assert_calibrated("\"at_least\": 96", 5, FIVE, CALIBRATION_TIGHT,
		"may have 95.2 s; expected 95.19 or less");
	assert_calibrated("\"at_least\": 95.19", 5, FIVE, CALIBRATION_LEARNT, "");
}

static void no_noise(void **state)
{
	(void)state;
	/* Six times a sixth of 1 is not 1. */
	assert_calibrated("\"max_decrease\": 0, \"at_least\": 1", 6,
		ROW(1, 1, 1, 1, 1, 1), CALIBRATION_LEARNT,
		"two repeats differ by up to 0.0 s, 0.0 %");
	assert_calibrated("\"max_increase\": 0", 5, ROW(7, 7, 7, 7, 7),
		CALIBRATION_LEARNT, "two repeats differ by up to 0.0 s, 0.0 %");
	assert_calibrated(
		"\"at_most\": 7", 5, ROW(7, 7, 7, 7, 7), CALIBRATION_LEARNT, "");
	assert_calibrated("\"max_increase_pct\": 1", 5, ROW(0, 0, 0, 0, 0),
		CALIBRATION_LEARNT, "differ by up to 0.0 s");
	/* There is no percentage of a median of 0 to be too small. */
	assert_calibrated("\"max_increase_pct\": 1", 5, ROW(0, 0, 0, 0, 1),
		CALIBRATION_LEARNT, "differ by up to 1.8 s");
	assert_calibrated("\"max_increase_pct\": 5", 5, ROW(-98, -99, -100, -101, -102),
		CALIBRATION_TIGHT, "6.209");
}

static void too_few(void **state)
{
	(void)state;
	assert_calibrated("\"max_increase_pct\": 5", 4, FIVE, CALIBRATION_TOO_FEW,
		"4 repeats have it, but 5 are needed");
	assert_calibrated("\"max_increase_pct\": 5", 5, ROW(NAN, 1, NAN, NAN, NAN),
		CALIBRATION_TOO_FEW, "1 repeat has it");
}

/* A rule keeps one min_abs, of its noisiest number, or a larger one of its own. */
static void globs(void **state)
{
	struct calibration calibration = CALIBRATION_INIT;
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"a\", \"metric\": \"duration_s\", \"phase\": \"*\", "
		"\"max_increase_pct\": 20},"
		"{\"name\": \"b\", \"metric\": \"duration_s\", \"phase\": \"*\", "
		"\"max_increase_pct\": 20, \"min_abs\": 7},"
		"{\"name\": \"c\", \"metric\": \"duration_s\", \"phase\": \"*\", "
		"\"at_most\": 500},"
		"{\"name\": \"d\", \"metric\": \"energy_j\", \"at_most\": 5, "
		"\"severity\": \"warning\"}",
		0, 5);
	gate_row(&made, of_phase("duration_s", "load"), ROW(10, 10, 10, 10, 10));
	gate_row(&made, of_phase("duration_s", "train"), FIVE);
	calibrate(&calibration, &made.rules, &made.comparison);
	assert_int_equal(calibration.count, 7);
	assert_true(calibration.min_abs[0] == 6.209);
	assert_true(calibration.min_abs[1] == 7);
	assert_true(calibration.min_abs[2] == 0);
	assert_int_equal(calibration.result[6].outcome, CALIBRATION_ABSENT);
	assert_int_equal(calibration.refused, 0);
	calibration_release(&calibration);
	gate_unmake(&made);
}

/* What the gate says of the base's only number, injection by injection. */
struct said {
	enum injection injection;
	enum gate_outcome outcome;
	double new;
	const char *why;
};

static void assert_tested(const char *limits, size_t runs, const double *value,
	const struct said *said, size_t count)
{
	struct selftest test = SELFTEST_INIT;
	struct made_gate made;
	size_t failed = 0;

	make(&made, limits, runs);
	gate_row(&made, of_run("duration_s"), value);
	selftest(&test, &made.rules, &made.comparison);
	assert_int_equal(test.count, count);
	for (size_t i = 0; i < count; i++) {
		const struct selftest_result *result = &test.result[i];

		assert_int_equal(result->injection, said[i].injection);
		if (result->outcome != said[i].outcome ||
			!strstr(result->why, said[i].why))
			fail_msg("%s: '%s' says not '%s'",
				gate_outcome_name(result->outcome), result->why,
				said[i].why);
		if (isnan(said[i].new) ? !isnan(result->new)
				       : fabs(result->new - said[i].new) > 1e-9)
			fail_msg("%g is not %g", result->new, said[i].new);
		assert_ptr_equal(result->row, made.comparison.row);
		assert_int_equal(result->proved, result->outcome == result->expected);
		failed += !result->proved;
	}
	assert_int_equal(test.counted, count);
	assert_int_equal(test.failed, failed);
	/* The base is as it was. */
	assert_memory_equal(made.comparison.row[0].value, value, runs * sizeof *value);
	selftest_release(&test);
	gate_unmake(&made);
}

#define SIX ROW(100, 101, 102, 103, 104, 105)

static void proved(void **state)
{
	/* 5 % of 102.5, and a tenth: 5.6375. The copy begins above the base's end. */
	static const struct said pct[] = {
		{INJECTION_NOTHING, GATE_PASS, 102.5, "(p 1.000)"},
		{INJECTION_CHANGE, GATE_REGRESSION, 108.1375, "(p 0.002)"},
		{INJECTION_VANISHED, GATE_REGRESSION, NAN, "5 of 6 new runs have it"}};
	static const struct said down[] = {{INJECTION_NOTHING, GATE_PASS, 102.5, ""},
		{INJECTION_CHANGE, GATE_REGRESSION, 80.5, "expected at most 20 s below"},
		{INJECTION_VANISHED, GATE_REGRESSION, NAN, ""}};
	/* The limit in the unit is 0, min_abs is not. */
	static const struct said least[] = {{INJECTION_NOTHING, GATE_PASS, 102.5, ""},
		{INJECTION_CHANGE, GATE_REGRESSION, 113.5, ""},
		{INJECTION_VANISHED, GATE_REGRESSION, NAN, ""}};
	static const struct said bounds[] = {{INJECTION_NOTHING, GATE_PASS, 102.5, ""},
		{INJECTION_CHANGE, GATE_REGRESSION, 81,
			"81.0 s in copy of new5; expected at least 90 s"},
		{INJECTION_CHANGE, GATE_REGRESSION, 132, "expected at most 120"},
		{INJECTION_VANISHED, GATE_REGRESSION, NAN, ""}};

	(void)state;
	assert_tested("\"max_increase_pct\": 5", 6, SIX, pct, COUNT(pct));
	assert_tested("\"max_decrease\": 20", 6, SIX, down, COUNT(down));
	assert_tested(
		"\"max_increase\": 0, \"min_abs\": 10", 6, SIX, least, COUNT(least));
	assert_tested(
		"\"at_least\": 90, \"at_most\": 120", 6, SIX, bounds, COUNT(bounds));
}

/* Where nothing is allowed, and where there is nothing. */
static void noughts(void **state)
{
	static const struct said none[] = {{INJECTION_NOTHING, GATE_PASS, 100, ""},
		{INJECTION_CHANGE, GATE_REGRESSION, 110, ""},
		{INJECTION_VANISHED, GATE_REGRESSION, NAN, ""}};
	static const struct said zero[] = {{INJECTION_NOTHING, GATE_PASS, 0, ""},
		{INJECTION_CHANGE, GATE_INCONCLUSIVE, 1,
			"a percentage of 0 is not defined"},
		{INJECTION_VANISHED, GATE_REGRESSION, NAN, ""}};
	static const struct said bound[] = {{INJECTION_NOTHING, GATE_PASS, 0, ""},
		{INJECTION_CHANGE, GATE_REGRESSION, 1, "expected at most 0"},
		{INJECTION_VANISHED, GATE_REGRESSION, NAN, ""}};

	(void)state;
	assert_tested("\"max_increase_pct\": 0" EXACT, 1, ROW(100), none, COUNT(none));
	assert_tested("\"max_increase_pct\": 5" EXACT, 1, ROW(0), zero, COUNT(zero));
	assert_tested("\"at_most\": 0", 1, ROW(0), bound, COUNT(bound));
}

static void not_proved(void **state)
{
	static const struct said few[] = {{INJECTION_NOTHING, GATE_INCONCLUSIVE, 101,
		"3 against 3 runs are too few"}};
	/* s = 1.871: (1.96 + 0.8416) * 1.871 * sqrt(2 / n * pi / 3) <= 1.025 at 55. */
	static const struct said noisy[] = {{INJECTION_NOTHING, GATE_INCONCLUSIVE, 102.5,
		"the limit is 1.0 %: take 55 runs on each side"}};
	static const struct said broken[] = {{INJECTION_NOTHING, GATE_REGRESSION, 102.5,
		"105.0 s in copy of new5; expected at most 104 s"}};
	/* Of five against five and of Fisher's test p is twice 2 / 252. */
	static const struct said sparse[] = {
		{INJECTION_NOTHING, GATE_PASS, 102,
			"; 5 of 6 base runs have it, 5 of 6 new runs have it; not in "
			"copy of new5"},
		{INJECTION_CHANGE, GATE_REGRESSION, 158.1, "(p 0.016)"},
		{INJECTION_VANISHED, GATE_REGRESSION, NAN,
			"vanished: none of 6 new runs has it, and 5 of 6 base"}};

	(void)state;
	assert_tested("\"max_increase_pct\": 5", 3, SIX, few, COUNT(few));
	assert_tested("\"max_increase_pct\": 1", 6, SIX, noisy, COUNT(noisy));
	assert_tested("\"at_most\": 104", 6, SIX, broken, COUNT(broken));
	assert_tested("\"max_increase_pct\": 50", 6, ROW(100, 101, 102, 103, 104, NAN),
		sparse, COUNT(sparse));
}

/* Rules are tested as the gate would: those that warn do not count, in no test either. */
static void several_rules(void **state)
{
	struct selftest test = SELFTEST_INIT;
	struct made_gate made;

	(void)state;
	gate_make(&made,
		"{\"name\": \"a\", \"metric\": \"duration_s\", \"max_increase_pct\": 9},"
		"{\"name\": \"b\", \"metric\": \"energy_j\", \"max_increase_pct\": 9, "
		"\"severity\": \"warning\"},"
		"{\"name\": \"c\", \"metric\": \"framework_peak_mib\", \"at_most\": 9, "
		"\"severity\": \"warning\"}",
		0, 5);
	gate_row(&made, of_run("duration_s"), ROW(100, 101, 102, 103, 104));
	gate_row(&made, of_run("energy_j"), ROW(7, 7, 7, 7, 7));
	selftest(&test, &made.rules, &made.comparison);
	assert_int_equal(test.count, 7);
	assert_int_equal(test.counted, 3);
	assert_int_equal(test.failed, 0);
	assert_true(fabs(test.result[1].p - 2.0 / 252) < 1e-12);
	assert_true(test.result[4].proved);
	assert_false(test.result[6].proved);
	assert_null(test.result[6].row);
	assert_int_equal(test.result[6].outcome, GATE_UNUSABLE);
	selftest_release(&test);
	gate_unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tight_limits),
		cmocka_unit_test(no_noise),
		cmocka_unit_test(too_few),
		cmocka_unit_test(globs),
		cmocka_unit_test(proved),
		cmocka_unit_test(noughts),
		cmocka_unit_test(not_proved),
		cmocka_unit_test(several_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
