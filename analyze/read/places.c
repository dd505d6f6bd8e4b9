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
	sample_batch_remove(batch, row, header_pending);
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
	log_lose(log, block->line, block->rows);
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

static bool is_border(
	const struct places *places, size_t stream, int64_t t_ns, bool header_pending)
{
	const struct blocks *blocks = &places->log->streams->at[stream].blocks;
	const struct open_block *block = &places->at[stream];

	if (blocks->by_header)
		return header_pending || block->last_row + 1 != places->rows;
	return blocks_is_border(blocks, t_ns - block->last_ns);
}

/* The place of a row in the block of its stream, which it may end or begin. */
static int32_t place_in_block(struct places *places, size_t stream,
	struct sample_batch *batch, int64_t t_ns, bool *header_pending)
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

/* One that the log's first rows did not have often is no model, but damage. */
static bool is_model(const struct texts *models, struct span model)
{
	for (uint32_t i = 1; i <= models->count; i++)
		if (span_is(model, texts_word(models, i)))
			return true;
	return false;
}

static struct stream_key key_of(uint64_t names, const struct gpu_id *id)
{
	struct stream_key key = {.names = names, .named = identity_is_own(id)};

	if (id->host.len)
		key.who = span_hash(id->host, SPAN_HASH);
	if (id->uuid.len)
		key.who = span_hash(id->uuid, key.who + 1);
	if (id->serial.len)
		key.who = span_hash(id->serial, key.who + 2);
	return key;
}

/* By its model or its place in a block; a mask that several GPUs have is no id. */
static bool place_row(struct places *places, const struct stream_key *key,
	struct sample_batch *batch, int64_t t_ns, bool *header_pending, struct gpu_id *id)
{
	const struct streams *streams = places->log->streams;
	size_t i = streams ? streams_find(streams, key) : STREAMS_NONE;
	const struct stream *stream;

	if (!key->who)
		id->place = 0;
	if (i == STREAMS_NONE)
		return true;
	stream = &streams->at[i];
	if (stream->models.count) {
		id->by_model = true;
		id->place = -1;
		return is_model(&stream->models, id->model);
	}
	id->places = stream->blocks.size;
	if (id->places > 1) {
		id->uuid.len = 0;
		id->place = place_in_block(places, i, batch, t_ns, header_pending);
	}
	return true;
}

bool places_settle(struct places *places, uint64_t names, struct sample_batch *batch,
	int64_t t_ns, bool *header_pending, struct gpu_id *id)
{
	struct stream_key key = key_of(names, id);
	struct log *log = places->log;

	if (log->asks)
		log->row_key[batch->rows] = key;
	if (key.named) {
		/* the header may have changed in mid-block */
		places_end_blocks(places, batch, header_pending);
		return true;
	}
	log->anonymous = true;
	if (!log->asks)
		return place_row(places, &key, batch, t_ns, header_pending, id);
	id->by_model = true;
	return true;
}

/* The batch's rows stay, also those of a block that may end too early. */
static void keep_rows(struct places *places)
{
	for (size_t i = 0; i < places->count; i++)
		places->at[i].rows = 0;
}

bool places_full(struct places *places, const struct sample_batch *batch)
{
	if (!places->largest)
		places->largest =
			places->log->streams ? streams_largest(places->log->streams) : 1;
	if (batch->rows == SAMPLE_BATCH_ROWS)
		keep_rows(places);
	return batch->rows == SAMPLE_BATCH_ROWS ||
		(!places->open && batch->rows + places->largest > SAMPLE_BATCH_ROWS);
}
