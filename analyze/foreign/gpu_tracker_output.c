/*
 * gpu_tracker's own object, its comparison, and the printing of both: its Tracker's, or,
 * where the run has code blocks, that of its sub-tracking analysis. Memory is in decimal
 * units of a byte, its "megabytes" of GPU memory are MiB; percentages of the hardware are
 * sums by a number of cores or GPUs; an instant at the end of a block belongs to it;
 * deviations are those of a population; times of blocks are differences of doubles, in
 * seconds. What the run does not say is unknown, where the tool, which asks the machine,
 * always has a number.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/phases/phase_map.h"
#include "foreign/shared.h"
#include "render/utf8.h"

struct tracker {
	struct report *report; /* borrowed */
	enum data_unit ram, gpu_ram;
	enum time_unit time;
	double ram_capacity, gpu_ram_capacity; /* bytes */
	double cores, expected_cores, gpus, expected_gpus;
	const struct levels *levels; /* what all GPUs did together; borrowed */
	size_t run_gpus, asked_gpus; /* of the run, and those whose utilization counts */
	bool tracked; /* the run has gpu_tracker's own series */
};

enum tracker_scale {
	TRACKER_RAM,
	TRACKER_GPU_RAM,
	TRACKER_PLAIN,
	TRACKER_CORES, /* of the host */
	TRACKER_EXPECTED_CORES,
	TRACKER_EXPECTED_GPUS
};

struct tracker_series {
	const char *key, *device;
	enum metric_id metric;
	enum tracker_scale scale;
};

/* The whole run, or one block. */
struct tracker_part {
	const struct metric_stats *stats; /* [count]; borrowed */
	size_t count;
	uint32_t path; /* PHASE_NONE: the run */
};

/* Of a part; the deviation is that of a population. */
struct tracker_values {
	uint64_t n; /* 0: nothing was sampled, and the others are NAN */
	double min, max, mean, deviation;
};

/*
 * The table of series, the facts of a recording, and one scale for each kind of value.
 */

/* The tracked series, in its order. */
static const struct tracker_series series[] = {
	{"main_ram", "main", METRIC_rss_mib, TRACKER_RAM},
	{"descendants_ram", "descendants", METRIC_rss_mib, TRACKER_RAM},
	{"combined_ram", "combined", METRIC_rss_mib, TRACKER_RAM},
	{"system_ram", "host", METRIC_ram_used_mib, TRACKER_RAM},
	{"main_gpu_ram", "main", METRIC_tree_gpu_mem_mib, TRACKER_GPU_RAM},
	{"descendants_gpu_ram", "descendants", METRIC_tree_gpu_mem_mib, TRACKER_GPU_RAM},
	{"combined_gpu_ram", "combined", METRIC_tree_gpu_mem_mib, TRACKER_GPU_RAM},
	{"system_gpu_ram", "host", METRIC_gpu_mem_sum_mib, TRACKER_GPU_RAM},
	{"gpu_sum_utilization_percent", "host", METRIC_gpu_util_sum_pct, TRACKER_PLAIN},
	{"gpu_hardware_utilization_percent", "host", METRIC_gpu_util_sum_pct,
		TRACKER_EXPECTED_GPUS},
	{"main_n_threads", "main", METRIC_threads, TRACKER_PLAIN},
	{"descendants_n_threads", "descendants", METRIC_threads, TRACKER_PLAIN},
	{"combined_n_threads", "combined", METRIC_threads, TRACKER_PLAIN},
	{"cpu_system_sum_utilization_percent", "host", METRIC_cpu_util_sum_pct,
		TRACKER_PLAIN},
	{"cpu_system_hardware_utilization_percent", "host", METRIC_cpu_util_sum_pct,
		TRACKER_CORES},
	{"cpu_main_sum_utilization_percent", "main", METRIC_tree_cpu_pct, TRACKER_PLAIN},
	{"cpu_main_hardware_utilization_percent", "main", METRIC_tree_cpu_pct,
		TRACKER_EXPECTED_CORES},
	{"cpu_descendants_sum_utilization_percent", "descendants", METRIC_tree_cpu_pct,
		TRACKER_PLAIN},
	{"cpu_descendants_hardware_utilization_percent", "descendants",
		METRIC_tree_cpu_pct, TRACKER_EXPECTED_CORES},
	{"cpu_combined_sum_utilization_percent", "combined", METRIC_tree_cpu_pct,
		TRACKER_PLAIN},
	{"cpu_combined_hardware_utilization_percent", "combined", METRIC_tree_cpu_pct,
		TRACKER_EXPECTED_CORES},
};

#define SERIES (sizeof series / sizeof series[0])

/* In bytes, to the byte; instead: where the recording does not say it, NAN if unknown. */
static double fact_bytes(
	const struct run *run, const char *name, enum data_unit unit, double instead)
{
	const char *text = run_fact(run, name);
	int64_t bytes;

	if (!text || unit == DATA_UNIT_NONE ||
		!number_scaled(span_of(text), data_unit_bytes(unit), &bytes))
		return instead;
	return (double)bytes;
}

static enum data_unit fact_unit(const struct run *run, const char *name)
{
	const char *text = run_fact(run, name);

	return text ? data_unit_find(span_of(text)) : DATA_UNIT_NONE;
}

