/* The host's logs: snapshots of /proc/stat, and CPU shares as CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

static void marked_snapshots(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		"# t=1740823200.123456789 mono=1.0 boot=1.0\n"
		"cpu  10 1 5 100 2 3 4 6 7 8\ncpu0 4 1 2 50 1 1 2 3 3 4\n"
		"cpu12 6 0 3 50 1 2 2 3 4 4\nintr 5 0 0\nctxt 9\nbtime 1\nprocesses 1\n"
		"# t=1740823201.5\n"
		"cpu  20 1 6 190 2 3 4 6 7 8\ncpu12 16 0 4 95 1 2 2 3 4 4\n");
	log_expect_rows(&fx, 2, 0); /* a snapshot is one row */
	log_expect_diags(&fx, NULL);
	assert_int_equal(fx.rows, 5);
	assert_true(fx.timed);
	assert_int_equal(fx.row[0].t_ns, T0_NS + 123456789);
	assert_int_equal(fx.row[2].t_ns, T0_NS + 123456789);
	assert_int_equal(fx.row[3].t_ns, T0_NS + 3 * NS_PER_S / 2);
	assert_int_equal(fx.row[4].device, fx.row[2].device);
	assert_string_equal(fx.run.device[fx.row[0].device].name, "cpu");
	assert_string_equal(fx.run.device[fx.row[2].device].name, "cpu12");
	/* in the order of proc_stat(5) */
	assert_double(fx.row[0].value[METRIC_cpu_user_ticks], 10);
	assert_double(fx.row[0].value[METRIC_cpu_nice_ticks], 1);
	assert_double(fx.row[0].value[METRIC_cpu_system_ticks], 5);
	assert_double(fx.row[0].value[METRIC_cpu_idle_ticks], 100);
	assert_double(fx.row[0].value[METRIC_cpu_iowait_ticks], 2);
	assert_double(fx.row[0].value[METRIC_cpu_irq_ticks], 3);
	assert_double(fx.row[0].value[METRIC_cpu_softirq_ticks], 4);
	assert_double(fx.row[0].value[METRIC_cpu_steal_ticks], 6);
	assert_double(fx.row[0].value[METRIC_cpu_guest_ticks], 7);
	assert_double(fx.row[0].value[METRIC_cpu_guest_nice_ticks], 8);
	log_release(&fx);
}

/* date; cat /proc/stat; ... */
static void date_before_each_snapshot(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		"Sat Mar  1 10:00:00 UTC 2025\ncpu  10 1 5 100\ncpu0 10 1 5 100\n"
		"Sat Mar  1 10:00:05 UTC 2025\ncpu  20 1 6 190\ncpu0 20 1 6 190\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	assert_true(fx.timed);
	assert_int_equal(fx.rows, 4);
	assert_int_equal(fx.row[1].t_ns, T0_NS);
	assert_int_equal(fx.row[2].t_ns, T0_NS + 5 * NS_PER_S);
	log_release(&fx);
}

/* Kernels before 2.5.41 give 4 numbers; what a line lacks is absent, not 0. */
static void fewer_numbers(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		"cpu  1 2 3 4\ncpu0 1 2 3 4\ncpu  2 3 4 5 6 7 8\ncpu0 1 2 3\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "field-count", 4, 1, NULL);
	assert_false(fx.timed);
	assert_double(fx.row[0].value[METRIC_cpu_idle_ticks], 4);
	assert_double(fx.row[0].value[METRIC_cpu_iowait_ticks], INFINITY);
	assert_double(fx.row[2].value[METRIC_cpu_softirq_ticks], 8);
	assert_double(fx.row[2].value[METRIC_cpu_steal_ticks], INFINITY);
	log_release(&fx);
}

static void damaged_snapshots(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		"# t=yesterday\ncpu  1 2 3 4\n"
		"# t=1740823200\ncpu  1 2 x 4\ncpu0 1 2 3 4\n"
		"# t=1740823201\ncpu  1 2 3 10000000000000000\n"
		"cpu0 1 2 3 10000000000000001\ncpux 1 2 3 4\ncpufreq 7\n"
		"# t=1740823202\ncpu  1 2 3 4 5");
	log_expect_rows(&fx, 1, 6);
	log_expect_diags(&fx, "bad-time", 1, 1, "bad-value", 4, 2, "prose", 9, 2,
		"no-newline", 12, 1, NULL);
	assert_int_equal(fx.rows, 1);
	assert_double(fx.row[0].value[METRIC_cpu_idle_ticks], 1e16);
	log_release(&fx);
}

/* A snapshot is one row, refused once. */
static void no_total(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		"# t=1740823200\ncpu0 1 2 3 4\ncpu1 1 2 3 4\n"
		"# t=1740823201\ncpu  1 2 3 4\ncpu0 1 2 3 4\n");
	log_expect_rows(&fx, 1, 1);
	log_expect_diags(&fx, "no-total", 2, 1, NULL);
	assert_int_equal(fx.rows, 2);
	log_release(&fx);
}

