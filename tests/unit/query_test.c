/*
 * nvidia-smi --query-gpu: headers, missing values, prose, torn lines, and rows that do
 * not say which GPU they are about.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define HEADER \
	"timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n"

static void plain(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		HEADER "2025/03/01 10:00:00.250, 0, 50 %, 1024 MiB, 75.53 W\n"
		       "2025/03/01 10:00:00.255, 1, 7 %, 2 MiB, 60.00 W\n"
		       "2025/03/01 10:00:01.250, 0, 51 %, 1025 MiB, 80.00 W\n");
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, NULL);
	assert_true(fx.timed);
	assert_int_equal(fx.row[0].t_ns, T0_NS + 250000000);
	assert_double(fx.row[0].value[METRIC_gpu_util_pct], 50);
	assert_double(fx.row[0].value[METRIC_mem_used_mib], 1024);
	assert_double(fx.row[0].value[METRIC_power_w], 75.53);
	assert_double(fx.row[0].value[METRIC_temperature_c], INFINITY);
	assert_true(fx.row[0].header);
	assert_false(fx.row[1].header);
	assert_int_equal(fx.row[1].device, 1);
	assert_int_equal(fx.row[2].device, 0);
	assert_string_equal(fx.run.device[1].name, "gpu1");
	log_release(&fx);
}

/* GPUs of one index on several hosts are several. */
static void hosts(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"host, index, power.draw [W]\n"
		"n1, 0, 10 W\nn1, 1, 20 W\nn2, 0, 30 W\nn2, 1, 40 W\n"
		"n2, 1, 41 W\nn1, 0, 11 W\n");
	log_expect_rows(&fx, 6, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(fx.run.device_count, 4);
	assert_int_equal(fx.row[4].device, 3);
	assert_int_equal(fx.row[5].device, 0);
	assert_string_equal(fx.run.device[0].name, "gpu0");
	assert_string_equal(fx.run.device[2].name, "gpu2");
	assert_string_equal(fx.run.device[2].host, "n2");
	assert_int_equal(fx.run.device[2].index, 0);
	log_release(&fx);

	/* nvidia-smi's own field; and a host alone is its only GPU. */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"index, hostname, power.draw [W]\n0, a, 1 W\n0, b, 2 W\n0, a, 3 W\n");
	assert_int_equal(fx.run.device_count, 2);
	assert_int_equal(fx.row[2].device, 0);
	log_release(&fx);
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"node, power.draw [W]\na, 1 W\nb, 2 W\na, 3 W\n");
	log_expect_rows(&fx, 3, 0);
	assert_int_equal(fx.run.device_count, 2);
	assert_int_equal(fx.row[2].device, 0);
	log_release(&fx);
}

static void missing_and_unreadable(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		HEADER "2025/03/01 10:00:00, 0, [N/A], [Not Supported], [GPU is lost]\n"
		       "2025/03/01 10:00:01, 0, , None, lots\n"
		       "2025/03/01 10:00:02, 0, 0 %, 0 MiB, more\n");
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(
		&fx, "gpu-error:[GPU is lost]", 2, 1, "bad-value:power.draw", 3, 2, NULL);
	for (int row = 0; row < 2; row++) {
		assert_true(isnan(fx.row[row].value[METRIC_gpu_util_pct]));
		assert_true(isnan(fx.row[row].value[METRIC_mem_used_mib]));
		assert_true(isnan(fx.row[row].value[METRIC_power_w]));
	}
	assert_double(fx.row[2].value[METRIC_gpu_util_pct], 0); /* not: absent */
	assert_double(fx.row[2].value[METRIC_mem_used_mib], 0);
	log_release(&fx);
}

static void prose_and_torn(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		HEADER "2025/03/01 10:00:00, 0, 1, 1, 1\n"
		       "\n"
		       "No devices were found\n"
		       "Unable to determine the device handle for GPU 0: Unknown Error\n"
		       "2025/03/01 10:00:01, 0, 1, 1\n"
		       "yesterday, 0, 1, 1, 1\n"
		       "2025/03/01 10:00:02, x, 1, 1, 1\n"
		       "2025/03/01 10:00:03, 0, 1, 1, 1\n"
		       "2025/03/0");
	log_expect_rows(&fx, 2, 6);
	log_expect_diags(&fx, "prose", 4, 2, "field-count", 6, 1, "bad-time", 7, 1,
		"no-id", 8, 1, "torn-line", 10, 1, NULL);
	log_release(&fx);
}

