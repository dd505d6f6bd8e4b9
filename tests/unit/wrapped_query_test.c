/*
 * nvidia-smi --query-gpu inside other people's scripts: times around the rows, echoes and
 * separators, ids of their own, no header at all; and states as states.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define HEADER "utilization.gpu [%], memory.used [MiB]\n"

/* date; nvidia-smi; date; nvidia-smi: two GPUs, told apart by the lines around them. */
static void dates_around_the_rows(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"Sat Mar  1 10:00:00 UTC 2025\n" HEADER "1 %, 10 MiB\n2 %, 20 MiB\n"
		"Sat Mar  1 10:30:00 UTC 2025\n" HEADER "3 %, 11 MiB\n4 %, 21 MiB\n"
		"Sat Mar  1 11:00:00 UTC 2025\n" HEADER "5 %, 12 MiB\n6 %, 22 MiB\n");
	log_expect_rows(&fx, 6, 0);
	log_expect_diags(&fx, NULL);
	assert_true(fx.timed);
	assert_int_equal(fx.run.device_count, 2);
	assert_int_equal(fx.row[0].t_ns, T0_NS);
	assert_int_equal(fx.row[1].t_ns, T0_NS);
	assert_int_equal(fx.row[5].t_ns, T0_NS + 3600 * NS_PER_S);
	assert_int_equal(fx.row[4].device, 0);
	assert_int_equal(fx.row[5].device, 1);
	log_release(&fx);

	/* A row that was cut is no date where rows have times of their own. */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, utilization.gpu [%]\n2025/03/01 10:00:00.000, 1 %\n"
		"2025/03/01 10:00:01.000\n2025/03/01 10:00:02.000, 3 %\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "prose", 3, 1, NULL);
	log_release(&fx);
}

/* The first line with the time was lost: its rows have no place, the others do. */
static void the_first_date_is_lost(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		HEADER "1 %, 10 MiB\nSat Mar  1 10:30:00 UTC 2025\n" HEADER
		       "3 %, 11 MiB\nSat Mar  1 11:00:00 UTC 2025\n" HEADER
		       "5 %, 12 MiB\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "no-time", 2, 1, NULL);
	assert_true(fx.timed);
	assert_int_equal(fx.row[1].t_ns, T0_NS + 3600 * NS_PER_S);
	log_release(&fx);
}

/* Of one column, lines that part the rows, and those with the time, are still none. */
static void rows_of_one_cell(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"----\nSat Mar  1 10:00:00 UTC 2025\npstate\nP0\n"
		"----\nSat Mar  1 10:30:00 UTC 2025\npstate\nP8\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, "noise", 1, 2, NULL);
	assert_int_equal(fx.row[1].t_ns, T0_NS + 1800 * NS_PER_S);
	log_release(&fx);
}

/* cmd.exe prints the commands of a batch file; one of them looks like a header. */
static void echoes_of_a_batch_file(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"\r\nC:\\monitoring>date /T \r\nSat 03/01/2025 \r\n\r\n"
		"C:\\monitoring>time /T \r\n10:00 AM\r\n\r\n"
		"C:\\monitoring>nvidia-smi --query-gpu=utilization.gpu,memory.used "
		"--format=csv \r\n" HEADER "1 %, 10 MiB\r\n"
		"C:\\monitoring>date /T \r\nSat 03/01/2025 \r\nC:\\monitoring>time /T "
		"\r\n12:01 PM\r\n"
		"C:\\monitoring>nvidia-smi --query-gpu=utilization.gpu,memory.used "
		"--format=csv \r\n" HEADER "2 %, 11 MiB\r\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, "noise", 2, 6, NULL);
	assert_int_equal(fx.row[0].t_ns, T0_NS);
	assert_int_equal(fx.row[1].t_ns, T0_NS + (2 * 3600 + 60) * NS_PER_S);
	log_release(&fx);
}

static void a_wrapper_counts_the_gpus(void **state)
{
	struct log_fixture fx;

	(void)state;
	/* each GPU was asked alone, so its own index is 0 */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp,gpu,index,power.draw\n"
		"2025-03-01T10:00:00Z,0, 0, 74.01\n2025-03-01T10:00:00Z,1, 0, 73.23\n"
		"2025-03-01T10:00:01Z,GPU0, 0, 74\n2025-03-01T10:00:01Z,gpu 1, 0, 73\n");
	log_expect_rows(&fx, 4, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(fx.run.device_count, 2);
	assert_int_equal(fx.row[3].device, 1);
	log_release(&fx);

	/* or it is the model's name, and no id */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp,gpu,power.draw\n2025-03-01T10:00:00Z,NVIDIA H200, 74.01\n");
	log_expect_rows(&fx, 1, 0);
	assert_string_equal(fx.run.device[0].model, "NVIDIA H200");
	log_release(&fx);
}

