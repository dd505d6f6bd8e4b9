/*
 * The samples of a run in memory, until a database can have them: as many as may wait,
 * however long runs are.
 */
#ifndef CMD_KEPT_BATCHES_H
#define CMD_KEPT_BATCHES_H

#include "model/sample.h"

/* Zeroed is empty. */
struct tape {
	struct sample_batch *batch; /* [count] owned */
	size_t count, cap;
	size_t cells; /* that have memory, used or not */
	bool is_full; /* something had no room */
};

void tape_release(struct tape *tape);

/* Takes the batch, for which the caller gets a cleared one with the same columns. -1: the
 * tape is full, and err is set. */
int tape_add(struct tape *tape, struct sample_batch *batch, struct error *err);

/* Forgets the samples of a kind of log. */
void tape_drop_source(struct tape *tape, enum source_kind kind);

#endif
