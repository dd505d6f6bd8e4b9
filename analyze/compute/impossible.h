/*
 * Values that can't be: outside of their metric's range, larger than another one of
 * their row that bounds them, or no power of a GPU at work (schema/checks.def).
 * Statistics take them as they are; no finding relies on them. README.md, "Findings".
 */
#ifndef COMPUTE_IMPOSSIBLE_H
#define COMPUTE_IMPOSSIBLE_H

#include "model/run.h"
#include "model/sample.h"

/* Those of one metric of one device in a kind of log. */
struct impossible {
	enum source_kind source;
	uint32_t device; /* index into the run's devices */
	enum metric_id metric;
	uint64_t count;
	size_t file; /* of the first; SIZE_MAX: not known */
	uint64_t line; /* ... from 1; 0: not known */
	char *text; /* ... what it is, and what speaks against it; owned */
};

struct impossible_list {
	struct impossible *at; /* [count] owned */
	size_t count, cap;
	struct sample_batch
		sound; /* the last batch without them; its columns are owned */
	uint8_t *presence; /* ... of those that have any; owned */
};

/* Zeroed is empty. */
void impossible_release(struct impossible_list *list);

/* Forgets those of a kind of log. */
void impossible_forget(struct impossible_list *list, enum source_kind source);

/*
 * The batch, if all its values can be; else one in which those that can't are MISSING. It
 * lives until the next call.
 */
const struct sample_batch *impossible_leave_out(
	struct impossible_list *list, const struct sample_batch *batch);

/* Counts those of a row; sound: what impossible_leave_out made of the batch. */
void impossible_count_row(struct impossible_list *list, const struct run *run,
	const struct sample_batch *batch, const struct sample_batch *sound, size_t row);

/* How many there are. SOURCE_NONE: in all logs. */
uint64_t impossible_count(const struct impossible_list *list, enum source_kind source,
	uint32_t device, enum metric_id metric);

#endif
