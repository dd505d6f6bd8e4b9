/* A list of batches; what is short goes behind what is there, for its memory. */
#include "cmd/kept_batches.h"

#include <stdlib.h>

#include "base/alloc.h"

/* Of eight bytes and a presence each: 12 MB, as an hour of 8 GPUs takes by query and
 * dmon.
 */
#define CELLS_MAX (5 << 18)

void kept_batches_release(struct kept_batches *kept)
{
	for (size_t i = 0; i < kept->count; i++)
		sample_batch_release(&kept->batch[i]);
	free(kept->batch);
	*kept = (struct kept_batches){.count = 0};
}

/* Its times and devices are about four cells. */
static size_t cells_of(const struct sample_batch *batch)
{
	return (batch->column_count + 4) * SAMPLE_BATCH_ROWS;
}

static void copy_row(struct sample_batch *to, const struct sample_batch *from, size_t row)
{
	size_t at = sample_batch_add(to, from->t_ns[row], from->device[row]);

	to->segment[at] = from->segment[row];
	to->ordinal[at] = from->ordinal[row];
	to->header[at] = from->header[row];
	to->unavailable[at] = from->unavailable[row];
	to->line[at] = from->line[row];
	for (size_t c = 0; c < from->column_count; c++) {
		const struct sample_column *column = &from->column[c];
		struct sample_column *copy =
			&to->column[sample_batch_column(to, column->metric)];

		copy->value[at] = column->value[row];
		copy->presence[at] = column->presence[row];
	}
}

/* Are its rows better copied than kept as they are? */
static bool fits_behind(const struct kept_batches *kept, const struct sample_batch *batch)
{
	const struct sample_batch *last;

	if (!kept->count || batch->rows > SAMPLE_BATCH_ROWS / 2)
		return false;
	last = &kept->batch[kept->count - 1];
	return last->rows + batch->rows <= SAMPLE_BATCH_ROWS &&
		last->source == batch->source && last->timed == batch->timed;
}

int kept_batches_add(
	struct kept_batches *kept, struct sample_batch *batch, struct error *err)
{
	if (fits_behind(kept, batch)) {
		struct sample_batch *last = &kept->batch[kept->count - 1];

		kept->cells -= cells_of(last);
		for (size_t row = 0; row < batch->rows; row++)
			copy_row(last, batch, row);
		kept->cells += cells_of(last);
		sample_batch_clear(batch);
		return 0;
	}
	if (kept->cells + cells_of(batch) > CELLS_MAX) {
		kept->is_full = true;
		return error_set(err, "too many samples to keep in memory");
	}
	ALLOC_GROW(kept->batch, kept->count + 1, kept->cap);
	sample_batch_init(&kept->batch[kept->count]);
	sample_batch_swap(batch, &kept->batch[kept->count++]);
	kept->cells += cells_of(&kept->batch[kept->count - 1]);
	return 0;
}

void kept_batches_drop_source(struct kept_batches *kept, enum source_kind kind)
{
	size_t left = 0;

	for (size_t i = 0; i < kept->count; i++) {
		if (kept->batch[i].source == kind) {
			kept->cells -= cells_of(&kept->batch[i]);
			sample_batch_release(&kept->batch[i]);
		} else {
			kept->batch[left++] = kept->batch[i];
		}
	}
	kept->count = left;
}
