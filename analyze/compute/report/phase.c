/*
 * Phases as they are shown: the tree of their paths, how often each was called and for
 * how long, what the samples in it say; and the calls one by one.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/report/parts.h"
#include "compute/run/path_stats.h"
#include "compute/run/phase_single.h"
#include "compute/series/energy.h"

/* Twice the interval of the finest GPU log; of any log where no GPU's is known. */
static int64_t short_call_ns(const struct report *report)
{
	const struct evidence *e = &report->evidence;
	double finest_s = NAN, gpu_s = NAN;

	for (size_t i = 0; i < e->device_count; i++) {
		double h_s = e->device[i].interval_s;

		if (isnan(h_s) || isnan(e->device[i].coverage))
			continue;
		finest_s = fmin(finest_s, h_s);
		if (report->run->device[e->device[i].device].kind == DEVICE_GPU)
			gpu_s = fmin(gpu_s, h_s);
	}
	finest_s = isnan(gpu_s) ? finest_s : gpu_s;
	return isnan(finest_s) ? 0 : (int64_t)fmin(2e9 * finest_s, 9e18);
}

static double seconds(int128 ns)
{
	return number_ratio(ns, NS_PER_S);
}

static void add_call(struct phase_path *path, const struct phase_call *call,
	const struct call_time *time)
{
	if (!path->calls++) {
		path->start_s = call->start_s;
		path->min_s = path->max_s = call->seconds;
	}
	path->min_s = fmin(path->min_s, call->seconds);
	path->max_s = fmax(path->max_s, call->seconds);
	path->non_empty_calls += !call->empty;
	path->unfinished |= call->unfinished;
	path->overlapping |= time->overlaps;
}

/* One call, as it is listed. */
static struct phase_call call_of(const struct phase_map *map, size_t i,
	const struct call_time *time, const struct report *report, int64_t short_ns)
{
	const struct call *call = &phase_map_tree(map)->calls.at[i];
	int64_t length_ns = time->end_ns - call->start_ns;

	return (struct phase_call){.name = call_name(call),
		.extras = call->event->extras,
		.at = call->event->at,
		.end_at = call->end ? call->end->at : call->event->end_at,
		.start_ns = call->start_ns,
		.end_ns = time->end_ns,
		.start_s = report_second(report, call->start_ns),
		.seconds = seconds(length_ns),
		.unfinished = call->unfinished,
		.empty = !phase_map_is_sampled(map, i),
		.too_short = length_ns < short_ns,
		.overlapping = time->overlaps,
		.gpu_util_mean_pct = NAN,
		.power_total_mean_w = NAN,
		.energy_j = NAN,
		.energy_coverage = NAN};
}

/* Exact sums, which only become seconds at the end. */
struct path_sum {
	int128 total_ns, own_ns, union_ns;
	int64_t until_ns; /* the latest end so far */
};

static void add_time(struct path_sum *sum, const struct call *call,
	const struct call_time *time, bool first)
{
	int64_t from_ns = call->start_ns;

	sum->total_ns += time->end_ns - from_ns;
	sum->own_ns += time->own_ns;
	if (!first && sum->until_ns > from_ns)
		from_ns = sum->until_ns;
	if (time->end_ns > from_ns)
		sum->union_ns += time->end_ns - from_ns;
	if (first || time->end_ns > sum->until_ns)
		sum->until_ns = time->end_ns;
}

static void add_calls(const struct phase_map *map, struct report *report,
	const struct call_time *time, const uint32_t *place)
{
	const struct phase_tree *tree = phase_map_tree(map);
	struct path_sum *sum = xcalloc(tree->path_count, sizeof *sum);
	int64_t short_ns = short_call_ns(report);

	report->call = xcalloc(tree->calls.count, sizeof *report->call);
	report->call_count = tree->calls.count;
	for (size_t i = 0; i < tree->calls.count; i++) {
		uint32_t path = tree->of[i].path;

		report->call[i] = call_of(map, i, &time[i], report, short_ns);
		report->call[i].path = place[path];
		if (!phase_map_takes(map, i))
			continue;
		add_time(&sum[path], &tree->calls.at[i], &time[i],
			!report->path[place[path]].calls);
		add_call(&report->path[place[path]], &report->call[i], &time[i]);
	}
	for (size_t i = 0; i < tree->path_count; i++) {
		struct phase_path *path = &report->path[place[i]];

		if (!path->calls)
			continue;
		path->total_s = seconds(sum[i].total_ns);
		path->mean_s = seconds(sum[i].total_ns) / (double)path->calls;
		path->exclusive_s = seconds(sum[i].own_ns);
		path->union_s = seconds(sum[i].union_ns);
		path->too_short = path->max_s < seconds(short_ns);
	}
	free(sum);
}

