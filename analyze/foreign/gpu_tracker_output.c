/*
 * gpu_tracker's own object: its Tracker's, or, where the run has code blocks, that of
 * its sub-tracking analysis. Memory is in decimal units of a byte, its "megabytes" of
 * GPU memory are MiB; percentages of the hardware are sums by a number of cores or
 * GPUs; an instant at the end of a block belongs to it; deviations are those of a
 * population; times of blocks are differences of doubles, in seconds. What the run
 * does not say is unknown, where the tool, which asks the machine, always has a
 * number.
 */
#include "foreign/gpu_tracker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/number.h"
#include "base/text.h"
#include "foreign/foreign.h"
#include "foreign/levels.h"
#include "model/dialect.h"
#include "model/report.h"

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

/* Of the whole run or of one block; the deviation is that of a population. */
struct tracker_values {
	uint64_t n; /* 0: nothing was sampled, and the others are NAN */
	double min, max, mean, deviation;
};

/*
 * The table of series, the facts of a recording, and one scale for each kind of value.
 */

/* The tracked series, in its order. */
static const struct tracker_series series_series[] = {
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

/* In the tool's order; NULL: there are not so many. Static. */
static const struct tracker_series *tracker_series_get(size_t nth)
{
	return nth < sizeof series_series / sizeof series_series[0] ? &series_series[nth]
								    : NULL;
}

static double fact_number(const struct run *run, const char *name)
{
	const char *text = run_fact(run, name);
	int64_t millionths;

	if (!text || !number_scaled(span_of(text), 1000000, &millionths))
		return NAN;
	return number_ratio(millionths, 1000000);
}

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

static double first_known(double a, double b, double c)
{
	if (!isnan(a))
		return a;
	return isnan(b) ? c : b;
}

static double option_number(int32_t option)
{
	return option < 0 ? (double)NAN : (double)option;
}

/* Which GPUs --gpus means nothing says but their number. */
static const struct round_sums *together_of(
	const struct levels *levels, size_t gpus, const struct tool_options *options)
{
	const struct round_sums *together = levels_together(levels);

	if (options->expected_gpus >= 0 && (size_t)options->expected_gpus != gpus)
		return NULL;
	return together && (size_t)together->gpus == gpus ? together : NULL;
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
		.together = together_of(levels, gpus, options)};

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
	t.cores = first_known(fact_number(run, "system_core_count"),
		report->summary[SUMMARY_cpu_count].number, NAN);
	t.expected_cores = first_known(option_number(options->expected_cores),
		fact_number(run, "n_expected_cores"), t.cores);
	t.gpus = first_known(fact_number(run, "system_gpu_count"),
		gpus ? (double)gpus : (double)NAN, NAN);
	t.expected_gpus = first_known(option_number(options->expected_gpus),
		fact_number(run, "n_expected_gpus"), t.gpus);
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
	const struct tracker_series *s, const struct metric_stats *stats, size_t count,
	double *factor)
{
	const struct device *devices = t->report->run->device;
	enum metric_id by = METRIC_none;

	*factor = 1;
	for (size_t i = 0; i < count; i++)
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
	for (size_t i = 0; i < count; i++)
		if (stats[i].metric == by && stats[i].n &&
			is_alone(t, &devices[stats[i].device]))
			return &stats[i];
	return NULL;
}

/* Of several GPUs their sum in each round, of the whole run alone. */
static struct tracker_values values_together(
	const struct tracker *t, const struct tracker_series *s)
{
	const struct round_sums *r = t->together;
	int64_t per_unit = metric_get(METRIC_gpu_util_pct)->per_unit;
	int128 n, spread;

	if (!r || t->tracked || s->metric != METRIC_gpu_util_sum_pct)
		return (struct tracker_values){0, NAN, NAN, NAN, NAN};
	n = (int128)r->n;
	spread = n * r->squares - r->sum * r->sum; /* n^2 variances */
	return (struct tracker_values){r->n,
		scaled(t, s, number_ratio(r->min, per_unit), true),
		scaled(t, s, number_ratio(r->max, per_unit), true),
		scaled(t, s, number_ratio(r->sum, n * per_unit), false),
		scaled(t, s, sqrt((double)spread) / (double)n / (double)per_unit, false)};
}

