/*
 * A report made by hand for the tests of render/: two GPUs, a CPU, phases, damage. Sane
 * by default; the tests put hostile names and unknown numbers where they want them.
 */
#ifndef RENDER_FIXTURE_H
#define RENDER_FIXTURE_H

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/formats.h"
#include "foreign/shared.h"
#include "render/render.h"

#define FIXTURE_T0 1772366400000000000LL /* 2026-03-01T12:00:00Z */

struct fixture {
	struct run run;
	struct report report;
};

static inline struct metric_stats *fixture_stats(struct report *report,
	enum source_kind source, uint32_t device, enum metric_id metric, double mean)
{
	struct metric_stats *s;

	ALLOC_GROW(report->stats, report->stats_count + 1, report->stats_cap);
	s = &report->stats[report->stats_count++];
	*s = (struct metric_stats){.metric = metric,
		.source = source,
		.device = device,
		.n = 3727,
		.missing = 4,
		.covered_s = 3700.25,
		.mean = mean,
		.mean_samples = mean * 1.0000001,
		.min = mean / 3,
		.min_at_ns = FIXTURE_T0 + 5,
		.max = mean * 1.5,
		.max_at_ns = FIXTURE_T0 + 1500000000LL,
		.p50 = mean,
		.p90 = mean * 1.25,
		.p95 = mean * 1.375,
		.p99 = mean * 1.4,
		.stddev = mean / 7};
	return s;
}

/* A path that was called once. */
static inline struct phase_path *fixture_phase(struct report *report, const char *name,
	double start_s, double seconds, const char *extras)
{
	size_t i = report->path_count++;
	struct phase_path *path;

	report->path = xrealloc(report->path, report->path_count, sizeof *path);
	report->call = xrealloc(report->call, report->path_count, sizeof *report->call);
	report->call_count = report->path_count;
	report->call[i] = (struct phase_call){.name = name,
		.extras = extras,
		.path = (uint32_t)i,
		.next = SIZE_MAX,
		.start_ns = FIXTURE_T0 + (int64_t)(start_s * 1e9),
		.end_ns = FIXTURE_T0 + (int64_t)((start_s + seconds) * 1e9),
		.start_s = start_s,
		.seconds = seconds};
	path = &report->path[i];
	*path = (struct phase_path){.path = xstrdup(name),
		.name = name,
		.first = i,
		.calls = 1,
		.non_empty_calls = 1,
		.start_s = start_s,
		.duration_s = seconds,
		.min_s = seconds,
		.mean_s = seconds,
		.max_s = seconds,
		.exclusive_s = seconds,
		.union_s = seconds};
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		path->summary[key] = (struct summary_item){
			.kind = key == PHASE_energy_method ? VALUE_TEXT : VALUE_NUMBER,
			.number = seconds / 7,
			.text = "integrated"};
	return path;
}

static inline void fixture_item(
	struct report *report, const char *key, bool omitted, double number)
{
	struct item *item = item_add(report, ITEM_NUMBER, key);

	item->omitted = omitted;
	item->number = number;
}

static inline void fixture_gpu(struct run *run, int32_t index, const char *uuid)
{
	struct device *device = run_add_device(run, DEVICE_GPU, index);

	device->uuid = xstrdup(uuid);
	device->bus_id = xstrdup("00000000:19:00.0");
	device->model = xstrdup("NVIDIA H200");
}

