/*
 * What the first rows of a file tell before it is read: its first time, and where no row
 * has an id how many GPUs it is about.
 */
#ifndef READ_LOOK_H
#define READ_LOOK_H

#include "model/sample.h"
#include "read/reading.h"

#define LOOK_VALUES 4096 /* rows whose values are kept */

struct look_values {
	int64_t *at; /* [count], up to LOOK_VALUES; or PATTERN_NO_VALUE */
	size_t count;
};

struct look {
	int64_t first_ns; /* TIME_NONE: no row has a time */
	int64_t *t_ns; /* [count] of the rows */
	uint8_t *header; /* [count] */
	uint32_t *device; /* [count] one for each model */
	struct look_values *values; /* [column_count] of the batch's columns */
	size_t column_count, column_cap;
	bool alternating; /* a row is like the last but one, and not like the last */
	size_t count, cap, header_cap, device_cap;
	bool exact; /* the clock is finer than a second */
};

#define LOOK_INIT ((struct look){.first_ns = TIME_NONE})

void look_release(struct look *look);

/* The first rows of an anonymous log, before the batch is looked at. */
void look_at_values(struct look *look, const struct sample_batch *batch);

/* Rows of a file that was read from its begin, without blocks. */
void look_at_batch(struct look *look, const struct sample_batch *batch);

/* Fills blocks, models, bursts and guessed of a file; the run's GPUs are the rows'. */
void look_tell_gpus(
	const struct look *look, struct reading_file *file, const struct run *run);

#endif
