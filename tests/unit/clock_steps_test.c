/* Times behind a wall clock that was set, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/timestamp.h"
#include "read/clock_steps.h"

#define S NS_PER_S

static struct clock_reading reading(int64_t wall_s, int64_t boot_s)
{
	return (struct clock_reading){true, wall_s * S, boot_s * S, boot_s * S};
}

static void take(
	struct clocks *clocks, struct run *run, const int64_t (*clock)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct clock_reading now = reading(clock[i][0], clock[i][1]);

		clocks_take(clocks, run, &now);
	}
	clocks_end(clocks, run);
}

/* 1000 at 0; set back by 30 at 50, forward by 100 at 80. started_s: of the command. */
static struct clock_steps made_steps(int64_t started_s)
{
	static const int64_t clock[][2] = {
		{1000, 0}, {1050, 50}, {1021, 51}, {1050, 80}, {1151, 81}, {1170, 100}};
	const struct clock_reading started = reading(0, started_s);
	struct clocks clocks = {.keeps_steps = true};
	struct clock_steps steps;
	struct run run;

	run_init(&run, "run");
	take(&clocks, &run, clock, sizeof clock / sizeof clock[0]);
	assert_false(clocks.boots);
	clock_steps_init(&steps, &clocks, &started);
	clocks_release(&clocks);
	run_release(&run);
	return steps;
}

static int64_t at(const struct clock_steps *steps, int64_t wall_s, int64_t boot_s)
{
	const struct clock_reading now = reading(wall_s, boot_s);

	return clock_steps_at(steps, &now);
}

static void told_by_the_clock_at_the_start(void **state)
{
	struct clock_steps steps = made_steps(0);

	(void)state;
	assert_int_equal(steps.count, 2);
	assert_int_equal(steps.at[0].by_ns, -30 * S);
	assert_int_equal(steps.at[1].by_ns, 100 * S);
	assert_int_equal(at(&steps, 1020, 20), 1020 * S);
	assert_int_equal(at(&steps, 1030, 60), 1060 * S);
	assert_int_equal(at(&steps, 1160, 90), 1090 * S);
	clock_steps_release(&steps);
	/* the command began behind the first step */
	steps = made_steps(60);
	assert_int_equal(at(&steps, 1020, 20), 990 * S);
	assert_int_equal(at(&steps, 1030, 60), 1030 * S);
	assert_int_equal(at(&steps, 1160, 90), 1060 * S);
	clock_steps_release(&steps);
}

static int64_t next(
	struct clock_course *course, const struct clock_steps *steps, int64_t wall_s)
{
	return clock_course_take(course, steps, wall_s * S) / S;
}

/* 1021 to 1050 came twice. */
static void told_by_what_went_before(void **state)
{
	struct clock_steps steps = made_steps(0);
	struct clock_course course = {.seen = false};

	(void)state;
	assert_int_equal(next(&course, &steps, 1000), 1000);
	assert_int_equal(next(&course, &steps, 1040), 1040);
	assert_int_equal(next(&course, &steps, 1038), 1038); /* a late row */
	assert_int_equal(next(&course, &steps, 1050), 1050);
	assert_int_equal(next(&course, &steps, 1021), 1051);
	assert_int_equal(next(&course, &steps, 1040), 1070);
	assert_int_equal(next(&course, &steps, 1160), 1090);
	assert_int_equal(next(&course, &steps, 1159), 1089);
	/* long before and behind the run there was no step */
	assert_int_equal(next(&course, &steps, 500), 500);
	assert_int_equal(next(&course, &steps, 9000), 8930);
	clock_steps_release(&steps);
}

/* A digit of it may be wrong: then it is as without. */
static void a_clock_that_is_wrong(void **state)
{
	struct clock_steps steps = made_steps(0);
	struct clock_course course = {true, 1040 * S};
	struct clock_reading wrong = reading(1045, 95);

	(void)state;
	assert_int_equal(clock_course_read(&course, &steps, &wrong), 1045 * S);
	wrong = reading(1022, 52);
	assert_int_equal(clock_course_read(&course, &steps, &wrong), 1052 * S);
	wrong.known = false;
	wrong.wall_ns = 1024 * S;
	assert_int_equal(clock_course_read(&course, &steps, &wrong), 1054 * S);
	clock_steps_release(&steps);
}

static void two_boots(void **state)
{
	static const int64_t clock[][2] = {
		{1000, 500}, {1010, 510}, {1100, 5}, {1110, 15}};
	struct clocks clocks = {.keeps_steps = true};
	struct run run;

	(void)state;
	run_init(&run, "run");
	take(&clocks, &run, clock, sizeof clock / sizeof clock[0]);
	assert_true(clocks.boots);
	assert_int_equal(clocks.step_count, 0);
	clocks_release(&clocks);
	run_release(&run);
}

static void a_watch(void **state)
{
	struct clock_watch watch = {.stepped = false};
	struct clock_reading now = reading(1010, 10);

	(void)state;
	clock_watch_see(&watch, &now); /* before the manifest: of nothing */
	assert_false(clock_watch_knows(&watch, &now));
	watch.started = reading(2000, 500);
	clock_watch_see(&watch, &now); /* of another boot */
	assert_false(watch.stepped);
	now = reading(2100, 600);
	clock_watch_see(&watch, &now);
	now.wall_ns += S / 20; /* jitter */
	clock_watch_see(&watch, &now);
	assert_false(watch.stepped);
	now.wall_ns++;
	now.boot_ns = -1;
	clock_watch_see(&watch, &now);
	assert_false(watch.stepped);
	now.boot_ns = 600 * S;
	clock_watch_see(&watch, &now);
	assert_true(watch.stepped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_by_the_clock_at_the_start),
		cmocka_unit_test(told_by_what_went_before),
		cmocka_unit_test(a_clock_that_is_wrong),
		cmocka_unit_test(two_boots),
		cmocka_unit_test(a_watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
