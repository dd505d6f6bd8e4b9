/* JUmPER's exports: levels, clocks, GPUs, JSON over several lines, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "foreign/shared.h"
#include "log_fixture.h"

#define COLUMNS "time,memory,io_read,cpu_util_avg,gpu_util_avg,gpu_mem_avg,gpu_util_0\n"
#define CELLS	"cell_index,raw_cell,start_time,end_time,duration,wallclock_start_time\n"
#define SESSION                                                               \
	"{\"app\": {\"name\": \"JUmPER\"}, \"monitor\": {\"interval\": 0.5, " \
	"\"start_time\": 100.25, \"stop_time\": 160.75, "                     \
	"\"wallclock_start_time\": 1740823200.5, \"num_cpus\": 4, "           \
	"\"num_system_cpus\": 8, \"num_gpus\": 0, \"gpu_memory\": 40.0, "     \
	"\"gpu_name\": \"\", \"memory_limits\": {\"user\": 62.75}}, "         \
	"\"reporter\": {\"thresholds\": {\"cpu_ratio\": 0.9}}}\n"

/* As if its name were another one than "log". */
static void read_named(struct log_fixture *fx, const char *name, const char *text)
{
	char path[] = "/tmp/jumper_read.XXXXXX";
	struct reading_file file = {
		.facts = {.path = path, .fd = -1}, .first_ns = TIME_NONE};
	struct reading reading = {.opt.formats = log_formats(),
		.run = &fx->run,
		.zone = fx->zone,
		.file = &file,
		.file_count = 1};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	run_add_file(&fx->run, name)->kind = SOURCE_JUMPER;
	log_read_kind(fx, &reading, SOURCE_JUMPER);
	reading_release_file(&file);
	unlink(path);
}

static const struct log_row *row_of(const struct log_fixture *fx, const char *device)
{
	for (size_t i = 0; i < fx->rows; i++)
		if (strcmp(fx->run.device[fx->row[i].device].name, device) == 0)
			return &fx->row[i];
	return NULL;
}

