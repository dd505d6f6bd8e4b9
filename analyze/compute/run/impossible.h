/*
 * Values that can't be: outside of their metric's range, larger than another one of
 * their row that bounds them, or no power of a GPU at work (schema/checks.def). Those
 * outside of their range are missing; the statistics take the others as they are, as
 * either of two may be wrong. No finding relies on any. README.md, "Findings".
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
	uint64_t missing; /* of these: outside of their range */
	size_t file; /* of the first; SIZE_MAX: not known */
	uint64_t line; /* ... from 1; 0: not known */
	char *text; /* ... what it is, and what speaks against it; owned */
};

/* A batch of which some values are MISSING. Zeroed is empty. */
struct masked_batch {
	struct sample_batch batch; /* its columns are owned */
	uint8_t *presence; /* theirs; owned */
};
void masked_batch_release(struct masked_batch *masked);

/*
 * The batch, if all values are in their metrics' ranges; else `masked`, in which those
 * that are not are MISSING. It lives until the next call.
 */
const struct sample_batch *impossible_in_range(
	struct masked_batch *masked, const struct sample_batch *batch);

struct impossible_list {
	struct impossible *at; /* [count] owned */
	size_t count, cap;
	struct masked_batch in_range, sound; /* of the last batch */
};

/* Zeroed is empty. */
void impossible_release(struct impossible_list *list);

/* Forgets those of a kind of log. */
void impossible_forget(struct impossible_list *list, enum source_kind source);

/*
 * The same of a batch of impossible_in_range and all that speaks against a value else. It
 * lives until the next call.
 */
const struct sample_batch *impossible_leave_out(
	struct impossible_list *list, const struct sample_batch *in_range);

/* Counts those of a row; in_range, sound: what became of the batch. */
void impossible_count_row(struct impossible_list *list, const struct run *run,
	const struct sample_batch *batch, const struct sample_batch *in_range,
	const struct sample_batch *sound, size_t row);

/* How many there are. SOURCE_NONE: in all logs. */
uint64_t impossible_count(const struct impossible_list *list, enum source_kind source,
	uint32_t device, enum metric_id metric);
/* How many of those of a log the statistics take for missing. */
uint64_t impossible_missing(const struct impossible_list *list, enum source_kind source,
	uint32_t device, enum metric_id metric);

#endif
