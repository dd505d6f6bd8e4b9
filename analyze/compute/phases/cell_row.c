/* Column by column, once so many samples wait that it pays to fetch a series. */
#include "compute/phases/cell_row.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SAMPLES_FIRST 4
#define SAMPLES_MOST  32

struct cell_row *cell_row_new(uint32_t path, uint16_t width)
{
	struct cell_row *row = xcalloc(1, sizeof *row);

	row->path = path;
	row->width = width;
	row->series = xcalloc(width, sizeof(struct series *));
	row->area = xcalloc(width, sizeof *row->area);
	return row;
}

void cell_row_free(struct cell_row *row)
{
	for (size_t i = 0; i < row->width; i++)
		series_free(row->series[i]);
	free(row->series);
	free(row->area);
	free(row->sample);
	free(row->value);
	free(row);
}

void cell_row_widen(
	struct cell_row *row, const struct cell_column *column, uint16_t width)
{
	size_t more = (size_t)width - row->width;

	cell_row_settle(row, column);
	row->series = xrealloc(row->series, width, sizeof(struct series *));
	memset(&row->series[row->width], 0, more * sizeof(struct series *));
	row->area = xrealloc(row->area, width, sizeof *row->area);
	memset(&row->area[row->width], 0, more * sizeof *row->area);
	row->value = xrealloc(row->value, row->samples_cap * width, sizeof *row->value);
	row->width = width;
}

static void settle_covered(struct cell_row *row, const struct cell_column *column)
{
	size_t i = 0;

	for (uint64_t left = row->covered; left; left >>= 1, i++) {
		struct slice_sum *sum;

		if (!(left & 1))
			continue;
		sum = &cell_row_series(row, i, column[i].metric)->gauge.slices.near;
		sum->count += row->count;
		sum->time_ns += row->time_ns;
		sum->area += row->area[i];
		row->area[i] = 0;
	}
	row->covered = row->count = 0;
	row->time_ns = 0;
}

/* The row's samples: where they stand, as far as all columns have it in common. */
struct settling {
	uint64_t columns; /* mask of those that any has a value of */
	struct extreme first; /* none of them stands before it; but for its value */
};

static struct settling settling_of(const struct cell_row *row)
{
	struct settling s = {.columns = 0};

	for (size_t k = 0; k < row->samples; k++) {
		const struct cell_sample *sample = &row->sample[k];
		const struct extreme at = {0, sample->t_ns, sample->segment};

		s.columns |= sample->columns;
		if (!k || extreme_is_first(&at, &s.first))
			s.first = at;
	}
	return s;
}

/* The values of a column, least to largest. */
struct values {
	int64_t at[SAMPLES_MOST];
	size_t count;
	int64_t least, largest;
};

static void gather(const struct cell_row *row, size_t column, struct values *values)
{
	int64_t least = INT64_MAX, largest = INT64_MIN;
	size_t count = 0;

	for (size_t k = 0; k < row->samples; k++) {
		int64_t value = row->value[k * row->width + column];

		if (!(row->sample[k].columns >> column & 1))
			continue;
		values->at[count++] = value;
		least = value < least ? value : least;
		largest = value > largest ? value : largest;
	}
	values->count = count;
	values->least = least;
	values->largest = largest;
}

/* Do the gauge's extremes stay: are others none, or as large and come later? */
static bool is_within(const struct gauge *gauge, const struct extreme *first,
	const struct values *values)
{
	return gauge->n && values->least >= gauge->least.value &&
		values->largest <= gauge->largest.value &&
		!extreme_is_first(first, &gauge->least) &&
		!extreme_is_first(first, &gauge->largest);
}

static void settle_column(struct cell_row *row, const struct extreme *first,
	size_t column, struct gauge *gauge)
{
	struct values values;
	size_t at = 0;

	gather(row, column, &values);
	if (is_within(gauge, first, &values))
		gauge->n += values.count;
	else
		for (size_t k = 0; k < row->samples; k++)
			if (row->sample[k].columns >> column & 1)
				gauge_count(gauge, row->sample[k].t_ns,
					row->sample[k].segment, values.at[at++]);
	tally_add_each(&gauge->values, values.at, values.count);
}

static void settle_samples(struct cell_row *row, const struct cell_column *column)
{
	const struct settling s = settling_of(row);
	size_t i = 0;

	for (uint64_t columns = s.columns; columns; i++, columns >>= 1)
		if (columns & 1)
			settle_column(row, &s.first, i,
				&cell_row_series(row, i, column[i].metric)->gauge);
	row->samples = 0;
}

void cell_row_settle(struct cell_row *row, const struct cell_column *column)
{
	settle_covered(row, column);
	settle_samples(row, column);
}

void cell_row_cover(struct cell_row *row, const struct cell_column *column,
	uint64_t covered, int64_t time_ns, bool begins)
{
	if (row->covered != covered)
		settle_covered(row, column);
	row->covered = covered;
	row->count += begins;
	row->time_ns += time_ns;
}

struct cell_sample *cell_row_sample(struct cell_row *row,
	const struct cell_column *column, const struct instant *at, int64_t **value)
{
	struct cell_sample *sample;

	if (row->samples == SAMPLES_MOST)
		settle_samples(row, column);
	if (row->samples == row->samples_cap) {
		row->samples_cap =
			row->samples_cap ? 2 * row->samples_cap : SAMPLES_FIRST;
		row->sample =
			xrealloc(row->sample, row->samples_cap, sizeof *row->sample);
		row->value = xrealloc(
			row->value, row->samples_cap * row->width, sizeof *row->value);
	}
	*value = &row->value[row->samples * row->width];
	sample = &row->sample[row->samples++];
	*sample = (struct cell_sample){.t_ns = at->t_ns, .segment = at->segment};
	return sample;
}
