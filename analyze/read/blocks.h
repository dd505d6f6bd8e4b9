/*
 * How many GPUs a log without ids is about. Equal times are different GPUs; otherwise
 * there are several only if rows come in blocks of constant size, close together against
 * the step between blocks, in at least 90 % of the blocks.
 */
#ifndef READ_BLOCKS_H
#define READ_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct blocks {
	size_t size; /* GPUs; 1: rows are successive samples of one */
	int64_t border_ns; /* a longer step, or one back, begins a block; size > 1 */
};

#define BLOCKS_MAX 64 /* GPUs */

/* Of the times of successive rows. */
struct blocks blocks_find(const int64_t *t_ns, size_t count);

#endif