/* Of a series, out of the statistics of the run or of a path. */
static struct tracker_values tracker_values_of(const struct tracker *t,
	const struct tracker_series *s, const struct metric_stats *stats, size_t count)
{
	double f;
	const struct metric_stats *m = find_stats(t, s, stats, count, &f);

	if (!m && stats == t->report->stats)
		return values_together(t, s);
	if (!m)
		return (struct tracker_values){0, NAN, NAN, NAN, NAN};
	return (struct tracker_values){m->n, scaled(t, s, f * m->min, true),
		scaled(t, s, f * m->max, true), scaled(t, s, f * m->mean_samples, false),
		scaled(t, s, f * population(m->stddev, m->n), false)};
}

static void open_object(const struct tracker *t, const char *key)
{
	dialect_add(t->report, ITEM_OBJECT, key);
}

static void close(const struct tracker *t)
{
	dialect_add(t->report, ITEM_CLOSE, NULL);
}

static void add_number(const struct tracker *t, const char *key, double x)
{
	dialect_add(t->report, ITEM_NUMBER, key)->number = x;
}

static void add_count(const struct tracker *t, const char *key, double x)
{
	dialect_add(t->report, ITEM_COUNT, key)->number = x;
}

static void add_text(const struct tracker *t, const char *key, const char *text)
{
	dialect_add(t->report, ITEM_TEXT, key)->text = text;
}

static void add_unsaid(const struct tracker *t, const char *key)
{
	struct dialect_item *item = dialect_add(t->report, ITEM_NUMBER, key);

	item->number = NAN;
	item->unsaid = true;
}

/* The key is one of the table's. */
static const struct tracker_series *series_find(const char *key)
{
	size_t i = 0;

	while (strcmp(tracker_series_get(i)->key, key) != 0)
		i++;
	return tracker_series_get(i);
}

static struct tracker_values of(const struct tracker *t, const char *key)
{
	return tracker_values_of(
		t, series_find(key), t->report->stats, t->report->stats_count);
}

/* The tool asks the living process, and only some recordings hold it. */
static void add_part(
	const struct tracker *t, const char *key, const char *who, enum metric_id metric)
{
	const struct tracker_series series = {key, who, metric, TRACKER_RAM};
	double most =
		tracker_values_of(t, &series, t->report->stats, t->report->stats_count)
			.max;

	if (isnan(most))
		add_unsaid(t, key);
	else
		add_number(t, key, most);
}

static void add_rss(const struct tracker *t, const char *who, const char *key)
{
	open_object(t, who);
	add_number(t, "total_rss", of(t, key).max);
	add_part(t, "private_rss", who, METRIC_private_mib);
	add_part(t, "shared_rss", who, METRIC_shared_mib);
	close(t);
}

