/*
 * What an aggregate says at the end: the statistics of every device in every source, and
 * then all that is worked out of them. Knows no formula; see aggregate.c.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/report/aggregate_report.h"
#include "compute/report/parts.h"
#include "compute/series/energy.h"

static struct metric_stats *add_stats(
	struct report *report, enum source_kind kind, uint32_t device)
{
	struct metric_stats *stats;

	ALLOC_GROW(report->stats, report->stats_count + 1, report->stats_cap);
	stats = &report->stats[report->stats_count++];
	*stats = (struct metric_stats){.source = kind, .device = device};
	return stats;
}

/* NAN: nothing says how far apart its rows are. */
static double covered_by_shares(
	const struct device_state *device, const struct timing *timing)
{
	uint64_t gaps;

	if (timing->limit_ns < 0 || (!device->track.timed && timing->step_ns <= 0))
		return NAN;
	if (device->track.timed)
		return number_ratio(
			track_covered_ns(&device->track, timing->limit_ns, &gaps),
			NS_PER_S);
	if (timing->step_ns > timing->limit_ns)
		return 0;
	return number_ratio(
		(int128)timing->step_ns * (int64_t)device->shares->slices, NS_PER_S);
}

static void report_shares(struct report *report, enum source_kind kind, uint32_t index,
	struct device_state *device, const struct timing *timing)
{
	double covered_s = covered_by_shares(device, timing);

	shares_finish(device->shares);
	for (int i = 0; i < SHARE_COUNT; i++) {
		struct metric_stats stats = {.source = kind, .device = index};

		if (!shares_get(device->shares, i, &stats))
			continue;
		stats.covered_s = covered_s;
		stats.gap_limit_s = timing->limit_ns < 0
			? NAN
			: number_ratio(timing->limit_ns, NS_PER_S);
		if (!device->track.timed)
			stats.min_at_ns = stats.max_at_ns = stats.min_window.from_ns =
				stats.max_window.from_ns = TIME_NONE;
		*add_stats(report, kind, index) = stats;
	}
}

static void report_device(struct aggregate *agg, struct report *report,
	enum source_kind kind, uint32_t index)
{
	struct device_state *device = agg->source[kind].device[index];
	struct timing timing = device_timing(agg, kind, device);

	/* What it did at all times may be summed by what phases hold. */
	if (agg->phases)
		phase_cells_join(&device->in_phases, agg->phases, device->series);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (device->series[id])
			series_finish(device->series[id],
				metric_limit_ns(device, &timing, id), timing.step_ns,
				&agg->run->texts, add_stats(report, kind, index));
	if (device->shares)
		report_shares(report, kind, index, device, &timing);
}

/* What kind of contexts the processes are, of those whose log says it. */
static void report_process_types(struct report *report)
{
	report->process_type_count = report->run->device_count;
	report->process_type =
		xcalloc(report->process_type_count + 1, sizeof *report->process_type);
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];
		char **type = &report->process_type[s->device];

		if (s->metric == METRIC_process_type && s->state_count && !*type)
			*type = xstrdup(s->state[0].name);
	}
}

static double since_ns(int64_t t_ns, int64_t from_ns)
{
	return number_ratio((int128)t_ns - from_ns, NS_PER_S);
}

/* Did a GPU's log of its memory see that moment, or have a row within a gap's limit? */
static bool is_seen(const struct report *report, uint32_t gpu, int64_t t_ns)
{
	const struct metric_stats *s = metric_stats_best(
		report->stats, report->stats_count, gpu, METRIC_mem_used_mib);
	const struct evidence *evidence = &report->evidence;
	bool seen = false;

	if (!metric_stats_speaks(s))
		return false;
	for (size_t i = 0; i < evidence->device_count; i++) {
		const struct device_evidence *e = &evidence->device[i];

		if (e->device == gpu && e->source == s->source && e->last_ns != TIME_NONE)
			seen = since_ns(e->first_ns, t_ns) <= e->gap_limit_s &&
				since_ns(t_ns, e->last_ns) <= e->gap_limit_s;
	}
	for (size_t i = 0; seen && i < evidence->gap_listed; i++) {
		const struct gap *gap = &evidence->gap[i];
		double into_s = since_ns(t_ns, gap->start_ns);

		seen = gap->device != gpu || gap->source != s->source || into_s <= 0 ||
			into_s >= gap->length_s;
	}
	return seen;
}

