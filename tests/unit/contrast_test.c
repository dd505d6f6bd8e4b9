/*
 * What a row of a comparison shows, worked out by hand beside each expectation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdlib.h>

#include "compared.h"

static void one_against_one(void **state)
{
	const double base = 200, new = 150;
	const struct comparison_row *row;
	struct comparison c;

	(void)state;
	compare_values(&c, BETTER_LOWER, &base, 1, &new, 1);
	row = &c.row[0];
	assert_near(row->difference, -50, 0);
	assert_near(row->ratio, 0.75, 0);
	assert_int_equal(row->change, CHANGE_UNTESTED);
	assert_int_equal(row->by, COMPARED_BY_NOTHING);
	assert_true(isnan(row->p) && isnan(row->p_together) && isnan(row->shift));
	assert_true(isnan(row->detectable) && row->runs_needed == 0);
	assert_int_equal(c.tests, 0);
	assert_near(c.least_p, 1, 0);
	assert_int_equal(c.runs_least, 4);
	comparison_release(&c);
}

/* A base of 0, or below, has a difference and no ratio. */
static void no_ratio(void **state)
{
	static const double base[] = {0, -2}, new[] = {3, 3};

	(void)state;
	for (size_t i = 0; i < COUNT(base); i++) {
		struct comparison c;

		compare_values(&c, BETTER_LOWER, &base[i], 1, &new[i], 1);
		assert_near(c.row[0].difference, 3 - base[i], 0);
		assert_true(isnan(c.row[0].ratio));
		assert_int_equal(c.ratio[BETTER_LOWER].rows, 0);
		assert_true(isnan(c.ratio[BETTER_LOWER].ratio));
		assert_int_equal(c.remark_count, 1);
		assert_string_equal(c.remark[0],
			"Not in the mean of the ratios, because not above 0 on both "
			"sides: duration_s");
		comparison_release(&c);
	}
}

/*
 * 4 against 4, all apart: of 70 arrangements 1 is as far, so p = 2/70. The medians are
 * 11.5 and 21.5. By direction it is better, worse, or neither.
 */
static void by_direction(void **state)
{
	static const double base[] = {10, 11, 12, 13}, new[] = {20, 21, 22, 23};
	static const enum change expected[] = {[BETTER_HIGHER] = CHANGE_BETTER,
		[BETTER_LOWER] = CHANGE_WORSE,
		[BETTER_NEITHER] = CHANGE_OTHER};

	(void)state;
	for (enum direction better = 0; better < COUNT(expected); better++) {
		struct comparison c;

		compare_values(&c, better, base, 4, new, 4);
		assert_int_equal(c.row[0].change, expected[better]);
		assert_int_equal(c.row[0].by, COMPARED_BY_RANKS);
		assert_true(c.row[0].exact);
		assert_near(c.row[0].p, 2.0 / 70, 1e-15);
		assert_near(c.row[0].p_together, 2.0 / 70, 1e-15);
		assert_near(c.row[0].side[SIDE_BASE].median, 11.5, 0);
		assert_near(c.row[0].side[SIDE_NEW].median, 21.5, 0);
		assert_true(isnan(c.row[0].side[SIDE_NEW].low)); /* from six on */
		assert_near(c.row[0].shift, 10, 0);
		/* 16 pairs, of U up to 0 in 2/70 of the cases: all of them */
		assert_near(c.row[0].shift_low, 7, 0);
		assert_near(c.row[0].shift_high, 13, 0);
		assert_int_equal(c.tests, 1);
		comparison_release(&c);
	}
}

/*
 * 3 against 3 have 20 arrangements: p is 0.1 at least, so nothing is tested, however far
 * apart they are. s = 1 on both sides, the difference is 10: of n runs each a shift of
 * (1.95996 + 0.84162) sqrt(2 / n pi / 3) = 4.0545 / sqrt(n) is seen, so any that can be
 * significant would do: 4.
 */
static void three_against_three(void **state)
{
	static const double base[] = {10, 11, 12}, new[] = {20, 21, 22};
	static const double near_new[] = {11, 12, 13};
	struct comparison c;

	(void)state;
	compare_values(&c, BETTER_LOWER, base, 3, new, 3);
	assert_int_equal(c.row[0].change, CHANGE_UNTESTED);
	assert_near(c.row[0].p, 0.1, 1e-15);
	assert_true(isnan(c.row[0].p_together));
	assert_true(isinf(c.row[0].detectable));
	assert_int_equal(c.row[0].runs_needed, 4);
	assert_int_equal(c.tests, 0);
	assert_near(c.least_p, 0.1, 1e-15);
	comparison_release(&c);
	/* a shift of 1 wants 4.0545^2 = 16.4 */
	compare_values(&c, BETTER_LOWER, base, 3, near_new, 3);
	assert_int_equal(c.row[0].runs_needed, 17);
	comparison_release(&c);
}

