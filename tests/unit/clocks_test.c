/* What the three clocks of markers say, by changes worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/timestamp.h"
#include "read/clock_steps.h"

#define T0_NS (1740823200LL * NS_PER_S)

static int64_t at_ns(double s)
{
	return T0_NS + (int64_t)llround(s * 1e9);
}

static void take(struct clocks *clocks, struct run *run, double wall_s, const char *words)
{
	const struct clock_reading now = clock_reading_of(at_ns(wall_s), span_of(words));

	clocks_take(clocks, run, &now);
}

/* What a marker says that the next one contradicts: one digit, or half of a number. */
static void clocks_that_are_wrong_once(void **state)
{
	const char *const wrong[] = {"mono=109.5 boot=202.5", "mono=102.5 boot=902.5",
		"mono=12.5 boot=202.5", "mono=102.5 boot=20", "mono=102.5 boot=2",
		"mono=10 boot=202.5"};
	struct run run;

	(void)state;
	run_init(&run, "run");
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct clocks clocks = {.held.known = false};

		take(&clocks, &run, 0, "mono=100.5 boot=200.5");
		take(&clocks, &run, 1, "mono=101.5 boot=201.5");
		take(&clocks, &run, 2, wrong[i]);
		take(&clocks, &run, 3, "mono=103.5 boot=203.5");
		take(&clocks, &run, 4, "mono=104.5 boot=204.5");
		take(&clocks, &run, 95, "mono=105.5 boot=205.5"); /* the time itself */
		take(&clocks, &run, 6, "mono=106.5 boot=206.5");
		clocks_end(&clocks, &run);
		assert_int_equal(run.clock_change_count, 0);
	}
	run_release(&run);
}

/* Behind the last marker nobody takes it back. */
static void clocks_at_the_end(void **state)
{
	struct clocks clocks = {.held.known = false};
	struct run run;

	(void)state;
	run_init(&run, "run");
	take(&clocks, &run, 0, "mono=100.5 boot=200.5");
	take(&clocks, &run, 3601, "mono=101.5 boot=3801.5");
	clocks_end(&clocks, &run);
	clocks_end(&clocks, &run);
	assert_int_equal(run.clock_change_count, 1);
	assert_int_equal(run.clock_change[0].by_ns, 3600 * NS_PER_S);
	run_release(&run);
}

static void clocks_that_part(void **state)
{
	struct clocks clocks = {0};
	struct run run;

	(void)state;
	run_init(&run, "run");
	take(&clocks, &run, 0, "mono=100.5 boot=200.5");
	take(&clocks, &run, 1, "mono=101.5 boot=201.5");
	/* an hour's sleep, in which the wall clock was set by 0.5 s: jitter; the next
	 * marker does not take it back */
	take(&clocks, &run, 3602.5, "mono=102.5 boot=3802.5");
	assert_int_equal(run.clock_change_count, 0);
	/* set forward by 10 s, and back by 20 s */
	take(&clocks, &run, 3613.5, "mono=103.5 boot=3803.5");
	assert_int_equal(run.clock_change_count, 1);
	assert_int_equal(run.clock_change[0].kind, CLOCK_SUSPENDED);
	assert_int_equal(run.clock_change[0].from_ns, at_ns(1));
	assert_int_equal(run.clock_change[0].to_ns, at_ns(3602.5));
	assert_int_equal(run.clock_change[0].by_ns, 3600 * NS_PER_S);
	take(&clocks, &run, 3594.5, "mono=104.5 boot=3804.5");
	assert_int_equal(run.clock_change_count, 2);
	assert_int_equal(run.clock_change[1].kind, CLOCK_STEPPED);
	assert_int_equal(run.clock_change[1].by_ns, 10 * NS_PER_S);
	/* 10,000 s without a marker: NTP may have slewed 5 s */
	take(&clocks, &run, 13600, "mono=10104.5 boot=13804.5");
	assert_int_equal(run.clock_change_count, 3);
	assert_int_equal(run.clock_change[2].by_ns, -20 * NS_PER_S);
	/* another boot; no clocks; words that are none; the same once more */
	take(&clocks, &run, 13700, "mono=1.5 boot=1.5");
	take(&clocks, &run, 13800, "");
	take(&clocks, &run, 13801, "mono=x boot=-1");
	take(&clocks, &run, 13802, "mono=10 boot=10");
	assert_int_equal(run.clock_change_count, 3);
	/* without a clock since boot: forward may be sleep, back is not */
	take(&clocks, &run, 13812, "mono=11");
	assert_int_equal(run.clock_change_count, 3);
	take(&clocks, &run, 13810, "mono=12");
	clocks_end(&clocks, &run);
	assert_int_equal(run.clock_change_count, 4);
	assert_int_equal(run.clock_change[3].by_ns, -3 * NS_PER_S);
	run_add_clock_change(&run, &run.clock_change[1]);
	assert_int_equal(run.clock_change_count, 4);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_that_part),
		cmocka_unit_test(clocks_that_are_wrong_once),
		cmocka_unit_test(clocks_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