/* What is asked for, else what the recording says, else the tool's default. */
static struct tracker tracker_of(struct report *report, const struct levels *levels,
	const struct tool_options *options)
{
	const struct run *run = report->run;
	const char *time = run_fact(run, "time_unit");
	size_t gpus = run_count_devices(run, DEVICE_GPU);
	enum data_unit ram = fact_unit(run, "ram_unit");
	enum data_unit gpu_ram = fact_unit(run, "gpu_ram_unit");
	struct tracker t = {.report = report,
		.ram = options->ram,
		.gpu_ram = options->gpu_ram,
		.time = options->time,
		.levels = levels,
		.run_gpus = gpus,
		.asked_gpus = options->expected_gpus < 0
			? gpus
			: (size_t)options->expected_gpus};

	for (size_t i = 0; i < report->stats_count; i++)
		t.tracked |= report->stats[i].source == SOURCE_GPU_TRACKER;
	t.ram_capacity = fact_bytes(run, "ram_system_capacity", ram,
		1048576 * report->summary[SUMMARY_ram_capacity_mib].number);
	t.gpu_ram_capacity = fact_bytes(run, "gpu_ram_system_capacity", gpu_ram,
		1000000 * report->summary[SUMMARY_vram_capacity_mib].number);
	if (t.ram == DATA_UNIT_NONE)
		t.ram = ram == DATA_UNIT_NONE ? DATA_UNIT_GIGABYTES : ram;
	if (t.gpu_ram == DATA_UNIT_NONE)
		t.gpu_ram = gpu_ram == DATA_UNIT_NONE ? DATA_UNIT_GIGABYTES : gpu_ram;
	if (t.time == TIME_UNIT_NONE && time)
		t.time = time_unit_find(span_of(time));
	if (t.time == TIME_UNIT_NONE)
		t.time = TIME_UNIT_HOURS;
	t.cores = first_known(run_fact_number(run, "system_core_count"),
		report->summary[SUMMARY_cpu_count].number);
	t.expected_cores = first_known(option_number(options->expected_cores),
		first_known(run_fact_number(run, "n_expected_cores"), t.cores));
	t.gpus = first_known(run_fact_number(run, "system_gpu_count"),
		gpus ? (double)gpus : (double)NAN);
	t.expected_gpus = first_known(option_number(options->expected_gpus),
		first_known(run_fact_number(run, "n_expected_gpus"), t.gpus));
	return t;
}

static double divisor_of(const struct tracker *t, enum tracker_scale scale)
{
	switch (scale) {
	case TRACKER_RAM:
	case TRACKER_GPU_RAM:
	case TRACKER_PLAIN:
		break;
	case TRACKER_CORES:
		return t->cores;
	case TRACKER_EXPECTED_CORES:
		return t->expected_cores;
	case TRACKER_EXPECTED_GPUS:
		return t->expected_gpus;
	}
	return 1;
}

/* A value of a series in its unit; memory to the byte where it is one that was sampled.
 */
static double scaled(
	const struct tracker *t, const struct tracker_series *s, double x, bool sampled)
{
	bool ram = s->scale == TRACKER_RAM, gpu_ram = s->scale == TRACKER_GPU_RAM;
	int64_t per_unit = metric_get(s->metric)->per_unit;
	int64_t bytes = data_unit_bytes(ram ? t->ram : t->gpu_ram);
	double divisor = divisor_of(t, s->scale);

	if (isnan(x))
		return x;
	if ((ram || gpu_ram) && sampled)
		return number_ratio(number_quanta(x, per_unit), bytes);
	if (ram || gpu_ram)
		return x * (double)per_unit / (double)bytes;
	return divisor > 0 || isnan(divisor) ? x / divisor : 0;
}

static double population(double sample_deviation, uint64_t n)
{
	return n < 2 ? 0 : sample_deviation * sqrt((double)(n - 1) / (double)n);
}

/*
 * What other logs say instead, where gpu_tracker's own series are not there: of the GPU,
 * if there is but one, and of all CPUs together.
 */
static const struct {
	enum metric_id metric, by;
	bool by_core; /* a share of all CPUs */
} stand_ins[] = {
	{METRIC_gpu_util_sum_pct, METRIC_gpu_util_pct, false},
	{METRIC_gpu_mem_sum_mib, METRIC_mem_used_mib, false},
	{METRIC_cpu_util_sum_pct, METRIC_cpu_busy_pct, true},
};

static bool is_alone(const struct tracker *t, const struct device *device)
{
	return device->kind == DEVICE_CPU
		? device->index < 0
		: run_count_devices(t->report->run, device->kind) == 1;
}

/* *factor: of its values. NULL: no log says it. */
static const struct metric_stats *find_stats(const struct tracker *t,
	const struct tracker_series *s, const struct tracker_part *part, double *factor)
{
	const struct device *devices = t->report->run->device;
	const struct metric_stats *stats = part->stats;
	enum metric_id by = METRIC_none;

	*factor = 1;
	for (size_t i = 0; i < part->count; i++)
		if (stats[i].metric == s->metric && stats[i].n &&
			(!t->tracked || stats[i].source == SOURCE_GPU_TRACKER) &&
			strcmp(devices[stats[i].device].name, s->device) == 0)
			return &stats[i];
	for (size_t k = 0; k < sizeof stand_ins / sizeof stand_ins[0]; k++) {
		if (stand_ins[k].metric != s->metric || t->tracked)
			continue;
		by = stand_ins[k].by;
		*factor = stand_ins[k].by_core ? t->cores : 1;
	}
	for (size_t i = 0; i < part->count; i++)
		if (stats[i].metric == by && stats[i].n &&
			is_alone(t, &devices[stats[i].device]))
			return &stats[i];
	return NULL;
}

static struct tracker_part whole(const struct tracker *t)
{
	return (struct tracker_part){
		t->report->stats, t->report->stats_count, PHASE_NONE};
}

static bool has_several(const struct tracker *t, const char *device)
{
	const struct tracker_series processes = {"", device, METRIC_processes, 0};
	const struct tracker_part run = whole(t);
	double factor;
	const struct metric_stats *found = find_stats(t, &processes, &run, &factor);

	return found && found->max > 1;
}

/*
 * With shared pages counted once, as in the tool. Few samples would miss the peak; then
 * it is unknown (NULL), unless there is but one process to share them.
 */
static const struct metric_stats *find_once(const struct tracker *t,
	const struct tracker_series *s, const struct tracker_part *part,
	const struct metric_stats *usual)
{
	struct tracker_series once = *s;
	const struct metric_stats *found = NULL;
	double factor;

	if (s->metric == METRIC_private_mib)
		once.metric = METRIC_uss_mib;
	else if (s->metric == METRIC_shared_mib)
		once.metric = METRIC_shared_once_mib;
	else if (s->metric == METRIC_rss_mib && strcmp(s->device, "main") != 0)
		once.metric = METRIC_rss_once_mib;
	if (once.metric != s->metric && !t->tracked)
		found = find_stats(t, &once, part, &factor);
	if (found && 2 * found->n >= usual->n)
		return found;
	if (once.metric == s->metric || t->tracked)
		return usual;
	return has_several(t, s->metric == METRIC_rss_mib ? s->device : "combined")
		? NULL
		: usual;
}

static const struct tracker_values no_values = {0, NAN, NAN, NAN, NAN};