static inline void fixture_run(struct run *run)
{
	struct run_file *file;
	struct event *event;

	run_init(run, "runs/20260301T120000Z-gpu-node-17-4711");
	run->run_id = xstrdup("20260301T120000Z-gpu-node-17-4711");
	run->command = xstrdup("torchrun --nproc-per-node=2 train.py --config "
			       "configs/llama-7b-sft.yaml --bf16 --epochs 3");
	run->host = xstrdup("gpu-node-17");
	run->cpu_model = xstrdup("AMD EPYC 9554");
	run->exit_status = 0;
	run->started_ns = FIXTURE_T0;
	run->ended_ns = FIXTURE_T0 + 3731500000000LL;
	snprintf(run->time_zone, sizeof run->time_zone, "UTC");
	snprintf(run->time_source, sizeof run->time_source, "manifest");
	fixture_gpu(run, 0, "GPU-4f1c8a52-0000-0000-0000-000000000001");
	fixture_gpu(run, 1, "GPU-4f1c8a52-0000-0000-0000-000000000002");
	run_add_device(run, DEVICE_CPU, -1);
	file = run_add_file(run, "gpu_metrics.csv");
	file->kind = SOURCE_NVIDIA_QUERY;
	file->rows = 7454;
	file->refused = 13;
	file = run_add_file(run, "proc_stat.log");
	file->kind = SOURCE_PROC_STAT;
	file->rows = 37312;
	run_add_file(run, "notes.txt");
	event = run_add_event(run);
	event->type_name = run_keep(run, "memory");
	event->name = run_keep(run, "after step 1");
	event->t_ns = FIXTURE_T0 + 1;
	event->extras = run_keep(run, "{\"peak_bytes_in_use\": 74668965888}");
	event = run_add_event(run);
	event->type = EVENT_PHASE;
	event->type_name = run_keep(run, "phase");
	event->name = run_keep(run, "setup");
	diag_add(&run->diags, true, "torn-line", "gpu_metrics.csv", 1042, span_of(""),
		"the line has 5 of 11 fields: refused, it was cut while it was written");
	for (int i = 0; i < 12; i++)
		diag_add(&run->diags, true, "bad-value", "gpu_metrics.csv", 2000,
			span_of("power"),
			"power.draw [W] is '[Unknown Error]': the value "
			"is counted as not available");
	diag_add(&run->diags, false, "unknown-column", "gpu_metrics.csv", 1, span_of("x"),
		"no metric is known for the column 'gsp.mode.current': ignored");
	diag_add(&run->diags, false, "no-date", "", 0, span_of(""),
		"the manifest names gpu_dmon.log, which isn't there");
}

static inline void fixture_evidence(struct report *report)
{
	struct evidence *e = &report->evidence;

	e->grade = 'B';
	e->coverage = 0.98234375;
	e->time_source = report->run->time_source;
	e->sessions = 1;
	e->device = xcalloc(2, sizeof *e->device);
	e->device_count = e->device_cap = 2;
	for (uint32_t i = 0; i < 2; i++)
		e->device[i] = (struct device_evidence){.source = SOURCE_NVIDIA_QUERY,
			.device = i,
			.rows = 3727,
			.first_ns = FIXTURE_T0,
			.last_ns = FIXTURE_T0 + 3731000000000LL,
			.interval_s = 1,
			.interval_source = "recorded",
			.gap_limit_s = 3,
			.covered_s = 3665.5,
			.coverage = 0.98234375,
			.gaps = 1,
			.sessions = 1};
	e->gap = xcalloc(1, sizeof *e->gap);
	e->gap_count = e->gap_listed = 1;
	e->gap[0] = (struct gap){.start_ns = FIXTURE_T0 + 223999000000LL,
		.length_s = 65.5,
		.device = 0,
		.source = SOURCE_NVIDIA_QUERY};
	report_weigh_devices(report);
}