/* A line of more than 1 MiB is lost; the lines behind it are not. */
static void long_line(void **state)
{
	struct strbuf sb;
	struct log_fixture fx;

	(void)state;
	strbuf_init(&sb);
	strbuf_adds(&sb, HEADER "2025/03/01 10:00:00, 0, 1, 1, ");
	for (int i = 0; i < INPUT_LINE_MAX; i++)
		strbuf_addc(&sb, '0');
	strbuf_adds(&sb, "1\n2025/03/01 10:00:01, 0, 1, 1, 2\n");
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
	log_expect_rows(&fx, 1, 1);
	log_expect_diags(&fx, "long-line", 2, 1, NULL);
	assert_double(fx.row[0].value[METRIC_power_w], 2);
	log_release(&fx);
	strbuf_release(&sb);
}

/* Two rows that happen to share a time do not make two GPUs of one. */
static void one_equal_pair(void **state)
{
	struct strbuf sb;
	struct log_fixture fx;

	(void)state;
	strbuf_init(&sb);
	strbuf_adds(&sb, "timestamp, power.draw\n");
	for (int i = 0; i < 30; i++)
		strbuf_addf(&sb, "2025/03/01 10:00:%02d.000, %d\n", i == 17 ? 16 : i, i);
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
	log_expect_rows(&fx, 30, 0);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 1);
	assert_int_equal(fx.row[17].ordinal, 1);
	log_release(&fx);
	strbuf_release(&sb);
}

/* The last field of a line without newline may be cut inside a number. */
static void torn_but_whole(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		HEADER
		"2025/03/01 10:00:00, 0, 1, 1, 100\n2025/03/01 10:00:01, 0, 2, 3, 10");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, "no-newline", 3, 1, NULL);
	assert_double(fx.row[1].value[METRIC_mem_used_mib], 3);
	assert_true(isnan(fx.row[1].value[METRIC_power_w]));
	log_release(&fx);
}

static void header_again_with_other_columns(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		HEADER "2025/03/01 10:00:00, 0, 1, 2, 3\n" HEADER
		       "2025/03/01 10:00:01, 0, 4, 5, 6\n"
		       "power.draw [W], index, no.such.field, timestamp, fan.speed [%], "
		       "no.such.field\n"
		       "70 W, 0, P0, 2025/03/01 10:00:02, 30 %, P0\n"
		       "power.draw [W], no.such.field, index, timestamp\n"
		       "71 W, P0, 0, 2025/03/01 10:00:03\n"
		       "power.draw [W], index\n"
		       "72 W, 0\n");
	log_expect_rows(&fx, 4, 1);
	log_expect_diags(
		&fx, "unknown-column:no.such.field", 5, 3, "no-time", 10, 1, NULL);
	assert_false(log_diag(&fx, "unknown-column:no.such.field")->damage);
	for (int row = 0; row < 4; row++)
		assert_true(fx.row[row].header);
	assert_double(fx.row[1].value[METRIC_power_w], 6);
	assert_double(fx.row[2].value[METRIC_power_w], 70);
	assert_double(fx.row[2].value[METRIC_fan_pct], 30);
	assert_double(fx.row[2].value[METRIC_gpu_util_pct], INFINITY);
	assert_double(fx.row[3].value[METRIC_power_w], 71);
	log_release(&fx);
}

/* Of two recorders that append to one file the rows have but one header. */
static void header_without_a_row(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, index, utilization.gpu [%]\n"
		"timestamp, index, fan.speed [%]\n"
		"2025/03/01 10:00:00, 0, 90\n2025/03/01 10:00:01, 0, 30\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, "empty-header", 2, 1, NULL);
	assert_true(log_diag(&fx, "empty-header")->damage);
	log_release(&fx);

	/* the same columns again, and columns that change behind a row, are no doubt */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, index, utilization.gpu [%]\n"
		"timestamp, index, utilization.gpu\n"
		"2025/03/01 10:00:00, 0, 90\n"
		"timestamp, index, fan.speed [%]\n2025/03/01 10:00:01, 0, 30\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	log_release(&fx);
}

