/* Copies of batches, and a list of rows for each device. */
#include "store/bucket.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define NO_ROW UINT32_MAX

_Static_assert(METRIC_COUNT < UINT16_MAX, "the place of a column is of two bytes");

void bucket_release(struct bucket *bucket)
{
	for (size_t i = 0; i < bucket->made; i++)
		sample_batch_release(&bucket->batch[i]);
	free(bucket->batch);
	free(bucket->columns);
	free(bucket->order);
	free(bucket->next);
	free(bucket->first);
	*bucket = (struct bucket){.count = 0};
}

void bucket_clear(struct bucket *bucket)
{
	bucket->count = bucket->rows = 0;
}

bool bucket_takes(const struct bucket *bucket, const struct sample_batch *batch)
{
	return !bucket->count ||
		(bucket->count < BUCKET_BATCHES &&
			bucket->batch[0].source == batch->source &&
			bucket->batch[0].timed == batch->timed);
}

static void copy_column(struct sample_batch *to, const struct sample_column *column,
	size_t rows, uint16_t *place)
{
	size_t at = sample_batch_column(to, column->metric);

	memcpy(to->column[at].value, column->value, rows * sizeof *column->value);
	memcpy(to->column[at].presence, column->presence, rows);
	*place = (uint16_t)(at + 1);
}

static void copy_batch(struct sample_batch *to, const struct sample_batch *from,
	struct bucket_columns *columns)
{
	sample_batch_clear(to);
	to->source = from->source;
	to->timed = from->timed;
	to->rows = from->rows;
	memcpy(to->t_ns, from->t_ns, from->rows * sizeof *from->t_ns);
	memcpy(to->segment, from->segment, from->rows * sizeof *from->segment);
	memcpy(to->ordinal, from->ordinal, from->rows * sizeof *from->ordinal);
	memcpy(to->device, from->device, from->rows * sizeof *from->device);
	memcpy(to->header, from->header, from->rows * sizeof *from->header);
	*columns = (struct bucket_columns){{0}};
	for (size_t c = 0; c < from->column_count; c++)
		copy_column(to, &from->column[c], from->rows,
			&columns->place[from->column[c].metric]);
}

void bucket_add(struct bucket *bucket, const struct sample_batch *batch)
{
	assert(bucket_takes(bucket, batch));
	if (!bucket->batch) {
		bucket->batch = xcalloc(BUCKET_BATCHES, sizeof *bucket->batch);
		bucket->columns = xcalloc(BUCKET_BATCHES, sizeof *bucket->columns);
		bucket->order = xcalloc(BUCKET_ROWS, sizeof *bucket->order);
		bucket->next = xcalloc(BUCKET_ROWS, sizeof *bucket->next);
	}
	if (bucket->count == bucket->made)
		sample_batch_init(&bucket->batch[bucket->made++]);
	copy_batch(&bucket->batch[bucket->count], batch, &bucket->columns[bucket->count]);
	bucket->count++;
	bucket->rows += batch->rows;
}

static size_t devices_of(const struct bucket *bucket)
{
	size_t devices = 0;

	for (size_t i = 0; i < bucket->count; i++)
		for (size_t row = 0; row < bucket->batch[i].rows; row++)
			if (bucket->batch[i].device[row] >= devices)
				devices = (size_t)bucket->batch[i].device[row] + 1;
	return devices;
}

void bucket_sort(struct bucket *bucket)
{
	size_t devices = devices_of(bucket), n = 0;

	ALLOC_GROW(bucket->first, devices, bucket->first_cap);
	for (size_t d = 0; d < devices; d++)
		bucket->first[d] = NO_ROW;
	for (size_t i = bucket->count; i-- > 0;)
		for (size_t row = bucket->batch[i].rows; row-- > 0;) {
			uint32_t number = (uint32_t)(i * SAMPLE_BATCH_ROWS + row);
			uint32_t device = bucket->batch[i].device[row];

			bucket->next[number] = bucket->first[device];
			bucket->first[device] = number;
		}
	for (size_t d = 0; d < devices; d++)
		for (uint32_t at = bucket->first[d]; at != NO_ROW; at = bucket->next[at])
			bucket->order[n++] = at;
}
