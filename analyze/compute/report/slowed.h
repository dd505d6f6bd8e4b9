/*
 * Which samples show that something lowers the clocks of a GPU: the driver's mask, its
 * columns, or dmon's violations. Ignores idle GPUs, as the rules on throttling do
 * (schema/findings).
 */
#ifndef COMPUTE_SLOWED_H
#define COMPUTE_SLOWED_H

#include "model/run.h"
#include "model/sample.h"
#include "model/timeline.h"

bool slowed_is_told_by(enum metric_id metric);

/* Is it a metric that tells of it, or of idling? */
bool slowed_asks(enum metric_id metric);

/* A column that tells of a reason, or of idling. */
struct slowed_sign {
	const struct sample_column *column;
	enum slowed why; /* SLOWED_COUNT: the GPU idles */
	int64_t least, mask, word; /* value >= least, & mask, == word; one is not 0 */
};

#define SLOWED_SIGNS 16 /* at most */

/* What a batch's columns tell. Borrows the batch. */
struct slowed_batch {
	struct slowed_sign at[SLOWED_SIGNS];
	size_t count;
	bool told; /* of any reason */
	const struct sample_column *util; /* NULL: there is none */
};

struct slowed_batch slowed_of(const struct run *run, const struct sample_batch *batch);

/* Of a row: of which reasons it tells anything, which of them hold, and of which it says
 * that nothing can be told. */
struct slowed_row {
	bool told[SLOWED_COUNT], held[SLOWED_COUNT], missing[SLOWED_COUNT];
};

struct slowed_row slowed_row(const struct slowed_batch *slowed, size_t row);

#endif
