/*
 * Where numbers change their level: at the right number where they do, and nowhere where
 * they do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "compute/numbers/changes.h"

#define MOST	 200
#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint64_t seed;

/* 0 to 1, both excluded. */
static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	double far = sqrt(-2 * log(uniform()));

	return far * cos(2 * acos(-1) * uniform());
}

static double lognormal(void)
{
	return exp(normal());
}

/* Most are the same, as of memory. */
static double few_values(void)
{
	return floor(uniform() * 3);
}

/* One of ten is far off, as where something else ran on the machine. */
static double with_outliers(void)
{
	return normal() + (uniform() < 0.1 ? 8 : 0);
}

static void start(uint64_t from)
{
	seed = 88172645463325252u + from;
	for (int i = 0; i < 20; i++)
		uniform();
}

/* Of 500 series of noise at most so many have a change. */
static void assert_quiet(double (*noise)(void), size_t count, size_t most, uint64_t from)
{
	size_t accused = 0;

	start(from);
	for (int series = 0; series < 500; series++) {
		struct change_point point[MOST];
		double x[MOST];

		for (size_t i = 0; i < count; i++)
			x[i] = 100 + noise();
		accused += change_points_find(x, count, NULL, point) > 0;
	}
	if (accused > most)
		fail_msg("%zu of 500 series of %zu", accused, count);
}

/*
 * 5 % of series of twenty runs at most. Of the others the share is at most 0.05 as well:
 * 40 of 500 are what one of a thousand such tests would show by chance.
 */
static void no_change_in_noise(void **state)
{
	static double (*const noise[])(void) = {
		normal, lognormal, few_values, with_outliers};

	(void)state;
	for (size_t i = 0; i < COUNT(noise); i++) {
		assert_quiet(noise[i], 20, 25, 1 + i);
		assert_quiet(noise[i], 8, 40, 11 + i);
		assert_quiet(noise[i], 12, 40, 21 + i);
		assert_quiet(noise[i], 40, 40, 31 + i);
		assert_quiet(noise[i], 100, 40, 41 + i);
	}
}

/*
 * A step of five deviations: found in at least 95 of 100 series, and alone; in at least
 * 90 of 100 at its very number or the one beside it.
 */
static void assert_found(size_t count, size_t at, double step)
{
	size_t found = 0, near = 0;

	start(count * 100 + at);
	for (int series = 0; series < 100; series++) {
		struct change_point point[MOST];
		double x[MOST];

		for (size_t i = 0; i < count; i++)
			x[i] = 100 + normal() + (i < at ? 0 : step);
		if (change_points_find(x, count, NULL, point) != 1)
			continue;
		found++;
		near += point[0].at + 1 >= at && point[0].at <= at + 1;
	}
	if (found < 95 || near < 90)
		fail_msg(
			"%zu and %zu of 100 steps at %zu of %zu", found, near, at, count);
}

static void step_is_found(void **state)
{
	(void)state;
	assert_found(20, 10, 5);
	assert_found(20, 10, -5);
	assert_found(20, 16, 5);
	assert_found(20, 4, 5);
	assert_found(40, 36, 5);
	assert_found(100, 95, 5);
	assert_found(12, 6, 5);
}

/* Where all behind it are above all before it, it is at the very number. */
static void clear_steps_are_exact(void **state)
{
	const double five_and_five[] = {
		9.229, 9.243, 9.111, 9.18, 9.245, 9.852, 10.0, 10.025, 10.164, 9.916};
	struct change_point point[20];
	double x[20];

	(void)state;
	assert_int_equal(change_points_find(five_and_five, 10, NULL, point), 1);
	assert_int_equal(point[0].at, 5);
	for (size_t at = 4; at <= 16; at++)
		for (int up = -1; up <= 1; up += 2) {
			start(at);
			for (size_t i = 0; i < 20; i++)
				x[i] = uniform() + (i < at ? 0 : 1.5 * up);
			assert_int_equal(change_points_find(x, 20, NULL, point), 1);
			assert_int_equal(point[0].at, at);
		}
}

/* Ten as before, ten slower, ten as before: no step, and found all the same. */
static void there_and_back(void **state)
{
	size_t both = 0;

	(void)state;
	start(17);
	for (int series = 0; series < 100; series++) {
		struct change_point point[MOST];
		double x[30];

		for (size_t i = 0; i < 30; i++)
			x[i] = 100 + normal() + (i >= 10 && i < 20 ? 5 : 0);
		both += change_points_find(x, 30, NULL, point) == 2 &&
			point[0].at + 1 >= 10 && point[0].at <= 11 &&
			point[1].at + 1 >= 20 && point[1].at <= 21;
	}
	assert_true(both >= 90);
}

/*
 * Eight numbers that go up once, after the fourth: of the 8! orders of such numbers 2
 * 4! 4! have all of one half before all of the other, which is as clear as a cut of eight
 * can be; 2 / 70 = 0.0286. Of 10,000 shuffles the deviation is 0.0017.
 */
static void p_is_paid_for_the_search(void **state)
{
	const double x[8] = {1, 3, 2, 4, 12, 11, 13, 14};
	const double equal[8] = {100, 100, 100, 100, 500, 500, 500, 500};
	struct change_point point[8];

	(void)state;
	assert_int_equal(change_points_find(x, 8, NULL, point), 1);
	assert_int_equal(point[0].at, 4);
	assert_true(fabs(point[0].p - 2.0 / 70) < 1e-12);
	assert_int_equal(change_points_find(equal, 8, NULL, point), 1);
	assert_int_equal(point[0].at, 4);
	assert_true(fabs(point[0].p - 2.0 / 70) < 1e-12);
}

