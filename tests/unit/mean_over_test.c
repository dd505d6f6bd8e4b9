/* The mean over several devices, weighed by the time that their values cover. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "model/metric.h"

static double mean_of_two(double a, double a_s, double b, double b_s)
{
	const struct metric_stats one = {.mean = a, .covered_s = a_s},
				  other = {.mean = b, .covered_s = b_s};
	struct mean_over over = {.devices = 0};

	mean_over_add(&over, &one);
	mean_over_add(&over, &other);
	return mean_over_all(&over);
}

static void weighed(void **state)
{
	(void)state;
	assert_true(mean_of_two(100, 10, 200, 30) == 175);
	assert_true(mean_of_two(200, 30, 100, 10) == 175);
	assert_true(mean_of_two(-8, 1, 8, 1) == 0);
	assert_true(isnan(mean_of_two(NAN, 0, NAN, 0)));
	assert_true(mean_of_two(NAN, 0, 7.1, 3) == 7.1);
}

/* What all have is the mean of all, to the last digit, however long each of them is. */
static void of_alike(void **state)
{
	(void)state;
	for (int a = 1; a < 200; a++)
		for (int b = 1; b < 200; b++)
			assert_true(mean_of_two(123.45, a, 123.45, b) == 123.45);
}

/* Two of 100 W and 200 W, of so much time. */
static double total_of_two(double a_s, double b_s)
{
	const struct metric_stats one = {.mean = 100, .covered_s = a_s},
				  other = {.mean = 200, .covered_s = b_s};
	struct mean_over over = {.devices = 0};

	mean_over_add(&over, &one);
	mean_over_add(&over, &other);
	assert_true(mean_over_joins(&over, &one) == !(a_s < 0.7 * b_s));
	return mean_over_total(&over);
}

/* Seven tenths of the other's are enough, and no time where nobody has any. */
static void added_up(void **state)
{
	const struct mean_over none = {.devices = 0};

	(void)state;
	assert_true(total_of_two(10, 10) == 300);
	assert_true(total_of_two(7, 10) == 300);
	assert_true(isnan(total_of_two(6.9, 10)));
	assert_true(isnan(total_of_two(10, 6.9)));
	assert_true(isnan(total_of_two(0, 10)));
	assert_true(total_of_two(0, 0) == 300);
	assert_true(total_of_two(NAN, NAN) == 300);
	assert_true(isnan(mean_over_total(&none)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weighed),
		cmocka_unit_test(of_alike),
		cmocka_unit_test(added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
