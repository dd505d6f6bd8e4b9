/*
 * The rows of a log that do not say which GPU they are about, in streams: those that
 * stand under a header with the same columns, and say the same host, mask of a UUID,
 * and board or PCI bus. Each is about as many GPUs as its own rows tell.
 */
#ifndef READ_STREAMS_H
#define READ_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/words.h"

/*
 * How many GPUs a log without ids is about. Equal times are different GPUs; otherwise
 * there are several only if rows come in blocks of constant size, close together
 * against the step between blocks, in at least 90 % of the blocks.
 */

struct blocks {
	size_t size; /* GPUs; 1: rows are successive samples of one */
	int64_t border_ns; /* a longer step, or one back, begins a block; size > 1 */
	bool by_header; /* a header begins a block instead: the log has no times */
};

#define BLOCKS_MAX 64 /* GPUs */

/* Whether a row begins a block of a log with times: the step from the row before. */
bool blocks_is_border(const struct blocks *blocks, int64_t step_ns);

/* Of the times of successive rows. */
struct blocks blocks_find(const int64_t *t_ns, size_t count);

/*
 * Rows at two steps in turns, of clearly different length, such as 4, 6, 4, 6 ms: of two
 * GPUs, or of one whose recorder limps.
 */
bool blocks_come_in_turns(const int64_t *t_ns, size_t count);

/* What tells a row's stream; both are hashes. */
struct stream_key {
	uint64_t names; /* of its header's columns */
	uint64_t who; /* of what else the row says of its GPU; 0: nothing */
	bool named; /* an id says which GPU it is about: it is in no stream */
};

/* Its first rows, for what those of all files tell together. */
struct stream_begin {
	int64_t *t_ns; /* [count] */
	uint8_t *header; /* [count] a header stood before it */
	size_t count;
	bool timed; /* their times tell blocks apart */
};

struct stream {
	struct stream_key key;
	struct blocks blocks; /* its GPUs; size 1: rows are successive samples of one */
	struct texts models; /* ... or the models that tell them apart */
	bool bursts; /* its rows come like those of several GPUs, and are taken for one */
	const char *doubt; /* why it is not certain how many GPUs it is about; NULL */
	bool few; /* ... as there are few rows */
	bool joined; /* those of all files were looked at together */
	struct stream_begin begin;
};
#define STREAMS_NONE SIZE_MAX

struct streams {
	struct stream *at; /* [count] */
	size_t count, cap;
};

void streams_release(struct streams *streams); /* zeroed is empty */

/* That of a key, which is added; STREAMS_NONE: one too many. */
size_t streams_add(struct streams *streams, const struct stream_key *key);

/* That of a key, else the first of rows that say the same of their GPU; STREAMS_NONE. */
size_t streams_find(const struct streams *streams, const struct stream_key *key);

/* The most GPUs that one is about. */
size_t streams_largest(const struct streams *streams);

/* GPUs of a stream. */
size_t stream_gpus(const struct stream *stream);

#endif
