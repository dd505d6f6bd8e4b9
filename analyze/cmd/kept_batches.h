/* Keeps the samples of a run in memory until they can be stored, up to a limit. */
#ifndef CMD_KEPT_BATCHES_H
#define CMD_KEPT_BATCHES_H

#include "model/sample.h"

/* Zeroed is empty. */
struct kept_batches {
	struct sample_batch *batch; /* [count] owned */
	size_t count, cap;
	size_t cells; /* that have memory, used or not */
	bool is_full; /* a batch had no room */
};

void kept_batches_release(struct kept_batches *kept);

/* Takes the batch; the caller gets a cleared one with the same columns. -1: the limit is
 * reached. */
int kept_batches_add(
	struct kept_batches *kept, struct sample_batch *batch, struct error *err);

/* Drops the samples of a kind of log. */
void kept_batches_drop_source(struct kept_batches *kept, enum source_kind kind);

#endif
