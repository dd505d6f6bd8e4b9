/*
 * Memory of a timeline, the list of metrics that it draws, and series of a metric that
 * are merged into one.
 */
#include "model/timeline_group.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

#define TIMELINE(metric, whole, base, instead, word, lines) \
	{METRIC_##metric, METRIC_##whole, BASE_##base, METRIC_##instead, word, lines},

static const struct timeline_metric timeline_def[] = {
#include "../schema/metrics.def"
};

#define METRICS (sizeof timeline_def / sizeof timeline_def[0])

const struct timeline_metric *timeline_metrics(size_t *count)
{
	*count = METRICS;
	return timeline_def;
}

size_t timeline_metric_at(enum metric_id metric)
{
	size_t at = 0;

	while (at < METRICS && timeline_def[at].metric != metric)
		at++;
	return at;
}

const char *slowed_name(enum slowed why)
{
	static const char *const name[SLOWED_COUNT] = {"power limit", "heat", "hardware"};

	return name[why];
}

void timeline_series_release(struct timeline_series *series)
{
	free(series->column);
	free(series->gap);
	free(series->unrecorded);
	*series = (struct timeline_series){0};
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->series_count; i++)
		timeline_series_release(&timeline->series[i]);
	for (size_t i = 0; i < timeline->held_count; i++)
		timeline_series_release(&timeline->held[i].known);
	free(timeline->series);
	free(timeline->mark);
	free(timeline->held);
	free(timeline);
}

size_t timeline_gaps_between(const struct timeline_series *series)
{
	return series->gap_count - series->edge_gaps;
}

double timeline_place(const struct timeline *timeline, int64_t t_ns)
{
	return ((double)t_ns - (double)timeline->grid_ns) / (double)timeline->step_ns;
}

/* Merges series and columns. Keeps the smallest and the largest value. */

static size_t next_value(const struct timeline_series *one, size_t columns, size_t at)
{
	while (at < columns && isnan(one->column[at].min))
		at++;
	return at;
}

/* Where the line of a device stands in each column. */
struct line {
	struct timeline_column *at; /* [columns] owned */
	size_t *piece; /* [columns] owned; 0: nothing is known of it there */
	size_t pieces;
};

static void put(struct line *line, size_t c, struct timeline_column column)
{
	line->at[c] = column;
	line->piece[c] = line->pieces;
}

/* Its value in a column that no sample of it is in. */
static void put_value(struct line *line, size_t c, double value)
{
	put(line, c, (struct timeline_column){.min = value, .max = value, .mean = value});
}

static void hold_on(struct line *line, size_t from, size_t count, size_t end)
{
	for (size_t c = from + 1; c < end && c - from <= count; c++)
		put_value(line, c, line->at[from].mean);
}

/* Over columns that the piece before has not reached. */
static void hold_back(struct line *line, size_t from, size_t count, double value)
{
	for (size_t c = from; c-- > 0 && from - c <= count && !line->piece[c];)
		put_value(line, c, value);
}

static void go(struct line *line, size_t from, size_t to, double value)
{
	double step = (value - line->at[from].mean) / (double)(to - from);

	for (size_t c = from + 1; c < to; c++)
		put_value(line, c, line->at[from].mean + step * (double)(c - from));
}

/* How many columns a value reaches into a gap: two make no more than the gap. */
static size_t reach_of(const struct timeline_series *one, size_t columns)
{
	double reach = one->gaps_known ? ceil(one->limit / 2) : INFINITY;

	return reach < (double)columns ? (size_t)reach : columns;
}

static void lay_line(struct line *line, const struct timeline_series *one, size_t columns)
{
	size_t reach = reach_of(one, columns), last = columns;

	for (size_t c = 0; c < columns; c++)
		line->piece[c] = 0;
	line->pieces = 0;
	for (size_t c = next_value(one, columns, 0); c < columns;
		c = next_value(one, columns, c + 1)) {
		bool first = last == columns;

		if (!first && one->column[c].joined) {
			go(line, last, c, one->column[c].mean);
		} else {
			if (!first)
				hold_on(line, last, reach, c);
			line->pieces++;
			hold_back(line, c, first && !one->starts_late ? columns : reach,
				one->column[c].mean);
		}
		put(line, c, one->column[c]);
		last = c;
	}
	if (last < columns)
		hold_on(line, last, one->ends_early ? reach : columns, columns);
}