static inline void fixture_summary(struct report *report)
{
	struct summary_item *s = report->summary;

	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		s[key] = (struct summary_item){.kind = VALUE_NUMBER, .number = NAN};
	s[SUMMARY_peak_vram_mib].number = 71210;
	s[SUMMARY_peak_vram_total_mib].number = 142408;
	s[SUMMARY_vram_capacity_mib].number = 287542;
	s[SUMMARY_framework_peak_mib].number = 71210;
	s[SUMMARY_gpu_util_mean_pct].number = 61.237;
	s[SUMMARY_gpu_util_max_pct].number = 100;
	s[SUMMARY_mem_util_mean_pct].number = 27.01;
	s[SUMMARY_mem_util_max_pct].number = 61;
	s[SUMMARY_power_mean_w].number = 416.4625;
	s[SUMMARY_power_max_w].number = 650.5;
	s[SUMMARY_power_total_mean_w].number = 832.925;
	s[SUMMARY_energy_j].number = 3053101.5833333335;
	s[SUMMARY_energy_method].kind = VALUE_TEXT;
	s[SUMMARY_energy_method].text = "integrated";
	s[SUMMARY_energy_coverage].number = 0.98234375;
	s[SUMMARY_energy_uncovered_s].number = 65.5;
	s[SUMMARY_temperature_max_c].number = 71;
	s[SUMMARY_sm_clock_mean_mhz].number = 1755.25;
	s[SUMMARY_cpu_usr_mean_pct].number = 20.04;
	s[SUMMARY_cpu_sys_mean_pct].number = 2.1;
	s[SUMMARY_cpu_iowait_mean_pct].number = 0;
	s[SUMMARY_cpu_idle_mean_pct].number = 77.25;
	s[SUMMARY_ram_capacity_mib].number = 515830;
	s[SUMMARY_gpu_count] = (struct summary_item){VALUE_COUNT, 2, NULL};
	s[SUMMARY_cpu_count] = (struct summary_item){VALUE_COUNT, 128, NULL};
	s[SUMMARY_samples] = (struct summary_item){VALUE_COUNT, 44766, NULL};
	s[SUMMARY_duration_s].number = 3731.5;
}

static inline void fixture_work(struct report *report)
{
	report->work = xcalloc(1, sizeof *report->work);
	report->work_count = 1;
	report->work[0] = (struct work){.type_name = "step",
		.events = 31,
		.n_is = WORK_TOTAL,
		.units = 3000,
		.units_timed = 3000,
		.first_ns = FIXTURE_T0 + 400000000000LL,
		.last_ns = FIXTURE_T0 + 3400000000000LL,
		.first_s = 400,
		.seconds = 3000,
		.units_per_s = 1,
		.gpu_util_mean_pct = 61.5,
		.gpu_s_per_unit = 2,
		.energy_j = 2500000,
		.energy_coverage = 0.5,
		.energy_j_per_unit = NAN};
}

static inline void fixture_init(struct fixture *f)
{
	struct report *report = &f->report;

	fixture_run(&f->run);
	run_set_string(&f->run.key, "run-1");
	report_init(report, &f->run);
	report->origin_ns = report->started_ns = f->run.started_ns;
	report->ended_ns = f->run.ended_ns;
	report->duration_s = 3731.5;
	report->duration_source = "command";
	for (uint32_t gpu = 0; gpu < 2; gpu++) {
		struct metric_stats *s = fixture_stats(report, SOURCE_NVIDIA_QUERY, gpu,
			METRIC_gpu_util_pct, 61.237 + gpu / 3.0);

		s->has_above = true;
		for (enum above a = 0; a < ABOVE_COUNT; a++)
			s->above[a] = 1 / ((double)a + 1);
		fixture_stats(report, SOURCE_NVIDIA_QUERY, gpu, METRIC_mem_used_mib,
			47473.333333333336);
		s = fixture_stats(
			report, SOURCE_NVIDIA_QUERY, gpu, METRIC_power_w, 416.4625);
		s->has_energy = true;
		s->energy_j = 1526550.7916666667;
		s->energy_coverage = 3700.25 / 3731.5;
		s->energy_chosen = true;
		fixture_stats(report, SOURCE_NVIDIA_QUERY, gpu, METRIC_temperature_c, 60);
	}
	fixture_stats(report, SOURCE_PROC_STAT, 2, METRIC_cpu_usr_pct, 20.04);
	fixture_stats(report, SOURCE_PROC_STAT, 2, METRIC_cpu_idle_pct, 77.25);
	fixture_phase(report, "setup", 0, 41.25, NULL);
	fixture_phase(report, "compile", 41.25, 312.5, "{\"cache\": \"miss\"}");
	fixture_phase(report, "train", 353.75, 3100.125,
		"{\"loss\": [1.25, 0.5],\n \"note\": \"a\\nb\"}");
	fixture_phase(report, "evaluate", 3453.875, 277.625, NULL)->unfinished = true;
	fixture_summary(report);
	fixture_evidence(report);
	report->steady = (struct steady){.found = true,
		.metric = METRIC_gpu_util_pct,
		.source = SOURCE_NVIDIA_QUERY,
		.from_ns = FIXTURE_T0 + 42250000000LL,
		.to_ns = FIXTURE_T0 + 3580000000000LL,
		.from_s = 42.25,
		.to_s = 3580,
		.coverage = 1,
		.warm_up_s = 41.75,
		.interruptions = 11,
		.interrupted_s = 168.25,
		.gpu_util_mean_pct = 97.125,
		.power_total_mean_w = 1212.5};
	fixture_work(report);
	fixture_item(report, "peak_vram_mb", false, 71210);
	fixture_item(report, "cpu_idle_mean_pct", false, 77.25);
	fixture_item(report, "mem_util_mean_pct", true, 0);
}

