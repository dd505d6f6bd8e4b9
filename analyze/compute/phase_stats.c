/*
 * The calls as a balanced tree that is implied by their order (by start; the root of a
 * range is its middle), each node with the latest end below it: the calls around an
 * instant are found in the logarithm of all calls, and their number.
 */
#include "compute/phase_stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct phase_stats {
	struct phase_rules rules;
	struct calls calls;
	uint32_t *path_of; /* [calls.count] */
	int64_t *latest_ns; /* [calls.count] the latest end in the tree below */
	bool *sampled; /* [calls.count] a sample lies in it */
	const char **path; /* [path_count] names, ascending */
	size_t path_count;
	int64_t *edge_ns; /* [edge_count] starts and ends, ascending */
	size_t edge_count;

	/* the last answer, and from when to when it holds */
	uint32_t *answer;
	size_t answer_count, answer_cap;
	int64_t from_ns, to_ns; /* from > to: there is none */
	uint64_t *seen; /* [path_count] the question in which it was last met */
	uint64_t question;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void find_paths(struct phase_stats *stats)
{
	size_t count = stats->calls.count, kept = 0;

	stats->path = xcalloc(count, sizeof *stats->path);
	for (size_t i = 0; i < count; i++)
		stats->path[i] = call_name(&stats->calls.at[i]);
	if (count)
		qsort(stats->path, count, sizeof *stats->path, by_text);
	for (size_t i = 0; i < count; i++)
		if (!kept || strcmp(stats->path[kept - 1], stats->path[i]) != 0)
			stats->path[kept++] = stats->path[i];
	stats->path_count = kept;
	stats->path_of = xcalloc(count, sizeof *stats->path_of);
	for (size_t i = 0; i < count; i++) {
		const char *name = call_name(&stats->calls.at[i]);
		const char **found =
			bsearch(&name, stats->path, kept, sizeof *stats->path, by_text);

		stats->path_of[i] = (uint32_t)(found - stats->path);
	}
}

static void find_edges(struct phase_stats *stats)
{
	stats->edge_ns = xcalloc(stats->calls.count, 2 * sizeof *stats->edge_ns);
	for (size_t i = 0; i < stats->calls.count; i++) {
		stats->edge_ns[stats->edge_count++] = stats->calls.at[i].start_ns;
		stats->edge_ns[stats->edge_count++] = stats->calls.at[i].end_ns;
	}
	if (stats->edge_count)
		qsort(stats->edge_ns, stats->edge_count, sizeof *stats->edge_ns, by_time);
}

static int64_t find_latest(struct phase_stats *stats, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	int64_t latest = INT64_MIN, below;

	if (low == high)
		return latest;
	latest = stats->calls.at[middle].end_ns;
	below = find_latest(stats, low, middle);
	latest = below > latest ? below : latest;
	below = find_latest(stats, middle + 1, high);
	latest = below > latest ? below : latest;
	return stats->latest_ns[middle] = latest;
}

struct phase_stats *phase_stats_new(
	const struct run *run, const struct phase_rules *rules)
{
	struct phase_stats *stats = xcalloc(1, sizeof *stats);

	stats->rules = *rules;
	calls_find(&stats->calls, run);
	find_paths(stats);
	find_edges(stats);
	stats->latest_ns = xcalloc(stats->calls.count, sizeof *stats->latest_ns);
	find_latest(stats, 0, stats->calls.count);
	stats->sampled = xcalloc(stats->calls.count, sizeof *stats->sampled);
	stats->seen = xcalloc(stats->path_count, sizeof *stats->seen);
	stats->from_ns = 1;
	return stats;
}

void phase_stats_free(struct phase_stats *stats)
{
	if (!stats)
		return;
	calls_release(&stats->calls);
	free(stats->path_of);
	free(stats->latest_ns);
	free(stats->sampled);
	free(stats->path);
	free(stats->edge_ns);
	free(stats->answer);
	free(stats->seen);
	free(stats);
}

const struct calls *phase_stats_calls(const struct phase_stats *stats)
{
	return &stats->calls;
}

uint32_t phase_stats_path(const struct phase_stats *stats, size_t call)
{
	return stats->path_of[call];
}

static bool counts(const struct phase_stats *stats, const struct call *call)
{
	return !call->unfinished || !stats->rules.finished;
}

static void meet(struct phase_stats *stats, size_t i)
{
	uint32_t path = stats->path_of[i];

	stats->sampled[i] = true;
	if (stats->seen[path] == stats->question)
		return;
	stats->seen[path] = stats->question;
	ALLOC_GROW(stats->answer, stats->answer_count + 1, stats->answer_cap);
	stats->answer[stats->answer_count++] = path;
}

/* Meets the calls of a range that t_ns lies in. */
static void find(struct phase_stats *stats, size_t low, size_t high, int64_t t_ns)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct call *call = &stats->calls.at[middle];

		if (stats->latest_ns[middle] < t_ns)
			return;
		find(stats, low, middle, t_ns);
		if (call->start_ns > t_ns)
			return;
		if ((t_ns < call->end_ns ||
			    (stats->rules.closed && t_ns == call->end_ns)) &&
			counts(stats, call))
			meet(stats, middle);
		low = middle + 1;
	}
}