/* A column on its way: the mean is that of what is in it. */
struct merged {
	struct timeline_column column;
	double sum;
	size_t n;
};

static struct merged merged_none(void)
{
	return (struct merged){.column = {.min = NAN, .max = NAN, .mean = NAN}};
}

static void take(struct merged *to, const struct timeline_column *column)
{
	to->column.min = fmin(to->column.min, column->min);
	to->column.max = fmax(to->column.max, column->max);
	to->sum += column->mean;
	to->n++;
	to->column.mean = to->sum / (double)to->n;
}

/* What a line says of a column, and how it came there from the column before it. */
static void take_line(struct merged *to, const struct line *line, size_t c, size_t before)
{
	size_t piece = line->piece[c];

	if (piece)
		take(to, &line->at[c]);
	to->column.joined |= before < c && piece && piece == line->piece[before];
	to->column.others |= piece != line->piece[before];
}

/* The columns in which a device has a sample. To be freed. */
static bool *sampled(
	const struct timeline_series *const *series, size_t count, size_t columns)
{
	bool *any = xcalloc(columns, sizeof *any);

	for (size_t i = 0; i < count; i++)
		for (size_t c = 0; c < columns; c++)
			any[c] |= !isnan(series[i]->column[c].min);
	return any;
}

/* The devices as one: a column with a sample of any has the values of all that are known
 * there. To be freed. */
static struct timeline_column *together(
	const struct timeline_series *const *series, size_t count, size_t columns)
{
	struct timeline_column *all = xcalloc(columns, sizeof *all);
	struct merged *merged = xcalloc(columns, sizeof *merged);
	bool *any = sampled(series, count, columns);
	struct line line = {xcalloc(columns, sizeof *line.at),
		xcalloc(columns, sizeof *line.piece), 0};

	for (size_t c = 0; c < columns; c++)
		merged[c] = merged_none();
	for (size_t i = 0; i < count; i++) {
		size_t before = columns;

		lay_line(&line, series[i], columns);
		for (size_t c = 0; c < columns; c++) {
			if (!any[c])
				continue;
			take_line(&merged[c], &line, c, before < columns ? before : c);
			before = c;
		}
	}
	for (size_t c = 0; c < columns; c++)
		all[c] = merged[c].column;
	free(line.at);
	free(line.piece);
	free(any);
	free(merged);
	return all;
}

/* The columns [from, end) as one; *changed: within those before it the devices changed.
 */
static struct timeline_column join(
	const struct timeline_column *column, size_t from, size_t end, bool *changed)
{
	struct merged one = merged_none();
	bool within = false;

	for (size_t c = from; c < end; c++) {
		if (isnan(column[c].min))
			continue;
		if (!one.n)
			one.column.joined = column[c].joined;
		else
			within |= column[c].others;
		one.column.others |= column[c].others;
		take(&one, &column[c]);
	}
	one.column.others |= one.n && *changed;
	if (one.n)
		*changed = within;
	return one.column;
}

static void merge_columns(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count, size_t columns,
	size_t per_column)
{
	size_t merged = timeline_merged_columns(columns, per_column);
	struct timeline_column *own = count > 1 ? together(series, count, columns) : NULL;
	bool changed = false;

	all->column = xcalloc(merged, sizeof *all->column);
	for (size_t c = 0; c < merged; c++) {
		size_t from = c * per_column, end = from + per_column;

		all->column[c] = join(own ? own : series[0]->column, from,
			end < columns ? end : columns, &changed);
	}
	free(own);
}

