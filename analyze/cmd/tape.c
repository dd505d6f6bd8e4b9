/* A list of batches; what is short goes behind what is there, for its memory. */
#include "cmd/tape.h"

#include <stdlib.h>

#include "base/alloc.h"

/* Of eight bytes and a presence each: 12 MB, as an hour of 8 GPUs takes by query and
 * dmon.
 */
#define CELLS_MAX (5 << 18)

void tape_release(struct tape *tape)
{
	for (size_t i = 0; i < tape->count; i++)
		sample_batch_release(&tape->batch[i]);
	free(tape->batch);
	*tape = (struct tape){.count = 0};
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
static bool fits_behind(const struct tape *tape, const struct sample_batch *batch)
{
	const struct sample_batch *last;

	if (!tape->count || batch->rows > SAMPLE_BATCH_ROWS / 2)
		return false;
	last = &tape->batch[tape->count - 1];
	return last->rows + batch->rows <= SAMPLE_BATCH_ROWS &&
		last->source == batch->source && last->timed == batch->timed;
}

int tape_add(struct tape *tape, struct sample_batch *batch, struct error *err)
{
	if (fits_behind(tape, batch)) {
		struct sample_batch *last = &tape->batch[tape->count - 1];

		tape->cells -= cells_of(last);
		for (size_t row = 0; row < batch->rows; row++)
			copy_row(last, batch, row);
		tape->cells += cells_of(last);
		sample_batch_clear(batch);
		return 0;
	}
	if (tape->cells + cells_of(batch) > CELLS_MAX) {
		tape->is_full = true;
		return error_set(err, "these are more samples than may wait in memory");
	}
	ALLOC_GROW(tape->batch, tape->count + 1, tape->cap);
	sample_batch_init(&tape->batch[tape->count]);
	sample_batch_swap(batch, &tape->batch[tape->count++]);
	tape->cells += cells_of(&tape->batch[tape->count - 1]);
	return 0;
}

void tape_drop_source(struct tape *tape, enum source_kind kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < tape->count; i++) {
		if (tape->batch[i].source == kind) {
			tape->cells -= cells_of(&tape->batch[i]);
			sample_batch_release(&tape->batch[i]);
		} else {
			tape->batch[kept++] = tape->batch[i];
		}
	}
	tape->count = kept;
}
