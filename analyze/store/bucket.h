/*
 * Samples of one kind of log that wait to be stored, so that those of a device go into
 * their table together: their keys then follow one another, and so do its pages. Knows no
 * SQLite.
 */
#ifndef STORE_BUCKET_H
#define STORE_BUCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sample.h"

#define BUCKET_BATCHES 32
#define BUCKET_ROWS    ((size_t)BUCKET_BATCHES * SAMPLE_BATCH_ROWS)

/* Where a batch has its metrics. */
struct bucket_columns {
	uint16_t place[METRIC_COUNT]; /* of the column, from 1; 0: none */
};

/* A row of it, by its number: that of its batch times SAMPLE_BATCH_ROWS, and of the row.
 */
struct bucket {
	struct sample_batch *batch; /* [count] copies; owned, as all arrays */
	size_t count, made;
	struct bucket_columns *columns; /* [count] of each */
	size_t rows;
	uint32_t *order; /* [rows] by device, once they are sorted */
	uint32_t *next; /* [BUCKET_ROWS] the next row of the same device */
	uint32_t *first; /* [device] its first row */
	size_t first_cap;
};

void bucket_release(struct bucket *bucket); /* zeroed is empty */
void bucket_clear(struct bucket *bucket);

/* Is there room for a batch, of the same kind and with times or without as those before?
 */
bool bucket_takes(const struct bucket *bucket, const struct sample_batch *batch);
void bucket_add(struct bucket *bucket, const struct sample_batch *batch);

/* Fills order: the rows by device, else as they came. */
void bucket_sort(struct bucket *bucket);

static inline const struct sample_batch *bucket_batch(
	const struct bucket *bucket, uint32_t number)
{
	return &bucket->batch[number / SAMPLE_BATCH_ROWS];
}

/* The column of a metric in the batch of a row; NULL: it has none. */
static inline const struct sample_column *bucket_column(
	const struct bucket *bucket, uint32_t number, enum metric_id metric)
{
	size_t nth = number / SAMPLE_BATCH_ROWS;
	uint16_t place = bucket->columns[nth].place[metric];

	return place ? &bucket->batch[nth].column[place - 1] : NULL;
}

#endif
