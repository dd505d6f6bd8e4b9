/*
 * Rows of a GPU that is none: one digit of an id was damaged. docs/logs.md, "Rows that
 * contradict all others".
 */
#ifndef READ_BAD_GPU_ID_H
#define READ_BAD_GPU_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"
#include "model/sample.h"
#include "read/one_batch_ahead.h"

#define BAD_ROUND 64 /* GPUs that take turns, at most */

struct bad_gpu_ids {
	size_t known; /* devices of the run before the file */
	uint32_t before[2 * BAD_ROUND]; /* devices of the rows before the batch */
	int64_t times_ns[2 * BAD_ROUND]; /* likewise */
	uint8_t headers[2 * BAD_ROUND]; /* one stood before each */
	size_t count;
	size_t turn; /* so many rows before stood that of the same device; 0: not known */
	uint32_t
		*device; /* [view_count] of the rows before, the batch, and that behind */
	int64_t *t_ns; /* likewise */
	uint8_t *header; /* likewise */
	size_t view_count; /* 0: not yet made for this batch; all owned */
	bool *seen; /* [seen_count] by device: a row was let through; owned */
	size_t seen_count, seen_cap;
};

/* Zeroed is empty, of a run without devices. */
void bad_gpu_ids_release(struct bad_gpu_ids *ids);

/*
 * The next row of a batch, in the order of the file, whatever became of those before:
 * stands it where another GPU has its place in every round around? instead: that one's
 * device; defined if so. A GPU that was not known before the file, and that only such
 * rows name, is `damaged`. ahead: NULL: nothing is known of what stands behind the batch.
 */
bool bad_gpu_id(struct bad_gpu_ids *ids, struct run *run, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, uint32_t *instead);

/*
 * Lets the rows of a batch from that one on through of which each takes the turn that its
 * device has, as nearly all do; returns the first one that is to be judged, or
 * batch->rows.
 */
size_t bad_gpu_ids_take_turns(
	const struct bad_gpu_ids *ids, const struct sample_batch *batch, size_t row);

/* All rows of a batch were judged. */
void bad_gpu_ids_end(struct bad_gpu_ids *ids, const struct sample_batch *batch);

#endif