/* Several rows of one GPU at one time may be several GPUs: it is said. */
static void rows_at_one_time(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, index, power.draw [W]\n"
		"2025/03/01 10:00:00, 0, 1 W\n2025/03/01 10:00:00, 0, 2 W\n"
		"2025/03/01 10:00:01, 0, 1 W\n2025/03/01 10:00:01, 0, 2 W\n");
	log_expect_rows(&fx, 4, 0);
	log_expect_diags(&fx, "equal-times:gpu0", 0, 2, NULL);
	assert_false(log_diag(&fx, "equal-times:gpu0")->damage);
	log_release(&fx);
}

static void units_tell_the_columns(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, "2 %, 588 MiB\n3 %, 590 MiB\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, "guessed-units", 1, 1, "gpu-count", 0, 1, NULL);
	assert_false(fx.timed);
	assert_double(fx.row[1].value[METRIC_gpu_util_pct], 3);
	assert_double(fx.row[1].value[METRIC_mem_used_mib], 590);
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"2025/03/01 10:00:00.000, GPU-1, NVIDIA H200, P0, 80 %, 20 %, 81559 MiB, "
		"588 MiB, 300.5 W, 700.00 W, 1980 MHz, 2619 MHz\n");
	log_expect_rows(&fx, 1, 0);
	assert_true(fx.timed);
	assert_double(fx.row[0].value[METRIC_mem_util_pct], 20);
	/* the larger amount is what is installed, the larger power the limit */
	assert_double(fx.row[0].value[METRIC_mem_total_mib], 81559);
	assert_double(fx.row[0].value[METRIC_mem_used_mib], 588);
	assert_double(fx.row[0].value[METRIC_power_w], 300.5);
	assert_double(fx.row[0].value[METRIC_power_limit_w], 700);
	assert_double(fx.row[0].value[METRIC_mem_clock_mhz], 2619);
	assert_string_equal(fx.run.device[0].uuid, "GPU-1");
	log_release(&fx);

	/* of two amounts the larger is what is installed only if it never changes */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, "588 MiB, 81559 MiB\n600 MiB, 80000 MiB\n");
	log_expect_rows(&fx, 0, 2);
	log_expect_diags(&fx, "no-header", 1, 2, NULL);
	log_release(&fx);

	/* a row that was torn is not what the others are measured by */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, "2 %\n3 %, 590 MiB\n4 %, 591 MiB\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(
		&fx, "no-header", 1, 1, "guessed-units", 2, 1, "gpu-count", 0, 1, NULL);
	assert_double(fx.row[1].value[METRIC_mem_used_mib], 591);
	log_release(&fx);

	/* a bare number may be anything; of three amounts nobody knows */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, "200, 2 %, 588 MiB\n1 MiB, 2 MiB, 3 MiB\n");
	log_expect_rows(&fx, 0, 2);
	log_expect_diags(&fx, "no-header", 1, 2, NULL);
	log_release(&fx);
}

static void states_and_their_reasons(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"index, pstate, gpu_recovery_action, clocks_throttle_reasons.active, "
		"clocks_event_reasons.sw_power_cap, "
		"clocks_event_reasons_counters.sw_power_cap [us]\n"
		"0, P0, None, 0x0000000000000004, Active, 15814595384 us\n"
		"0, [N/A], Reset GPU, 0xZZ, Not Active, -5 us\n"
		"0, [GPU requires reset], None, [N/A], [N/A], [N/A]\n");
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, "bad-value:clocks_throttle_reasons.active", 3, 1,
		"bad-value:clocks_event_reasons_counters.sw_power_cap", 3, 1,
		"gpu-error:[GPU requires reset]", 4, 1, NULL);
	assert_string_equal(texts_word(&fx.run.texts,
				    (int64_t)fx.row[0].value[METRIC_recovery_action]),
		"None");
	assert_string_equal(texts_word(&fx.run.texts,
				    (int64_t)fx.row[1].value[METRIC_recovery_action]),
		"Reset GPU");
	assert_double(fx.row[0].value[METRIC_clock_reasons], 4);
	assert_double(fx.row[0].value[METRIC_held_sw_power_cap_us], 15814595384.0);
	/* why pstate was missing: once each */
	for (size_t i = 0; i < fx.run.missing.count; i++) {
		const struct missing *m = &fx.run.missing.at[i];

		assert_int_equal(m->count, 1);
		if (m->metric == METRIC_clock_reasons && i < 3)
			assert_string_equal(
				texts_word(&fx.run.texts, m->reason), "(unreadable)");
	}
	assert_int_equal(fx.run.missing.count, 7);
	log_release(&fx);
}