/* 5 against 5, one swapped across: U = 1 of 25, of 252 arrangements 1 + 1 are as far. */
static void seen_and_unseen(void **state)
{
	static const double base[] = {1, 2, 3, 4, 6}, new[] = {5, 7, 8, 9, 10};
	static const double same[] = {1.5, 2.5, 3.5, 4.5, 0};
	struct comparison c;

	(void)state;
	compare_values(&c, BETTER_HIGHER, base, 5, new, 5);
	assert_near(c.row[0].p, 4.0 / 252, 1e-15);
	assert_int_equal(c.row[0].change, CHANGE_BETTER);
	comparison_release(&c);
	compare_values(&c, BETTER_HIGHER, base, 5, same, 5);
	assert_int_equal(c.row[0].change, CHANGE_UNSEEN);
	/* s^2 = (14.8 + 12.2) / 8: squares about 3.2 and 2.4 */
	assert_near(c.row[0].detectable,
		sqrt((14.8 + 12.2) / 8) * (1.9599639845 + 0.8416212336) *
			sqrt(0.4 * acos(-1) / 3),
		1e-8);
	comparison_release(&c);
}

/*
 * One against a history of five, 10 to 14: mean 12, s = sqrt(2.5), t of 4 degrees of
 * freedom 2.7764451052: 12 +- 2.7764451052 sqrt(2.5) sqrt(1.2) = 12 +- 4.8089434.
 */
static void against_a_history(void **state)
{
	static const double base[] = {10, 11, 12, 13, 14};
	static const double in = 16.8, out = 16.9;
	const double most = 2.7764451052 * sqrt(2.5 * 1.2);
	struct comparison c;

	(void)state;
	compare_values(&c, BETTER_LOWER, base, 5, &in, 1);
	assert_int_equal(c.row[0].by, COMPARED_BY_HISTORY);
	assert_int_equal(c.row[0].change, CHANGE_UNSEEN);
	assert_near(c.row[0].expected_low, 12 - most, 1e-8);
	assert_near(c.row[0].expected_high, 12 + most, 1e-8);
	assert_true(c.row[0].p > 0.05 && isnan(c.row[0].shift));
	/* 80 % of the t of 4 degrees lie below 0.9409646 */
	assert_near(c.row[0].detectable, most + 0.9409646 * sqrt(2.5 * 1.2), 1e-6);
	comparison_release(&c);
	compare_values(&c, BETTER_LOWER, base, 5, &out, 1);
	assert_int_equal(c.row[0].change, CHANGE_WORSE);
	assert_true(c.row[0].p < 0.05);
	comparison_release(&c);
	/* four are no history; 1 against 4 can't be significant */
	compare_values(&c, BETTER_LOWER, base, 4, &out, 1);
	assert_int_equal(c.row[0].by, COMPARED_BY_RANKS);
	assert_int_equal(c.row[0].change, CHANGE_UNTESTED);
	comparison_release(&c);
}

/*
 * A history without noise: s is 0.5 % of the mean, 0.5 of 100, so 100 +- 2.7764451052 *
 * 0.5 * sqrt(1.2) = 100 +- 1.5207216. Of nothing but 0 there is no s.
 */
static void a_history_without_noise(void **state)
{
	static const double base[] = {100, 100, 100, 100, 100}, none[5];
	static const double in = 101.5, out = 101.6, least = 1e-9;
	struct comparison c;

	(void)state;
	compare_values(&c, BETTER_HIGHER, base, 5, &in, 1);
	assert_near(c.row[0].expected_high, 100 + 2.7764451052 * 0.5 * sqrt(1.2), 1e-8);
	assert_int_equal(c.row[0].change, CHANGE_UNSEEN);
	comparison_release(&c);
	compare_values(&c, BETTER_HIGHER, base, 5, &out, 1);
	assert_int_equal(c.row[0].change, CHANGE_BETTER);
	comparison_release(&c);
	compare_values(&c, BETTER_LOWER, none, 5, &least, 1);
	assert_int_equal(c.row[0].change, CHANGE_UNTESTED);
	assert_true(isnan(c.row[0].p) && isnan(c.row[0].expected_high));
	comparison_release(&c);
}

