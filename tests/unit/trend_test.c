/*
 * Trends of made-up runs: their order, by time and by a label; which run began a change,
 * and how large it is; what is left out, and said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "often.h"
#include "trended.h"

static void assert_near(double x, double expected)
{
	if (!(fabs(x - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.17g is not %.17g", x, expected);
}

/*
 * Ten runs of 100.0, 100.1 ... 100.9 s in some order and ten of 5 s more: the eleventh
 * began it. Medians 100.45 and 105.45; 105.45 / 100.45 = 1.0497760... That all of ten
 * are above all of ten has by ranks 2 / choose(20, 10).
 */
static void a_run_began_it(void **state)
{
	static const int order[10] = {3, 0, 7, 4, 9, 1, 8, 2, 6, 5};
	struct trends trends;
	const struct trend_change *change;
	double x[20];

	(void)state;
	for (int i = 0; i < 20; i++)
		x[i] = 100 + order[i % 10] / 10.0 + (i < 10 ? 0 : 5);
	trended_values(&trends, "duration_s", x, 20);
	assert_int_equal(trends.count, 1);
	assert_int_equal(trends.run_count, 20);
	assert_int_equal(trends.point_count, 20);
	assert_true(trends.at[0].tested);
	assert_int_equal(trends.at[0].known, 20);
	assert_int_equal(trends.at[0].change_count, 1);
	change = trends.at[0].change;
	assert_int_equal(change->point, 10);
	assert_string_equal(trend_point_name(&trends, change->point), "run-10");
	assert_int_equal(change->before.n, 10);
	assert_int_equal(change->after.n, 10);
	assert_near(change->before.median, 100.45);
	assert_near(change->after.median, 105.45);
	assert_near(change->difference, 5);
	assert_near(change->ratio, 105.45 / 100.45);
	assert_near(change->p_ranks, 2 / 184756.0);
	assert_true(change->p < 0.001 && change->p >= 0.0001);
	assert_int_equal(change->change, CHANGE_WORSE);
	assert_false(trends.at[0].drifts);
	trends_release(&trends);

	trended_values(&trends, "gpu_util_mean_pct", x, 20);
	assert_int_equal(trends.at[0].change[0].change, CHANGE_BETTER);
	trends_release(&trends);
	for (int i = 0; i < 20; i++)
		x[i] = -x[i];
	trended_values(&trends, "duration_s", x, 20);
	assert_int_equal(trends.at[0].change[0].change, CHANGE_BETTER);
	assert_true(isnan(trends.at[0].change[0].ratio));
	trends_release(&trends);
}

/*
 * 18 runs of 100.0 to 100.6 s and some of 110 s: the last two can't be told yet, and are
 * as soon as there are as many more as was said.
 */
static void not_to_be_told_yet(void **state)
{
	struct trends trends;
	size_t needed;
	double x[40];

	(void)state;
	for (int i = 0; i < 40; i++)
		x[i] = i < 18 ? 100 + (i * 5) % 7 / 10.0 : 110 + i % 2;
	trended_values(&trends, "duration_s", x, 18);
	assert_int_equal(trends.at[0].open.n, 0);
	trends_release(&trends);

	trended_values(&trends, "duration_s", x, 20);
	assert_int_equal(trends.at[0].change_count, 0);
	assert_int_equal(trends.at[0].open.n, 2);
	assert_int_equal(trends.at[0].open.point, 18);
	assert_near(trends.at[0].open.before, 100.3);
	assert_near(trends.at[0].open.after, 110.5);
	assert_int_equal(trends.at[0].open.change, CHANGE_WORSE);
	needed = trends.at[0].open.needed;
	trends_release(&trends);
	assert_true(needed > 0 && needed <= 20);

	trended_values(&trends, "duration_s", x, 20 + needed - 1);
	assert_int_equal(trends.at[0].change_count, 0);
	assert_int_equal(trends.at[0].open.n, 2 + needed - 1);
	trends_release(&trends);
	trended_values(&trends, "duration_s", x, 20 + needed);
	assert_int_equal(trends.at[0].change_count, 1);
	assert_int_equal(trends.at[0].change[0].point, 18);
	assert_int_equal(trends.at[0].open.n, 0);
	trends_release(&trends);

	/* The last is the largest of 20, as one of ten series of noise has it. */
	x[19] = 100.65;
	x[18] = 100.2;
	trended_values(&trends, "duration_s", x, 20);
	assert_int_equal(trends.at[0].open.n, 0);
	trends_release(&trends);
}