/* Of several GPUs their sum in each round in which all answered. */
static struct tracker_values values_together(
	const struct tracker *t, const struct tracker_series *s, uint32_t path)
{
	bool util = s->metric == METRIC_gpu_util_sum_pct;
	const struct round_sums *r = levels_together(
		t->levels, util ? LEVEL_GPU_UTIL : LEVEL_GPU_MEMORY, path);
	int64_t per_unit =
		metric_get(util ? METRIC_gpu_util_pct : METRIC_mem_used_mib)->per_unit;
	int128 n, spread;

	if (!r || t->tracked || (!util && s->metric != METRIC_gpu_mem_sum_mib) ||
		(size_t)r->gpus != (util ? t->asked_gpus : t->run_gpus))
		return no_values;
	n = (int128)r->n;
	spread = n * r->squares - r->sum * r->sum; /* n^2 variances */
	return (struct tracker_values){r->n,
		scaled(t, s, number_ratio(r->min, per_unit), true),
		scaled(t, s, number_ratio(r->max, per_unit), true),
		scaled(t, s, number_ratio(r->sum, n * per_unit), false),
		scaled(t, s, sqrt((double)spread) / (double)n / (double)per_unit, false)};
}

static struct tracker_values tracker_values_of(const struct tracker *t,
	const struct tracker_series *s, const struct tracker_part *part)
{
	double f, max;
	const struct metric_stats *m = find_stats(t, s, part, &f);

	if (!m)
		return values_together(t, s, part->path);
	m = find_once(t, s, part, m);
	if (!m)
		return no_values;
	if (s->metric == METRIC_tree_gpu_mem_mib && isnan(metric_stats_peak(m)))
		return no_values;
	if (s->metric == METRIC_tree_gpu_mem_mib && part->path == PHASE_NONE &&
		strcmp(s->device, "combined") == 0) {
		t->report->foreign->own_known = m->n;
		t->report->foreign->own_missing = m->missing;
	}
	max = part->path == PHASE_NONE && s->metric == METRIC_rss_mib && !t->tracked
		? peak_of(t->report, s->device, m->max)
		: m->max;
	return (struct tracker_values){m->n, scaled(t, s, f * m->min, true),
		scaled(t, s, f * max, true), scaled(t, s, f * m->mean_samples, false),
		scaled(t, s, f * population(m->stddev, m->n), false)};
}

static void open_object(const struct tracker *t, const char *key)
{
	item_add(t->report, ITEM_OBJECT, key);
}

static void add_number(const struct tracker *t, const char *key, double x)
{
	item_add(t->report, ITEM_NUMBER, key)->number = x;
}

static void add_count(const struct tracker *t, const char *key, double x)
{
	item_add(t->report, ITEM_COUNT, key)->number = x;
}

/* The key is one of the table's. */
static struct tracker_values of(const struct tracker *t, const char *key)
{
	const struct tracker_series *s = series;
	struct tracker_part run = whole(t);

	while (strcmp(s->key, key) != 0)
		s++;
	return tracker_values_of(t, s, &run);
}

/* The tool asks the living process, and only some recordings hold it. */
static void add_part(
	const struct tracker *t, const char *key, const char *who, enum metric_id metric)
{
	const struct tracker_series part = {key, who, metric, TRACKER_RAM};
	struct tracker_part run = whole(t);
	struct item *item = item_add(t->report, ITEM_NUMBER, key);

	item->number = tracker_values_of(t, &part, &run).max;
	item->unsaid = isnan(item->number);
}

static void add_rss(const struct tracker *t, const char *who, const char *key)
{
	open_object(t, who);
	add_number(t, "total_rss", of(t, key).max);
	add_part(t, "private_rss", who, METRIC_private_mib);
	add_part(t, "shared_rss", who, METRIC_shared_mib);
	item_close(t->report);
}

static void add_percent(
	const struct tracker *t, const char *key, const char *sum, const char *hardware)
{
	open_object(t, key);
	add_number(t, "max_sum_percent", of(t, sum).max);
	add_number(t, "max_hardware_percent", of(t, hardware).max);
	add_number(t, "mean_sum_percent", of(t, sum).mean);
	add_number(t, "mean_hardware_percent", of(t, hardware).mean);
	item_close(t->report);
}

static void add_memory(const struct tracker *t)
{
	double gpu_ram = of(t, "system_gpu_ram").max;

	/* of several GPUs whose logs are joined in time */
	if (isnan(gpu_ram))
		gpu_ram = 1000000 *
			t->report->summary[SUMMARY_peak_vram_total_mib].number /
			(double)data_unit_bytes(t->gpu_ram);
	open_object(t, "max_ram");
	item_text(t->report, "unit", data_unit_name(t->ram));
	add_number(
		t, "system_capacity", t->ram_capacity / (double)data_unit_bytes(t->ram));
	add_number(t, "system", of(t, "system_ram").max);
	add_rss(t, "main", "main_ram");
	add_rss(t, "descendants", "descendants_ram");
	add_rss(t, "combined", "combined_ram");
	item_close(t->report);
	open_object(t, "max_gpu_ram");
	item_text(t->report, "unit", data_unit_name(t->gpu_ram));
	add_number(t, "system_capacity",
		t->gpu_ram_capacity / (double)data_unit_bytes(t->gpu_ram));
	add_number(t, "system", gpu_ram);
	add_number(t, "main", of(t, "main_gpu_ram").max);
	add_number(t, "descendants", of(t, "descendants_gpu_ram").max);
	add_number(t, "combined", of(t, "combined_gpu_ram").max);
	item_close(t->report);
}

/*
 * The tool counts from its own start, which the recording does not say: where no command
 * is recorded, one step before the first time point.
 */
static double compute_time_s(const struct tracker *t)
{
	const struct report *report = t->report;
	double n = 0;

	if (isnan(report->duration_s))
		return NAN;
	if (report->run->started_ns != TIME_NONE)
		return report->duration_s;
	for (size_t i = 0; i < SERIES; i++)
		n = fmax(n, (double)of(t, series[i].key).n);
	return n > 1 ? report->duration_s * n / (n - 1) : report->duration_s;
}