/* A canonical name and its alias are one metric; the first column counts. */
static void aliases(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp,index,clocks.sm,clocks.current.sm [MHz]\n"
		"1740823200.5,0,100,200\n");
	log_expect_rows(&fx, 1, 0);
	assert_int_equal(fx.row[0].t_ns, T0_NS + NS_PER_S / 2);
	assert_double(fx.row[0].value[METRIC_sm_clock_mhz], 100);
	log_release(&fx);
}

/* Nothing is quoted: a name with a comma gives a cell too many, which is put back. */
static void name_with_comma(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, index, name, power.draw [W], utilization.gpu [%]\n"
		"2025/03/01 10:00:00, 0, Fast, faster, fastest, 75.5 W, 50 %\n"
		"2025/03/01 10:00:01, 0, Fast, 76.5 W, 51 %, 2\n"
		"2025/03/01 10:00:02, 0, Fast, 77.5 W, 52 %, more\n");
	log_expect_rows(&fx, 1, 2);
	log_expect_diags(&fx, "field-count", 3, 2, NULL);
	assert_string_equal(fx.run.device[0].model, "Fast, faster, fastest");
	assert_double(fx.row[0].value[METRIC_power_w], 75.5);
	assert_double(fx.row[0].value[METRIC_gpu_util_pct], 50);
	log_release(&fx);
}

static void without_header(void **state)
{
	static const char rows[] =
		"2025/03/01 10:00:00.000, 50, 20, 1000, 80000, 75.5, 41, 1980, 2619\n"
		"2025/03/01 10:00:01.000, 51, 21, 1001, 80000, 76.5, 42, 1981, 2619\n"
		"it failed\n";
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, rows);
	log_expect_rows(&fx, 2, 1);
	assert_double(fx.row[0].value[METRIC_gpu_util_pct], 50);
	assert_double(fx.row[1].value[METRIC_mem_clock_mhz], 2619);
	log_release(&fx);

	/* the run knows what was asked for */
	log_init(&fx);
	run_set_string(&fx.run.query, "timestamp,index,fan.speed");
	log_read(&fx, SOURCE_NVIDIA_QUERY, "2025/03/01 10:00:00, 3, 30\n");
	log_expect_rows(&fx, 1, 0);
	assert_double(fx.row[0].value[METRIC_fan_pct], 30);
	assert_string_equal(fx.run.device[0].name, "gpu3");
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, "2025/03/01 10:00:00, 3, 30\nx, y\n");
	log_expect_rows(&fx, 0, 2);
	log_expect_diags(&fx, "no-header", 1, 2, NULL);
	log_release(&fx);
}

static void without_times(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, "index, power.draw\n0, 10\n1, 20\n0, 11\n");
	log_expect_rows(&fx, 3, 0);
	assert_false(fx.timed);
	for (uint32_t row = 0; row < 3; row++) {
		assert_int_equal(fx.row[row].t_ns, 0);
		assert_int_equal(fx.row[row].ordinal, row + 1);
	}
	log_release(&fx);
}