static void add_percent(
	const struct tracker *t, const char *key, const char *sum, const char *hardware)
{
	open_object(t, key);
	add_number(t, "max_sum_percent", of(t, sum).max);
	add_number(t, "max_hardware_percent", of(t, hardware).max);
	add_number(t, "mean_sum_percent", of(t, sum).mean);
	add_number(t, "mean_hardware_percent", of(t, hardware).mean);
	close(t);
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
	add_text(t, "unit", data_unit_name(t->ram));
	add_number(
		t, "system_capacity", t->ram_capacity / (double)data_unit_bytes(t->ram));
	add_number(t, "system", of(t, "system_ram").max);
	add_rss(t, "main", "main_ram");
	add_rss(t, "descendants", "descendants_ram");
	add_rss(t, "combined", "combined_ram");
	close(t);
	open_object(t, "max_gpu_ram");
	add_text(t, "unit", data_unit_name(t->gpu_ram));
	add_number(t, "system_capacity",
		t->gpu_ram_capacity / (double)data_unit_bytes(t->gpu_ram));
	add_number(t, "system", gpu_ram);
	add_number(t, "main", of(t, "main_gpu_ram").max);
	add_number(t, "descendants", of(t, "descendants_gpu_ram").max);
	add_number(t, "combined", of(t, "combined_gpu_ram").max);
	close(t);
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
	for (size_t i = 0; tracker_series_get(i); i++)
		n = fmax(n, (double)of(t, tracker_series_get(i)->key).n);
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
	close(t);
	open_object(t, "gpu_utilization");
	add_count(t, "system_gpu_count", t->gpus);
	add_count(t, "n_expected_gpus", t->expected_gpus);
	add_percent(t, "gpu_percentages", "gpu_sum_utilization_percent",
		"gpu_hardware_utilization_percent");
	close(t);
	open_object(t, "compute_time");
	add_text(t, "unit", time_unit_name(t->time));
	add_number(t, "time", compute_time_s(t) / (double)time_unit_seconds(t->time));
	close(t);
}

static void add_values(const struct tracker *t, const struct tracker_values *v)
{
	add_number(t, "min", v->min);
	add_number(t, "max", v->max);
	add_number(t, "mean", v->mean);
	add_number(t, "std", v->deviation);
}

static void add_usage(const struct tracker *t, const char *key,
	const struct metric_stats *stats, size_t count)
{
	open_object(t, key);
	for (size_t i = 0; tracker_series_get(i); i++) {
		const struct tracker_series *series = tracker_series_get(i);
		struct tracker_values values = tracker_values_of(t, series, stats, count);

		open_object(t, series->key);
		add_values(t, &values);
		close(t);
	}
	close(t);
}

static void add_static(const struct tracker *t)
{
	open_object(t, "static_data");
	add_text(t, "ram_unit", data_unit_name(t->ram));
	add_text(t, "gpu_ram_unit", data_unit_name(t->gpu_ram));
	add_text(t, "time_unit", time_unit_name(t->time));
	add_number(t, "ram_system_capacity",
		t->ram_capacity / (double)data_unit_bytes(t->ram));
	add_number(t, "gpu_ram_system_capacity",
		t->gpu_ram_capacity / (double)data_unit_bytes(t->gpu_ram));
	add_count(t, "system_core_count", t->cores);
	add_count(t, "n_expected_cores", t->expected_cores);
	add_count(t, "system_gpu_count", t->gpus);
	add_count(t, "n_expected_gpus", t->expected_gpus);
	close(t);
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

static void add_block(
	const struct tracker *t, const struct phase_path *path, const struct times *times)
{
	uint64_t points = 0;

	for (size_t i = 0; i < path->stats_count; i++)
		if ((!t->tracked || path->stats[i].source == SOURCE_GPU_TRACKER) &&
			path->stats[i].n > points)
			points = path->stats[i].n;
	open_object(t, NULL);
	add_text(t, "name", path->name);
	add_count(t, "num_timepoints", (double)points);
	add_count(t, "num_calls", (double)path->calls);
	add_count(t, "num_non_empty_calls", (double)path->non_empty_calls);
	open_object(t, "compute_time");
	add_values(t, &times->values);
	add_number(t, "total", times->total);
	close(t);
	add_usage(t, "resource_usage", path->stats, path->stats_count);
	close(t);
}

static void add_blocks(const struct tracker *t)
{
	struct times *times = times_of(t->report);

	add_usage(t, "overall", t->report->stats, t->report->stats_count);
	add_static(t);
	dialect_add(t->report, ITEM_ARRAY, "code_block_results");
	for (size_t i = 0; i < t->report->path_count; i++)
		if (t->report->path[i].calls)
			add_block(t, &t->report->path[i], &times[i]);
	close(t);
	free(times);
}

/* The tool refuses a recording of code blocks whose starts and stops don't pair. */
static const char *refusal_of(const struct run *run)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (strcmp(run->diags.at[i].id, "stop-without-start") == 0 ||
			strcmp(run->diags.at[i].id, "start-after-stop") == 0)
			return run->diags.at[i].text;
	return NULL;
}