/* Depth first; of one parent in the order in which they were first met. */
static void place_paths(
	const struct phase_tree *tree, const struct phase_rules *rules, uint32_t *place)
{
	size_t count = tree->path_count, next = 0, depth = 0;
	uint32_t *first = xcalloc(count + 1, sizeof *first); /* child + 1 of a parent */
	uint32_t *sibling = xcalloc(count + 1, sizeof *sibling); /* the next one + 1 */
	uint32_t *stack = xcalloc(count + 1, sizeof *stack);

	for (size_t i = count; i-- > 0;) {
		uint32_t parent = tree->path[i].parent;
		uint32_t *head = &first[parent == PHASE_NONE ? count : parent];

		sibling[i] = *head;
		*head = (uint32_t)i + 1;
	}
	stack[depth++] = first[count];
	while (depth && !rules->flat) {
		uint32_t at = stack[depth - 1];

		if (!at) {
			depth--;
			continue;
		}
		place[at - 1] = (uint32_t)next++;
		stack[depth - 1] = sibling[at - 1];
		if (first[at - 1])
			stack[depth++] = first[at - 1];
	}
	for (size_t i = 0; rules->flat && i < count; i++)
		place[i] = (uint32_t)i; /* by name */
	free(first);
	free(sibling);
	free(stack);
}

static struct phase_path *name_path(
	struct report *report, size_t at, const char *name, const char *last)
{
	struct phase_path *path = &report->path[at];

	*path = (struct phase_path){.path = xstrdup(name), .name = last};
	path->start_s = path->total_s = path->exclusive_s = NAN;
	path->min_s = path->mean_s = path->max_s = NAN;
	path->union_s = NAN;
	return path;
}

static void add_paths(
	const struct phase_tree *tree, const uint32_t *place, struct report *report)
{
	report->path = xcalloc(tree->path_count + 1, sizeof *report->path);
	report->path_count = tree->path_count;
	for (size_t i = 0; i < tree->path_count; i++)
		name_path(report, place[i], tree->path[i].name, tree->path[i].last)
			->depth = tree->path[i].depth;
}

static void add_outside(
	const struct phase_map *map, struct report *report, uint32_t *place)
{
	size_t paths = phase_map_tree(map)->path_count;

	if (!paths || !phase_map_counts(map, (uint32_t)paths))
		return;
	place[paths] = (uint32_t)report->path_count;
	name_path(report, report->path_count++, PHASE_OUTSIDE, PHASE_OUTSIDE)->outside =
		true;
}

/* Of what is in no call, if that is a path. */
static void time_outside(const struct phase_tree *tree, struct report *report,
	const struct call_time *time)
{
	int128 length_ns = (int128)report->ended_ns - report->started_ns;
	struct phase_path *path = &report->path[tree->path_count];

	if (report->path_count == tree->path_count)
		return;
	if (report->started_ns == TIME_NONE) /* no call has a time then */
		path->total_s = report->duration_s;
	else
		path->total_s = seconds(length_ns -
			phase_tree_covered_ns(
				tree, time, report->started_ns, report->ended_ns));
	path->exclusive_s = path->union_s = path->total_s;
}

/* The statistics of one device in each path, by metric. */
static void add_device(struct aggregate *agg, enum source_kind kind, uint32_t index,
	struct report *report, const uint32_t *place)
{
	struct device_state *device = agg->source[kind].device[index];
	struct phase_cells *cells = &device->in_phases;
	struct timing timing = device_timing(agg, kind, device);

	phase_cells_list(cells, agg->phases);
	for (size_t i = 0; i < cells->count; i++) {
		const struct phase_cell *cell = &cells->at[i];

		if (!phase_map_counts(agg->phases, cell->path))
			continue;
		series_finish(cell->series,
			metric_limit_ns(device, &timing, cell->metric), timing.step_ns,
			&agg->run->texts,
			path_stats_add(&report->path[place[cell->path]], kind, index));
	}
	phase_cells_release(cells); /* the next device's take its place in memory */
	path_stats_shares(
		agg, kind, index, &device->ticks_in_phases, report->path, place);
}

static void add_stats(struct aggregate *agg, struct report *report, const uint32_t *place)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		for (size_t i = 0; i < agg->source[kind].device_count; i++)
			if (agg->source[kind].device[i])
				add_device(agg, kind, (uint32_t)i, report, place);
}

void phase_report(struct aggregate *agg, struct report *report)
{
	const struct phase_map *map = aggregate_phases(agg);
	const struct phase_tree *tree = phase_map_tree(map);
	struct phase_rules rules = aggregate_phase_rules(agg);
	uint32_t *place = xcalloc(tree->path_count + 1, sizeof *place);
	struct call_time *time;

	place_paths(tree, &rules, place);
	add_paths(tree, place, report);
	add_outside(map, report, place);
	/* Which frees what they are of; the calls take its place in memory. */
	add_stats(agg, report, place);
	time = xcalloc(tree->calls.count, sizeof *time);
	phase_tree_times(tree, report->ended_ns, time);
	time_outside(tree, report, time);
	add_calls(map, report, time, place);
	for (size_t i = 0; i < report->path_count; i++)
		summary_phase(report, &report->path[i]);
	phase_own_energy(report);
	if (agg->calls)
		phase_calls_report(agg, report);
	report_link_calls(report);
	free(time);
	free(place);
}
