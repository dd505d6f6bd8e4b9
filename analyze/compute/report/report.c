/*
 * Makes the report from an aggregate: statistics of every device in every source, then
 * all that follows from them. Contains no formula of a metric (compute/series does).
 */
#include "compute/report/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Units of work: rate, GPU time and energy of each. */

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
	work->gpu_util_mean_pct = work->energy_j = work->energy_coverage = NAN;
	work->energy_j_per_unit = NAN;
	if (work->n_is != WORK_RATE)
		work->units_per_s =
			work->seconds > 0 ? work->units_timed / work->seconds : NAN;
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

	singles_begin(&singles, agg, IN_WORK);
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

/* Units of work; the run's times, and which GPUs count, are known. */
static void work_report(struct aggregate *agg, struct report *report)
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

/* Single calls, one at a time. */

/* known: it is not beyond the longest, of which nothing is known, not even how much. */
static void take_numbers(struct phase_call *call, const struct report *report,
	struct phase_path *path, bool known)
{
	summary_phase(report, path);
	call->gpu_util_mean_pct = path->summary[PHASE_gpu_util_mean_pct].number;
	call->power_total_mean_w = path->summary[PHASE_power_total_mean_w].number;
	call->energy_j = path->summary[PHASE_energy_j].number;
	if (known)
		call->energy_coverage = path->summary[PHASE_energy_coverage].number;
	call->energy_method =
		energy_over_gpus(report, path->stats, path->stats_count, call->seconds)
			.method;
}

/* What single calls have of the metrics of phase_is_main, into the report. */
static void phase_calls_report(struct aggregate *agg, struct report *report)
{
	struct singles singles;

	singles_begin(&singles, agg, IN_CALLS);
	for (size_t i = 0; i < report->call_count; i++) {
		struct phase_path path = {.union_s = report->call[i].seconds};

		singles_take(&singles, (uint32_t)i, &path);
		take_numbers(&report->call[i], report, &path,
			phase_map_counts(agg->calls, (uint32_t)i));
		phase_path_release(&path);
	}
	singles_release(&singles);
}

/* Own energy of a phase: without the phases directly inside of it. */

/* By which the calls in another may stick out (README.md, "Phases"). */
#define STICKS_OUT_S 0.002

/* What the paths right in one have. */
struct inner {
	double union_s, energy_j;
	uint64_t calls;
};

static bool is_right_in(const struct phase_path *in, const struct phase_path *path)
{
	return in->depth == path->depth + 1;
}

/* The place behind the paths that are in one. */
static size_t end_of(const struct report *report, size_t at)
{
	size_t end = at + 1;

	while (end < report->path_count &&
		report->path[end].depth > report->path[at].depth)
		end++;
	return end;
}

static struct inner inner_of(const struct report *report, size_t at)
{
	const struct phase_path *path = &report->path[at];
	size_t end = end_of(report, at);
	struct inner inner = {0};

	for (size_t i = at + 1; i < end; i++) {
		const struct phase_path *in = &report->path[i];
		double energy_j = in->summary[PHASE_energy_partial_j].number;

		if (!is_right_in(in, path))
			continue;
		inner.union_s += in->union_s;
		inner.energy_j += isnan(energy_j) ? 0 : energy_j;
		inner.calls += in->calls;
	}
	return inner;
}

static double slack_of(const struct phase_path *path, const struct inner *inner)
{
	return STICKS_OUT_S * (double)(path->calls + inner->calls);
}

/* Is every instant of it in one call, and in one of the calls in that at most? */
static bool is_apart(const struct phase_path *path, const struct inner *inner)
{
	double slack_s = slack_of(path, inner);

	return path->duration_s - path->union_s <= slack_s &&
		fabs(path->union_s - inner->union_s - path->exclusive_s) <= slack_s;
}

/*
 * Has a path, beside the known energies of those in it, none of their time? A counter
 * goes on over a gap: where one in it cuts or lies in a gap, the rise over that is in the
 * energy of the outer one, and how much of it is the inner one's nobody knows.
 */