static bool has_blocks(const struct report *report)
{
	for (size_t i = 0; i < report->run->file_count; i++)
		if (report->run->file[i].kind == SOURCE_GPU_TRACKER_SUB)
			return true;
	return report->path_count > 0;
}

void tracker_report(
	struct aggregate *agg, struct report *report, const struct tool_options *options)
{
	struct tracker t = tracker_of(report, levels_finish(agg), options);

	report->dialect_refusal = refusal_of(report->run);
	if (options->analysis || has_blocks(report))
		add_blocks(&t);
	else
		add_tracker(&t);
}

/* Pieces found by a walk, and blocks in the order of their padded line numbers. */

static bool opens(const struct dialect_item *item)
{
	return item->kind == ITEM_OBJECT || item->kind == ITEM_ARRAY;
}

/* What follows an item; of an object what follows its end. */
static const struct dialect_item *item_behind(const struct dialect_item *item)
{
	int depth = 0;

	do {
		depth += opens(item);
		depth -= item->kind == ITEM_CLOSE;
		item++;
	} while (depth);
	return item;
}

/* NULL: the object has no such member, or one of another kind. */
static const struct dialect_item *item_member(
	const struct dialect_item *object, const char *key, enum dialect_kind kind)
{
	for (const struct dialect_item *i = object + 1; i->kind != ITEM_CLOSE;
		i = item_behind(i))
		if (i->kind == kind && strcmp(i->key, key) == 0)
			return i;
	return NULL;
}

static const struct dialect_item *top(
	const struct report *report, const char *key, enum dialect_kind kind)
{
	const struct dialect_item *end = report->dialect + report->dialect_count;

	for (const struct dialect_item *i = report->dialect; i < end; i = item_behind(i))
		if (i->kind == kind && strcmp(i->key, key) == 0)
			return i;
	return NULL;
}

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
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_add(&sb, block->name,
			line ? (size_t)(line - block->name) : strlen(block->name));
		for (size_t len = line ? strlen(line) : width; len < width; len++)
			strbuf_addc(&sb, '0');
		strbuf_adds(&sb, line ? line : "");
		block->order = strbuf_detach(&sb);
	}
	if (side->block_count)
		qsort(side->block, side->block_count, sizeof *side->block, by_order);
}

/*
 * Everything is borrowed from the report, but for what analysis_release frees. -1: the
 * report has none, or the tool would refuse the run; release it all the same.
 */
static int analysis_read(
	struct analysis *side, const struct tracker_side *of, struct error *err)
{
	const struct dialect_item *blocks =
		top(of->report, "code_block_results", ITEM_ARRAY);
	size_t room = 0;

