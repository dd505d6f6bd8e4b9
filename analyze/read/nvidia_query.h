/*
 * Which GPU a row without an id of its own is about: that of its model, where a stream
 * (streams.h) has several, or that of its place in a block of the stream's rows.
 */
#ifndef READ_NVIDIA_QUERY_H
#define READ_NVIDIA_QUERY_H

#include "model/sample.h"
#include "read/identity.h"
#include "read/log.h"

/* The block that a stream is in. */
struct open_block {
	size_t place; /* of the next row; 0: none is open */
	size_t row[BLOCKS_MAX]; /* [rows] of the batch: those that can be taken back */
	size_t rows;
	int64_t last_ns; /* of the row before */
	uint64_t last_row; /* its number */
	uint64_t line; /* of the first row */
};

/* Zeroed, but for the log, is the begin. */
struct places {
	struct log *log; /* borrowed */
	struct open_block *at; /* [count] of each stream; owned */
	size_t count, cap;
	size_t open; /* blocks */
	size_t largest; /* block of a stream; 0: not known yet */
	uint64_t rows; /* so far, of all streams */
};

#endif
