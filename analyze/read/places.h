/*
 * Which GPU a row without any id is about: that of its model, where a log has several, or
 * that of its place in a block of rows. What holds for a log its first rows tell
 * (look.h).
 */
#ifndef READ_PLACES_H
#define READ_PLACES_H

#include "model/sample.h"
#include "read/log.h"

/* Zeroed, but for the log, is the begin. */
struct places {
	struct log *log; /* borrowed */
	size_t in_block; /* rows of the open block that are in the batch */
	int64_t last_ns; /* of the row before */
	uint64_t block_line; /* of the open block's first row */
};

/* The place of a row in its block, which it may end or begin. */
int32_t places_in_block(struct places *places, struct sample_batch *batch, int64_t t_ns,
	bool *header_pending);

/*
 * No further row belongs to the open block: those of one that ended too early can't be
 * told apart and are taken back. *header_pending: a header stood before one of them.
 */
void places_end_block(
	struct places *places, struct sample_batch *batch, bool *header_pending);

#endif
