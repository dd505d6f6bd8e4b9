/*
 * A run in the runs database: restored just as the reader left it, only in the shape that
 * it was loaded in, and shown to SQL with its summaries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "store_fixture.h"

static void same_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static struct run full_run(void)
{
	struct run run = make_run("key", 0);
	struct device *device;
	struct run_file *file;
	struct event *event;

	run_set_string(&run.run_id, "2024-a");
	run_set_string(&run.command, "python 'train me.py'");
	run_set_string(&run.host, "h\xff\xc3(st");
	run_set_string(&run.kernel, "");
	run_set_string(&run.zone, "Europe/Berlin");
	run.cpu_count = 0;
	run.mem_total_kib = INT64_C(1) << 40;
	run.interval_ns = 100000000;
	run.started_ns = 1700000000123456789;
	run.exit_status = 137;
	snprintf(run.time_zone, sizeof run.time_zone, "+05:45");
	snprintf(run.time_source, sizeof run.time_source, "manifest");
	device = run_add_device(&run, DEVICE_CPU, -1);
	device = run_add_device(&run, DEVICE_GPU, 3);
	run_set_string(&device->uuid, "GPU-1");
	device = run_add_device(&run, DEVICE_GPU, -1);
	snprintf(device->name, sizeof device->name, "gpu-x");
	run_set_string(&device->bus_id, "00000000:01:00.0");
	run_set_string(&device->model, "NVIDIA H200");
	run_add_device(&run, DEVICE_HOST, -1);
	device = run_add_device(&run, DEVICE_PROCESS, 4711);
	device->parent = 1;
	missing_add(&run.missing,
		&(struct missing){SOURCE_NVIDIA_DMON, 1, METRIC_power_w, 3, 7});
	missing_add(&run.missing,
		&(struct missing){SOURCE_NVIDIA_QUERY, 2, METRIC_pstate, 0, 1});
	file = run_add_file(&run, "b.csv");
	file->kind = SOURCE_NVIDIA_QUERY;
	file->size = INT64_C(1) << 41;
	file->mtime_ns = -5;
	file->hash = INT64_MIN;
	file->rows = 12;
	file->refused = 1;
	run_add_file(&run, "a.bin");
	event = run_add_event(&run);
	event->type = EVENT_PHASE;
	event->t_ns = 1700000001000000000;
	event->end_ns = 1700000002500000000;
	event->type_name = run_keep(&run, "phase");
	event->name = run_keep(&run, "train");
	event->extras = run_keep(&run, "{\"loss\": 1.5}");
	event = run_add_event(&run);
	event = run_add_event(&run);
	event->type = EVENT_BEGIN;
	event = run_add_event(&run);
	event->type = EVENT_END;
	event->t_ns = 0;
	label_set(&run.labels, span_of("commit"), span_of("4f2a1c"), false);
	label_set(&run.labels, span_of("Branch"), span_of("it's \xc3\xa9\n"), true);
	label_set(&run.labels, span_of("commit.date"), span_of(""), true);
	diag_add(&run.diags, true, "torn-line", "b.csv", 7, span_of(""), "a line is cut");
	diag_add(&run.diags, false, "unknown-column", "b.csv", 1, span_of("x"), "%s", "");
	diag_add(&run.diags, false, "unknown-column", "b.csv", 1, span_of("x"), "%s", "");
	return run;
}

static void check_run(const struct run *a, const struct run *b)
{
	same_text(a->key, b->key);
	same_text(a->path, b->path);
	assert_int_equal(a->is_directory, b->is_directory);
	same_text(a->run_id, b->run_id);
	same_text(a->command, b->command);
	same_text(a->host, b->host);
	same_text(a->kernel, b->kernel);
	same_text(a->cpu_model, b->cpu_model);
	same_text(a->driver, b->driver);
	same_text(a->query, b->query);
	same_text(a->zone, b->zone);
	assert_int_equal(a->cpu_count, b->cpu_count);
	assert_int_equal(a->mem_total_kib, b->mem_total_kib);
	assert_int_equal(a->interval_ns, b->interval_ns);
	assert_int_equal(a->dmon_interval_ns, b->dmon_interval_ns);
	assert_int_equal(a->started_ns, b->started_ns);
	assert_int_equal(a->ended_ns, b->ended_ns);
	assert_int_equal(a->exit_status, b->exit_status);
	assert_string_equal(a->time_zone, b->time_zone);
	assert_string_equal(a->time_source, b->time_source);
	assert_int_equal(a->device_count, b->device_count);
	for (size_t i = 0; i < a->device_count; i++) {
		assert_int_equal(a->device[i].kind, b->device[i].kind);
		assert_int_equal(a->device[i].index, b->device[i].index);
		assert_int_equal(a->device[i].parent, b->device[i].parent);
		assert_string_equal(a->device[i].name, b->device[i].name);
		same_text(a->device[i].uuid, b->device[i].uuid);
		same_text(a->device[i].bus_id, b->device[i].bus_id);
		same_text(a->device[i].model, b->device[i].model);
	}
	assert_int_equal(a->file_count, b->file_count);
	for (size_t i = 0; i < a->file_count; i++) {
		same_text(a->file[i].path, b->file[i].path);
		assert_int_equal(a->file[i].kind, b->file[i].kind);
		assert_int_equal(a->file[i].size, b->file[i].size);
		assert_int_equal(a->file[i].mtime_ns, b->file[i].mtime_ns);
		assert_int_equal(a->file[i].hash, b->file[i].hash);
		assert_int_equal(a->file[i].rows, b->file[i].rows);
		assert_int_equal(a->file[i].refused, b->file[i].refused);
	}
	assert_int_equal(a->event_count, b->event_count);
	for (size_t i = 0; i < a->event_count; i++) {
		assert_int_equal(a->event[i].type, b->event[i].type);
		assert_int_equal(a->event[i].t_ns, b->event[i].t_ns);
		assert_int_equal(a->event[i].end_ns, b->event[i].end_ns);
		same_text(a->event[i].type_name, b->event[i].type_name);
		same_text(a->event[i].name, b->event[i].name);
		same_text(a->event[i].extras, b->event[i].extras);
	}
	assert_int_equal(a->missing.count, b->missing.count);
	for (size_t i = 0; i < a->missing.count; i++) {
		const struct missing *x = &a->missing.at[i], *y = &b->missing.at[i];

		assert_int_equal(x->source, y->source);
		assert_int_equal(x->device, y->device);
		assert_int_equal(x->metric, y->metric);
		assert_int_equal(x->count, y->count);
		same_text(texts_word(&a->texts, x->reason),
			texts_word(&b->texts, y->reason));
	}
	assert_int_equal(a->labels.count, b->labels.count);
	for (size_t i = 0; i < a->labels.count; i++) {
		assert_string_equal(a->labels.at[i].key, b->labels.at[i].key);
		assert_string_equal(a->labels.at[i].value, b->labels.at[i].value);
		assert_int_equal(a->labels.at[i].given, b->labels.at[i].given);
	}
	assert_int_equal(a->diags.count, b->diags.count);
	for (size_t i = 0; i < a->diags.count; i++) {
		same_text(a->diags.at[i].id, b->diags.at[i].id);
		same_text(a->diags.at[i].file, b->diags.at[i].file);
		assert_int_equal(a->diags.at[i].line, b->diags.at[i].line);
		assert_int_equal(a->diags.at[i].count, b->diags.at[i].count);
		same_text(a->diags.at[i].text, b->diags.at[i].text);
		assert_int_equal(a->diags.at[i].damage, b->diags.at[i].damage);
	}
}

static void run_restored(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct run run = full_run(), got;

	assert_int_equal(store_begin_run(store, &run, "s", &room->err), 0);
	finish(room, store, &run);
	run_init(&got, run.path);
	assert_int_equal(store_get_run(store, "key", "s", &got, &room->err), 1);
	check_run(&run, &got);
	run_release(&got);
	run_release(&run);
	store_close(store);
}

static void run_not_found(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct run got;

	load(room, store, "r", NULL);
	run_init(&got, "runs/a");
	assert_int_equal(store_get_run(store, "q", "shape", &got, &room->err), 0);
	assert_int_equal(store_get_run(store, "r", "other", &got, &room->err), 0);
	assert_null(
		store_samples(store, "q", SOURCE_NVIDIA_QUERY, &room->texts, &room->err));
	assert_non_null(strstr(room->err.message, "has no run q"));
	assert_int_equal(
		sql_exec(store, "UPDATE run SET definitions_version = 0", &room->err), 0);
	assert_int_equal(store_get_run(store, "r", "shape", &got, &room->err), 0);
	assert_null(got.key);
	run_release(&got);
	store_close(store);
}

/* The summaries are for SQL only; here they are read as its users do. */
static void summaries(void **state)
{
	struct room *room = *state;
	struct store *store = open_store(room);
	struct run run = full_run();
	struct report report;
	struct metric_stats stats = {.metric = METRIC_power_w,
		.source = SOURCE_NVIDIA_QUERY,
		.device = 1,
		.n = 5,
		.mean = 250.5,
		.max = 300,
		.p50 = NAN,
		.min_at_ns = TIME_NONE,
		.max_at_ns = 1700000001123456789,
		.has_energy = true,
		.energy_chosen = true,
		.energy_j = 1000,
		.energy_coverage = 0.75,
		.increase = NAN,
		.rate_per_s = NAN};
	struct state_time states[] = {{"P0", 4, 9.5, 0.95}, {"P8", 1, 0.5, 0.05}};
	struct gap gap = {1700000001000000000, 9.5, 1, SOURCE_NVIDIA_QUERY, SIZE_MAX, 0,
		false, false, GAP_SUSPEND};
	char name[] = "all/train";
	struct phase_call call = {.name = "train",
		.path = 0,
		.start_ns = 1700000001000000000,
		.end_ns = 1700000002500000000,
		.start_s = 0.5,
		.seconds = 1.5};
	struct phase_path path = {.path = name,
		.name = "train",
		.depth = 1,
		.calls = 1,
		.duration_s = 1.5,
		.stats = &stats,
		.stats_count = 1};

	assert_int_equal(store_begin_run(store, &run, "s", &room->err), 0);
	report_init(&report, &run);
	report.started_ns = 1700000000123000000;
	report.stats = &stats;
	report.stats_count = 1;
	stats.state = states;
	stats.state_count = 2;
	report.evidence.gap = &gap;
	report.evidence.gap_listed = report.evidence.gap_count = 1;
	report.evidence.grade = 'B';
	report.path = &path;
	report.path_count = 1;
	report.call = &call;
	report.call_count = 1;
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		path.summary[key].number = NAN;
	path.summary[PHASE_energy_j].number = 0.25;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		report.summary[key].number = NAN;
	report.summary[SUMMARY_gpu_count] = (struct summary_item){VALUE_COUNT, 2, NULL};
	report.summary[SUMMARY_energy_j] = (struct summary_item){VALUE_NUMBER, 0.1, NULL};
	report.summary[SUMMARY_energy_method] =
		(struct summary_item){VALUE_TEXT, 0, "integrated"};
	assert_int_equal(store_finish_run(store, &report, NULL, &room->err), 0);
	store_close(store);
	assert_true(ask(room->db,
		"SELECT started_at = '2023-11-14T22:13:20.123Z' AND ended_at IS NULL "
		"AND grade = 'B' AND gpu_count = 2 AND typeof(gpu_count) = 'integer' "
		"AND energy_j = 0.1 AND energy_method = 'integrated' "
		"AND peak_vram_mib IS NULL AND exit_status = 137 AND gap_count = 1 "
		"FROM runs"));
	assert_true(ask(room->db,
		"SELECT device = 'gpu3' AND unit = 'W' AND mean = 250.5 AND p50 IS NULL "
		"AND min_at IS NULL AND max_at = '2023-11-14T22:13:21.123Z' "
		"AND abs(max_at_s - 1.000456789) < 1e-9 AND energy_j = 1000 "
		"AND energy_method = 'integrated' AND energy_coverage = 0.75 "
		"AND above_gt_0 IS NULL FROM metrics"));
	assert_true(ask(room->db,
		"SELECT phase = 'all/train' AND duration_s = 1.5 AND energy_j = 0.25 "
		"AND gpu_util_mean_pct IS NULL AND depth = 1 FROM phases"));
	assert_true(ask(room->db,
		"SELECT phase = 'all/train' AND name = 'train' AND duration_s = 1.5 "
		"AND start_at = '2023-11-14T22:13:21.000Z' FROM calls"));
	assert_true(ask(room->db,
		"SELECT phase = 'all/train' AND device = 'gpu3' AND mean = 250.5 "
		"AND energy_j = 1000 AND energy_method = 'integrated' "
		"AND energy_coverage = 0.75 FROM phase_metrics"));
	assert_int_equal(ask(room->db, "SELECT count(*) FROM phase_states"), 2);
	assert_true(ask(room->db,
		"SELECT count(*) = 2 AND sum(share) = 1 AND max(duration_s) = 9.5 "
		"AND max(state) = 'P8' FROM states WHERE device = 'gpu3' "
		"AND metric = 'power_w' AND source = 'nvidia-query'"));
	assert_true(ask(room->db,
		"SELECT device = 'gpu3' AND reason = 'word 3' AND count = 7 "
		"FROM missing_values WHERE metric = 'power_w'"));
	assert_int_equal(ask(room->db, "SELECT count(*) FROM gpus"), 2);
	assert_true(ask(room->db,
		"SELECT power_mean_w = 250.5 AND energy_j = 1000 "
		"AND energy_method = 'integrated' AND energy_coverage = 0.75 "
		"FROM gpus WHERE device = 'gpu3'"));
	assert_int_equal(ask(room->db, "SELECT count(*) FROM events"), 4);
	assert_true(ask(room->db,
		"SELECT duration_s = 1.5 AND t_s = 0.877 FROM events "
		"WHERE type = 'phase'"));
	assert_true(ask(room->db,
		"SELECT kind IS NULL AND modified_at = "
		"'1970-01-01T00:00:00.000Z' FROM sources "
		"WHERE file = 'a.bin'"));
	assert_true(ask(room->db,
		"SELECT modified_at = '1969-12-31T23:59:59.999Z' "
		"FROM sources WHERE file = 'b.csv'"));
	assert_int_equal(ask(room->db, "SELECT sum(count) FROM diagnostics"), 3);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(run_restored), CASE(run_not_found), CASE(summaries)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
