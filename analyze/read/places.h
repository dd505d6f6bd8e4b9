/*
 * Which GPU a row without an id of its own is about: that of its model, where a stream
 * (streams.h) has several, or that of its place in a block of the stream's rows.
 */
#ifndef READ_PLACES_H
#define READ_PLACES_H

#include "model/sample.h"
#include "read/identity.h"
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
	size_t largest; /* block of a stream; 0: not known yet */
	uint64_t rows; /* so far, of all streams */
};

void places_release(struct places *places);

/*
 * Settles which GPU a row means that will be the next one of the batch: sets place,
 * places and by_model of an id, and ends or begins a block. names: hash of those of its
 * header. False: its model is none.
 */
bool places_settle(struct places *places, uint64_t names, struct sample_batch *batch,
	int64_t t_ns, bool *header_pending, struct gpu_id *id);

/*
 * No further row belongs to the open blocks: those of one that ended too early can't be
 * told apart and are taken back. *header_pending: a header stood before one of them.
 */
void places_end_blocks(
	struct places *places, struct sample_batch *batch, bool *header_pending);

/*
 * Whether a batch ends here: where no block is open, so that one can still be taken back.
 * Only where those of several streams never end together some rows can't.
 */
bool places_full(struct places *places, const struct sample_batch *batch);

#endif
