/* Several series as one, several columns as one: no extreme is lost. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "model/timeline.h"

/* A column on its way: the mean is that of the columns in it. */
struct merged {
	struct timeline_column column;
	double sum;
	size_t n;
};

/* The columns [from, to) of one series. */
static void take_columns(
	struct merged *to, const struct timeline_series *one, size_t from, size_t end)
{
	bool first = true;

	for (size_t c = from; c < end; c++) {
		const struct timeline_column *column = &one->column[c];

		if (isnan(column->min))
			continue;
		to->column.min = fmin(to->column.min, column->min);
		to->column.max = fmax(to->column.max, column->max);
		to->column.joined |= first && column->joined;
		to->sum += column->mean;
		to->n++;
		first = false;
	}
}

static void merge_columns(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count, size_t columns,
	size_t per_column)
{
	size_t merged = timeline_merged_columns(columns, per_column);

	all->column = xcalloc(merged, sizeof *all->column);
	for (size_t c = 0; c < merged; c++) {
		size_t from = c * per_column, end = from + per_column;
		struct merged one = {.column = {NAN, NAN, NAN, false}};

		for (size_t i = 0; i < count; i++)
			take_columns(
				&one, series[i], from, end < columns ? end : columns);
		if (one.n)
			one.column.mean = one.sum / (double)one.n;
		all->column[c] = one.column;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct timeline_gap *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Every one of any of them; late and early is what all of them are. */
static void merge_gaps(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count, size_t per_column)
{
	double scale = (double)per_column;

	all->starts_late = all->ends_early = true;
	for (size_t i = 0; i < count; i++) {
		const struct timeline_series *one = series[i];

		all->gaps_known |= one->gaps_known;
		all->starts_late &= one->starts_late;
		all->ends_early &= one->ends_early;
		all->edge_gaps += one->edge_gaps;
		ALLOC_GROW(all->gap, all->gap_count + one->gap_count + 1, all->gap_cap);
		for (size_t k = 0; k < one->gap_count; k++)
			all->gap[all->gap_count++] = (struct timeline_gap){
				one->gap[k].from / scale, one->gap[k].to / scale};
	}
	qsort(all->gap, all->gap_count, sizeof *all->gap, by_time);
}

/* Stretches of time, in their order. */
struct stretches {
	struct timeline_gap *at; /* [count] owned */
	size_t count, cap;
};

static void add_stretch(struct stretches *list, double from, double to)
{
	ALLOC_GROW(list->at, list->count + 1, list->cap);
	list->at[list->count++] = (struct timeline_gap){from, to};
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

/* Where none of them is told of. */
static void merge_unrecorded(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count, size_t per_column)
{
	struct stretches common = {NULL, 0, 0};

	add_stretch(&common, -INFINITY, INFINITY);
	for (size_t i = 0; i < count; i++)
		intersect(&common, series[i]->unrecorded, series[i]->unrecorded_count,
			(double)per_column);
	all->unrecorded = common.at;
	all->unrecorded_count = common.count;
	all->unrecorded_cap = common.cap;
}

void timeline_common_gaps(struct timeline_series *all,
	const struct timeline_series *const *series, size_t count)
{
	struct stretches common = {NULL, 0, 0};

	*all = (struct timeline_series){.gap_count = 0};
	add_stretch(&common, -INFINITY, INFINITY);
	for (size_t i = 0; i < count; i++)
		intersect(&common, series[i]->gap, series[i]->gap_count, 1);
	all->gap = common.at;
	all->gap_count = common.count;
	all->gap_cap = common.cap;
	merge_unrecorded(all, series, count, 1);
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