static inline void fixture_release(struct fixture *f)
{
	report_release(&f->report);
	run_release(&f->run);
}

/* A quote, a newline, a tab, ESC, bytes that are no UTF-8, and a formula's sign. */
#define HOSTILE "=\"a\",b\\\n\t\x1b[31mred\x07 \xff\xc3( caf\xc3\xa9"
/* The same as JSON gives it back. */
#define HOSTILE_READ                             \
	"=\"a\",b\\\n\t\x1b[31mred\x07 \xef\xbf" \
	"\xbd\xef\xbf\xbd( caf\xc3\xa9"

static inline void make_hostile(struct fixture *f)
{
	char *huge = xmalloc(10001);

	memset(huge, 'x', 10000);
	huge[10000] = '\0';
	run_set_string(&f->run.run_id, HOSTILE);
	run_set_string(&f->run.path, HOSTILE);
	run_set_string(&f->run.host, HOSTILE);
	run_set_string(&f->run.command, huge);
	run_set_string(&f->run.device[0].model, HOSTILE);
	run_set_string(&f->run.file[0].path, HOSTILE);
	f->run.event[0].name = run_keep(&f->run, HOSTILE);
	f->report.path[0].name = f->report.work[0].name = HOSTILE;
	run_set_string(&f->report.path[0].path, HOSTILE);
	diag_add(&f->run.diags, true, "x", HOSTILE, 3, span_of(HOSTILE), "%s", HOSTILE);
	free(huge);
}

/* The same as CSV has it: controls made visible. */
#define HOSTILE_INERT                                \
	"=\"a\",b\\\\n\\t\\x1b[31mred\\x07 \xef\xbf" \
	"\xbd\xef\xbf\xbd( caf\xc3\xa9"

/* A run of which nothing is known. */
static inline void unknown_init(struct fixture *f)
{
	run_init(&f->run, "log.csv");
	report_init(&f->report, &f->run);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		f->report.summary[key].number = NAN;
	f->report.summary[SUMMARY_energy_method].kind = VALUE_TEXT;
	f->report.summary[SUMMARY_samples].kind = VALUE_COUNT;
}

/* What a format prints for some reports; the caller frees it. */
static inline char *fixture_render_input(const struct render_input *in,
	const char *format, const struct render_options *opt)
{
	char *text = NULL;
	size_t size;
	struct error err;
	FILE *out = open_memstream(&text, &size);
	int result;

	assert(out);
	result = output_find(format)->write(in, opt, out, &err);
	assert(result == 0);
	(void)result;
	fclose(out);
	return text;
}

static inline char *fixture_render(
	const struct fixture *f, const char *format, const struct render_options *opt)
{
	static const char *const warnings[] = {
		"runs/broken: holds nothing that hwsummarize can read"};
	struct render_input in = {.report = &f->report,
		.report_count = 1,
		.warning = warnings,
		.warning_count = 1};

	return fixture_render_input(&in, format, opt);
}

#endif
