/* The rows of a file, and those behind them, where what stands behind decides. */
#ifndef READ_ONE_BATCH_AHEAD_H
#define READ_ONE_BATCH_AHEAD_H

#include "base/diag.h"
#include "model/sample.h"

struct ahead {
	struct sample_source *rows; /* owned */
	struct sample_batch behind; /* what was read too early; no rows: nothing */
	int got; /* what the source said then; 0: the end, -1: err is set */
	struct error err;
};

/* Takes rows over. */
void ahead_init(struct ahead *ahead, struct sample_source *rows);
void ahead_release(struct ahead *ahead);

/* As sample_source_next. */
int ahead_next(struct ahead *ahead, struct sample_batch *batch, struct error *err);

/* The batch behind the one that ahead_next gave; no rows: the file ends with that one. */
const struct sample_batch *ahead_behind(struct ahead *ahead);

#endif
