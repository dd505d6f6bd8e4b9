/* Columns turned into rows, and a list of rows for each device. */
#include "store/bucket.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

_Static_assert(METRIC_COUNT < UINT16_MAX, "the place of a cell is of two bytes");

void bucket_release(struct bucket *bucket)
{
	free(bucket->row);
	free(bucket->set);
	free(bucket->value);
	free(bucket->presence);
	free(bucket->strip);
	free(bucket->order);
	free(bucket->end);
	*bucket = (struct bucket){.rows = 0};
}

void bucket_clear(struct bucket *bucket)
{
	bucket->rows = bucket->sets = bucket->cells = bucket->devices = 0;
}

bool bucket_takes(const struct bucket *bucket, const struct sample_batch *batch)
{
	return !bucket->rows ||
		(bucket->rows + batch->rows <= BUCKET_ROWS &&
			bucket->cells + batch->rows * batch->column_count <=
				BUCKET_CELLS &&
			bucket->source == batch->source && bucket->timed == batch->timed);
}

static bool has_metrics(const struct bucket_set *set, const struct sample_batch *batch)
{
	if (set->width != batch->column_count)
		return false;
	for (size_t c = 0; c < set->width; c++)
		if (set->metric[c] != batch->column[c].metric)
			return false;
	return true;
}

/* The number of the batch's. */
static uint16_t find_set(struct bucket *bucket, const struct sample_batch *batch)
{
	struct bucket_set *set;

	if (bucket->sets && has_metrics(&bucket->set[bucket->sets - 1], batch))
		return (uint16_t)(bucket->sets - 1);
	ALLOC_GROW(bucket->set, bucket->sets + 1, bucket->set_cap);
	set = &bucket->set[bucket->sets++];
	*set = (struct bucket_set){.width = batch->column_count};
	for (size_t c = 0; c < set->width; c++) {
		set->metric[c] = batch->column[c].metric;
		set->place[batch->column[c].metric] = (uint16_t)(c + 1);
	}
	return (uint16_t)(bucket->sets - 1);
}

static struct bucket_strip *strip_of(struct bucket *bucket, uint32_t device)
{
	if (device >= bucket->devices) {
		ALLOC_GROW(bucket->strip, (size_t)device + 1, bucket->strip_cap);
		memset(&bucket->strip[bucket->devices], 0,
			(device + 1 - bucket->devices) * sizeof *bucket->strip);
		bucket->devices = (size_t)device + 1;
	}
	return &bucket->strip[device];
}

/* Cells for a row. */
static size_t find_room(struct bucket *bucket, uint32_t device, uint16_t set)
{
	struct bucket_strip *strip = strip_of(bucket, device);
	size_t width = bucket->set[set].width, cell;

	if (!strip->left || strip->set != set) {
		*strip = (struct bucket_strip){bucket->cells, BUCKET_STRIP, set};
		bucket->cells += BUCKET_STRIP * width;
		ALLOC_GROW(bucket->value, bucket->cells, bucket->value_cap);
		ALLOC_GROW(bucket->presence, bucket->cells, bucket->presence_cap);
	}
	cell = strip->cell;
	strip->cell += width;
	strip->left--;
	return cell;
}

/* row: the batch's first one */
static void add_column(struct bucket *bucket, const struct bucket_row *row, size_t place,
	const struct sample_column *column, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		bucket->value[row[i].cell + place] = column->value[i];
		bucket->presence[row[i].cell + place] = column->presence[i];
	}
}

void bucket_add(struct bucket *bucket, const struct sample_batch *batch)
{
	struct bucket_row *row;
	uint16_t set;

	assert(bucket_takes(bucket, batch));
	if (!bucket->row) {
		bucket->row = xcalloc(BUCKET_ROWS, sizeof *bucket->row);
		bucket->order = xcalloc(BUCKET_ROWS, sizeof *bucket->order);
	}
	bucket->source = batch->source;
	bucket->timed = batch->timed;
	set = find_set(bucket, batch);
	row = &bucket->row[bucket->rows];
	for (size_t i = 0; i < batch->rows; i++)
		row[i] = (struct bucket_row){.t_ns = batch->t_ns[i],
			.cell = find_room(bucket, batch->device[i], set),
			.segment = batch->segment[i],
			.ordinal = batch->ordinal[i],
			.device = batch->device[i],
			.set = set,
			.header = batch->header[i]};
	bucket->rows += batch->rows;
	for (size_t c = 0; c < batch->column_count; c++)
		add_column(bucket, row, c, &batch->column[c], batch->rows);
}

/* By counting. */
void bucket_sort(struct bucket *bucket)
{
	uint32_t rows = 0;

	ALLOC_GROW(bucket->end, bucket->devices, bucket->end_cap);
	memset(bucket->end, 0, bucket->devices * sizeof *bucket->end);
	for (size_t i = 0; i < bucket->rows; i++)
		bucket->end[bucket->row[i].device]++;
	/* Where each begins, which moves to where it ends. */
	for (size_t d = 0; d < bucket->devices; d++) {
		uint32_t count = bucket->end[d];

		bucket->end[d] = rows;
		rows += count;
	}
	for (size_t i = 0; i < bucket->rows; i++)
		bucket->order[bucket->end[bucket->row[i].device]++] = (uint32_t)i;
}
