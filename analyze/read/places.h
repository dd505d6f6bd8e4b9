/*
 * Which GPU a row without any id is about: that of its place in a block of rows, which
 * each stream has its own of (streams.h).
 */
#ifndef READ_PLACES_H
#define READ_PLACES_H

#include "model/sample.h"
#include "read/log.h"

/* The block that a stream is in. */
struct open_block {
	size_t place; /* of the next row; 0: none is open */
	size_t row[BLOCKS_MAX]; /* [rows] of the batch: those that can be taken back */
	size_t rows;
	int64_t last_ns; /* of the row before */
	uint64_t last_row; /* its number */
	uint64_t line; /* of the first row */
};

/* Zeroed, but for the log, is the begin. */
struct places {
	struct log *log; /* borrowed */
	struct open_block *at; /* [count] of each stream; owned */
	size_t count, cap;
	size_t open; /* blocks */
	uint64_t rows; /* so far, of all streams */
};

void places_release(struct places *places);

/*
 * The place of a row in the block of its stream, which it may end or begin; the row is to
 * be appended to the batch next.
 */
int32_t places_in_block(struct places *places, size_t stream, struct sample_batch *batch,
	int64_t t_ns, bool *header_pending);

/*
 * No further row belongs to the open blocks: those of one that ended too early can't be
 * told apart and are taken back. *header_pending: a header stood before one of them.
 */
void places_end_blocks(
	struct places *places, struct sample_batch *batch, bool *header_pending);

/* The batch is full: its rows stay, also those of a block that may end too early. */
void places_keep(struct places *places);

#endif