/* What some runs do not know is left out; what a side does not know is gone, or new. */
static void unknown_in_some(void **state)
{
	static const double base[] = {10, NAN, 12, INFINITY, 13, 11};
	static const double new[] = {20, 21, NAN, 22, 23}, no[] = {NAN};
	struct comparison c;

	(void)state;
	compare_values(&c, BETTER_LOWER, base, 6, new, 5);
	assert_int_equal(c.row[0].side[SIDE_BASE].n, 4);
	assert_int_equal(c.row[0].side[SIDE_NEW].n, 4);
	assert_near(c.row[0].p, 2.0 / 70, 1e-15);
	assert_true(isnan(c.row[0].value[1]) && isnan(c.row[0].value[3]));
	comparison_release(&c);
	compare_values(&c, BETTER_LOWER, base, 6, no, 1);
	assert_int_equal(c.row[0].change, CHANGE_GONE);
	assert_true(isnan(c.row[0].difference) && isnan(c.row[0].side[SIDE_NEW].median));
	comparison_release(&c);
	compare_values(&c, BETTER_LOWER, no, 1, new, 5);
	assert_int_equal(c.row[0].change, CHANGE_NEW);
	comparison_release(&c);
	compare_values(&c, BETTER_LOWER, no, 1, no, 1);
	assert_int_equal(c.row_count, 0); /* known of nobody */
	comparison_release(&c);
}

/*
 * From six on the median lies between the least and the largest with 1 - 2/64. Ties:
 * of six against six, all equal but one, p is 1 (the odd one is on either side alike).
 */
static void intervals_and_ties(void **state)
{
	static const double base[] = {1, 2, 3, 4, 5, 6}, equal[] = {2, 2, 2, 2, 2, 2};
	static const double odd[] = {2, 2, 2, 2, 2, 3};
	struct comparison c;

	(void)state;
	compare_values(&c, BETTER_LOWER, base, 6, equal, 6);
	assert_near(c.row[0].side[SIDE_BASE].median, 3.5, 0);
	assert_near(c.row[0].side[SIDE_BASE].low, 1, 0);
	assert_near(c.row[0].side[SIDE_BASE].high, 6, 0);
	comparison_release(&c);
	compare_values(&c, BETTER_LOWER, equal, 6, odd, 6);
	assert_near(c.row[0].p, 1, 0);
	assert_int_equal(c.row[0].change, CHANGE_UNSEEN);
	comparison_release(&c);
}