static void add_tracker(const struct tracker *t)
{
	add_memory(t);
	open_object(t, "cpu_utilization");
	add_count(t, "system_core_count", t->cores);
	add_count(t, "n_expected_cores", t->expected_cores);
	add_percent(t, "system", "cpu_system_sum_utilization_percent",
		"cpu_system_hardware_utilization_percent");
	add_percent(t, "main", "cpu_main_sum_utilization_percent",
		"cpu_main_hardware_utilization_percent");
	add_percent(t, "descendants", "cpu_descendants_sum_utilization_percent",
		"cpu_descendants_hardware_utilization_percent");
	add_percent(t, "combined", "cpu_combined_sum_utilization_percent",
		"cpu_combined_hardware_utilization_percent");
	add_count(t, "main_n_threads", of(t, "main_n_threads").max);
	add_count(t, "descendants_n_threads", of(t, "descendants_n_threads").max);
	add_count(t, "combined_n_threads", of(t, "combined_n_threads").max);
	item_close(t->report);
	open_object(t, "gpu_utilization");
	add_count(t, "system_gpu_count", t->gpus);
	add_count(t, "n_expected_gpus", t->expected_gpus);
	add_percent(t, "gpu_percentages", "gpu_sum_utilization_percent",
		"gpu_hardware_utilization_percent");
	item_close(t->report);
	open_object(t, "compute_time");
	item_text(t->report, "unit", time_unit_name(t->time));
	add_number(t, "time", compute_time_s(t) / (double)time_unit_seconds(t->time));
	item_close(t->report);
}

static void add_values(const struct tracker *t, const struct tracker_values *v)
{
	add_number(t, "min", v->min);
	add_number(t, "max", v->max);
	add_number(t, "mean", v->mean);
	add_number(t, "std", v->deviation);
}

static void add_usage(
	const struct tracker *t, const char *key, const struct tracker_part *part)
{
	open_object(t, key);
	for (size_t i = 0; i < SERIES; i++) {
		struct tracker_values values = tracker_values_of(t, &series[i], part);

		open_object(t, series[i].key);
		add_values(t, &values);
		item_close(t->report);
	}
	item_close(t->report);
}

static void add_static(const struct tracker *t)
{
	open_object(t, "static_data");
	item_text(t->report, "ram_unit", data_unit_name(t->ram));
	item_text(t->report, "gpu_ram_unit", data_unit_name(t->gpu_ram));
	item_text(t->report, "time_unit", time_unit_name(t->time));
	add_number(t, "ram_system_capacity",
		t->ram_capacity / (double)data_unit_bytes(t->ram));
	add_number(t, "gpu_ram_system_capacity",
		t->gpu_ram_capacity / (double)data_unit_bytes(t->gpu_ram));
	add_count(t, "system_core_count", t->cores);
	add_count(t, "n_expected_cores", t->expected_cores);
	add_count(t, "system_gpu_count", t->gpus);
	add_count(t, "n_expected_gpus", t->expected_gpus);
	item_close(t->report);
}

/* Seconds as the tool has them: a difference of doubles, which hold 0.2 us. */
static double call_seconds(const struct phase_call *phase)
{
	return number_ratio(phase->end_ns, NS_PER_S) -
		number_ratio(phase->start_ns, NS_PER_S);
}

/* How long the finished calls of each path took. */
struct times {
	struct tracker_values values;
	double total;
};

static struct times *times_of(const struct report *report)
{
	struct times *times = xcalloc(report->path_count, sizeof *times);

	for (size_t i = 0; i < report->call_count; i++) {
		const struct phase_call *phase = &report->call[i];
		struct times *t = &times[phase->path];
		double s = call_seconds(phase);

		if (phase->unfinished)
			continue;
		t->values.min = t->values.n && t->values.min < s ? t->values.min : s;
		t->values.max = t->values.n && t->values.max > s ? t->values.max : s;
		t->values.n++;
		t->total += s;
	}
	for (size_t i = 0; i < report->call_count; i++) {
		const struct phase_call *phase = &report->call[i];
		struct times *t = &times[phase->path];

		if (phase->unfinished)
			continue;
		t->values.mean = t->total / (double)t->values.n;
		t->values.deviation += pow(call_seconds(phase) - t->values.mean, 2);
	}
	for (size_t i = 0; i < report->path_count; i++)
		times[i].values.deviation =
			sqrt(times[i].values.deviation / (double)times[i].values.n);
	return times;
}

static void add_block(const struct tracker *t, size_t at, const struct times *times)
{
	const struct phase_path *path = &t->report->path[at];
	struct tracker_part part = {path->stats, path->stats_count, (uint32_t)at};
	uint64_t points = 0;

	for (size_t i = 0; i < path->stats_count; i++)
		if ((!t->tracked || path->stats[i].source == SOURCE_GPU_TRACKER) &&
			path->stats[i].n > points)
			points = path->stats[i].n;
	open_object(t, NULL);
	item_text(t->report, "name", path->name);
	add_count(t, "num_timepoints", (double)points);
	add_count(t, "num_calls", (double)path->calls);
	add_count(t, "num_non_empty_calls", (double)path->non_empty_calls);
	open_object(t, "compute_time");
	add_values(t, &times->values);
	add_number(t, "total", times->total);
	item_close(t->report);
	add_usage(t, "resource_usage", &part);
	item_close(t->report);
}

static void add_blocks(const struct tracker *t)
{
	struct times *times = times_of(t->report);
	struct tracker_part run = whole(t);

	add_usage(t, "overall", &run);
	add_static(t);
	item_add(t->report, ITEM_ARRAY, "code_block_results");
	for (size_t i = 0; i < t->report->path_count; i++)
		if (t->report->path[i].calls)
			add_block(t, i, &times[i]);
	item_close(t->report);
	free(times);
}

/* The tool takes no code blocks whose starts and stops don't pair. */
static void refuse_pairs(struct report *report)
{
	const struct diag_list *diags = &report->run->diags;
	struct strbuf why = strbuf_new();

	for (size_t i = 0; i < diags->count && !why.len; i++)
		if (strcmp(diags->at[i].id, "stop-without-start") == 0 ||
			strcmp(diags->at[i].id, "start-after-stop") == 0)
			strbuf_addf(&why, "the recording of code blocks is invalid: %s",
				diags->at[i].text);
	if (why.len)
		object_make(report)->refusal = report_keep(report, why.text);
	strbuf_release(&why);
}

