/* The table of series, the facts of a recording, and one scale for each kind of value. */
#include "compute/dialects/gpu_tracker_series.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

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

const struct tracker_series *tracker_series_get(size_t nth)
{
	return nth < sizeof series / sizeof series[0] ? &series[nth] : NULL;
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
	const struct levels *levels, size_t gpus, const struct dialect_options *options)
{
	const struct round_sums *together = levels_together(levels);

	if (options->expected_gpus >= 0 && (size_t)options->expected_gpus != gpus)
		return NULL;
	return together && (size_t)together->gpus == gpus ? together : NULL;
}

struct tracker tracker_of(struct report *report, const struct levels *levels,
	const struct dialect_options *options)
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

struct tracker_values tracker_values_of(const struct tracker *t,
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