/* Two GPUs; the third block lacks a row, and the log ends in mid-block. */
static void anonymous_blocks(void **state)
{
	struct strbuf sb;
	struct log_fixture fx;

	(void)state;
	strbuf_init(&sb);
	strbuf_adds(&sb, "timestamp, power.draw\n");
	for (int tick = 0; tick < 30; tick++)
		for (int gpu = 0; gpu < 2; gpu++)
			if (!(tick == 2 && gpu == 1) && !(tick == 29 && gpu == 1))
				strbuf_addf(&sb, "2025/03/01 10:00:%02d.%03d, %d\n", tick,
					gpu * 7, 100 * gpu + tick);
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
	log_expect_rows(&fx, 56, 2);
	log_expect_diags(&fx, "short-block", 6, 2, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	for (size_t row = 0; row < fx.rows; row++) {
		int tick = (int)row / 2 + (row >= 4);

		assert_int_equal(fx.row[row].device, row % 2);
		assert_double(
			fx.row[row].value[METRIC_power_w], 100 * (int)(row % 2) + tick);
	}
	log_release(&fx);
	strbuf_release(&sb);
}

/* A header with ids that comes in mid-block takes only the open block's rows away. */
static void ids_in_mid_block(void **state)
{
	struct strbuf sb;
	struct log_fixture fx;

	(void)state;
	strbuf_init(&sb);
	strbuf_adds(&sb, "timestamp, power.draw\n");
	for (int tick = 0; tick < 20; tick++)
		for (int gpu = 0; gpu < 2; gpu++)
			strbuf_addf(
				&sb, "2025/03/01 10:00:%02d.%03d, 1\n", tick, gpu * 7);
	strbuf_adds(&sb,
		"2025/03/01 10:00:20.000, 2\n"
		"timestamp, index, power.draw\n"
		"2025/03/01 10:00:21.000, 0, 3\n"
		"2025/03/01 10:00:21.007, 1, 4\n"
		"timestamp, power.draw\n"
		"2025/03/01 10:00:22.000, 5\n"
		"2025/03/01 10:00:22.007, 6\n");
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
	log_expect_rows(&fx, 44, 1);
	log_expect_diags(&fx, "short-block", 42, 1, NULL);
	for (size_t row = 40; row < 44; row++) {
		assert_double(fx.row[row].value[METRIC_power_w], (double)row - 37);
		assert_int_equal(fx.row[row].device, row % 2);
	}
	log_release(&fx);
	strbuf_release(&sb);
}

/* A thousand rows at one time are a clock that stood still, and not one is lost. */
static void clock_that_stood_still(void **state)
{
	struct strbuf sb;
	struct log_fixture fx;

	(void)state;
	strbuf_init(&sb);
	strbuf_adds(&sb, "timestamp, power.draw\n");
	for (int row = 0; row < 3000; row++)
		strbuf_adds(&sb, "2025/03/01 10:00:00.000, 1\n");
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
	log_expect_rows(&fx, 3000, 0);
	assert_int_equal(fx.rows, 3000);
	assert_int_equal(fx.row[2999].ordinal, 2999);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 1);
	log_release(&fx);
	strbuf_release(&sb);
}

/* A step back beyond 2 s begins a segment; a smaller one is a row that came late. */
static void steps_back(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, index, power.draw\n"
		"2025/03/01 10:00:10, 0, 1\n2025/03/01 10:00:12, 0, 2\n"
		"2025/03/01 10:00:11, 0, 3\n2025/03/01 10:00:12, 0, 4\n"
		"2025/03/01 10:00:09, 0, 5\n2025/03/01 10:00:09, 0, 6\n"
		"2025/03/01 10:00:01, 1, 7\n");
	log_expect_rows(&fx, 7, 0);
	assert_int_equal(fx.row[2].segment, 0);
	assert_int_equal(fx.row[3].segment, 0);
	assert_int_not_equal(fx.row[3].ordinal, fx.row[1].ordinal); /* both at :12 */
	assert_int_equal(fx.row[4].segment, 1);
	assert_int_equal(fx.row[4].ordinal, 0);
	assert_int_equal(fx.row[5].ordinal, 1);
	assert_int_equal(fx.row[6].segment, 0); /* another GPU's time */
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(hosts),
		cmocka_unit_test(missing_and_unreadable),
		cmocka_unit_test(prose_and_torn),
		cmocka_unit_test(long_line),
		cmocka_unit_test(one_equal_pair),
		cmocka_unit_test(torn_but_whole),
		cmocka_unit_test(header_again_with_other_columns),
		cmocka_unit_test(header_without_a_row),
		cmocka_unit_test(aliases),
		cmocka_unit_test(name_with_comma),
		cmocka_unit_test(without_header),
		cmocka_unit_test(without_times),
		cmocka_unit_test(anonymous_blocks),
		cmocka_unit_test(ids_in_mid_block),
		cmocka_unit_test(clock_that_stood_still),
		cmocka_unit_test(steps_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
