/*
 * The rows of one stream of a file that is looked at, and what they have in common:
 * their blocks, and what their values say of these.
 */
#ifndef READ_GPUS_IN_STREAM_H
#define READ_GPUS_IN_STREAM_H

#include "model/sample.h"
#include "read/read_run.h"
#include "read/streams.h"

/*
 * What the first rows of a file tell before it is read: its first time, and where rows
 * have no id how many GPUs they are about.
 */

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

/* The rows of a stream. */
struct rows {
	const struct look *look;
	bool timed; /* their times tell blocks apart */
	size_t *first; /* [streams + 1] where those of each begin in: */
	size_t *all; /* the rows of all streams, one stream after the other */
	size_t *at; /* [count] in the look */
	int64_t *t_ns;
	uint8_t *header; /* a header stood before it, or a row of another stream */
	size_t count;
};

/* ... in blocks of any size, and one that a load does not change as it comes and goes. */
bool rows_come_back(const struct rows *rows);

#endif