/* ... and no GPUs that are not there; a recording of its own doesn't name them. */
static void refuse_gpus(const struct tracker *t, const struct tool_options *options)
{
	struct report *report = t->report;
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	struct strbuf why = strbuf_new();
	int32_t found = 0;

	strbuf_addf(&why, "--gpus %s: %s", options->gpus,
		gpus->count ? "expected some of" : "no GPU was recorded");
	for (size_t i = 0; i < gpus->count; i++) {
		const struct device *gpu = &report->run->device[gpus->at[i]];

		found += tool_asks_gpu(options, gpu);
		strbuf_addf(&why, "%s %s", i ? "," : "",
			gpu->uuid ? gpu->uuid : "a GPU without one");
	}
	if (gpus->count ? found < options->expected_gpus : !t->tracked)
		object_make(report)->refusal = report_keep(report, why.text);
	strbuf_release(&why);
}

static bool has_blocks(const struct report *report)
{
	for (size_t i = 0; i < report->run->file_count; i++)
		if (report->run->file[i].kind == SOURCE_GPU_TRACKER_SUB)
			return true;
	return report->path_count > 0;
}

static void tracker_report(
	struct aggregate *agg, struct report *report, const struct tool_options *options)
{
	struct tracker t = tracker_of(report, levels_finish(agg), options);

	object_make(report);
	refuse_pairs(report);
	if (options->gpus)
		refuse_gpus(&t, options);
	if (options->compared || has_blocks(report))
		add_blocks(&t);
	else
		add_tracker(&t);
}

/* The analysis of one run, found again among the items of its object. */

struct block {
	const struct item *item; /* its object */
	const char *name;
	char *order; /* the name, its line number padded with zeros; owned */
};

struct analysis {
	const char *name; /* of the run */
	const struct item *overall, *facts;
	struct block *block; /* [block_count] by their order */
	size_t block_count;
};

/* Digits behind the last colon, as in "train.py:38"; NULL: the name ends otherwise. */
static const char *block_line(const char *name)
{
	const char *colon = strrchr(name, ':');

	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return NULL;
	return colon + 1;
}

static int by_order(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	int order = strcmp(x->order, y->order);

	return order ? order : (x->item > y->item) - (x->item < y->item);
}

/* Line 9 before line 38. */
static void sort_blocks(struct analysis *side)
{
	size_t width = 0;

	for (size_t i = 0; i < side->block_count; i++) {
		const char *line = block_line(side->block[i].name);

		width = line && strlen(line) > width ? strlen(line) : width;
	}
	for (size_t i = 0; i < side->block_count; i++) {
		struct block *block = &side->block[i];
		const char *line = block_line(block->name);
		struct strbuf sb = strbuf_new();

		strbuf_add(&sb, block->name,
			line ? (size_t)(line - block->name) : strlen(block->name));
		for (size_t len = line ? strlen(line) : width; len < width; len++)
			strbuf_addc(&sb, '0');
		strbuf_adds(&sb, line ? line : "");
		block->order = strbuf_detach(&sb);
	}
	SORT(side->block, side->block_count, by_order);
}

/*
 * Everything is borrowed from the report, but for what analysis_release frees. -1: the
 * report has none, or the tool would refuse the run; release it all the same.
 */
static int analysis_read(
	struct analysis *side, const struct tool_side *of, struct error *err)
{
	const struct item *items = items_of(of->report);
	const struct item *blocks = item_member(items, "code_block_results", ITEM_ARRAY);
	size_t room = 0;

	*side = (struct analysis){.name = of->name,
		.overall = item_member(items, "overall", ITEM_OBJECT),
		.facts = item_member(items, "static_data", ITEM_OBJECT)};
	if (refusal_of(of->report))
		return error_set(err, "%s: %s", of->name, refusal_of(of->report));
	if (!side->overall || !side->facts || !blocks)
		return error_set(err,
			"%s: not the results of a sub-tracking analysis; expected an "
			"object with overall, static_data and code_block_results",
			of->name);
	for (blocks++; blocks->kind != ITEM_CLOSE; blocks = item_behind(blocks)) {
		const struct item *name = blocks->kind == ITEM_OBJECT
			? item_member(blocks + 1, "name", ITEM_TEXT)
			: NULL;

		if (!name)
			return error_set(err,
				"%s: a code block has no name, expected a string",
				of->name);
		ALLOC_NEXT(side->block, side->block_count, room) =
			(struct block){.item = blocks, .name = name->text};
	}
	sort_blocks(side);
	return 0;
}

static void analysis_release(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->block_count; i++)
		free(analysis->block[i].order);
	free(analysis->block);
	*analysis = (struct analysis){0};
}

/*
 * gpu_tracker's comparison: its analyses side by side. The one whose name sorts first
 * says which measurements there are and what blocks are called.
 */

#define BLOCK_TIMES "code_block_compute_time"

struct comparing {
	struct report *out;
	struct analysis *side; /* [count] */
	size_t count;
	const struct analysis *first; /* the one whose name sorts first */
	const char *statistic;
	void (*say)(const char *format, ...); /* NULL: nothing is said yet */
	struct error *err;
};

/* The same name, or one that only the line number tells from it. */
static int match_blocks(struct comparing *c, const struct analysis *side, size_t nth)
{
	const char *a = c->first->block[nth].name, *b = side->block[nth].name;
	const char *a_line = block_line(a), *b_line = block_line(b);

	if (strcmp(a, b) == 0)
		return 0;
	if (!a_line || !b_line || a_line - a != b_line - b ||
		memcmp(a, b, (size_t)(a_line - a)) != 0)
		return error_set(c->err,
			"code block '%s' of %s is not '%s' of %s; expected the same code "
			"blocks (line numbers may differ)",
			a, c->first->name, b, side->name);
	if (c->say)
		c->say("code block '%s' of %s is compared with '%s' of %s: only the line "
		       "numbers differ",
			a, c->first->name, b, side->name);
	return 0;
}

