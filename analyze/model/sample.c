/* Memory of batches: one allocation per column, none per row. */
#include "model/sample.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"

int64_t gap_limit_ns(int64_t interval_ns)
{
	if (interval_ns < GAP_LIMIT_MIN_NS / 2)
		return interval_ns + GAP_LIMIT_MIN_NS;
	/* a clock that often jumps by centuries */
	return interval_ns > INT64_MAX / 3 ? INT64_MAX : 3 * interval_ns;
}

void sample_batch_init(struct sample_batch *batch)
{
	*batch = (struct sample_batch){.source = SOURCE_NONE};
	batch->t_ns = xmalloc(SAMPLE_BATCH_ROWS * sizeof *batch->t_ns);
	batch->segment = xmalloc(SAMPLE_BATCH_ROWS * sizeof *batch->segment);
	batch->ordinal = xmalloc(SAMPLE_BATCH_ROWS * sizeof *batch->ordinal);
	batch->device = xmalloc(SAMPLE_BATCH_ROWS * sizeof *batch->device);
	batch->header = xmalloc(SAMPLE_BATCH_ROWS * sizeof *batch->header);
	batch->unavailable = xmalloc(SAMPLE_BATCH_ROWS * sizeof *batch->unavailable);
	batch->line = xmalloc(SAMPLE_BATCH_ROWS * sizeof *batch->line);
	batch->file = SIZE_MAX;
}

void sample_batch_release(struct sample_batch *batch)
{
	for (size_t i = 0; i < batch->column_count; i++) {
		free(batch->column[i].place);
		free(batch->column[i].value);
		free(batch->column[i].presence);
	}
	free(batch->column);
	free(batch->t_ns);
	free(batch->segment);
	free(batch->ordinal);
	free(batch->device);
	free(batch->header);
	free(batch->unavailable);
	free(batch->line);
	*batch = (struct sample_batch){.source = SOURCE_NONE};
}

void sample_batch_clear(struct sample_batch *batch)
{
	for (size_t i = 0; i < batch->column_count; i++)
		memset(batch->column[i].presence, PRESENCE_ABSENT, batch->rows);
	for (size_t i = 0; i < batch->column_count; i++)
		batch->column[i].places = 0;
	batch->rows = 0;
	batch->listed = batch->snapshots = false;
}

const struct sample_column *sample_batch_find(
	const struct sample_batch *batch, enum metric_id metric)
{
	for (size_t i = 0; i < batch->column_count; i++)
		if (batch->column[i].metric == metric)
			return &batch->column[i];
	return NULL;
}

size_t sample_batch_column(struct sample_batch *batch, enum metric_id metric)
{
	const struct sample_column *found = sample_batch_find(batch, metric);
	struct sample_column *column;

	assert(metric < METRIC_COUNT);
	if (found)
		return (size_t)(found - batch->column);
	ALLOC_GROW(batch->column, batch->column_count + 1, batch->column_cap);
	column = &batch->column[batch->column_count];
	*column = (struct sample_column){.metric = metric};
	column->value = xmalloc(SAMPLE_BATCH_ROWS * sizeof *column->value);
	column->presence = xcalloc(SAMPLE_BATCH_ROWS, sizeof *column->presence);
	return batch->column_count++;
}

static struct sample_place place_in(const struct sample_column *column, size_t row)
{
	size_t i = column->places;

	while (i && column->place[i - 1].row > row)
		i--;
	return i ? column->place[i - 1] : (struct sample_place){row, 0, 0};
}

void sample_column_move(struct sample_column *column, struct sample_place place)
{
	struct sample_place before;

	while (column->places && column->place[column->places - 1].row >= place.row)
		column->places--;
	before = place_in(column, place.row);
	if (before.cell == place.cell && before.below == place.below)
		return;
	ALLOC_NEXT(column->place, column->places, column->place_cap) = place;
}

uint32_t sample_column_cell(const struct sample_column *column, size_t row)
{
	return place_in(column, row).cell;
}

uint64_t sample_column_line(
	const struct sample_batch *batch, const struct sample_column *column, size_t row)
{
	return batch->line[row] ? batch->line[row] + place_in(column, row).below : 0;
}

size_t sample_batch_add(struct sample_batch *batch, int64_t t_ns, uint32_t device)
{
	size_t row = batch->rows++;

	assert(row < SAMPLE_BATCH_ROWS);
	batch->t_ns[row] = t_ns;
	batch->segment[row] = 0;
	batch->ordinal[row] = 0;
	batch->device[row] = device;
	batch->header[row] = 0;
	batch->unavailable[row] = 0;
	batch->line[row] = 0;
	return row;
}

void sample_batch_blank(struct sample_batch *batch, size_t row)
{
	for (size_t i = 0; i < batch->column_count; i++)
		batch->column[i].presence[row] = PRESENCE_ABSENT;
}

void sample_batch_move(struct sample_batch *batch, size_t to, size_t from)
{
	assert(to <= from && from < batch->rows);
	batch->t_ns[to] = batch->t_ns[from];
	batch->segment[to] = batch->segment[from];
	batch->ordinal[to] = batch->ordinal[from];
	batch->device[to] = batch->device[from];
	batch->header[to] = batch->header[from];
	batch->unavailable[to] = batch->unavailable[from];
	batch->line[to] = batch->line[from];
	for (size_t i = 0; i < batch->column_count; i++) {
		struct sample_column *column = &batch->column[i];

		column->value[to] = column->value[from];
		column->presence[to] = column->presence[from];
	}
}

void sample_batch_remove(struct sample_batch *batch, size_t row, bool *header)
{
	if (row + 1 < batch->rows)
		batch->header[row + 1] |= batch->header[row];
	else
		*header |= batch->header[row] != 0;
	for (size_t i = row + 1; i < batch->rows; i++)
		sample_batch_move(batch, i - 1, i);
	for (size_t i = 0; i < batch->column_count; i++)
		for (size_t k = 0; k < batch->column[i].places; k++)
			batch->column[i].place[k].row -=
				batch->column[i].place[k].row > row;
	sample_batch_drop(batch, 1);
}

void sample_batch_drop(struct sample_batch *batch, size_t rows)
{
	assert(rows <= batch->rows);
	batch->rows -= rows;
	for (size_t i = 0; i < batch->column_count; i++)
		memset(batch->column[i].presence + batch->rows, PRESENCE_ABSENT, rows);
}

/* Has it columns that the other one lacks, or in other places? */
static bool differs(const struct sample_batch *batch, const struct sample_batch *from)
{
	for (size_t i = 0; i < batch->column_count; i++)
		if (i >= from->column_count ||
			batch->column[i].metric != from->column[i].metric)
			return true;
	return false;
}

void sample_batch_swap(struct sample_batch *batch, struct sample_batch *with)
{
	struct sample_batch other = *with;

	if (differs(&other, batch)) { /* of another kind of log */
		sample_batch_release(&other);
		sample_batch_init(&other);
	}
	sample_batch_clear(&other);
	for (size_t i = other.column_count; i < batch->column_count; i++)
		sample_batch_column(&other, batch->column[i].metric);
	other.source = batch->source;
	other.timed = batch->timed;
	other.file = batch->file;
	*with = *batch;
	*batch = other;
}

void sample_source_free(struct sample_source *src)
{
	if (src)
		src->free(src);
}
