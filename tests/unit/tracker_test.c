/* gpu_tracker's recordings: units, devices, what is refused; starts and stops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define COLUMNS                                                                   \
	"main_ram,system_ram,combined_gpu_ram,main_n_threads,"                    \
	"cpu_combined_sum_utilization_percent,cpu_combined_hardware_utilization_" \
	"percent,timestamp\n"
#define STATIC(ram, gpu) \
	"ram_unit,gpu_ram_unit,n_expected_gpus\n" ram "," gpu ",2\n" COLUMNS
#define EVENTS "process_id,code_block_name,position,timestamp\n"

static const struct log_row *row_of(const struct log_fixture *fx, const char *device)
{
	for (size_t i = 0; i < fx->rows; i++)
		if (strcmp(fx->run.device[fx->row[i].device].name, device) == 0)
			return &fx->row[i];
	fail_msg("no row of %s", device);
	return NULL;
}

static void units_are_taken_to_the_byte(void **state)
{
	static const struct {
		const char *text;
		double rss_mib, gpu_mib;
	} cases[] = {
		{STATIC("bytes", "bytes") "1048577,0,1600000000,3,1.5,1,1e9\n",
			1 + 1.0 / 1048576, 1600},
		{STATIC("kilobytes", "kilobytes") "1048.577,0,1.6e6,3,1.5,1,1e9\n",
			1 + 1.0 / 1048576, 1600},
		{STATIC("megabytes", "megabytes") "1.048577,0,1600.0,3,1.5,1,1e9\n",
			1 + 1.0 / 1048576, 1600},
		{STATIC("gigabytes",
			 "gigabytes") "0.0010485770000000001,0,1.6,3,1.5,1,1e9\n",
			1 + 1.0 / 1048576, 1600},
		{STATIC("terabytes", "terabytes") "1.048577e-06,0,0.0016,3,1.5,1,1e9\n",
			1 + 1.0 / 1048576, 1600},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		log_read(&fx, SOURCE_GPU_TRACKER, cases[i].text);
		log_expect_rows(&fx, 1, 0);
		log_expect_diags(&fx, NULL);
		assert_int_equal(fx.rows, 4); /* main, descendants, combined, host */
		assert_double(
			row_of(&fx, "main")->value[METRIC_rss_mib], cases[i].rss_mib);
		assert_double(row_of(&fx, "main")->value[METRIC_threads], 3);
		assert_double(row_of(&fx, "combined")->value[METRIC_tree_gpu_mem_mib],
			cases[i].gpu_mib);
		assert_double(row_of(&fx, "host")->value[METRIC_ram_used_mib], 0);
		assert_double(row_of(&fx, "combined")->value[METRIC_tree_cpu_pct], 1.5);
		assert_true(isinf(row_of(&fx, "descendants")->value[METRIC_rss_mib]));
		assert_string_equal(run_fact(&fx.run, "n_expected_gpus"), "2");
		log_release(&fx);
	}
}

static void noise_of_doubles_vanishes(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_GPU_TRACKER,
		STATIC("gigabytes", "gigabytes") "55.47873894400001,,[N/A],3,"
						 "11.900000000000002,2,1e9\n");
	log_expect_diags(&fx, NULL);
	assert_double(
		row_of(&fx, "main")->value[METRIC_rss_mib], 55478738944.0 / 1048576);
	assert_double(row_of(&fx, "combined")->value[METRIC_tree_cpu_pct], 11.9);
	assert_true(isnan(row_of(&fx, "host")->value[METRIC_ram_used_mib]));
	assert_true(isnan(row_of(&fx, "combined")->value[METRIC_tree_gpu_mem_mib]));
	log_release(&fx);
}

/* Files of older versions name neither units nor divisors; quotients tell the latter. */
static void what_is_not_named_is_said(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_GPU_TRACKER,
		COLUMNS "1,2,3,4,0,0,900\n1,2,3,4,194.7,64.89999999999999,1000\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, "no-units", 1, 1, NULL);
	assert_true(fx.row[0].t_ns == 900 * NS_PER_S);
	assert_string_equal(run_fact(&fx.run, "n_expected_cores"), "3");
	assert_null(run_fact(&fx.run, "n_expected_gpus"));
	log_release(&fx);
}

static void bad_rows_are_refused(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_GPU_TRACKER,
		STATIC("parsecs", "bytes") "1,2,3,4,5\n"
					   "1,2,3,4,5,6,then\n"
					   "1,2,3,much,5,6,1e9\n"
					   "1,2,3,4,5,6,1000000001");
	log_expect_rows(&fx, 1, 3);
	log_expect_diags(&fx, "bad-unit:ram_unit", 2, 1, "field-count", 4, 1, "bad-time",
		5, 1, "bad-value:main_n_threads", 6, 1, "no-newline", 7, 1, NULL);
	log_release(&fx);
}

