/*
 * nvidia-smi dmon: columns by name in any order, headers in mid-file, days and midnights,
 * rows that are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"
#include "read/nvidia_dmon.h"

#define DATED                                                                      \
	"#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem     fb \n" \
	"#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %     MB \n"

static void columns_by_name(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		DATED
		" 20250301   10:00:00      0    100     45      -     50      7   1024 \n"
		" 20250301   10:00:00      1    101     46     60     51      8   2048 "
		"\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	assert_true(fx.timed);
	assert_int_equal(fx.row[0].t_ns, T0_NS);
	assert_double(fx.row[0].value[METRIC_power_w], 100);
	assert_double(fx.row[0].value[METRIC_gpu_util_pct], 50);
	assert_double(fx.row[0].value[METRIC_mem_util_pct], 7);
	assert_double(fx.row[0].value[METRIC_mem_used_mib], 1024);
	assert_true(isnan(fx.row[0].value[METRIC_mem_temperature_c]));
	assert_double(fx.row[1].value[METRIC_mem_temperature_c], 60);
	assert_int_equal(fx.row[1].device, 1);
	log_release(&fx);

	/* -s mu: fb and bar1 stand before sm and mem */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"# gpu    fb  bar1    sm   mem   enc   dec\n"
		"# Idx    MB    MB     %     %     %     %\n"
		"    0   500     2    99     3     0     0\n");
	log_expect_rows(&fx, 1, 0);
	assert_false(fx.timed);
	assert_double(fx.row[0].value[METRIC_mem_used_mib], 500);
	assert_double(fx.row[0].value[METRIC_gpu_util_pct], 99);
	assert_double(fx.row[0].value[METRIC_mem_util_pct], 3);
	log_release(&fx);
}

/* Loops around dmon print the time, the command, a rule. */
static void lines_of_a_loop(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"Sat Mar  1 10:00:00 UTC 2025\n# gpu   pwr\n# Idx     W\n    0   100\n"
		"--------\nSat Mar  1 10:00:30 UTC 2025\n$ nvidia-smi dmon -c 1\n"
		"# gpu   pwr\n# Idx     W\n    0   101\n    0   102 and more\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "noise", 1, 4, "field-count", 11, 1, NULL);
	assert_false(log_diag(&fx, "noise")->damage);
	log_release(&fx);
}

static void header_again_with_other_columns(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		DATED
		" 20250301   10:00:00      0    100     45      -     50      7   1024 "
		"\n" DATED
		" 20250301   10:00:01      0    101     45      -     50      7   1024 \n"
		"#Date Time gpu fb nvdec7\n#YYYYMMDD HH:MM:SS Idx MB GPM:%\n"
		" 20250301   10:00:02      0    2048  5\n"
		"# gpu pwr\n# Idx W\n"
		"  0 100\n");
	log_expect_rows(&fx, 3, 1);
	log_expect_diags(&fx, "unknown-column:nvdec7", 7, 1, "no-time", 12, 1, NULL);
	assert_true(fx.row[1].header);
	assert_double(fx.row[2].value[METRIC_mem_used_mib], 2048);
	assert_double(fx.row[2].value[METRIC_power_w], INFINITY);
	log_release(&fx);
}

static void rows_that_are_none(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"Failed to find any metric to display\n" DATED
		" 20250301   10:00:00      0    100     45      -     50      7   1024 \n"
		"\n"
		" 20250301   10:00:01      0    100     45      -     50 ^C     7   1024 "
		"\n"
		" 20250301   10:00:02      0    15-39     45      -     50      7   1024 "
		"\n"
		" 20250301   10:00:03   9999    100     45      -     50      7   1024 \n"
		" 20250399   10:00:04      0    100     45      -     50      7   1024 \n"
		" 20250301   25:00:05      0    100     45      -     50      7   1024 \n"
		" 20250301   10:00:06      0    100     4");
	log_expect_rows(&fx, 3, 5);
	log_expect_diags(&fx, "no-header", 1, 1, "bad-value:pwr", 7, 1, "bad-id", 8, 3,
		"torn-line", 11, 1, NULL);
	log_release(&fx);
}

/* A lost end of line: the row is lost, the header behind it holds. */
static void header_behind_a_row(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"# gpu pwr sm\n 0 100 50\n 0 101 51,# gpu sm pwr\n 0 52 102\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "field-count", 3, 1, NULL);
	assert_double(fx.row[1].value[METRIC_power_w], 102);
	log_release(&fx);
}

static void torn_but_whole(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON, "# gpu pwr sm\n# Idx W %\n 0 100 50\n 0 101 5");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, "no-newline", 4, 1, NULL);
	assert_double(fx.row[1].value[METRIC_power_w], 101);
	assert_true(isnan(fx.row[1].value[METRIC_gpu_util_pct]));
	log_release(&fx);
}