/* Slower from the eighth, as before from the fifteenth: each beside its neighbors. */
static void two_changes(void **state)
{
	struct trends trends;
	const struct trend *trend;
	double x[21];

	(void)state;
	for (int i = 0; i < 21; i++)
		x[i] = 50 + (i * 5) % 7 / 10.0 + (i >= 7 && i < 14 ? 10 : 0);
	trended_values(&trends, "duration_s", x, 21);
	trend = &trends.at[0];
	assert_int_equal(trend->change_count, 2);
	assert_int_equal(trend->change[0].point, 7);
	assert_int_equal(trend->change[1].point, 14);
	assert_int_equal(trend->change[0].change, CHANGE_WORSE);
	assert_int_equal(trend->change[1].change, CHANGE_BETTER);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(trend->change[i].before.n, 7);
		assert_int_equal(trend->change[i].after.n, 7);
		assert_near(fabs(trend->change[i].difference), 10);
	}
	trends_release(&trends);
}

/* Half a second more with each run, and a tenth up or down: no run began it. */
static void drift(void **state)
{
	struct trends trends;
	const struct trend *trend;
	double x[20];

	(void)state;
	for (int i = 0; i < 20; i++)
		x[i] = 100 + i / 2.0 + (i % 2 ? 0.1 : -0.1);
	trended_values(&trends, "duration_s", x, 20);
	trend = &trends.at[0];
	assert_true(trend->drifts);
	assert_int_equal(trend->change_count, 0);
	assert_int_equal(trend->drift, CHANGE_WORSE);
	assert_true(fabs(trend->drift_from - 100) < 0.1);
	assert_true(fabs(trend->drift_to - 109.5) < 0.1);
	trends_release(&trends);
}

static double next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Whatever the values are: the two pieces of a change differ by their ranks, too. */
static void changes_are_significant(void **state)
{
	uint64_t seed = 88172645463325252u;
	size_t changes = 0;

	(void)state;
	for (int series = 0; series < often(300, 1500); series++) {
		size_t count = 8 + (size_t)(next(&seed) * 32);
		double x[40], level = 0;
		struct trends trends;

		for (size_t i = 0; i < count; i++) {
			if (next(&seed) < 0.1)
				level = next(&seed) * 3;
			x[i] = floor((level + next(&seed)) * (series % 3 ? 100 : 3));
		}
		trended_values(&trends, "duration_s", x, count);
		for (size_t i = 0; i < trends.at[0].change_count; i++) {
			const struct trend_change *change = &trends.at[0].change[i];

			if (!(change->p_ranks <= 0.05 && change->p <= 0.04))
				fail_msg("series %d: p %g, of ranks %g", series,
					change->p, change->p_ranks);
			changes++;
		}
		trends_release(&trends);
	}
	assert_true(changes > (size_t)often(60, 300));
}

/* Too few for anybody to tell, however far apart; and nothing to tell. */
static void nothing_to_tell(void **state)
{
	double x[20] = {1, 1, 1, 9, 9, 9, 9};
	struct trends trends;

	(void)state;
	trended_values(&trends, "duration_s", x, 7);
	assert_false(trends.at[0].tested);
	assert_int_equal(trends.at[0].change_count, 0);
	assert_int_equal(trends.runs_least, 8);
	trends_release(&trends);
	for (int i = 0; i < 20; i++)
		x[i] = 12.5;
	trended_values(&trends, "duration_s", x, 20);
	assert_true(trends.at[0].tested);
	assert_int_equal(trends.at[0].change_count, 0);
	assert_false(trends.at[0].drifts);
	trends_release(&trends);
	trended_values(&trends, "duration_s", x, 0);
	assert_int_equal(trends.count, 0);
	assert_int_equal(trends.point_count, 0);
	trends_release(&trends);
}

/* Added in any order, they stand in that of their starts; of one start, of their keys. */
static void order_of_time(void **state)
{
	struct trends trends;
	struct trending *trending = trended_start(&trends, NULL, "duration_s");

	(void)state;
	trended_run(trending, "c", 3, NULL, 30, NAN);
	trended_run(trending, "b", 1, NULL, 10, NAN);
	trended_run(trending, "e", 2, NULL, 21, NAN);
	trended_run(trending, "d", 2, NULL, 20, NAN);
	trended_run(trending, "a", NAN, NULL, 99, NAN);
	trended_run(trending, "f", 4, NULL, NAN, 50);
	trend_end(trending);
	assert_int_equal(trends.run_count, 4);
	assert_string_equal(trend_point_name(&trends, 0), "b");
	assert_string_equal(trend_point_name(&trends, 1), "d");
	assert_string_equal(trend_point_name(&trends, 2), "e");
	assert_string_equal(trend_point_name(&trends, 3), "c");
	assert_near(trends.at[0].run[1], 20);
	assert_near(trends.at[0].value[3].median, 30);
	assert_int_equal(trends.at[0].value[3].n, 1);
	assert_int_equal(trends.remark_count, 2);
	assert_string_equal(
		trends.remark[0], "1 run has no time and can't be put in order");
	assert_string_equal(trends.remark[1], "1 run has no value of it");
	trends_release(&trends);
}

