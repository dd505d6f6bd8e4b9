/*
 * Counters of a device, which only rise, and one value that stands outside of those
 * around it. README.md, "Stray values".
 */
#ifndef READ_STRAY_COUNT_H
#define READ_STRAY_COUNT_H

#include "base/number.h"
#include "read/ahead.h"

#define STRAY_COUNTERS 16 /* of one log at most; others are believed */

/* The last two values of a device's counters that were let through. */
struct stray_counters {
	int64_t t_ns[STRAY_COUNTERS]; /* of the last one */
	int64_t last[STRAY_COUNTERS], before[STRAY_COUNTERS]; /* -1: none yet */
	uint8_t falls[STRAY_COUNTERS]; /* in the batch: 0: not yet counted */
	int128 ticks; /* that all rose by in the step in which they did fastest, */
	int64_t step_ns; /* ... and its length; 0: none yet */
};

struct stray_counts {
	size_t column[STRAY_COUNTERS]; /* of the batch: its counters, by slot; SIZE_MAX */
	enum metric_id metric[STRAY_COUNTERS]; /* by slot; a slot is one of the log */
	size_t slots;
	size_t *next; /* [SAMPLE_BATCH_ROWS] the next row of a row's device, in the batch;
			 SIZE_MAX: none; owned */
	size_t *first; /* [device_count] the first row of a device; likewise */
	struct stray_counters *device; /* [device_count] owned */
	size_t device_count, device_cap, first_cap;
};

/* Zeroed is empty. */
void stray_counts_release(struct stray_counts *counts);

/* Before the rows of a batch are judged. False: it has no such counters. */
bool stray_counts_begin(struct stray_counts *counts, const struct sample_batch *batch);

/* One that can't be. */
struct stray_count {
	enum metric_id metric;
	size_t column; /* of the batch */
	int64_t value, before, behind; /* what stands around it; -1: nothing */
};

/* Judges the counters of a row from *slot on: the next one that can't be. False: none. */
bool stray_count_next(struct stray_counts *counts, struct ahead *ahead,
	const struct sample_batch *batch, size_t row, size_t *slot,
	struct stray_count *found);

/* The row goes on; what can't be of it is MISSING by now. */
void stray_count_pass(
	struct stray_counts *counts, const struct sample_batch *batch, size_t row);

#endif