/* Equal values have no deviation, although seven times a seventh of 0.1 is not 0.1. */
static void equal_values(void **state)
{
	static const double base[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
	struct comparison c;

	(void)state;
	compare_values(&c, BETTER_LOWER, base, 7, base, 7);
	assert_near(c.row[0].side[SIDE_BASE].mean, 0.1, 0);
	assert_near(c.row[0].detectable, 0, 0);
	comparison_release(&c);
}

/* Sides swapped: differences and shifts change their sign, p does not. */
static void swapped_sides(void **state)
{
	(void)state;
	srand(20261120);
	for (int round = 0; round < 300; round++) {
		double a[12], b[12];
		size_t n = 1 + (size_t)rand() % 12, m = 1 + (size_t)rand() % 12;
		struct comparison c, d;
		const struct comparison_row *x, *y;

		for (size_t i = 0; i < 12; i++) {
			a[i] = rand() % 20 + 1;
			b[i] = rand() % 25 + 1;
		}
		if (n == 1 || m == 1)
			n = m = 2; /* a history has no other way round */
		compare_values(&c, BETTER_HIGHER, a, n, b, m);
		compare_values(&d, BETTER_HIGHER, b, m, a, n);
		x = &c.row[0];
		y = &d.row[0];
		assert_near(x->difference, -y->difference, 1e-12);
		assert_near(x->ratio, 1 / y->ratio, 1e-12);
		assert_near(x->p, y->p, 1e-12);
		assert_near(x->shift, -y->shift, 1e-12);
		assert_near(x->shift_low, -y->shift_high, 1e-12);
		if (!isinf(x->detectable))
			assert_near(x->detectable, y->detectable, 1e-12);
		assert_true((x->change == CHANGE_BETTER) == (y->change == CHANGE_WORSE));
		comparison_release(&c);
		comparison_release(&d);
	}
}

/*
 * An interval excludes 0 if and only if p is at most 0.05, or there is none: of all nine
 * numbers of three, five against four, and of all arrangements of nine that differ, of
 * which each has one.
 */
static void interval_and_p(void **state)
{
	size_t none = 0, apart = 0;

	(void)state;
	for (int nth = 0; nth < 19683 + 512; nth++) {
		bool tied = nth < 19683;
		double base[9], new[9];
		const struct comparison_row *row;
		struct comparison c;
		size_t n = 0, m = 0;

		for (int i = 0, rest = nth; i < 9; i++, rest /= 3) {
			bool first = tied ? i < 5 : (nth - 19683) >> i & 1;
			double x = tied ? rest % 3 : i;

			if (first)
				base[n++] = x;
			else
				new[m++] = x;
		}
		if (n != 5)
			continue;
		compare_values(&c, BETTER_LOWER, base, n, new, m);
		row = &c.row[0];
		if (isnan(row->shift_low))
			none++;
		assert_true(tied || !isnan(row->shift_low));
		if (!isnan(row->shift_low)) {
			bool excludes = row->shift_low > 0 || row->shift_high < 0;

			assert_int_equal(excludes, row->p <= 0.05);
			if (excludes)
				apart++;
		}
		comparison_release(&c);
	}
	assert_true(none > 0 && apart > 0);
}

/* Row of the values of all runs, the base's first; the nth run of each side is a pair. */
static struct comparison_row paired(double *value, size_t pairs)
{
	struct compared_run run[16] = {0};
	struct comparison_row row = {.value = value, .measure.better = BETTER_LOWER};

	for (size_t i = 0; i < 2 * pairs; i++)
		run[i] = (struct compared_run){
			.side = i < pairs ? SIDE_BASE : SIDE_NEW, .pair = 1 + i % pairs};
	contrast_row(&row, run, 2 * pairs);
	return row;
}

/*
 * A drift from 100 to 600, and 2 % more in each pair: p = 2/64, the median of the base is
 * 350, and 2 % of it 7. Without a number of one run its pair is none, and five are too
 * few.
 */
static void in_pairs(void **state)
{
	double value[] = {100, 200, 300, 400, 500, 600, 102, 204, 306, 408, 510, 612};
	struct comparison_row row = paired(value, 6);

	(void)state;
	assert_int_equal(row.by, COMPARED_BY_PAIRS);
	assert_int_equal(row.pairs, 6);
	assert_int_equal(row.change, CHANGE_WORSE);
	assert_true(row.exact);
	assert_near(row.p, 0.03125, 1e-16);
	assert_near(row.ratio, 1.02, 1e-12);
	assert_near(row.difference, 7, 1e-9);
	assert_near(row.shift, 7, 1e-9);
	assert_near(row.shift_low, 7, 1e-9);
	assert_near(row.shift_high, 7, 1e-9);
	assert_near(row.detectable, 0, 1e-9);
	value[9] = NAN;
	row = paired(value, 6);
	assert_int_equal(row.pairs, 5);
	assert_int_equal(row.side[SIDE_BASE].n, 6);
	assert_int_equal(row.change, CHANGE_UNTESTED);
	assert_near(row.p, 0.0625, 1e-16);
	assert_near(row.ratio, 1.02, 1e-12);
	assert_true(isinf(row.detectable));
}

/* Of a 0 there is no ratio: then the differences are compared, here 3, 3, 3, 4, 4, 5. */
static void in_pairs_of_0(void **state)
{
	double value[] = {0, 1, 2, 3, 4, 5, 3, 4, 5, 7, 8, 10};
	double apart[] = {1, NAN, NAN, 2};
	struct comparison_row row = paired(value, 6);

	(void)state;
	assert_near(row.p, 0.03125, 1e-16);
	assert_true(isnan(row.ratio));
	assert_near(row.difference, 3.5, 0);
	assert_near(row.shift_low, 3, 0);
	assert_near(row.shift_high, 5, 0);
	row = paired(apart, 2);
	assert_int_equal(row.by, COMPARED_BY_NOTHING);
	assert_int_equal(row.change, CHANGE_UNTESTED);
	assert_true(isnan(row.p) && isnan(row.difference));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(interval_and_p),
		cmocka_unit_test(one_against_one), cmocka_unit_test(no_ratio),
		cmocka_unit_test(by_direction), cmocka_unit_test(three_against_three),
		cmocka_unit_test(seen_and_unseen), cmocka_unit_test(against_a_history),
		cmocka_unit_test(a_history_without_noise),
		cmocka_unit_test(unknown_in_some), cmocka_unit_test(intervals_and_ties),
		cmocka_unit_test(in_pairs), cmocka_unit_test(in_pairs_of_0),
		cmocka_unit_test(equal_values), cmocka_unit_test(swapped_sides)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
