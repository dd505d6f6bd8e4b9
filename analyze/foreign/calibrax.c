/*
 * calibrax's object (its ResourceSummary's to_dict() as Python's json.dumps prints it),
 * one line a run: plain means over all rows, and what an absent source leaves.
 */

#include "foreign/shared.h"

static const enum source_kind memory[] = {
	SOURCE_PROCESS_TREE, SOURCE_GPU_TRACKER, SOURCE_HOST_TABLE, SOURCE_NONE};
static const enum source_kind gpus[] = {
	SOURCE_NVIDIA_QUERY, SOURCE_NVIDIA_DMON, SOURCE_NONE};
static const enum source_kind none[] = {SOURCE_NONE};

static const struct tool_key keys[] = {
	{"peak_rss_mb", STATISTIC_MAX, METRIC_rss_mib, memory, OMIT_ZERO},
	{"mean_rss_mb", STATISTIC_POOLED_MEAN, METRIC_rss_mib, memory, OMIT_ZERO},
	{"peak_gpu_mem_mb", STATISTIC_MAX, METRIC_mem_used_mib, gpus, OMIT_EMPTY},
	{"mean_gpu_util", STATISTIC_POOLED_MEAN, METRIC_gpu_util_pct, gpus, OMIT_EMPTY},
	{"memory_growth_mb", STATISTIC_GROWTH, METRIC_rss_mib, memory, OMIT_ZERO},
	{"num_samples", STATISTIC_SAMPLES, METRIC_none, none, OMIT_ZERO},
	{"duration_sec", STATISTIC_SPAN, METRIC_none, none, OMIT_ZERO},
	{"mean_gpu_clock_mhz", STATISTIC_POOLED_MEAN, METRIC_sm_clock_mhz, gpus,
		OMIT_ABSENT},
	{"mean_gpu_power_w", STATISTIC_POOLED_MEAN, METRIC_power_w, gpus, OMIT_ABSENT},
};

/* How many samples the tool would have taken, and how long it would have watched. */
static double watched(const struct levels *levels, enum tool_statistic statistic)
{
	const struct level_sum *rss = levels_value(levels, LEVEL_MAIN, LEVEL_MEMORY);
	const struct level_sum *table =
		&levels->log[JUMPER_PROCESS][SOURCE_HOST_TABLE].of[LEVEL_MEMORY];
	uint64_t n;
	int128 span_ns;

	rss = rss ? rss : table;
	n = rss->n;
	span_ns = (int128)rss->last_ns - rss->first_ns;

	for (size_t i = 0; gpus[i] != SOURCE_NONE && !n; i++) {
		const struct level_log *log = &levels->log[JUMPER_SYSTEM][gpus[i]];

		n = log->rows;
		span_ns = (int128)log->last_ns - log->first_ns;
	}
	if (statistic == STATISTIC_SAMPLES || !n)
		return (double)n;
	return number_ratio(span_ns, NS_PER_S);
}

static double number_of(const struct report *report, const struct levels *levels,
	const struct tool_key *key)
{
	switch (key->statistic) {
	case STATISTIC_SAMPLES:
	case STATISTIC_SPAN:
		return watched(levels, key->statistic);
	case STATISTIC_MAX:
		if (key->metric == METRIC_rss_mib)
			return peak_of(report, "main", key_number(report, key));
		break;
	case STATISTIC_POOLED_MEAN:
	case STATISTIC_GROWTH:
	case STATISTIC_EVENT_JAX_PEAK:
		break;
	}
	return key_number(report, key);
}

static void make_object(
	struct aggregate *agg, struct report *report, const struct tool_options *asked)
{
	const struct levels *levels = levels_finish(agg);

	(void)asked;
	object_make(report);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		key_add(report, &keys[i], number_of(report, levels, &keys[i]));
}

static int write_json(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	(void)opt;
	return item_json_lines(in, "calibrax", -1, out, err);
}

static const struct render_format format = {.name = "calibrax",
	.help = "calibrax's own object, one per line",
	.write = write_json,
	.tool = &tool_calibrax};

const struct tool tool_calibrax = {.format = &format,
	.format_count = 1,
	.pass = {.begin = levels_begin, LEVELS_PASS},
	.report = make_object};