static void the_name_says_the_level(void **state)
{
	static const struct {
		const char *name, *device;
		bool said;
	} cases[] = {{"perf_process.csv", "process", true},
		{"perf_user.csv", "user", true},
		{"a/b/perf_system.json.gz", "system", true}, {"slurm.csv", "slurm", true},
		{"my-user.perf.csv", "user", true},
		{"system/perfdata.csv", "process", false},
		{"perfdata.csv", "process", false}, {"superuser.csv", "process", false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		run_add_fact(&fx.run, JUMPER_OFFSET_NS, span_of("0"));
		read_named(&fx, cases[i].name, COLUMNS "5,1,2,3,4,5,6\n");
		assert_non_null(row_of(&fx, cases[i].device));
		assert_int_equal(log_diag(&fx, "no-level") == NULL, cases[i].said);
		log_release(&fx);
	}
}

static void gb_are_read_to_the_byte(void **state)
{
	struct log_fixture fx;
	const struct log_row *row;

	(void)state;
	log_init(&fx);
	run_add_fact(&fx.run, JUMPER_OFFSET_NS, span_of("1740823195000000000"));
	read_named(&fx, "perf_user.csv",
		COLUMNS "5.000000001,0.0009765634313225746,7,12.5,33,40.5,99\n"
			"6,,8,nan,,2,\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(fx.rows, 2); /* a user's rows say nothing of one GPU */
	row = &fx.row[0];
	assert_true(row->t_ns == T0_NS + 1);
	assert_double(row->value[METRIC_level_mem_mib], 1 + 1.0 / 1048576);
	assert_double(row->value[METRIC_level_cpu_pct], 12.5);
	assert_double(row->value[METRIC_level_gpu_util_pct], 33);
	assert_double(row->value[METRIC_level_gpu_mem_mib], 40.5 * 1024);
	assert_true(isinf(row->value[METRIC_gpu_util_pct]));
	assert_true(isnan(fx.row[1].value[METRIC_level_mem_mib]));
	assert_true(isnan(fx.row[1].value[METRIC_level_cpu_pct]));
	log_release(&fx);
}

static void the_system_tells_of_each_gpu(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	run_add_fact(&fx.run, JUMPER_OFFSET_NS, span_of("0"));
	read_named(&fx, "perf_system.csv",
		"time,memory,cpu_util_avg,cpu_util_0,gpu_util_0,gpu_mem_0,gpu_power_0,"
		"gpu_util_1,gpu_util_300,other,cell_index\n"
		"5,1,2,3,40,0.5,250.5,60,70,1,\n");
	log_expect_rows(&fx, 1, 0);
	log_expect_diags(&fx, "unknown-column:other", 1, 1, NULL);
	assert_int_equal(fx.rows, 5);
	assert_double(row_of(&fx, "gpu0")->value[METRIC_gpu_util_pct], 40);
	assert_double(row_of(&fx, "gpu0")->value[METRIC_mem_used_mib], 512);
	assert_double(row_of(&fx, "gpu0")->value[METRIC_power_w], 250.5);
	assert_double(row_of(&fx, "gpu1")->value[METRIC_gpu_util_pct], 60);
	assert_double(row_of(&fx, "system")->value[METRIC_level_mem_mib], 1024);
	assert_double(row_of(&fx, "host")->value[METRIC_ram_used_mib], 1024);
	assert_double(row_of(&fx, "cpu")->value[METRIC_cpu_busy_pct], 2);
	assert_true(isinf(row_of(&fx, "host")->value[METRIC_cpu_busy_pct]));
	log_release(&fx);
}

static void an_unknown_clock_is_said(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	read_named(&fx, "perf_user.csv", COLUMNS "5.5,1,2,3,4,5,6\n6.5,1,2,3,4,5,6\n");
	log_expect_diags(&fx, "no-date", 2, 1, NULL);
	assert_true(fx.row[0].t_ns == 5500000000);
	log_release(&fx);
}

static void bad_rows_are_refused(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	run_add_fact(&fx.run, JUMPER_OFFSET_NS, span_of("0"));
	read_named(&fx, "perf_user.csv",
		"1,2,3,4,5,6,7\n" COLUMNS
		"5,1,2,3,4,5\nthen,1,2,3,4,5,6\n-1,1,2,3,4,5,6\n"
		"7,much,2,3,4,5,6\n8,1,2,3,4,5,6");
	log_expect_rows(&fx, 1, 5);
	log_expect_diags(&fx, "no-header", 1, 1, "field-count", 3, 1, "bad-time", 4, 2,
		"bad-value:memory", 6, 1, "no-newline", 7, 1, NULL);
	log_release(&fx);
}

static void json_may_go_over_lines(void **state)
{
	static const char *const texts[] = {
		"[{\"time\":5,\"memory\":1,\"cpu_util_avg\":3},"
		"{\"time\":6,\"memory\":null,\"cpu_util_avg\":4}]\n",
		"[{\"time\":5,\"memory\":1,\"cpu_util_avg\":3},\n"
		" {\"time\":6,\"memory\":null,\"cpu_util_avg\":4}]\n",
		"[\n  {\n    \"time\": 5.0,\n    \"memory\": 1.0,\n    \"cpu_util_avg\": "
		"3\n"
		"  },\n  {\n    \"time\": 6.0,\n    \"memory\": null,\n"
		"    \"cpu_util_avg\": 4\n  }\n]",
		/* other names come with another order */
		"[{\"time\":5,\"memory\":1,\"cpu_util_avg\":3}\n,"
		"{\"cpu_util_avg\":4,\"memory\":null,\"time\":6}\n]\n"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		run_add_fact(&fx.run, JUMPER_OFFSET_NS, span_of("0"));
		read_named(&fx, "perf_user.json", texts[i]);
		log_expect_rows(&fx, 2, 0);
		log_expect_diags(&fx, NULL);
		assert_double(fx.row[0].value[METRIC_level_mem_mib], 1024);
		assert_double(fx.row[0].value[METRIC_level_cpu_pct], 3);
		assert_true(fx.row[1].t_ns == 6 * NS_PER_S);
		assert_true(isnan(fx.row[1].value[METRIC_level_mem_mib]));
		assert_double(fx.row[1].value[METRIC_level_cpu_pct], 4);
		log_release(&fx);
	}
}

static void torn_json_costs_its_object(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	run_add_fact(&fx.run, JUMPER_OFFSET_NS, span_of("0"));
	read_named(&fx, "perf_user.json",
		"[{\"time\":5,\"memory\":1,\"cpu_util_avg\":3},\n"
		"{\"time\":6,\"memory\":\n" /* the rest of it is lost */
		"{\"time\":7,\"memory\":1,\"cpu_util_avg\":3},\n"
		"{\"time\":8,\"memory\":1,,\"cpu_util_avg\":3},\n"
		"{\"time\":9,\"m\":1,\"cpu_util_avg\":3},\n"
		"{\"time\":10,\"memory\":1,\"cpu_util_avg\":3}, words\n"
		"{\"time\":11,\"memory\":1,\"cpu_ut");
	log_expect_rows(&fx, 3, 5);
	log_expect_diags(
		&fx, "bad-json", 2, 3, "no-header", 5, 1, "torn-line", 7, 1, NULL);
	assert_true(fx.row[1].t_ns == 7 * NS_PER_S);
	assert_true(fx.row[2].t_ns == 10 * NS_PER_S);
	log_release(&fx);
}

static void cells_become_phases(void **state)
{
	struct log_fixture fx;
	const struct event *event;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_JUMPER_CELLS,
		CELLS "0,x = 1,1.0,2.0,1.0,1700000000.0\n"
		      "1.0,\"for x in \"\"ab\"\":\n\n    run(x, 1)\",2.5,2.75,0.25,\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(fx.run.event_count, 2);
	event = &fx.run.event[0];
	assert_int_equal(event->type, EVENT_PHASE);
	assert_string_equal(event->name, "cell 0");
	assert_true(event->t_ns == 1700000000 * NS_PER_S);
	assert_true(event->end_ns == 1700000001 * NS_PER_S);
	assert_string_equal(event->extras, "{\"cell_index\":0,\"raw_cell\":\"x = 1\"}");
	event = &fx.run.event[1];
	assert_string_equal(event->name, "cell 1");
	assert_true(event->t_ns == 1700000001 * NS_PER_S + NS_PER_S / 2);
	assert_string_equal(event->extras,
		"{\"cell_index\":1,\"raw_cell\":\"for x in \\\"ab\\\":\\n\\n    run(x, "
		"1)\"}");
	assert_int_equal(event->at.line, 3);
	log_release(&fx);
}

static void cells_of_json_are_the_same(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_JUMPER_CELLS,
		"[\n{\n\"cell_index\": 3,\n\"raw_cell\": \"f({\\\"a\\\": [1]})\\n}\",\n"
		"\"start_time\": 1.0,\n\"end_time\": 2.5\n}\n]\n");
	log_expect_rows(&fx, 1, 0);
	log_expect_diags(&fx, "no-date", 8, 1, NULL);
	assert_string_equal(fx.run.event[0].name, "cell 3");
	assert_true(fx.run.event[0].end_ns == 2500000000);
	assert_string_equal(fx.run.event[0].extras,
		"{\"cell_index\":3,\"raw_cell\":\"f({\\\"a\\\": [1]})\\n}\"}");
	log_release(&fx);
}

static void bad_cells_are_refused(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_JUMPER_CELLS,
		CELLS
		"one,x,1,2,1,1700000000\n1,x,3,2,1,\n2,x,1,,1,\n3,x,1,2\n0.5,x,1,2,1,\n");
	log_expect_rows(&fx, 0, 5);
	log_expect_diags(&fx, "bad-id", 2, 2, "bad-phase", 3, 1, "bad-time", 4, 1,
		"field-count", 5, 1, NULL);
	log_release(&fx);
}