static bool is_counted_apart(const struct report *report, size_t at,
	const struct metric_stats *run, const struct inner *inner)
{
	const struct phase_path *path = &report->path[at];
	const struct metric_stats *own = metric_stats_of(
		path->stats, path->stats_count, run->source, run->device, run->metric);
	double slack_s = slack_of(path, inner), covered_s = 0;
	size_t end = end_of(report, at);

	for (size_t i = at + 1; i < end; i++) {
		const struct phase_path *in = &report->path[i];
		const struct metric_stats *s = metric_stats_of(in->stats, in->stats_count,
			run->source, run->device, run->metric);

		if (!is_right_in(in, path) || !s || !(s->covered_s > 0))
			continue;
		if (isnan(s->energy_j))
			return false;
		covered_s += s->covered_s;
	}
	return inner->union_s - covered_s <= slack_s ||
		(own && fabs(own->covered_s - covered_s - path->exclusive_s) <= slack_s);
}

static bool are_counted_apart(
	const struct report *report, size_t at, const struct inner *inner)
{
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++) {
		const struct metric_stats *run = metric_stats_energy(
			report->stats, report->stats_count, gpus->at[i]);

		if (run && report_counts_gpu(report, gpus->at[i]) &&
			energy_method(run) == ENERGY_COUNTER &&
			!is_counted_apart(report, at, run, inner))
			return false;
	}
	return true;
}

/* NAN: unknown, and not 0, which fmax would make of it. */
static double own_energy(const struct phase_path *path, const struct inner *inner)
{
	double own_j = path->summary[PHASE_energy_j].number - inner->energy_j;

	return own_j < 0 ? 0 : own_j;
}

void phase_own_energy(struct report *report)
{
	for (size_t i = 0; i < report->path_count; i++) {
		struct phase_path *path = &report->path[i];
		struct inner inner = inner_of(report, i);

		path->exclusive_energy_j = NAN;
		if (path->outside)
			path->exclusive_energy_j = path->summary[PHASE_energy_j].number;
		else if (is_apart(path, &inner) && are_counted_apart(report, i, &inner))
			path->exclusive_energy_j = own_energy(path, &inner);
	}
}

/* Phases: tree of paths, calls, durations, statistics, and single calls. */

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

/* Those of its beginning, and what its end has more. */
static const char *extras_of(const struct call *call, struct report *report)
{
	const char *extras = call->event->extras;
	struct strbuf joined;

	if (!call->end || !call->end->extras)
		return extras;
	joined = strbuf_new();
	if (event_join_extras(&joined, extras, call->end->extras))
		extras = report_keep(report, joined.text);
	strbuf_release(&joined);
	return extras;
}

/* One call, as it is listed. */
static struct phase_call call_of(const struct phase_map *map, size_t i,
	const struct call_time *time, struct report *report, int64_t short_ns)
{
	const struct call *call = &phase_map_tree(map)->calls.at[i];
	int64_t length_ns = time->end_ns - call->start_ns;

	return (struct phase_call){.name = call_name(call),
		.extras = extras_of(call, report),
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
		path->duration_s = seconds(sum[i].total_ns);
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
	path->start_s = path->duration_s = path->exclusive_s = NAN;
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
		path->duration_s = report->duration_s;
	else
		path->duration_s = seconds(length_ns -
			phase_tree_covered_ns(
				tree, time, report->started_ns, report->ended_ns));
	path->exclusive_s = path->union_s = path->duration_s;
}

/* The statistics of one device in each path, by metric. */
static void add_device(struct aggregate *agg, enum source_kind kind, uint32_t index,
	struct report *report, const uint32_t *place)
{
	struct device_state *device = agg->source[kind].device[index];
	struct phase_cells *cells = &device->in[IN_PHASES];
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

/* Phases out of the run's events, and what the samples in them say. */
static void phase_report(struct aggregate *agg, struct report *report)
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

static struct metric_stats *aggregate_report_add_stats(
	struct report *report, enum source_kind kind, uint32_t device)
{
	struct metric_stats *stats;

	stats = &ALLOC_NEXT(report->stats, report->stats_count, report->stats_cap);
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
		*aggregate_report_add_stats(report, kind, index) = stats;
	}
}

static void report_device(struct aggregate *agg, struct report *report,
	enum source_kind kind, uint32_t index)
{
	struct device_state *device = agg->source[kind].device[index];
	struct timing timing = device_timing(agg, kind, device);

	/* What it did at all times may be summed by what phases hold. */
	if (agg->phases)
		phase_cells_join(&device->in[IN_PHASES], agg->phases, device->series);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (device->series[id])
			series_finish(device->series[id],
				metric_limit_ns(device, &timing, id), timing.step_ns,
				&agg->run->texts,
				aggregate_report_add_stats(report, kind, index));
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
