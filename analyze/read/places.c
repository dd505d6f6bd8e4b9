/* Blocks of rows that are filled, and taken back where they end too early. */
#include "read/places.h"

#include <stdlib.h>

#include "base/alloc.h"

void places_release(struct places *places)
{
	free(places->at);
}

/* The rows behind it move up; so do those of open blocks. */
static void take_back(struct places *places, struct sample_batch *batch, size_t row,
	bool *header_pending)
{
	if (row + 1 < batch->rows)
		batch->header[row + 1] |= batch->header[row];
	else
		*header_pending |= batch->header[row] != 0;
	for (size_t i = row + 1; i < batch->rows; i++)
		sample_batch_move(batch, i - 1, i);
	sample_batch_drop(batch, 1);
	for (size_t i = 0; i < places->count; i++)
		for (size_t k = 0; k < places->at[i].rows; k++)
			places->at[i].row[k] -= places->at[i].row[k] > row;
}

static void end_block(struct places *places, size_t stream, struct sample_batch *batch,
	bool *header_pending)
{
	struct log *log = places->log;
	struct open_block *block = &places->at[stream];

	if (!block->place)
		return;
	for (size_t i = 0; i < block->rows; i++)
		diag_add(log->diags, true, "short-block", log->name, block->line,
			(struct span){NULL, 0},
			"rows without a GPU id in a block of %zu instead of %zu: they "
			"can't be told apart and are lost",
			block->place, log->streams->at[stream].blocks.size);
	log->file->rows -= block->rows;
	log->file->refused += block->rows;
	while (block->rows)
		take_back(places, batch, block->row[--block->rows], header_pending);
	block->place = 0;
	places->open--;
}

void places_end_blocks(
	struct places *places, struct sample_batch *batch, bool *header_pending)
{
	for (size_t i = 0; i < places->count && places->open; i++)
		end_block(places, i, batch, header_pending);
}

void places_keep(struct places *places)
{
	for (size_t i = 0; i < places->count; i++)
		places->at[i].rows = 0;
}

static bool is_border(
	const struct places *places, size_t stream, int64_t t_ns, bool header_pending)
{
	const struct blocks *blocks = &places->log->streams->at[stream].blocks;
	const struct open_block *block = &places->at[stream];

	if (blocks->by_header)
		return header_pending || block->last_row + 1 != places->rows;
	return blocks_is_border(blocks, t_ns - block->last_ns);
}

int32_t places_in_block(struct places *places, size_t stream, struct sample_batch *batch,
	int64_t t_ns, bool *header_pending)
{
	size_t size = places->log->streams->at[stream].blocks.size, place;
	struct open_block *block;

	ALLOC_GROW(places->at, stream + 1, places->cap);
	while (places->count <= stream)
		places->at[places->count++] = (struct open_block){0};
	block = &places->at[stream];
	places->rows++;
	if (is_border(places, stream, t_ns, *header_pending))
		end_block(places, stream, batch, header_pending);
	place = block->place;
	if (!place) {
		block->line = input_line_number(places->log->in);
		block->rows = 0;
		places->open++;
	}
	block->row[block->rows++] = batch->rows;
	block->last_ns = t_ns;
	block->last_row = places->rows;
	block->place = (place + 1) % size;
	if (!block->place) {
		block->rows = 0;
		places->open--;
	}
	return (int32_t)place;
}
