/*
 * A percentile lies between two values that are neighbours by size: no value lies between
 * them, so they are the nearest ones that are not above it and not below it.
 */
#include "compute/inspect/rank_lines.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"

struct ranked {
	struct origin *origin;
	const struct origin_phase *phase;
	double percentile[ORIGIN_PERCENTILES]; /* in the metric's unit */
	bool has[ORIGIN_PERCENTILES][2]; /* a neighbour below, above, so far */
};

struct rank_lines {
	struct sample_witness witness;
	struct compute_window window;
	struct ranked *at; /* [count] by source, metric, device; owned */
	size_t count;
};

static int by_series(const struct origin *origin, enum source_kind source,
	enum metric_id metric, uint32_t device)
{
	if (origin->source != source)
		return origin->source < source ? -1 : 1;
	if (origin->metric != metric)
		return origin->metric < metric ? -1 : 1;
	return (origin->device > device) - (origin->device < device);
}

static int compare(const void *a, const void *b)
{
	const struct origin *x = ((const struct ranked *)a)->origin;
	const struct origin *y = ((const struct ranked *)b)->origin;

	return by_series(x, y->source, y->metric, y->device);
}

/* The first that is of the series, or behind it. */
static size_t find(const struct rank_lines *lines, enum source_kind source,
	enum metric_id metric, uint32_t device)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_series(lines->at[middle].origin, source, metric, device) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_in_phase(const struct origin_phase *phase, int64_t t_ns)
{
	size_t low = 0, high = phase->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (phase->at[middle].from_ns <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && t_ns < phase->at[low - 1].to_ns;
}

/* Rows without times are in no window and in no phase. */
static bool is_in(const struct rank_lines *lines, const struct ranked *ranked, bool timed,
	int64_t t_ns)
{
	if (!timed)
		return !lines->window.set && !ranked->origin->phase;
	return window_has(&lines->window, t_ns) &&
		(!ranked->origin->phase || is_in_phase(ranked->phase, t_ns));
}

/* Of equal values the first by time is kept. */
static void take(struct origin_value *nearest, bool *has,
	const struct origin_value *value, bool nearer)
{
	if (!*has || nearer ||
		(value->quanta == nearest->quanta && value->t_ns < nearest->t_ns))
		*nearest = *value;
	*has = true;
}

static void look(struct ranked *ranked, const struct origin_value *value)
{
	double x =
		number_ratio(value->quanta, metric_get(ranked->origin->metric)->per_unit);

	for (int i = 0; i < ORIGIN_PERCENTILES; i++) {
		struct origin_neighbours *near = &ranked->origin->percentile[i];

		if (x <= ranked->percentile[i])
			take(&near->below, &ranked->has[i][0], value,
				value->quanta > near->below.quanta);
		if (x >= ranked->percentile[i])
			take(&near->above, &ranked->has[i][1], value,
				value->quanta < near->above.quanta);
	}
}

static void add(
	struct sample_witness *witness, struct run *run, const struct sample_batch *batch)
{
	struct rank_lines *lines = (struct rank_lines *)witness;

	(void)run;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		size_t first = find(lines, batch->source, column->metric, 0);

		if (first == lines->count ||
			lines->at[first].origin->source != batch->source ||
			lines->at[first].origin->metric != column->metric)
			continue;
		for (size_t row = 0; row < batch->rows; row++) {
			const struct origin_value value = {batch->file,
				sample_column_line(batch, column, row), batch->t_ns[row],
				column->value[row]};
			size_t i = find(
				lines, batch->source, column->metric, batch->device[row]);

			for (; column->presence[row] == PRESENCE_VALUE &&
				i < lines->count &&
				!by_series(lines->at[i].origin, batch->source,
					column->metric, batch->device[row]);
				i++)
				if (is_in(lines, &lines->at[i], batch->timed, value.t_ns))
					look(&lines->at[i], &value);
		}
	}
}

static void again(struct sample_witness *witness, enum source_kind kind,
	const struct compute_window *window)
{
	struct rank_lines *lines = (struct rank_lines *)witness;

	(void)window;
	for (size_t i = 0; i < lines->count; i++)
		for (int k = 0; k < ORIGIN_PERCENTILES; k++)
			if (lines->at[i].origin->source == kind)
				lines->at[i].has[k][0] = lines->at[i].has[k][1] = false;
}

/* The statistics that the values of an origin make; NULL: nobody wants them. */
static const struct metric_stats *stats_of(
	const struct report *report, const struct origin *origin)
{
	const struct metric_stats *stats = report->stats;
	size_t count = report->stats_count;

	for (size_t i = 0; origin->phase && i < report->path_count; i++)
		if (report->path[i].path == origin->phase) {
			stats = report->path[i].stats;
			count = report->path[i].stats_count;
		}
	return metric_stats_of(
		stats, count, origin->source, origin->device, origin->metric);
}

struct rank_lines *rank_lines_new(struct origins *origins,
	const struct origin_phases *phases, const struct compute_window *window,
	const struct report *report)
{
	struct rank_lines *lines = xcalloc(1, sizeof *lines);

	lines->witness = (struct sample_witness){.add = add, .again = again};
	lines->window = *window;
	lines->at = xcalloc(origins->count + 1, sizeof *lines->at);
	for (size_t i = 0; i < origins->count; i++) {
		struct origin *origin = &origins->at[i];
		const struct metric_stats *s = stats_of(report, origin);

		if (s && origin->values && !isnan(s->p50))
			lines->at[lines->count++] = (struct ranked){.origin = origin,
				.phase = &phases->at[i % phases->count],
				.percentile = {s->p50, s->p90, s->p95, s->p99}};
	}
	if (!lines->count) {
		rank_lines_free(lines);
		return NULL;
	}
	qsort(lines->at, lines->count, sizeof *lines->at, compare);
	return lines;
}

void rank_lines_free(struct rank_lines *lines)
{
	if (!lines)
		return;
	free(lines->at);
	free(lines);
}

struct sample_witness *rank_lines_as_witness(struct rank_lines *lines)
{
	return &lines->witness;
}

void rank_lines_settle(
	struct rank_lines *lines, const struct run *run, const struct run *read)
{
	for (size_t i = 0; i < lines->count; i++) {
		struct ranked *ranked = &lines->at[i];

		ranked->origin->ranked = true;
		for (int k = 0; k < ORIGIN_PERCENTILES; k++) {
			struct origin_neighbours *near = &ranked->origin->percentile[k];

			ranked->origin->ranked &= ranked->has[k][0] && ranked->has[k][1];
			origin_value_settle(&near->below, run, read);
			origin_value_settle(&near->above, run, read);
		}
	}
}
