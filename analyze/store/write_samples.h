/*
 * Samples of one kind of log that wait to be stored, so that those of a device go into
 * their table together: their keys then follow one another, and so do its pages. They
 * lie row by row, as a table wants them. Knows no SQLite.
 */
#ifndef STORE_WRITE_SAMPLES_H
#define STORE_WRITE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sample.h"

#define BUCKET_ROWS  ((size_t)32 * SAMPLE_BATCH_ROWS)
#define BUCKET_CELLS (20 * BUCKET_ROWS) /* of all rows together, but for a few */

/* The metrics of a batch, and where a row has them. */
struct bucket_set {
	size_t width; /* cells of a row */
	enum metric_id metric[METRIC_COUNT]; /* [width] */
	uint16_t place[METRIC_COUNT]; /* of the cell, from 1; 0: none */
};

struct bucket_row {
	int64_t t_ns;
	int64_t mark; /* of whoever stores it, as tables */
	size_t cell; /* the first one */
	int32_t segment;
	uint32_t ordinal;
	uint32_t device;
	uint16_t set; /* which */
	uint8_t tables;
	uint8_t header;
};

/* Rows of a device lie side by side, so many of them. */
#define BUCKET_STRIP 32

/* Where the next row of a device goes. */
struct bucket_strip {
	size_t cell;
	size_t left; /* rows that have room there */
	uint16_t set; /* of which they are */
};

struct bucket {
	enum source_kind source; /* of all rows */
	bool timed;
	struct bucket_row *row; /* [rows] in the order of the log; owned, as all arrays */
	size_t rows;
	struct bucket_set *set; /* [sets] */
	size_t sets, set_cap;
	int64_t *value; /* [cells] as a batch has them */
	uint8_t *presence; /* [cells] */
	size_t cells, value_cap, presence_cap; /* in strips */
	struct bucket_strip *strip; /* [devices] */
	size_t devices, strip_cap; /* of which there are rows, and all before them */
	uint32_t *order; /* [rows] their numbers by device, once they are sorted */
	uint32_t *end; /* [devices] where those of a device end in it */
	size_t end_cap;
};

void bucket_release(struct bucket *bucket); /* zeroed is empty */
void bucket_clear(struct bucket *bucket);

/* Is there room for a batch, of the same kind and with times or without as those before?
 */
bool bucket_takes(const struct bucket *bucket, const struct sample_batch *batch);
void bucket_add(struct bucket *bucket, const struct sample_batch *batch);

/* Fills order and end: the rows by device, else as they came. */
void bucket_sort(struct bucket *bucket);

/* The cell of a metric; SIZE_MAX: the row has none. */
static inline size_t bucket_cell(
	const struct bucket *bucket, const struct bucket_row *row, enum metric_id metric)
{
	uint16_t place = bucket->set[row->set].place[metric];

	return place ? row->cell + place - 1 : SIZE_MAX;
}

#endif