static void a_session_says_what_it_knew(void **state)
{
	struct log_fixture fx;
	int64_t offset_ns;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_JUMPER_SESSION, SESSION);
	log_expect_diags(&fx, NULL);
	assert_true(jumper_offset_ns(&fx.run, &offset_ns));
	assert_true(offset_ns == T0_NS + NS_PER_S / 4 - 100 * NS_PER_S);
	assert_true(fx.run.interval_ns == NS_PER_S / 2);
	assert_int_equal(fx.run.cpu_count, 8);
	assert_double(run_fact_number(&fx.run, JUMPER_CPUS), 4);
	assert_double(run_fact_number(&fx.run, JUMPER_MONITORED_S), 60.5);
	assert_double(run_fact_number(&fx.run, "jumper_memory_limit_user"), 62.75);
	assert_true(isnan(run_fact_number(&fx.run, "jumper_memory_limit_slurm")));
	assert_true(
		isnan(run_fact_number(&fx.run, JUMPER_GPU_MEMORY_GB))); /* of no GPU */
	assert_double(jumper_threshold(&fx.run, THRESHOLD_CPU), 0.9);
	assert_double(jumper_threshold(&fx.run, THRESHOLD_MEMORY), 0.8);
	assert_null(run_fact(&fx.run, JUMPER_GPU_NAME));
	log_release(&fx);
}

static void a_session_without_sense_is_said(void **state)
{
	struct log_fixture fx;
	int64_t offset_ns;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_JUMPER_SESSION,
		"{\"app\": {\"name\": \"JUmPER\"}, \"monitor\": {\"interval\": 0, "
		"\"start_time\": null, \"wallclock_start_time\": null, \"num_cpus\": -4, "
		"\"stop_time\": null, \"memory_limits\": {\"user\": \"much\"}}}\n");
	log_expect_diags(&fx, "bad-manifest:monitor.interval", 1, 1,
		"bad-manifest:monitor.num_cpus", 1, 1,
		"bad-manifest:monitor.memory_limits.user", 1, 1, NULL);
	assert_false(jumper_offset_ns(&fx.run, &offset_ns));
	assert_true(isnan(run_fact_number(&fx.run, JUMPER_MONITORED_S)));
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_JUMPER_SESSION, "{\"app\": \"JUmPER\", \"monitor\": {\n");
	log_expect_rows(&fx, 0, 1);
	assert_non_null(log_diag(&fx, "bad-json"));
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_says_the_level),
		cmocka_unit_test(gb_are_read_to_the_byte),
		cmocka_unit_test(the_system_tells_of_each_gpu),
		cmocka_unit_test(an_unknown_clock_is_said),
		cmocka_unit_test(bad_rows_are_refused),
		cmocka_unit_test(json_may_go_over_lines),
		cmocka_unit_test(torn_json_costs_its_object),
		cmocka_unit_test(cells_become_phases),
		cmocka_unit_test(cells_of_json_are_the_same),
		cmocka_unit_test(bad_cells_are_refused),
		cmocka_unit_test(a_session_says_what_it_knew),
		cmocka_unit_test(a_session_without_sense_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
