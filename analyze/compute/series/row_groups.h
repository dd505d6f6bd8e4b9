/*
 * The rows of a batch device by device: what is worked out of a device's rows one behind
 * the other has its state at hand, and not only for one of them.
 */
#ifndef COMPUTE_ROW_GROUPS_H
#define COMPUTE_ROW_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sample.h"

/* Rows of a device, ascending. */
struct row_group {
	uint32_t device; /* index into the run's devices */
	size_t count; /* 1 or more */
	const uint16_t *row; /* [count] borrowed from the groups */
	bool even; /* all in one segment, each later than the one before, by so little
		      that there is no gap */
};

struct row_groups {
	struct row_group *group; /* [count] in the order of their first rows; owned */
	size_t count, cap;
	uint32_t *of; /* [devices] group + 1, of a device of this batch; owned */
	size_t devices, of_cap;
	size_t rows;
	uint16_t row[SAMPLE_BATCH_ROWS], /* by group, once settled */
		taken[SAMPLE_BATCH_ROWS]; /* as they came */
};

void row_groups_release(struct row_groups *groups); /* zeroed is empty */

/* A batch: clear, its rows in ascending order, settle. */
void row_groups_clear(struct row_groups *groups);
void row_groups_add(
	struct row_groups *groups, const struct sample_batch *batch, size_t row);
/* Now the groups are there, until the next clear. near_ns: what is no gap. */
void row_groups_settle(
	struct row_groups *groups, const struct sample_batch *batch, int64_t near_ns);

#endif
