/* Ticks of a log by the order of its rows, counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "compute/run/rounds.h"

/* Three GPUs, and a process on the second one. */
static void make(struct run *run)
{
	run_init(run, "made");
	for (int32_t i = 0; i < 3; i++)
		run_add_device(run, DEVICE_GPU, i);
	run_add_device(run, DEVICE_PROCESS, 3)->parent = 1;
}

/* Devices of rows as digits; where a round begins a bar stands before it. */
static void says(const char *rows, const char *expected)
{
	struct rounds rounds = {0};
	char told[64];
	size_t at = 0;
	struct run run;

	make(&run);
	for (const char *row = rows; *row; row++) {
		if (*row == '/')
			continue;
		if (rounds_add(&rounds, &run, (uint32_t)(*row - '0'),
			    row > rows && row[-1] == '/'))
			told[at++] = '|';
		told[at++] = *row;
	}
	told[at] = '\0';
	assert_string_equal(told, expected);
	rounds_release(&rounds);
	run_release(&run);
}

static void a_device_that_comes_again_begins_one(void **state)
{
	(void)state;
	says("0000", "|0|0|0|0");
	says("010101", "|01|01|01");
}

static void a_device_may_be_away(void **state)
{
	(void)state;
	says("012012", "|012|012");
	says("01202012", "|012|02|012");
	says("0121202", "|012|12|02");
	says("201201", "|201|201"); /* the order is that of their first rows */
}

static void a_process_stands_with_its_gpu(void **state)
{
	(void)state;
	says("01320132", "|0132|0132");
	says("0332", "|03|32"); /* it has one row a round */
}

static void a_step_apart_begins_one(void **state)
{
	(void)state;
	says("0/1", "|0|1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_that_comes_again_begins_one),
		cmocka_unit_test(a_device_may_be_away),
		cmocka_unit_test(a_process_stands_with_its_gpu),
		cmocka_unit_test(a_step_apart_begins_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
