/*
 * What the first rows of a file tell before it is read: its first time, and where rows
 * have no id how many GPUs they are about (tell.c).
 */
#ifndef READ_LOOK_H
#define READ_LOOK_H

#include "model/sample.h"
#include "read/reading.h"

#define LOOK_VALUES 4096 /* rows whose values are kept */

struct look_row {
	int64_t t_ns;
	uint32_t device; /* one for each model */
	uint8_t header; /* a header stood before it */
	size_t stream; /* of the file's; STREAMS_NONE: it says which GPU it is about */
};

struct look_values {
	enum metric_id metric;
	int64_t *at; /* [count], up to LOOK_VALUES; or PATTERN_NO_VALUE */
	size_t count;
};

struct look {
	int64_t first_ns; /* TIME_NONE: no row has a time */
	struct look_row *row; /* [count] */
	size_t count, cap;
	struct look_values *values; /* [column_count] of the batch's columns */
	size_t column_count, column_cap;
	bool exact; /* the clock is finer than a second */
};

#define LOOK_INIT ((struct look){.first_ns = TIME_NONE})

void look_release(struct look *look);

/*
 * Rows of a file that was read from its begin, without blocks; key[i]: the stream that
 * row i is in, which is added.
 */
void look_at_batch(struct look *look, const struct sample_batch *batch,
	const struct stream_key *key, struct streams *streams);

/* Tells how many GPUs each stream of a file is about; the run's GPUs are the rows'. */
void look_tell_gpus(
	const struct look *look, struct reading_file *file, const struct run *run);

#endif
