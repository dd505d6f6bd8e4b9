/*
 * Units of work as they are shown: how fast they were done, and what GPU time and energy
 * each took. Knows no event, only what work.c found.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/report/parts.h"
#include "compute/run/phase_single.h"
#include "compute/series/energy.h"

static struct phase_cells *in_work(struct device_state *device)
{
	return &device->in_work;
}

/* Also of times centuries apart. */
static double seconds_between(int64_t from_ns, int64_t to_ns)
{
	return number_ratio((int128)to_ns - from_ns, NS_PER_S);
}

/* What a unit took of an amount; nothing was done: unknown. */
static double per_unit(double amount, const struct work *work)
{
	return work->units_timed > 0 ? amount / work->units_timed : NAN;
}

static void take_gpu_time(struct work *work, const struct report *report)
{
	size_t gpus = report_gpu_count(report);

	work->gpu_s_per_unit = NAN;
	if (work->seconds > 0 && gpus)
		work->gpu_s_per_unit = per_unit(work->seconds * (double)gpus, work);
}

static void take_times(struct work *work, const struct report *report)
{
	work->first_s = report_second(report, work->first_ns);
	work->seconds = seconds_between(work->first_ns, work->last_ns);
	work->units_per_s = NAN;
	work->gpu_util_mean_pct = work->energy_j = work->energy_coverage = NAN;
	work->energy_j_per_unit = NAN;
	if (work->seconds > 0)
		work->units_per_s = work->units_timed / work->seconds;
	take_gpu_time(work, report);
}

/* The numbers that a phase of the same length would have. */
static void take_samples(struct work *work, const struct report *report)
{
	struct phase_path path = {.stats = work->stats,
		.stats_count = work->stats_count,
		.union_s = work->seconds};

	summary_phase(report, &path);
	work->gpu_util_mean_pct = path.summary[PHASE_gpu_util_mean_pct].number;
	work->energy_j = path.summary[PHASE_energy_j].number;
	work->energy_coverage = path.summary[PHASE_energy_coverage].number;
	work->energy_method =
		energy_over_gpus(report, path.stats, path.stats_count, work->seconds)
			.method;
	work->energy_j_per_unit = per_unit(work->energy_j, work);
}

static void report_spans(
	struct aggregate *agg, const struct work_kinds *kinds, struct report *report)
{
	size_t calls = phase_map_tree(kinds->map)->calls.count;
	struct singles singles;

	singles_begin(&singles, agg, in_work);
	for (size_t i = 0; i < calls; i++) {
		struct work *work = &report->work[work_of_call(kinds, i)];
		struct phase_path path = {.stats = NULL};

		singles_take(&singles, (uint32_t)i, &path);
		work->stats = path.stats;
		work->stats_count = path.stats_count;
		take_samples(work, report);
	}
	singles_release(&singles);
}

void work_report(struct aggregate *agg, struct report *report)
{
	const struct work_kinds *kinds = aggregate_work(agg);

	report->work = xcalloc(kinds->count, sizeof *report->work);
	report->work_count = kinds->count;
	report->work_left_out = kinds->left_out;
	for (size_t i = 0; i < kinds->count; i++) {
		report->work[i] = kinds->at[i];
		take_times(&report->work[i], report);
	}
	if (kinds->map)
		report_spans(agg, kinds, report);
}

void work_select(struct report *report)
{
	for (size_t i = 0; i < report->work_count; i++) {
		struct work *work = &report->work[i];

		take_gpu_time(work, report);
		if (work->seconds > 0)
			take_samples(work, report);
	}
}
