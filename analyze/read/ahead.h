/* The rows of a file, and those behind them, where what stands behind decides. */
#ifndef READ_AHEAD_H
#define READ_AHEAD_H

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

/* Goes over the rows behind a row, up to the end of the batch behind its own. */
struct ahead_rows {
	const struct sample_batch *batch; /* of the row that was found */
	size_t row;
};

/* The row itself; ahead_step leads on. */
static inline struct ahead_rows ahead_from(const struct sample_batch *batch, size_t row)
{
	return (struct ahead_rows){batch, row};
}

/* False: none is behind, or what is has other clocks. */
bool ahead_step(struct ahead *ahead, struct ahead_rows *at);

#endif