/* A marker that can't be read as one is missed where the CPUs begin again. */
static void marker_is_lost(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		"# t=1740823200\ncpu  1 2 3 4\ncpu0 1 2 3 4\nctxt 7\n"
		"#,t=1740823201\ncpu  2 2 3 4\ncpu0 2 2 3 4\nctxt 8\n"
		"# t=1740823202\ncpu  3 2 3 4\ncpu0 3 2 3 4\nct");
	log_expect_rows(&fx, 2, 2);
	log_expect_diags(&fx, "no-time", 6, 1, "torn-line", 12, 1, NULL);
	assert_int_equal(fx.rows, 4);
	assert_double(fx.row[2].value[METRIC_cpu_user_ticks], 3);
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		"# t=1740823200\ncpu  1 2 3 4\ncpu0 1 2 3 4\ncpu1 1 2 3 4\n"
		"cpu0 2 2 3 4\ncpu1 2 2 3 4\n");
	log_expect_rows(&fx, 1, 1);
	log_expect_diags(&fx, "no-time", 5, 1, NULL);
	assert_int_equal(fx.rows, 3);
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		"cpu  1 2 3 4\ncpu0 1 2 3 4\ncpu0 2 2 3 4\n"
		"cpu  3 2 3 4\ncpu0 3 2 3 4\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "no-total", 3, 1, NULL);
	assert_int_equal(fx.rows, 4);
	log_release(&fx);
}

/* Lines before the first marker: of a snapshot whose marker is cut off. */
static void head_is_cut_off(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_PROC_STAT,
		"cpu  1 2 3 4\ncpu3 1 2 3 4\nintr 7\n# t=1740823200\ncpu  1 2 3 4\n# "
		"t=1740823201\n"
		"cpu  1 2 3 4\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "no-time", 1, 1, NULL);
	assert_true(fx.timed);
	assert_int_equal(fx.rows, 2);
	assert_int_equal(fx.row[0].t_ns, T0_NS);
	log_release(&fx);
}

static void shares_as_csv(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_HOST_TABLE,
		"timestamp,usr_pct,idle_pct,load\n"
		"2025-03-01T10:00:00.5,12.5,80.25,3\n"
		"\"1740823201\",\"1\",,3\n"
		"2025-03-01T10:00:02,1,2\n"
		"soon,1,2,3\n"
		"2025-03-01T10:00:03,many,2,3\n"
		"iowait_pct,timestamp,sys_pct\n"
		"0.5,2025-03-01 12:00:04+02:00,1.5\n"
		"0.5,2025-03-01 10:00:05,1.");
	log_expect_rows(&fx, 5, 2);
	log_expect_diags(&fx, "unknown-column:load", 1, 1, "field-count", 4, 1,
		"bad-time", 5, 1, "bad-value:usr_pct", 6, 1, "torn-field", 9, 1, NULL);
	assert_int_equal(fx.row[0].t_ns, T0_NS + NS_PER_S / 2);
	assert_double(fx.row[0].value[METRIC_cpu_usr_pct], 12.5);
	assert_double(fx.row[0].value[METRIC_cpu_idle_pct], 80.25);
	assert_int_equal(fx.row[1].t_ns, T0_NS + NS_PER_S);
	assert_true(isnan(fx.row[1].value[METRIC_cpu_idle_pct]));
	assert_int_equal(fx.row[3].t_ns, T0_NS + 4 * NS_PER_S);
	assert_true(fx.row[3].header);
	assert_double(fx.row[3].value[METRIC_cpu_iowait_pct], 0.5);
	assert_double(fx.row[3].value[METRIC_cpu_sys_pct], 1.5);
	assert_double(fx.row[3].value[METRIC_cpu_usr_pct], INFINITY);
	assert_true(isnan(fx.row[4].value[METRIC_cpu_sys_pct]));
	assert_string_equal(fx.run.device[fx.row[0].device].name, "cpu");
	log_release(&fx);
}

static void torn_row_of_csv(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_HOST_TABLE,
		"timestamp,usr_pct,idle_pct\n2025-03-01T10:00:00,1,2\n2025-03-01T10:00:"
		"01,");
	log_expect_rows(&fx, 1, 1);
	log_expect_diags(&fx, "torn-line", 3, 1, NULL);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marked_snapshots),
		cmocka_unit_test(date_before_each_snapshot),
		cmocka_unit_test(fewer_numbers),
		cmocka_unit_test(damaged_snapshots),
		cmocka_unit_test(no_total),
		cmocka_unit_test(marker_is_lost),
		cmocka_unit_test(head_is_cut_off),
		cmocka_unit_test(shares_as_csv),
		cmocka_unit_test(torn_row_of_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