/* Amounts in different units can't be compared; other facts may well differ. */
static int match_facts(struct comparing *c, const struct analysis *side)
{
	static const char *const units[] = {"ram_unit", "gpu_ram_unit"};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		const struct item *a =
			item_member(c->first->facts + 1, units[i], ITEM_TEXT);
		const struct item *b = item_member(side->facts + 1, units[i], ITEM_TEXT);

		if (a && b && strcmp(a->text, b->text) != 0)
			return error_set(c->err,
				"%s of %s is %s, of %s %s; expected the same unit%s",
				units[i], c->first->name, a->text, side->name, b->text,
				i ? " (see --gpu-ram-unit)" : " (see --ram-unit)");
	}
	for (const struct item *a = c->first->facts + 1; a->kind != ITEM_CLOSE && c->say;
		a = item_behind(a)) {
		const struct item *b = a->kind == ITEM_NUMBER || a->kind == ITEM_COUNT
			? item_member(side->facts + 1, a->key, a->kind)
			: NULL;

		if (b && a->number != b->number &&
			!(isnan(a->number) && isnan(b->number)))
			c->say("%s of %s is %.15g, of %s %.15g", a->key, c->first->name,
				a->number, side->name, b->number);
	}
	return 0;
}

static int match(struct comparing *c, const struct analysis *side)
{
	if (c->first->block_count != side->block_count)
		return error_set(c->err,
			"%s has %zu code blocks, %s has %zu; expected the same number",
			c->first->name, c->first->block_count, side->name,
			side->block_count);
	for (size_t i = 0; i < side->block_count; i++)
		if (match_blocks(c, side, i) < 0)
			return -1;
	return match_facts(c, side);
}