/* The last block is short where the recorder was stopped. */
static void stopped_in_a_block(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, power.draw [W]\n"
		"2025/03/01 10:00:00.000, 1 W\n2025/03/01 10:00:00.002, 2 W\n"
		"2025/03/01 10:00:01.000, 3 W\n2025/03/01 10:00:01.002, 4 W\n"
		"2025/03/01 10:00:02.000, 5 W\n2025/03/01 10:00:02.002, 6 W\n"
		"2025/03/01 10:00:03.000, 7 W\n");
	log_expect_rows(&fx, 6, 1);
	log_expect_diags(&fx, "short-block", 8, 1, NULL);
	assert_int_equal(fx.run.device_count, 2);
	log_release(&fx);
}

/* Two GPUs of which one is lost half way: not one GPU at an uneven interval. */
static void bursts_of_changing_size(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, power.draw [W]\n"
		"2025/03/01 10:00:00.000, 1 W\n2025/03/01 10:00:00.002, 2 W\n"
		"2025/03/01 10:00:01.000, 3 W\n2025/03/01 10:00:01.002, 4 W\n"
		"2025/03/01 10:00:02.000, 5 W\n2025/03/01 10:00:02.002, 6 W\n"
		"2025/03/01 10:00:02.004, 6 W\n"
		"2025/03/01 10:00:03.000, 7 W\n2025/03/01 10:00:03.002, 8 W\n"
		"2025/03/01 10:00:03.004, 8 W\n");
	log_expect_rows(&fx, 10, 0);
	log_expect_diags(&fx, "bursts", 0, 1, NULL);
	assert_true(log_diag(&fx, "bursts")->damage);
	log_release(&fx);
}

/* date; nvidia-smi -l: of one time for all rows nothing can be made but a doubt. */
static void one_date_for_all_rows(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"Sat Mar  1 10:00:00 UTC 2025\n" HEADER "1 %, 10 MiB\n2 %, 20 MiB\n");
	log_expect_rows(&fx, 2, 0);
	assert_true(log_diag(&fx, "bursts")->damage);
	assert_int_equal(fx.run.device_count, 1);
	log_release(&fx);
}

/* Times as other loggers write them: since 1970 in any unit, or as date(1) does. */
static void times_of_other_loggers(void **state)
{
	static const char *const time[] = {"1740823200", "1740823200.0", "1740823200000",
		"1740823200000000", "1740823200000000000", "Sat Mar  1 10:00:00 UTC 2025",
		"2025-03-01T10:00:00Z", "2025-03-01T11:00:00+01:00"};

	(void)state;
	for (size_t i = 0; i < sizeof time / sizeof time[0]; i++) {
		struct log_fixture fx;
		char log[200];

		snprintf(log, sizeof log,
			"Timestamp, INDEX, Power.Draw [W]\n%s, 0, 5 W\n", time[i]);
		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, log);
		log_expect_rows(&fx, 1, 0);
		log_expect_diags(&fx, NULL);
		assert_int_equal(fx.row[0].t_ns, T0_NS);
		log_release(&fx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_around_the_rows),
		cmocka_unit_test(the_first_date_is_lost),
		cmocka_unit_test(rows_of_one_cell),
		cmocka_unit_test(echoes_of_a_batch_file),
		cmocka_unit_test(a_wrapper_counts_the_gpus),
		cmocka_unit_test(rows_at_one_time),
		cmocka_unit_test(units_tell_the_columns),
		cmocka_unit_test(states_and_their_reasons),
		cmocka_unit_test(stopped_in_a_block),
		cmocka_unit_test(bursts_of_changing_size),
		cmocka_unit_test(one_date_for_all_rows),
		cmocka_unit_test(times_of_other_loggers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