/* Two levels of equal numbers, of every length that a change can have; up and down. */
static void equal_numbers_have_levels(void **state)
{
	(void)state;
	for (size_t n = 8; n <= 24; n++)
		for (size_t at = 4; at + 4 <= n; at++)
			for (int up = 0; up < 2; up++) {
				struct change_point point[24];
				double x[24];

				for (size_t i = 0; i < n; i++)
					x[i] = (i < at) == up ? 100 : 500;
				assert_int_equal(
					change_points_find(x, n, NULL, point), 1);
				assert_int_equal(point[0].at, at);
			}
}

/* Nothing can be told of seven; nor of numbers that are all one. */
static void too_few_or_constant(void **state)
{
	const double x[7] = {1, 1, 1, 9, 9, 9, 9};
	struct change_point point[MOST];
	double same[MOST];

	(void)state;
	assert_int_equal(change_points_find(x, 0, NULL, point), 0);
	for (size_t count = 1; count <= 7; count++)
		assert_int_equal(change_points_find(x, count, NULL, point), 0);
	for (size_t i = 0; i < MOST; i++)
		same[i] = 42.5;
	for (size_t count = 1; count <= MOST; count += 13)
		assert_int_equal(change_points_find(same, count, NULL, point), 0);
}

/* However far off: one number, or two, of twenty are no level, wherever they stand. */
static void outliers_are_no_change(void **state)
{
	struct change_point point[20];
	double x[20];

	(void)state;
	for (size_t many = 1; many <= 2; many++)
		for (size_t at = 0; at + many <= 20; at++) {
			for (size_t i = 0; i < 20; i++)
				x[i] = i >= at && i < at + many ? 1e9 : 100;
			assert_int_equal(change_points_find(x, 20, NULL, point), 0);
		}
}

/* Of memory: no noise at all, and one step. */
static void steps_without_noise(void **state)
{
	struct change_point point[30];
	double x[30];

	(void)state;
	for (size_t i = 0; i < 30; i++)
		x[i] = i < 11 ? 40960 : i < 22 ? 40961 : 40000;
	assert_int_equal(change_points_find(x, 30, NULL, point), 2);
	assert_int_equal(point[0].at, 11);
	assert_int_equal(point[1].at, 22);
	assert_true(point[0].p < 0.001 && point[1].p < 0.001);
}

/* Only order counts: what keeps it changes nothing. */
static void order_alone_counts(void **state)
{
	struct change_point of_x[20], of_y[20];
	double x[20], y[20];

	(void)state;
	start(11);
	for (size_t i = 0; i < 20; i++) {
		x[i] = normal() + (i < 12 ? 0 : 3);
		y[i] = exp(3 * x[i]);
	}
	assert_int_equal(change_points_find(x, 20, NULL, of_x), 1);
	assert_int_equal(change_points_find(y, 20, NULL, of_y), 1);
	assert_int_equal(of_x[0].at, of_y[0].at);
	assert_true(of_x[0].p == of_y[0].p);
}

/* Four runs each of five commits: the fourth began it, which its first run was not to
 * show.
 */
static void pieces_begin_at_borders(void **state)
{
	struct change_point point[20];
	bool border[20], none[20] = {true};
	double x[20];

	(void)state;
	start(5);
	for (size_t i = 0; i < 20; i++) {
		border[i] = i % 4 == 0;
		x[i] = 100 + normal() + (i < 13 ? 0 : 10);
	}
	assert_int_equal(change_points_find(x, 20, NULL, point), 1);
	assert_int_equal(point[0].at, 13);
	assert_int_equal(change_points_find(x, 20, border, point), 1);
	assert_int_equal(point[0].at, 12);
	assert_int_equal(change_points_find(x, 20, none, point), 0);
}

/* Of more numbers than are searched: each change at its place, within the noise; between
 * borders at one; none in noise. */
static void many_numbers(void **state)
{
	enum {
		MANY = 50000,
		STEP = 16667,
		BACK = 33333
	};
	static struct change_point point[MANY];
	static double x[MANY];
	static bool border[MANY];

	(void)state;
	for (size_t step = 10; step > 0; step -= 5) {
		size_t wrong = step == 5 ? 3 : 0;

		start(step);
		for (size_t i = 0; i < MANY; i++)
			x[i] = 100 + normal() +
				(i >= STEP && i < BACK ? (double)step : 0);
		assert_int_equal(change_points_find(x, MANY, NULL, point), 2);
		assert_in_range(point[0].at, STEP - wrong, STEP + wrong);
		assert_in_range(point[1].at, BACK - wrong, BACK + wrong);
		assert_true(point[0].p < 0.001 && point[1].p < 0.001);
	}
	for (size_t i = 0; i < MANY; i++)
		border[i] = i % 1000 == 0;
	assert_int_equal(change_points_find(x, MANY, border, point), 2);
	assert_int_equal(point[0].at, 17000);
	assert_int_equal(point[1].at, 33000);

	start(8);
	for (size_t i = 0; i < MANY; i++)
		x[i] = 100 + normal();
	assert_int_equal(change_points_find(x, CHANGE_POINTS_MOST + 1, NULL, point), 0);
	assert_int_equal(change_points_find(x, MANY, NULL, point), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_change_in_noise),
		cmocka_unit_test(step_is_found),
		cmocka_unit_test(clear_steps_are_exact),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(p_is_paid_for_the_search),
		cmocka_unit_test(equal_numbers_have_levels),
		cmocka_unit_test(too_few_or_constant),
		cmocka_unit_test(outliers_are_no_change),
		cmocka_unit_test(steps_without_noise),
		cmocka_unit_test(order_alone_counts),
		cmocka_unit_test(pieces_begin_at_borders),
		cmocka_unit_test(many_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