static int match_all(struct comparing *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (&c->side[i] != c->first && match(c, &c->side[i]) < 0)
			return -1;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* "a.py:7 -> a.py:9": the names that a block has, each once. */
static const char *joined_name(const struct comparing *c, size_t nth)
{
	const char **name = xcalloc(c->count, sizeof *name), *kept;
	struct strbuf sb = strbuf_new();

	for (size_t i = 0; i < c->count; i++)
		name[i] = c->side[i].block[nth].name;
	qsort(name, c->count, sizeof *name, by_name);
	for (size_t i = 0; i < c->count; i++)
		if (!i || strcmp(name[i], name[i - 1]) != 0)
			strbuf_addf(&sb, "%s%s", i ? " -> " : "", name[i]);
	kept = report_keep(c->out, sb.text);
	free(name);
	strbuf_release(&sb);
	return kept;
}

struct place {
	const struct analysis *side;
	const struct item *item; /* its number */
};

/* Ascending, what is unknown last; equal ones as the runs were given. */
static int by_value(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	double v = x->item->number, w = y->item->number;

	if (isnan(v) != isnan(w))
		return isnan(v) ? 1 : -1;
	if (v < w || v > w)
		return v < w ? -1 : 1;
	return (x->side > y->side) - (x->side < y->side);
}

#define WHOLE SIZE_MAX /* the run, and no block of it */

/* Of a measurement, or (NULL) of the time of a block; NULL: the side has none. */
static const struct item *object_of(
	const struct analysis *side, size_t nth, const char *measurement)
{
	const struct item *of = nth == WHOLE
		? side->overall
		: item_member(side->block[nth].item + 1,
			  measurement ? "resource_usage" : "compute_time", ITEM_OBJECT);

	return of && measurement ? item_member(of + 1, measurement, ITEM_OBJECT) : of;
}

/* The statistic of each side, in the order of the values. phase: the block's; NULL */
static int add_row(
	struct comparing *c, size_t nth, const char *phase, const char *measurement)
{
	struct place *place = xcalloc(c->count, sizeof *place);
	enum item_kind kind = ITEM_COUNT;
	int rc = 0;

	for (size_t i = 0; i < c->count && rc == 0; i++) {
		const struct item *of = object_of(&c->side[i], nth, measurement);

		place[i] = (struct place){&c->side[i],
			of ? item_member(of + 1, c->statistic, ITEM_COUNT) : NULL};
		if (place[i].item)
			continue;
		kind = ITEM_NUMBER;
		place[i].item =
			of ? item_member(of + 1, c->statistic, ITEM_NUMBER) : NULL;
		if (!place[i].item)
			rc = error_set(c->err, "%s has no %s of %s%s%s, but %s has",
				c->side[i].name, c->statistic,
				measurement ? measurement : "the time",
				phase ? " in code block " : "", phase ? phase : "",
				c->first->name);
	}
	if (rc == 0) {
		qsort(place, c->count, sizeof *place, by_value);
		item_add(c->out, ITEM_OBJECT, phase ? phase : measurement);
		for (size_t i = 0; i < c->count; i++)
			item_add(c->out, kind, place[i].side->name)->number =
				place[i].item->number;
		item_close(c->out);
	}
	free(place);
	return rc;
}

/* Of blocks that share a name the tool keeps the last. */
static int add_block_rows(
	struct comparing *c, const char *const *phase, const char *measurement)
{
	for (size_t i = 0; i < c->first->block_count; i++)
		if ((!phase[i + 1] || strcmp(phase[i], phase[i + 1]) != 0) &&
			add_row(c, i, phase[i], measurement) < 0)
			return -1;
	return 0;
}

static int add_rows(struct comparing *c, const char *const *phase)
{
	for (int of_blocks = 0; of_blocks < 2; of_blocks++) {
		item_add(c->out, ITEM_OBJECT,
			of_blocks ? "code_block_resource_usage"
				  : "overall_resource_usage");
		for (const struct item *i = c->first->overall + 1; i->kind != ITEM_CLOSE;
			i = item_behind(i)) {
			if (i->kind != ITEM_OBJECT || (of_blocks && !phase[0]))
				continue;
			if (of_blocks)
				item_add(c->out, ITEM_OBJECT, i->key);
			if ((of_blocks ? add_block_rows(c, phase, i->key)
				       : add_row(c, WHOLE, NULL, i->key)) < 0)
				return -1;
			if (of_blocks)
				item_close(c->out);
		}
		item_close(c->out);
	}
	item_add(c->out, ITEM_OBJECT, BLOCK_TIMES);
	if (add_block_rows(c, phase, NULL) < 0)
		return -1;
	item_close(c->out);
	return 0;
}

static int compare_all(struct comparing *c, const struct tool_side *side)
{
	const char **phase;
	int rc;

	for (size_t i = 0; i < c->count; i++)
		if (analysis_read(&c->side[i], &side[i], c->err) < 0)
			return -1;
	for (size_t i = 1; i < c->count; i++)
		if (strcmp(c->side[i].name, c->first->name) < 0)
			c->first = &c->side[i];
	if (match_all(c) < 0)
		return -1;
	phase = xcalloc(c->first->block_count + 1, sizeof *phase);
	for (size_t i = 0; i < c->first->block_count; i++)
		phase[i] = joined_name(c, i);
	rc = add_rows(c, phase);
	free(phase);
	return rc;
}

/*
 * One statistic of every measurement, over the runs and over their code blocks, and of
 * the blocks' times. Blocks belong together by their names, or in the order of their line
 * numbers where only those differ.
 */
static int tracker_compare(struct report *out, const struct tool_side *side, size_t count,
	const char *statistic, void (*say)(const char *format, ...), struct error *err)
{
	static const char *const known[] = {"min", "max", "mean", "std"};
	struct comparing c = {.out = out,
		.count = count,
		.statistic = statistic ? statistic : "mean",
		.err = err};
	size_t i = 0;
	int result;

	report_init(out, side[0].report->run);
	while (i < sizeof known / sizeof known[0] && strcmp(c.statistic, known[i]) != 0)
		i++;
	if (i == sizeof known / sizeof known[0])
		return error_set(
			err, "--statistic %s: expected min, max, mean or std", statistic);
	c.side = xcalloc(count, sizeof *c.side);
	c.first = c.side;
	result = compare_all(&c, side);
	c.say = say;
	if (result == 0 && say)
		match_all(&c);
	for (i = 0; i < count; i++)
		analysis_release(&c.side[i]);
	free(c.side);
	return result;
}

/*
 * The printing, as JSON and as text: of its Tracker an indented list, of its sub-tracking
 * analysis the tables as pandas prints them. Which of the two it is, the items tell: the
 * latter has a list of code blocks.
 */

#define TRACKER_DECIMALS 3
#define TABLE_DECIMALS	 8

static bool is_analysis(const struct report *report)
{
	const struct item *item = items_of(report);

	while (item->kind != ITEM_CLOSE && item->kind != ITEM_ARRAY)
		item = item_behind(item);
	return item->kind == ITEM_ARRAY;
}

static int tracker_json_write(const struct render_input *in,
	const struct render_options *opt, FILE *out, struct error *err)
{
	bool pretty = in->report_count == 1 && !is_analysis(&in->report[0]);
	struct json_writer w;

	(void)opt;
	if (refusal_check(in, err) < 0)
		return -1;
	json_init(&w, out, pretty ? JSON_PRETTY : JSON_SPACED);
	for (size_t i = 0; i < in->report_count; i++)
		item_json(&w, &in->report[i], -1);
	json_finish(&w);
	return render_check(out, "gpu-tracker", err);
}

/*
 * A name or number in text; a name's control bytes can't move the cursor. unknown: in
 * place of a number.
 */
static void print_scalar(
	struct strbuf *sb, const struct item *item, int decimals, const char *unknown)
{
	if ((item->kind == ITEM_NUMBER || item->kind == ITEM_COUNT) &&
		isnan(item->number)) {
		strbuf_adds(sb, unknown);
		return;
	}
	switch (item->kind) {
	case ITEM_NUMBER:
		python_float(sb, python_round(item->number, decimals));
		break;
	case ITEM_COUNT:
		strbuf_addf(sb, "%.0f", item->number);
		break;
	case ITEM_TEXT:
		utf8_inert(sb, item->text);
		break;
	case ITEM_OBJECT:
	case ITEM_ARRAY:
	case ITEM_CLOSE:
		break;
	}
}

static bool is_scalar(const struct item *item)
{
	return item->kind == ITEM_NUMBER || item->kind == ITEM_COUNT ||
		item->kind == ITEM_TEXT;
}

/* "n_expected_gpus" as "Number of expected GPUs" */
static void print_words(struct strbuf *sb, const char *key)
{
	static const char *const words[][2] = {{"n", "number of"}, {"ram", "RAM"},
		{"rss", "RSS"}, {"cpu", "CPU"}, {"gpu", "GPU"}, {"gpus", "GPUs"}};
	size_t begin = sb->len;

	for (const char *at = key; *at;) {
		size_t len = strcspn(at, "_");
		struct span word = {at, len};

		for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
			if (span_is(word, words[i][0]))
				word = span_of(words[i][1]);
		if (at != key)
			strbuf_addc(sb, ' ');
		strbuf_add(sb, word.at, word.len);
		at += len + (at[len] != '\0');
	}
	sb->text[begin] = (char)toupper((unsigned char)sb->text[begin]);
}

static void print_tracker(struct strbuf *sb, const struct report *report)
{
	int depth = 0;

	for (const struct item *item = items_of(report); depth >= 0; item++) {
		if (item->kind == ITEM_CLOSE) {
			depth--;
			continue;
		}
		strbuf_addf(sb, "%*s", 3 * depth, "");
		print_words(sb, item->key);
		strbuf_addc(sb, ':');
		if (is_scalar(item)) {
			strbuf_addc(sb, ' ');
			print_scalar(sb, item, TRACKER_DECIMALS, "null");
		} else {
			depth++;
		}
		strbuf_addc(sb, '\n');
	}
}

/* "gpu_sum_utilization_percent" as "Gpu Sum Utilization Percent". */
static void print_title(struct strbuf *sb, const char *key)
{
	size_t begin = sb->len;
	bool letter = false;

	utf8_inert(sb, key);
	for (char *c = sb->text + begin; *c; c++) {
		unsigned char byte = (unsigned char)*c;

		*c = (char)(letter ? tolower(byte) : toupper(byte));
		letter = isalpha(byte) || byte >= 0x80;
		if (*c == '_')
			*c = ' ';
	}
}

/* One row of scalars, up to what is none. */
static const struct item *print_row(
	struct table *table, const char *index, const struct item *item)
{
	table_add_text(table, index);
	for (; is_scalar(item); item++) {
		struct strbuf sb = strbuf_new();

		if (item->kind == ITEM_TEXT)
			strbuf_addc(&sb, ' ');
		print_scalar(&sb, item, TABLE_DECIMALS, "NaN");
		table_add(table, &sb);
	}
	return item;
}

/* pandas puts a blank before numbers' names, or before texts, where there are any. */
static void print_header(struct table *table, const struct item *item)
{
	bool texts = false;

	for (const struct item *i = item; is_scalar(i); i++)
		texts |= i->kind == ITEM_TEXT;
	table_add_text(table, "");
	for (table->columns = 1; is_scalar(item); item++) {
		struct strbuf sb = strbuf_new();

		strbuf_addf(&sb, "%s%s", texts ? "" : " ", item->key);
		table_add(table, &sb);
		table->columns++;
	}
}

/* An object of scalars is one row, an object of such objects several. Gives what follows
 * it. */
static const struct item *print_object(
	struct strbuf *sb, const struct item *object, const char *indent)
{
	const struct item *item = object + 1;
	struct table table = {0};

	if (is_scalar(item)) {
		print_header(&table, item);
		item = print_row(&table, "", item);
	} else if (item->kind == ITEM_OBJECT) {
		print_header(&table, item + 1);
		while (item->kind == ITEM_OBJECT)
			item = print_row(&table, item->key, item + 1) + 1;
	}
	table_print(sb, &table, indent);
	table_release(&table);
	return item + 1;
}

/* A code block: its scalars under one another, then its tables. */
static const struct item *print_block(struct strbuf *sb, const struct item *object)
{
	const struct item *item;
	struct strbuf title = strbuf_new();
	size_t width = 0;

	for (item = object + 1; is_scalar(item); item++)
		width = strlen(item->key) > width ? strlen(item->key) : width;
	for (item = object + 1; item->kind != ITEM_CLOSE;) {
		strbuf_clear(&title);
		print_title(&title, item->key);
		strbuf_addc(&title, ':');
		strbuf_addf(sb, "\t%s", title.text);
		if (is_scalar(item)) {
			table_pad(sb, title.text, width + 2);
			print_scalar(sb, item++, TABLE_DECIMALS, "NaN");
			strbuf_addc(sb, '\n');
		} else {
			strbuf_addc(sb, '\n');
			item = print_object(sb, item, "\t\t");
		}
	}
	strbuf_addc(sb, '\n');
	strbuf_release(&title);
	return item + 1;
}

static void print_blocks(struct strbuf *sb, const struct report *report)
{
	const struct item *item = items_of(report);

	while (item->kind != ITEM_CLOSE) {
		print_title(sb, item->key);
		strbuf_adds(sb, ":\n");
		if (item->kind == ITEM_OBJECT) {
			item = print_object(sb, item, "\t");
			continue;
		}
		for (item++; item->kind == ITEM_OBJECT;)
			item = print_block(sb, item);
		item++;
	}
}

static int tracker_text_write(const struct render_input *in,
	const struct render_options *opt, FILE *out, struct error *err)
{
	struct strbuf sb;

	(void)opt;
	if (refusal_check(in, err) < 0)
		return -1;
	strbuf_init(&sb);
	for (size_t i = 0; i < in->report_count; i++)
		(is_analysis(&in->report[i]) ? print_blocks : print_tracker)(
			&sb, &in->report[i]);
	return python_print(&sb, "gpu-tracker-text", out, err);
}

/* A comparison as text: under each measurement, or each code block of it, the runs. */

static void print_sides(struct strbuf *sb, const struct item *first, const char *indent)
{
	struct table table = {.columns = 1};

	table_add_text(&table, "");
	for (const struct item *i = first; i->kind != ITEM_CLOSE; i++, table.columns++) {
		struct strbuf cell = strbuf_new();

		strbuf_addc(&cell, ' ');
		utf8_inert(&cell, i->key);
		table_add(&table, &cell);
	}
	table_add_text(&table, "");
	for (const struct item *i = first; i->kind != ITEM_CLOSE; i++) {
		struct strbuf cell = strbuf_new();

		strbuf_adds(&cell, i->kind == ITEM_COUNT ? " " : "");
		print_scalar(&cell, i, TABLE_DECIMALS, "NaN");
		table_add(&table, &cell);
	}
	table_print(sb, &table, indent);
	table_release(&table);
}

/* indent: what stands before the objects; names: they are of measurements. */
static void print_compared(
	struct strbuf *sb, const struct item *item, const char *indent, bool names)
{
	for (; item->kind != ITEM_CLOSE; item = item_behind(item)) {
		strbuf_adds(sb, indent);
		if (names)
			print_title(sb, item->key);
		else
			utf8_inert(sb, item->key);
		strbuf_adds(sb, ":\n");
		if (is_scalar(item + 1))
			print_sides(sb, item + 1, indent - 1);
		else
			print_compared(sb, item + 1, indent - 1,
				!*indent && strcmp(item->key, BLOCK_TIMES) != 0);
	}
}

static const struct render_format formats[] = {
	{.name = "gpu-tracker",
		.help = "gpu_tracker's own object, one per line",
		.write = tracker_json_write,
		.tool = &tool_gpu_tracker},
	{.name = "gpu-tracker-text",
		.help = "gpu_tracker's own text",
		.write = tracker_text_write,
		.tool = &tool_gpu_tracker},
	{.name = "gpu-tracker-sub",
		.help = "all code blocks as one of gpu_tracker's sub-tracking files",
		.write = tracker_write_sub,
		.marks = true,
		.tool = &tool_gpu_tracker},
};

static int tracker_print_comparison(const struct report *comparison,
	const struct render_format *format, FILE *out, struct error *err)
{
	static const char indent[] = "\t\t\t";
	struct json_writer w;
	struct strbuf sb;

	if (format == &formats[2])
		return error_set(err, "%s has no comparison; expected %s or %s",
			format->name, formats[0].name, formats[1].name);
	if (format == &formats[0]) {
		json_init(&w, out, JSON_SPACED);
		item_json(&w, comparison, -1);
		json_finish(&w);
		return render_check(out, format->name, err);
	}
	sb = strbuf_new();
	print_compared(&sb, items_of(comparison), indent + strlen(indent), true);
	return python_print(&sb, format->name, out, err);
}

/* A call's last sample is in it, and calls without an end are none. */
static const struct phase_rules phases = {
	.flat = true, .closed = true, .finished = true, .sets = true};

/* All that several GPUs do together counts, whatever cells are asked for. */
static void *begin_pass(const struct run *run, const struct tool_options *asked)
{
	struct levels *levels = levels_begin(run, asked);

	levels->whole = true;
	return levels;
}

const struct tool tool_gpu_tracker = {.format = formats,
	.format_count = sizeof formats / sizeof formats[0],
	.option = tracker_options,
	.option_count = TRACKER_OPTIONS,
	.pass = {.phases = &phases, .begin = begin_pass, LEVELS_PASS},
	.report = tracker_report,
	.read_result = tracker_read_result,
	.compare = tracker_compare,
	.print_comparison = tracker_print_comparison};
