/*
 * CPUs that go offline and return: the line of all together jumps by their history, the
 * counters that are read do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define MARK(s) "# t=" #s ".0 mono=1 boot=1\n"

/*
 * user, nice, system, idle of two CPUs; each second 50 of user and 50 of idle on each.
 * cpu1 is away in the third snapshot: the idle of all together drops by its 90,000.
 */
static void a_cpu_goes_and_returns(void **state)
{
	struct log_fixture fx;
	const double user[] = {2000, 2100, 2150, 2200, 2300};
	const double idle[] = {180000, 180100, 180150, 180200, 180300};
	size_t snapshot = 0;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		MARK(1740823200) "cpu 2000 0 0 180000\ncpu0 1000 0 0 90000\ncpu1 1000 0 "
				 "0 90000\n" MARK(1740823201) "cpu 2100 0 0 180100\ncpu0 "
							      "1050 0 0 90050\ncpu1 1050 "
							      "0 0 90050\n" MARK(1740823202) "cpu 2150 0 0 90100\ncpu0 1100 0 0 90100\n" MARK(
								      1740823203) "cpu "
										  "2200 "
										  "0 0 "
										  "180200"
										  "\ncpu0"
										  " 1150 "
										  "0 0 "
										  "90150"
										  "\ncpu1"
										  " 1050 "
										  "0 0 "
										  "90050"
										  "\n" MARK(
											  1740823204) "cpu 2300 0 0 180300\ncpu0 1200 0 0 90200\ncpu1 1100 0 0 90100\n");
	log_expect_rows(&fx, 5, 0);
	log_expect_diags(&fx, "hotplug", 12, 2, NULL);
	for (size_t i = 0; i < fx.rows; i++) {
		if (fx.run.device[fx.row[i].device].index >= 0)
			continue;
		assert_double(fx.row[i].value[METRIC_cpu_user_ticks], user[snapshot]);
		assert_double(fx.row[i].value[METRIC_cpu_idle_ticks], idle[snapshot]);
		snapshot++;
	}
	assert_int_equal(snapshot, 5);
	log_release(&fx);
}

/* Where the total stays what it is, nothing is taken out: also if a line was lost. */
static void a_lost_line_changes_nothing(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		MARK(1740823200) "cpu 2000 0 0 180000\ncpu0 1000 0 0 90000\ncpu1 1000 0 "
				 "0 90000\n" MARK(1740823201) "cpu 2100 0 0 180100\ncpu0 "
							      "1050 0 0 90050\ncpu1 10x0 "
							      "0 0 90050\n" MARK(
								      1740823202) "cpu "
										  "2200 "
										  "0 0 "
										  "180200"
										  "\ncpu0"
										  " 1100 "
										  "0 0 "
										  "90100"
										  "\ncpu1"
										  " 1100 "
										  "0 0 "
										  "90100"
										  "\n");
	log_expect_rows(&fx, 3, 1);
	log_expect_diags(&fx, "bad-value", 8, 1, NULL);
	for (size_t i = 0; i < fx.rows; i++)
		if (fx.run.device[fx.row[i].device].index < 0)
			assert_double(fx.row[i].value[METRIC_cpu_idle_ticks],
				180000 +
					100 * (double)(fx.row[i].t_ns - T0_NS) /
						(double)NS_PER_S);
	log_release(&fx);

	/* nor without single CPUs, nor when all counters begin anew */
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		MARK(1740823200) "cpu 2000 0 0 180000\n" MARK(
			1740823201) "cpu 10 0 0 20\n");
	log_expect_diags(&fx, NULL);
	assert_double(fx.row[1].value[METRIC_cpu_idle_ticks], 20);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_goes_and_returns),
		cmocka_unit_test(a_lost_line_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
