/*
 * pytyche's object (its to_dict() as Python's json.dumps prints it), one line a run:
 * plain means over all rows, and what an absent source leaves.
 */
#include "foreign/records.h"
#include "foreign/shared.h"

static const enum source_kind dmon[] = {SOURCE_NVIDIA_DMON, SOURCE_NONE};
static const enum source_kind cpus[] = {SOURCE_HOST_TABLE, SOURCE_PROC_STAT, SOURCE_NONE};
static const enum source_kind events[] = {SOURCE_RUNLOG, SOURCE_NONE};

static const struct tool_key keys[] = {
	{"peak_vram_mb", STATISTIC_MAX, METRIC_mem_used_mib, gpu_sources, OMIT_ZERO},
	{"gpu_util_mean_pct", STATISTIC_POOLED_MEAN, METRIC_gpu_util_pct, gpu_sources,
		OMIT_ZERO},
	{"gpu_util_max_pct", STATISTIC_MAX, METRIC_gpu_util_pct, gpu_sources, OMIT_ZERO},
	{"power_watts_mean", STATISTIC_POOLED_MEAN, METRIC_power_w, gpu_sources,
		OMIT_ZERO},
	{"power_watts_max", STATISTIC_MAX, METRIC_power_w, gpu_sources, OMIT_ZERO},
	{"cpu_usr_mean_pct", STATISTIC_POOLED_MEAN, METRIC_cpu_usr_pct, cpus, OMIT_ZERO},
	{"cpu_idle_mean_pct", STATISTIC_POOLED_MEAN, METRIC_cpu_idle_pct, cpus,
		OMIT_ZERO},
	{"mem_util_mean_pct", STATISTIC_POOLED_MEAN, METRIC_mem_util_pct, dmon,
		OMIT_OMIT},
	{"mem_util_max_pct", STATISTIC_MAX, METRIC_mem_util_pct, dmon, OMIT_WITH},
	{"jax_peak_bytes_mb", STATISTIC_EVENT_JAX_PEAK, METRIC_none, events, OMIT_OMIT},
};

static void make_object(
	struct aggregate *agg, struct report *report, const struct tool_options *asked)
{
	(void)agg;
	(void)asked;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		key_add(report, &keys[i],
			keys[i].statistic == STATISTIC_EVENT_JAX_PEAK
				? report->summary[SUMMARY_framework_peak_mib].number
				: key_number(report, &keys[i]));
}

static int write_json(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	(void)opt;
	return item_json_lines(in, "pytyche", 1, out, err);
}

static const struct render_format format = {.name = "pytyche",
	.help = "pytyche's own object, one per line",
	.write = write_json,
	.tool = &tool_pytyche};

const struct tool tool_pytyche = {
	.format = &format, .format_count = 1, .report = make_object};
