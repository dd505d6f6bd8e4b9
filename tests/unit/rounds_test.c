/* Ticks of a log by the order and the times of its rows, counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "compute/run/timing.h"

/* Three GPUs, and a process on the second one. */
static void make(struct run *run)
{
	run_init(run, "made");
	for (int32_t i = 0; i < 3; i++)
		run_add_device(run, DEVICE_GPU, i);
	run_add_device(run, DEVICE_PROCESS, 3)->parent = 1;
}

static void say(char *told, struct rounds *rounds, const struct run *run,
	const struct round_row *row)
{
	enum round_turn turn = rounds_add(rounds, run, row);

	sprintf(told + strlen(told), "%s%u",
		turn == ROUND_BEGINS	      ? "|"
			: turn == ROUND_BEGAN ? "<"
					      : "",
		row->device);
}

/* Devices of rows as digits; where a round begins a bar stands before it. */
static void says(const char *rows, const char *expected)
{
	struct rounds rounds = {0};
	char told[64] = "";
	struct run run;

	make(&run);
	for (const char *row = rows; *row; row++)
		if (*row != '/')
			say(told, &rounds, &run,
				&(struct round_row){.device = (uint32_t)(*row - '0'),
					.apart = row > rows && row[-1] == '/'});
	assert_string_equal(told, expected);
	rounds_release(&rounds);
	run_release(&run);
}

/* Rows with times: devices and ms in turns, -1 ends them. '<': it had begun before. */
static void says_at(const int *row, const char *expected)
{
	struct rounds rounds = {0};
	char told[64] = "";
	struct run run;

	make(&run);
	for (; row[0] >= 0; row += 2)
		say(told, &rounds, &run,
			&(struct round_row){.device = (uint32_t)row[0],
				.timed = true,
				.t_ns = row[1] * 1000000LL});
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

static void a_log_may_begin_within_a_round(void **state)
{
	(void)state;
	/* gpu1's first row is of the round before: 998 ms, then 2 */
	says_at((const int[]){1, 102, 0, 1100, 1, 1102, 0, 2100, 1, 2102, -1},
		"|10<1|01");
	/* of whole seconds, too: gpu0 comes first from then on */
	says_at((const int[]){1, 0, 0, 1000, 1, 1000, 0, 2000, 1, 2000, -1}, "|10<1|01");
	/* one call of the recorder for each: all steps are alike */
	says_at((const int[]){0, 0, 1, 500, 0, 1000, 1, 1500, -1}, "|01|01");
	/* all at once is no longest step */
	says_at((const int[]){0, 0, 1, 0, 0, 0, 1, 0, -1}, "|01|01");
}

static void times_tell_more_than_the_order(void **state)
{
	(void)state;
	/* the rows of a round change places */
	says_at((const int[]){0, 100, 1, 102, 1, 1100, 0, 1102, 0, 2100, 1, 2102, -1},
		"|01|10|01");
	/* one that came late stands between two others from then on */
	says_at((const int[]){0, 100, 2, 102, 0, 1100, 2, 1104, 1, 1106, 0, 2100, 1, 2102,
			2, 2104, -1},
		"|02|021|012");
	/* gpu0 is away for a round, and gpu1 for some */
	says_at((const int[]){0, 100, 1, 102, 2, 104, 1, 1102, 2, 1104, 0, 2100, 2, 2104,
			0, 3100, 2, 3104, 0, 4100, 1, 4102, 2, 4104, -1},
		"|012|12|02|02|012");
	/* first every 100 ms, then every second */
	says_at((const int[]){0, 0, 1, 2, 0, 100, 1, 102, 0, 1100, 1, 1102, 0, 2100, 1,
			2102, -1},
		"|01|01|01|01");
}

static void whole_seconds_may_divide_a_round(void **state)
{
	(void)state;
	/* the second ends between the rows of the second round: their order tells */
	says_at((const int[]){0, 0, 1, 0, 0, 1000, 1, 2000, 0, 2000, 1, 2000, 0, 3000, 1,
			3000, -1},
		"|01|01|01|01");
	/* rounds of 5 s are longer than that */
	says_at((const int[]){0, 0, 1, 0, 1, 5000, 0, 6000, 0, 10000, 1, 10000, -1},
		"|01|10|01");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_that_comes_again_begins_one),
		cmocka_unit_test(a_device_may_be_away),
		cmocka_unit_test(a_process_stands_with_its_gpu),
		cmocka_unit_test(a_step_apart_begins_one),
		cmocka_unit_test(a_log_may_begin_within_a_round),
		cmocka_unit_test(times_tell_more_than_the_order),
		cmocka_unit_test(whole_seconds_may_divide_a_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
