/* Keeps what may tell something of the rows. */
#include "read/look.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/timestamp.h"
#include "read/pattern.h"

void look_release(struct look *look)
{
	free(look->row);
	for (size_t c = 0; c < look->column_count; c++)
		free(look->values[c].at);
	free(look->values);
}

/* Rows that lack the column, before it came too, have no value there. */
static void keep_values(struct look_values *values, const struct sample_column *column,
	const struct sample_batch *batch, size_t first)
{
	if (!values->at)
		values->at = xmalloc(LOOK_VALUES * sizeof *values->at);
	while (values->count < first && values->count < LOOK_VALUES)
		values->at[values->count++] = PATTERN_NO_VALUE;
	for (size_t i = 0; i < batch->rows && values->count < LOOK_VALUES; i++)
		values->at[values->count++] = column->presence[i] == PRESENCE_VALUE
			? column->value[i]
			: PATTERN_NO_VALUE;
}

/* Of three rows the one in the middle: that of a wrong time is not. */
static int64_t begin_of(const struct sample_batch *batch)
{
	const int64_t *t_ns = batch->t_ns;
	int64_t low, high;

	if (batch->rows < 3)
		return t_ns[0];
	low = time_earlier(t_ns[0], t_ns[1]);
	high = time_later(t_ns[0], t_ns[1]);
	return time_later(low, time_earlier(high, t_ns[2]));
}

void look_at_batch(struct look *look, const struct sample_batch *batch,
	const struct stream_key *key, struct streams *streams)
{
	if (batch->timed && look->first_ns == TIME_NONE)
		look->first_ns = begin_of(batch);
	ALLOC_GROW(look->values, batch->column_count, look->column_cap);
	while (look->column_count < batch->column_count) {
		enum metric_id metric = batch->column[look->column_count].metric;

		look->values[look->column_count++] =
			(struct look_values){metric, NULL, 0};
	}
	for (size_t c = 0; c < batch->column_count; c++)
		keep_values(&look->values[c], &batch->column[c], batch, look->count);
	ALLOC_GROW(look->row, look->count + batch->rows, look->cap);
	for (size_t i = 0; i < batch->rows; i++)
		look->row[look->count++] = (struct look_row){batch->t_ns[i],
			batch->device[i], batch->header[i],
			key[i].named ? STREAMS_NONE : streams_add(streams, &key[i])};
}
