/*
 * gpu_tracker's own object: its Tracker's, or, where the run has code blocks, that of its
 * sub-tracking analysis. Memory is in decimal units of a byte, its "megabytes" of GPU
 * memory are MiB; percentages of the hardware are sums by a number of cores or GPUs; an
 * instant at the end of a block belongs to it; deviations are those of a population;
 * times of blocks are differences of doubles, in seconds. What the run does not say is
 * unknown, where the tool, which asks the machine, always has a number.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/dialects/dialect.h"
#include "compute/dialects/gpu_tracker_series.h"
#include "compute/run/state.h"

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

void tracker_report(struct report *report, const struct levels *levels,
	const struct dialect_options *options)
{
	struct tracker t = tracker_of(report, levels, options);

	report->dialect_refusal = refusal_of(report->run);
	if (options->analysis || has_blocks(report))
		add_blocks(&t);
	else
		add_tracker(&t);
}
