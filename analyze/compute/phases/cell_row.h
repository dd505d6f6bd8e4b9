/*
 * The series of one device in one path, or in a set of them, by columns. What a sample
 * says of gauges waits in the row first: series are large and many, so that no cache has
 * the one that comes next, and a row's own few lines take all its columns together.
 */
#ifndef COMPUTE_CELL_ROW_H
#define COMPUTE_CELL_ROW_H

#include "compute/series/series.h"

/* Columns whose gauges can wait: as many as a mask has bits. */
#define CELL_COLUMNS 64

/* A metric, as rows of a device have it. */
struct cell_column {
	enum metric_id metric;
	bool waits; /* a GAUGE among the first CELL_COLUMNS */
	bool with_above; /* ... whose time above thresholds is asked */
};

/* A sample whose values wait. */
struct cell_sample {
	int64_t t_ns;
	uint64_t columns; /* mask of those that it has a value of */
	int32_t segment;
};

struct cell_row {
	uint32_t path;
	uint16_t width; /* columns that there is room for */
	struct series **series; /* [width] NULL: none yet; owned */

	/* Pieces of slices, none of them a gap, that no series has yet. */
	uint64_t covered; /* mask of the columns of count and time_ns, the same for all */
	uint64_t count; /* of slices that begin there */
	int128 time_ns;
	int128 *area; /* [width] as slice_sum's */

	struct cell_sample *sample; /* [samples] that no series has yet */
	size_t samples, samples_cap;
	int64_t *value; /* [samples_cap * width] sample by sample */
};

struct cell_row *cell_row_new(uint32_t path, uint16_t width);
void cell_row_free(struct cell_row *row);

/* column: the device's, [width], the same each time. */
void cell_row_widen(
	struct cell_row *row, const struct cell_column *column, uint16_t width);

/* Gives the series what waits. */
void cell_row_settle(struct cell_row *row, const struct cell_column *column);

/* A piece of a slice that the columns of a mask have in common, and whose integrals are
 * in area. */
void cell_row_cover(struct cell_row *row, const struct cell_column *column,
	uint64_t covered, int64_t time_ns, bool begins);

/*
 * A sample that waits, and where its values belong, by columns that wait; valid until
 * the row gets another, or is widened.
 */
struct cell_sample *cell_row_sample(struct cell_row *row,
	const struct cell_column *column, const struct instant *at, int64_t **value);

static inline struct series *cell_row_series(
	struct cell_row *row, size_t column, enum metric_id metric)
{
	if (!row->series[column])
		row->series[column] = series_new(metric);
	return row->series[column];
}

#endif