/*
 * Runs of three commits, mixed: a commit stands where its first run does. x: 10, 11, 18;
 * z: 30, 34; y: 20.
 */
static void order_of_a_label(void **state)
{
	struct trends trends;
	struct trending *trending = trended_start(&trends, "commit", "duration_s");

	(void)state;
	trended_run(trending, "1", 1, "x", 10, NAN);
	trended_run(trending, "2", 2, "z", 34, NAN);
	trended_run(trending, "3", 3, "x", 18, NAN);
	trended_run(trending, "4", 4, "y", 20, NAN);
	trended_run(trending, "5", 5, "x", 11, NAN);
	trended_run(trending, "6", 6, "z", 30, NAN);
	trended_run(trending, "7", 7, NULL, 70, NAN);
	trend_end(trending);
	assert_int_equal(trends.run_count, 6);
	assert_int_equal(trends.point_count, 3);
	assert_string_equal(trend_point_name(&trends, 0), "x");
	assert_string_equal(trend_point_name(&trends, 1), "z");
	assert_string_equal(trend_point_name(&trends, 2), "y");
	assert_int_equal(trends.at[0].value[0].n, 3);
	assert_near(trends.at[0].value[0].median, 11);
	assert_near(trends.at[0].value[0].low, 10);
	assert_near(trends.at[0].value[0].high, 18);
	assert_near(trends.at[0].value[1].median, 32);
	assert_near(trends.at[0].value[2].median, 20);
	assert_string_equal(trends.run[1].path, "3");
	assert_string_equal(trends.run[2].path, "5");
	assert_int_equal(trends.remark_count, 1);
	assert_string_equal(trends.remark[0], "1 run has no label commit");
	trends_release(&trends);
}

/* Numbers stand in their order, 9 before 10, whenever they ran; among words none does. */
static void order_of_numbers(void **state)
{
	static const char *const build[][4] = {
		{"10", "9", "0100", "9"}, {"10", "9", "0100", "x9"}};
	static const char *const order[][4] = {
		{"9", "10", "0100", NULL}, {"10", "9", "0100", "x9"}};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct trends trends;
		struct trending *trending =
			trended_start(&trends, "commit", "duration_s");

		for (int i = 0; i < 4; i++)
			trended_run(trending, (char[]){(char)('a' + i), '\0'}, i,
				build[k][i], i, NAN);
		trend_end(trending);
		assert_int_equal(trends.point_count, order[k][3] ? 4 : 3);
		for (size_t i = 0; i < trends.point_count; i++)
			assert_string_equal(trend_point_name(&trends, i), order[k][i]);
		trends_release(&trends);
	}
}

/* Four commits of three runs: the third began it. */
static void a_commit_began_it(void **state)
{
	static const double x[12] = {
		10, 11, 10.5, 10.2, 10.9, 10.4, 15, 16, 15.5, 15.2, 15.1, 15.8};
	struct trends trends;
	struct trending *trending = trended_start(&trends, "commit", "duration_s");
	const struct trend_change *change;

	(void)state;
	for (int i = 0; i < 12; i++) {
		char commit[2] = {(char)('a' + i / 3), '\0'}, name[8];

		snprintf(name, sizeof name, "%d", i);
		trended_run(trending, name, i, commit, x[i], NAN);
	}
	trend_end(trending);
	assert_int_equal(trends.at[0].change_count, 1);
	change = trends.at[0].change;
	assert_string_equal(trend_point_name(&trends, change->point), "c");
	assert_int_equal(change->before.n, 6);
	assert_int_equal(change->after.n, 6);
	assert_near(change->before.median, 10.45);
	assert_near(change->after.median, 15.35);
	trends_release(&trends);
}

/* However many runs: of one commit nothing can have changed. */
static void one_point(void **state)
{
	struct trends trends;
	struct trending *trending = trended_start(&trends, "commit", "duration_s");

	(void)state;
	for (int i = 0; i < 20; i++) {
		char name[8];

		snprintf(name, sizeof name, "%d", i);
		trended_run(trending, name, i, "same", i < 10 ? 1 : 9, NAN);
	}
	trend_end(trending);
	assert_int_equal(trends.point_count, 1);
	assert_false(trends.at[0].tested);
	assert_int_equal(trends.at[0].change_count, 0);
	trends_release(&trends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_began_it),
		cmocka_unit_test(not_to_be_told_yet),
		cmocka_unit_test(two_changes),
		cmocka_unit_test(drift),
		cmocka_unit_test(changes_are_significant),
		cmocka_unit_test(nothing_to_tell),
		cmocka_unit_test(order_of_time),
		cmocka_unit_test(order_of_a_label),
		cmocka_unit_test(order_of_numbers),
		cmocka_unit_test(a_commit_began_it),
		cmocka_unit_test(one_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