/* Stretches of time, in their order. */
struct stretches {
	struct timeline_gap *at; /* [count] owned */
	size_t count, cap;
};

static void add_stretch(struct stretches *list, double from, double to)
{
	ALLOC_NEXT(list->at, list->count, list->cap) = (struct timeline_gap){from, to};
}

/* Leaves what lies in others as well, whose places are so many times those here. */
static void intersect(struct stretches *list, const struct timeline_gap *gap,
	size_t count, double scale)
{
	struct stretches both = {NULL, 0, 0};

	for (size_t i = 0, k = 0; i < list->count && k < count;) {
		double from = fmax(list->at[i].from, gap[k].from / scale);
		double to = fmin(list->at[i].to, gap[k].to / scale);

		if (to > from)
			add_stretch(&both, from, to);
		if (list->at[i].to < gap[k].to / scale)
			i++;
		else
			k++;
	}
	free(list->at);
	*list = both;
}

static struct stretches always(void)
{
	struct stretches list = {NULL, 0, 0};

	add_stretch(&list, -INFINITY, INFINITY);
	return list;
}

/* Where none of them is told of. */
static void merge_unrecorded(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count, size_t per_column)
{
	struct stretches common = always();

	for (size_t i = 0; i < count; i++)
		intersect(&common, series[i]->unrecorded, series[i]->unrecorded_count,
			(double)per_column);
	all->unrecorded = common.at;
	all->unrecorded_count = common.count;
	all->unrecorded_cap = common.cap;
}

/* What is left of two gaps need not be one. */
static void drop_short(struct stretches *list, double limit)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].to - list->at[i].from > limit * (1 - 1e-9))
			list->at[count++] = list->at[i];
	list->count = count;
}

/* Of those of which it can be told. */
static void merge_gaps(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count, size_t per_column)
{
	struct stretches common = always();
	double limit = INFINITY, scale = (double)per_column;

	for (size_t i = 0; i < count; i++) {
		const struct timeline_series *one = series[i];

		if (!one->gaps_known)
			continue;
		all->starts_late =
			one->starts_late && (all->starts_late || !all->gaps_known);
		all->ends_early =
			one->ends_early && (all->ends_early || !all->gaps_known);
		all->gaps_known = true;
		limit = fmin(limit, one->limit / scale);
		intersect(&common, one->gap, one->gap_count, scale);
	}
	drop_short(&common, all->gaps_known ? limit : INFINITY);
	all->edge_gaps = (size_t)all->starts_late + (size_t)all->ends_early;
	all->gap = common.at;
	all->gap_count = common.count;
	all->gap_cap = common.cap;
}

void timeline_common_gaps(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count)
{
	*all = (struct timeline_series){.gap_count = 0};
	merge_gaps(all, series, count, 1);
	merge_unrecorded(all, series, count, 1);
}

bool timeline_lacks_alone(
	const struct timeline_series *one, const struct timeline_series *all)
{
	for (size_t i = 0, k = 0; i < one->gap_count; i++) {
		double from = one->gap[i].from, to = one->gap[i].to, left = to - from;

		while (k < all->gap_count && all->gap[k].to <= from)
			k++;
		for (size_t j = k; j < all->gap_count && all->gap[j].from < to; j++)
			left -= fmin(all->gap[j].to, to) - fmax(all->gap[j].from, from);
		if (left > one->limit)
			return true;
	}
	return false;
}

size_t timeline_merged_columns(size_t columns, size_t per_column)
{
	return (columns + per_column - 1) / per_column;
}

void timeline_merge(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count, size_t columns,
	size_t per_column)
{
	*all = (struct timeline_series){
		.metric = series[0]->metric, .min = INFINITY, .max = -INFINITY};
	for (size_t i = 0; i < count; i++) {
		all->min = fmin(all->min, series[i]->min);
		all->max = fmax(all->max, series[i]->max);
	}
	merge_columns(all, series, count, columns, per_column);
	merge_gaps(all, series, count, per_column);
	merge_unrecorded(all, series, count, per_column);
}
