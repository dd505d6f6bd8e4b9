/* Blocks of rows that are filled, and taken back where they end too early. */
#include "read/places.h"

void places_end_block(
	struct places *places, struct sample_batch *batch, bool *header_pending)
{
	struct log *log = places->log;

	if (!places->in_block)
		return;
	for (size_t i = 1; i <= places->in_block; i++)
		*header_pending |= batch->header[batch->rows - i] != 0;
	sample_batch_drop(batch, places->in_block);
	log->file->rows -= places->in_block;
	log->file->refused += places->in_block;
	for (size_t i = 0; i < places->in_block; i++)
		diag_add(log->diags, true, "short-block", log->name, places->block_line,
			(struct span){NULL, 0},
			"rows without a GPU id in a block of %zu instead of %zu: they "
			"can't be told apart and are lost",
			places->in_block, log->blocks.size);
	places->in_block = 0;
}

static bool is_border(const struct blocks *blocks, int64_t step_ns, bool header_pending)
{
	if (blocks->by_header)
		return header_pending;
	return blocks_is_border(blocks, step_ns);
}

int32_t places_in_block(struct places *places, struct sample_batch *batch, int64_t t_ns,
	bool *header_pending)
{
	const struct blocks *blocks = &places->log->blocks;
	size_t place;

	if (is_border(blocks, t_ns - places->last_ns, *header_pending))
		places_end_block(places, batch, header_pending);
	if (!places->in_block)
		places->block_line = input_line_number(places->log->in);
	place = places->in_block;
	places->last_ns = t_ns;
	places->in_block = (place + 1) % blocks->size;
	return (int32_t)place;
}