/* Where a line is broken, or the units are lost, nothing is guessed. */
static void static_data_are_whole_or_not_used(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_GPU_TRACKER,
		"ram_unit,gpu_ram_unit,n_expected_gpus\n"
		"bytes,bytes,1\n2\n" COLUMNS "1,2,3,4,5,6,1e9\n");
	log_expect_rows(&fx, 1, 1);
	log_expect_diags(&fx, "no-header", 3, 1, "bad-value:n_expected_gpus", 2, 1, NULL);
	assert_null(run_fact(&fx.run, "n_expected_gpus"));
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_GPU_TRACKER,
		"ram_unit,gpu_ram_unit\nbytes bytes\n" COLUMNS "1,2,3,4,5,6,1e9\n");
	log_expect_diags(&fx, "field-count", 2, 1, "bad-unit:ram_unit", 3, 1,
		"bad-unit:gpu_ram_unit", 3, 1, NULL);
	assert_true(isinf(row_of(&fx, "main")->value[METRIC_rss_mib]));
	assert_double(row_of(&fx, "main")->value[METRIC_threads], 4);
	log_release(&fx);
}

static const struct event *event_at(const struct log_fixture *fx, size_t i)
{
	assert_true(i < fx->run.event_count);
	return &fx->run.event[i];
}

static void starts_and_stops_pair_by_process_and_block(void **state)
{
	const struct event *event;
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_GPU_TRACKER_SUB,
		EVENTS "1,X,0,10\n"
		       "2,X,0,11\n"
		       "1,X,1,12.0000001\n"
		       "2,\"X, \"\"y\"\"\nz\",0,13\n"
		       "2,X,1,14\n"
		       "2,\"X, \"\"y\"\"\nz\",1,15\n"
		       "1,X,0,16\n"
		       "1,X,0,17\n"
		       "1,X,1,18\n");
	log_expect_rows(&fx, 9, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(fx.run.event_count, 5);
	event = event_at(&fx, 0);
	assert_int_equal(event->type, EVENT_PHASE);
	assert_true(event->t_ns == 10 * NS_PER_S);
	assert_true(event->end_ns == 12 * NS_PER_S + 100);
	assert_string_equal(event->extras, "{\"process_id\": 1}");
	assert_true(event_at(&fx, 1)->end_ns == 14 * NS_PER_S);
	assert_string_equal(event_at(&fx, 2)->name, "X, \"y\"\nz");
	assert_true(event_at(&fx, 2)->end_ns == 15 * NS_PER_S);
	/* Inside out: the outer one of two has no stop. */
	assert_int_equal(event_at(&fx, 3)->type, EVENT_BEGIN);
	assert_true(event_at(&fx, 4)->end_ns == 18 * NS_PER_S);
	log_release(&fx);
}

static void what_does_not_pair_is_named(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_GPU_TRACKER_SUB,
		EVENTS "7,X,0,10.25\n"
		       "8,X,1,11.5\n"
		       "7,X,1,9.75\n"
		       "7,X,2,12\n"
		       "x,X,1,12\n"
		       "7,X,1,-1\n"
		       "7,\"X,1,12\n");
	log_expect_rows(&fx, 1, 6);
	log_expect_diags(&fx, "stop-without-start", 3, 1, "start-after-stop", 4, 1,
		"bad-position", 5, 1, "bad-id", 6, 1, "bad-time", 7, 1, "open-quote", 8,
		1, NULL);
	assert_string_equal(log_diag(&fx, "stop-without-start")->text,
		"process 8 stops code block 'X' at 11.5, but there is no start that "
		"matches. The last start is by process 7 at 10.25");
	assert_string_equal(log_diag(&fx, "start-after-stop")->text,
		"process 7 starts code block 'X' at 10.25, later than its stop at 9.75");
	log_release(&fx);
}

/* An open quote takes no row with it; a lost row gives no block another's stop. */
static void rows_around_lost_ones_are_kept(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_GPU_TRACKER_SUB,
		EVENTS "1,X,0,10\n"
		       "2,X,0,11\n"
		       "1,\"X,0,12\n"
		       "2,X,1,13\n"
		       "1,X,1,14\n"
		       "1,X,1,15\n");
	log_expect_rows(&fx, 3, 3);
	log_expect_diags(&fx, "open-quote", 4, 1, "stop-without-start", 7, 1,
		"doubtful-stop", 6, 1, NULL);
	assert_int_equal(event_at(&fx, 0)->type, EVENT_BEGIN);
	assert_true(event_at(&fx, 1)->end_ns == 13 * NS_PER_S);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_taken_to_the_byte),
		cmocka_unit_test(noise_of_doubles_vanishes),
		cmocka_unit_test(what_is_not_named_is_said),
		cmocka_unit_test(bad_rows_are_refused),
		cmocka_unit_test(static_data_are_whole_or_not_used),
		cmocka_unit_test(starts_and_stops_pair_by_process_and_block),
		cmocka_unit_test(what_does_not_pair_is_named),
		cmocka_unit_test(rows_around_lost_ones_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