/* An answer holds between two edges; on an edge for this instant only. */
static void find_span(struct phase_stats *stats, int64_t t_ns)
{
	size_t low = 0, high = stats->edge_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stats->edge_ns[middle] < t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	stats->from_ns = stats->to_ns = t_ns;
	if (low < stats->edge_count && stats->edge_ns[low] == t_ns)
		return;
	stats->from_ns = low ? stats->edge_ns[low - 1] + 1 : INT64_MIN;
	stats->to_ns = low < stats->edge_count ? stats->edge_ns[low] - 1 : INT64_MAX;
}

const uint32_t *phase_stats_at(struct phase_stats *stats, int64_t t_ns, size_t *count)
{
	if (t_ns < stats->from_ns || t_ns > stats->to_ns) {
		stats->question++;
		stats->answer_count = 0;
		find(stats, 0, stats->calls.count, t_ns);
		find_span(stats, t_ns);
	}
	*count = stats->answer_count;
	return stats->answer;
}

void phase_stats_report(const struct phase_stats *stats, struct report *report)
{
	report->path = xcalloc(stats->path_count, sizeof *report->path);
	report->path_count = stats->path_count;
	for (size_t i = 0; i < stats->path_count; i++)
		report->path[i].name = stats->path[i];
	for (size_t i = 0; i < stats->calls.count; i++) {
		struct phase_path *path = &report->path[stats->path_of[i]];

		if (!counts(stats, &stats->calls.at[i]))
			continue;
		path->calls++;
		path->non_empty_calls += stats->sampled[i];
	}
}

struct phase_cell {
	uint32_t path;
	enum metric_id metric;
	struct moments moments;
};

void phase_cells_release(struct phase_cells *cells)
{
	free(cells->at);
	*cells = (struct phase_cells){0};
}

static struct phase_cell *cell_at(
	const struct phase_cells *cells, uint32_t path, enum metric_id metric)
{
	uint64_t hash = ((uint64_t)path * METRIC_COUNT + metric) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32) & (cells->cap - 1);

	while (cells->at[at].moments.n &&
		(cells->at[at].path != path || cells->at[at].metric != metric))
		at = (at + 1) & (cells->cap - 1);
	return &cells->at[at];
}

static void grow(struct phase_cells *cells)
{
	struct phase_cells larger = {
		.count = cells->count, .cap = cells->cap ? 2 * cells->cap : 64};

	larger.at = xcalloc(larger.cap, sizeof *larger.at);
	for (size_t i = 0; i < cells->cap; i++) {
		const struct phase_cell *cell = &cells->at[i];

		if (cell->moments.n)
			*cell_at(&larger, cell->path, cell->metric) = *cell;
	}
	free(cells->at);
	*cells = larger;
}

void phase_cells_add(
	struct phase_cells *cells, uint32_t path, enum metric_id metric, int64_t value)
{
	struct phase_cell *cell;

	if (4 * (cells->count + 1) > 3 * cells->cap)
		grow(cells);
	cell = cell_at(cells, path, metric);
	if (!cell->moments.n) {
		cell->path = path;
		cell->metric = metric;
		cells->count++;
	}
	moments_add(&cell->moments, value);
}

static int by_path_and_metric(const void *a, const void *b)
{
	const struct phase_cell *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return (x->metric > y->metric) - (x->metric < y->metric);
}

static void add_metric(struct phase_path *path, const struct phase_cell *cell,
	enum source_kind source, uint32_t device)
{
	int64_t per_unit = metric_get(cell->metric)->per_unit;
	const struct moments *m = &cell->moments;
	struct metric_stats *stats;

	ALLOC_GROW(path->stats, path->stats_count + 1, path->stats_cap);
	stats = &path->stats[path->stats_count++];
	*stats = (struct metric_stats){.source = source, .device = device};
	metric_stats_init(stats, cell->metric);
	stats->n = m->n;
	stats->min = number_ratio(m->min, per_unit);
	stats->max = number_ratio(m->max, per_unit);
	stats->sum = number_ratio(m->sum, per_unit);
	stats->mean_samples = moments_mean(m, per_unit);
	stats->stddev = moments_deviation(m, per_unit);
}

void phase_cells_report(const struct phase_cells *cells, enum source_kind source,
	uint32_t device, struct report *report)
{
	struct phase_cell *sorted = xcalloc(cells->count, sizeof *sorted);
	size_t count = 0;

	for (size_t i = 0; i < cells->cap; i++)
		if (cells->at[i].moments.n)
			sorted[count++] = cells->at[i];
	if (count)
		qsort(sorted, count, sizeof *sorted, by_path_and_metric);
	for (size_t i = 0; i < count; i++)
		add_metric(&report->path[sorted[i].path], &sorted[i], source, device);
	free(sorted);
}