	*side = (struct analysis){.name = of->name,
		.overall = top(of->report, "overall", ITEM_OBJECT),
		.facts = top(of->report, "static_data", ITEM_OBJECT)};
	if (of->report->dialect_refusal)
		return error_set(err, "%s: the recording of code blocks is invalid: %s",
			of->name, of->report->dialect_refusal);
	if (!side->overall || !side->facts || !blocks)
		return error_set(err,
			"%s: expected the results of a sub-tracking analysis, with "
			"overall, static_data and code_block_results",
			of->name);
	for (blocks++; blocks->kind != ITEM_CLOSE; blocks = item_behind(blocks)) {
		const struct dialect_item *name = blocks->kind == ITEM_OBJECT
			? item_member(blocks, "name", ITEM_TEXT)
			: NULL;

		if (!name)
			return error_set(err,
				"%s: a code block has no name; expected one", of->name);
		ALLOC_GROW(side->block, side->block_count + 1, room);
		side->block[side->block_count++] =
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

struct comparing {
	struct tracker_comparison *out;
	struct analysis *side; /* [out->side_count] */
	const struct analysis *first; /* the one whose name sorts first */
	const char *statistic;
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
			"blocks, but for their line numbers",
			a, c->first->name, b, side->name);
	tracker_comparison_remark(c->out,
		"code block '%s' of %s is taken for '%s' of %s: only their line numbers "
		"differ",
		a, c->first->name, b, side->name);
	return 0;
}

/* Amounts in different units can't be compared; other facts may well differ. */
static int match_facts(struct comparing *c, const struct analysis *side)
{
	static const char *const units[] = {"ram_unit", "gpu_ram_unit"};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		const struct dialect_item *a =
			item_member(c->first->facts, units[i], ITEM_TEXT);
		const struct dialect_item *b =
			item_member(side->facts, units[i], ITEM_TEXT);

		if (a && b && strcmp(a->text, b->text) != 0)
			return error_set(c->err,
				"%s of %s is %s, of %s %s; expected one unit%s", units[i],
				c->first->name, a->text, side->name, b->text,
				i ? " (see --gpu-ram-unit)" : " (see --ram-unit)");
	}
	for (const struct dialect_item *a = c->first->facts + 1; a->kind != ITEM_CLOSE;
		a = item_behind(a)) {
		const struct dialect_item *b;

		if (a->kind != ITEM_NUMBER && a->kind != ITEM_COUNT)
			continue;
		b = item_member(side->facts, a->key, a->kind);
		if (b && a->number != b->number &&
			!(isnan(a->number) && isnan(b->number)))
			tracker_comparison_remark(c->out,
				"%s of %s is %.15g, of %s %.15g", a->key, c->first->name,
				a->number, side->name, b->number);
	}
	return 0;
}

static int match(struct comparing *c, const struct analysis *side)
{
	if (c->first->block_count != side->block_count)
		return error_set(c->err,
			"%s has %zu code blocks, %s has %zu; expected as many in every "
			"run",
			c->first->name, c->first->block_count, side->name,
			side->block_count);
	for (size_t i = 0; i < side->block_count; i++)
		if (match_blocks(c, side, i) < 0)
			return -1;
	return match_facts(c, side);
}