#define CLOCKS                                               \
	"#Time        gpu    pwr\n#HH:MM:SS    Idx      W\n" \
	" 23:59:58      0    100\n 23:59:59      0    101\n" \
	" 00:00:00      0    102\n 00:00:01      0    103\n"

/* A clock without a date: the first row on the day nearest to the run's start. */
static void clock_without_date(void **state)
{
	/* 58 s before midnight, 2 s after it: either way the day that ends then */
	static const int64_t started_s[] = {-58, 2, -11 * 3600, 11 * 3600};
	int64_t midnight_ns = 20149 * NS_PER_DAY;

	(void)state;
	for (size_t i = 0; i < sizeof started_s / sizeof started_s[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		fx.run.started_ns = midnight_ns + started_s[i] * NS_PER_S;
		log_read(&fx, SOURCE_NVIDIA_DMON, CLOCKS);
		log_expect_rows(&fx, 4, 0);
		for (int row = 0; row < 4; row++)
			assert_int_equal(
				fx.row[row].t_ns, midnight_ns + (row - 2) * NS_PER_S);
		log_release(&fx);
	}
}

/* A row of before midnight that comes late is of the day before, not a day ahead. */
static void late_row_at_midnight(void **state)
{
	static const int seconds[] = {-1, 1, -2, 2, 3};
	int64_t midnight_ns = 20149 * NS_PER_DAY;
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	fx.run.started_ns = midnight_ns;
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"#Time        gpu    pwr\n#HH:MM:SS    Idx      W\n"
		" 23:59:59      0    100\n 00:00:01      0    101\n"
		" 23:59:58      0    102\n 00:00:02      0    103\n"
		" 00:00:03      0    104\n");
	log_expect_rows(&fx, 5, 0);
	log_expect_diags(&fx, "step-back:gpu0", 5, 1, NULL);
	for (size_t row = 0; row < 5; row++)
		assert_int_equal(fx.row[row].t_ns, midnight_ns + seconds[row] * NS_PER_S);
	log_release(&fx);

	/* there is no day before the first */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"#Time        gpu    pwr\n#HH:MM:SS    Idx      W\n"
		" 00:30:00      0    100\n 13:00:00      0    101\n");
	log_expect_rows(&fx, 2, 0);
	assert_int_equal(fx.row[1].t_ns, 13 * 3600 * NS_PER_S);
	log_release(&fx);
}

/* The wall clock of the log is the zone's, the run's start is not. */
static void clock_in_a_zone(void **state)
{
	struct log_fixture fx;
	struct error err;

	(void)state;
	log_init(&fx);
	assert_int_equal(zone_parse(&fx.zone, "+08:00", &err), 0);
	fx.run.started_ns = 20149 * NS_PER_DAY - 8 * 3600 * NS_PER_S;
	log_read(&fx, SOURCE_NVIDIA_DMON, CLOCKS);
	for (int row = 0; row < 4; row++)
		assert_int_equal(
			fx.row[row].t_ns, fx.run.started_ns + (row - 2) * NS_PER_S);
	log_release(&fx);
}

static void with_commas(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"#gpu, pwr, gtemp, sm\n#Idx, W, C, %\n0, 43, 35, 1\n1, 44, -, 2\n");
	log_expect_rows(&fx, 2, 0);
	assert_double(fx.row[1].value[METRIC_power_w], 44);
	assert_true(isnan(fx.row[1].value[METRIC_temperature_c]));
	assert_double(fx.row[1].value[METRIC_gpu_util_pct], 2);
	log_release(&fx);
}

/* "gpu" and "temp" alone make no table of dmon. */
static void with_names_of_another_tool(void **state)
{
	(void)state;
	assert_true(dmon_is_header(SOURCE_NVIDIA_DMON, span_of("gpu, pwr, gtemp, sm")));
	assert_false(dmon_is_header(
		SOURCE_NVIDIA_DMON, span_of("time,gpu,util,watts,mem,temp")));
	assert_true(dmon_is_header(SOURCE_NVIDIA_DMON, span_of("# gpu new pwr")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_by_name),
		cmocka_unit_test(lines_of_a_loop),
		cmocka_unit_test(header_again_with_other_columns),
		cmocka_unit_test(rows_that_are_none),
		cmocka_unit_test(header_behind_a_row),
		cmocka_unit_test(torn_but_whole),
		cmocka_unit_test(clock_without_date),
		cmocka_unit_test(late_row_at_midnight),
		cmocka_unit_test(clock_in_a_zone),
		cmocka_unit_test(with_commas),
		cmocka_unit_test(with_names_of_another_tool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