/*
 * Of the kinds of log that name processes the largest; pmon and apps say the same.
 * Unknown where the GPU's own log did not see the time.
 */
static void report_process_memory(const struct aggregate *agg, struct report *report)
{
	int64_t per_unit = metric_get(METRIC_process_gpu_mem_mib)->per_unit;

	report->process_mib_count = agg->run->device_count;
	report->process_mib =
		xcalloc(report->process_mib_count + 1, sizeof *report->process_mib);
	for (size_t d = 0; d < report->process_mib_count; d++)
		report->process_mib[d] = NAN;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		for (size_t d = 0; d < agg->source[kind].held_count; d++) {
			const struct tick_total *total = &agg->source[kind].held[d].total;
			double mib = number_ratio(total->peak, per_unit);

			if (total->has_peak && agg->source[kind].timed &&
				!(report->process_mib[d] >= mib) &&
				is_seen(report, (uint32_t)d, total->peak_ns))
				report->process_mib[d] = mib;
		}
}

/* From the database single CPUs don't come; what is there already is kept. */
static void report_busiest_core(struct report *report)
{
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (s->metric == METRIC_cpu_busy_pct && !isnan(s->mean) &&
			device_is_core(&report->run->device[s->device]) &&
			!(report->busiest_core_pct >= s->mean))
			report->busiest_core_pct = s->mean;
	}
}

/*
 * The kind of log that the largest sum within one tick is of: the one that has the metric
 * best of most GPUs, so that the peak of one GPU is none beyond it.
 */
static enum source_kind peak_total_source(
	const struct aggregate *agg, const struct report *report)
{
	const struct device_list *gpus = &agg->run->of_kind[DEVICE_GPU];
	size_t of[SOURCE_KIND_COUNT] = {0}, most = 0;
	enum source_kind best = SOURCE_NONE;

	for (size_t i = 0; i < gpus->count; i++) {
		const struct metric_stats *s = metric_stats_best(report->stats,
			report->stats_count, gpus->at[i], peak_total_metric());

		if (metric_stats_speaks(s))
			of[s->source]++;
	}
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		if (of[kind] <= most || !agg->source[kind].peak_total.has_peak)
			continue;
		most = of[kind];
		best = kind;
	}
	return best;
}

/* And its tick; NULL: there is none. */
static const struct tick_total *report_peak_total(
	const struct aggregate *agg, struct report *report)
{
	enum source_kind kind = peak_total_source(agg, report);
	const struct tick_total *total;

	if (kind == SOURCE_NONE)
		return NULL;
	total = &agg->source[kind].peak_total;
	if (agg->source[kind].timed)
		report->peak_tick = (struct peak_tick){
			kind, total->peak_segment, total->peak_from_ns, total->peak_ns};
	return total;
}

void aggregate_report(struct aggregate *agg, struct report *report)
{
	assume_intervals(agg);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct source_state *source = &agg->source[kind];

		for (size_t i = 0; i < source->device_count; i++)
			if (source->device[i])
				report_device(agg, report, kind, (uint32_t)i);
	}
	evidence_report(agg, report);
	ending_report(agg, report);
	energy_choose(report);
	report_process_types(report);
	steady_report(agg, report);
	report_process_memory(agg, report);
	if (!report->windowed)
		report_busiest_core(report);
	phase_report(agg, report);
	work_report(agg, report);
	summary_report(report, report_peak_total(agg, report), &agg->options.window);
	findings_report(agg, report);
}