/* The statistic of one side; object: of the measurement, NULL: it has none. */
static int take(struct comparing *c, struct tracker_comparison_row *row, size_t side,
	const struct dialect_item *object, const char *what)
{
	const struct dialect_item *item =
		object ? item_member(object, c->statistic, ITEM_COUNT) : NULL;

	row->counts &= item != NULL;
	if (object && !item)
		item = item_member(object, c->statistic, ITEM_NUMBER);
	if (!item)
		return error_set(c->err, "%s has no %s of %s%s%s; expected what %s has",
			c->side[side].name, c->statistic, what,
			row->phase ? " in code block " : "", row->phase ? row->phase : "",
			c->first->name);
	row->value[side] = item->number;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* "a.py:7 -> a.py:9": the names that a block has, each once. To be freed. */
static char *joined_name(const struct comparing *c, size_t nth)
{
	const char **name = xcalloc(c->out->side_count, sizeof *name);
	struct strbuf sb;

	for (size_t i = 0; i < c->out->side_count; i++)
		name[i] = c->side[i].block[nth].name;
	qsort(name, c->out->side_count, sizeof *name, by_name);
	strbuf_init(&sb);
	for (size_t i = 0; i < c->out->side_count; i++)
		if (!i || strcmp(name[i], name[i - 1]) != 0)
			strbuf_addf(&sb, "%s%s", i ? " -> " : "", name[i]);
	free(name);
	return strbuf_detach(&sb);
}

/* A row of a measurement (NULL: of the time) of a block. */
static int compare_add_block(
	struct comparing *c, size_t nth, const char *phase, const char *measurement)
{
	struct tracker_comparison_row *row = tracker_comparison_add(c->out,
		measurement ? TRACKER_COMPARISON_PHASE : TRACKER_COMPARISON_TIME,
		measurement, phase);

	row->counts = true;
	for (size_t i = 0; i < c->out->side_count; i++) {
		const struct dialect_item *block = c->side[i].block[nth].item;
		const struct dialect_item *object = item_member(block,
			measurement ? "resource_usage" : "compute_time", ITEM_OBJECT);

		if (object && measurement)
			object = item_member(object, measurement, ITEM_OBJECT);
		if (take(c, row, i, object, measurement ? measurement : "the time") < 0)
			return -1;
	}
	return 0;
}

/* Of blocks that share a name the tool keeps the last. */
static int compare_add_blocks(
	struct comparing *c, char *const *phase, const char *measurement)
{
	for (size_t i = 0; i < c->first->block_count; i++)
		if ((!phase[i + 1] || strcmp(phase[i], phase[i + 1]) != 0) &&
			compare_add_block(c, i, phase[i], measurement) < 0)
			return -1;
	return 0;
}

static int add_run(struct comparing *c, const char *measurement)
{
	struct tracker_comparison_row *row =
		tracker_comparison_add(c->out, TRACKER_COMPARISON_RUN, measurement, NULL);

	row->counts = true;
	for (size_t i = 0; i < c->out->side_count; i++)
		if (take(c, row, i,
			    item_member(c->side[i].overall, measurement, ITEM_OBJECT),
			    measurement) < 0)
			return -1;
	return 0;
}

static int add_rows(struct comparing *c)
{
	const struct dialect_item *overall = c->first->overall;
	size_t blocks = c->first->block_count;
	char **phase = xcalloc(blocks + 1, sizeof *phase);
	int result = 0;

	for (size_t i = 0; i < blocks; i++)
		phase[i] = joined_name(c, i);
	for (const struct dialect_item *i = overall + 1; i->kind != ITEM_CLOSE && !result;
		i = item_behind(i))
		result = i->kind == ITEM_OBJECT ? add_run(c, i->key) : 0;
	for (const struct dialect_item *i = overall + 1; i->kind != ITEM_CLOSE && !result;
		i = item_behind(i))
		result =
			i->kind == ITEM_OBJECT ? compare_add_blocks(c, phase, i->key) : 0;
	if (!result)
		result = compare_add_blocks(c, phase, NULL);
	for (size_t i = 0; i < blocks; i++)
		free(phase[i]);
	free(phase);
	return result;
}

static int compare_all(struct comparing *c)
{
	for (size_t i = 0; i < c->out->side_count; i++)
		if (analysis_read(&c->side[i], &c->out->side[i], c->err) < 0)
			return -1;
	for (size_t i = 1; i < c->out->side_count; i++)
		if (strcmp(c->side[i].name, c->first->name) < 0)
			c->first = &c->side[i];
	for (size_t i = 0; i < c->out->side_count; i++)
		if (&c->side[i] != c->first && match(c, &c->side[i]) < 0)
			return -1;
	return add_rows(c);
}

int compare_tracker(struct tracker_comparison *out, const struct tracker_side *side,
	size_t count, const char *statistic, struct error *err)
{
	static const char *const known[] = {"min", "max", "mean", "std"};
	struct comparing c = {.out = out, .statistic = statistic, .err = err};
	size_t i = 0;
	int result;

	tracker_comparison_init(out, side, count);
	while (i < sizeof known / sizeof known[0] && strcmp(statistic, known[i]) != 0)
		i++;
	if (i == sizeof known / sizeof known[0])
		return error_set(
			err, "--statistic %s: expected min, max, mean or std", statistic);
	c.side = xcalloc(count, sizeof *c.side);
	c.first = c.side;
	result = compare_all(&c);
	for (i = 0; i < count; i++)
		analysis_release(&c.side[i]);
	free(c.side);
	return result;
}
