/*
 * How many GPUs a log without ids is about. Equal times are different GPUs; otherwise
 * there are several only if rows come in blocks of constant size, close together against
 * the step between blocks, in at least 90 % of the blocks.
 */
#ifndef READ_BLOCKS_H
#define READ_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blocks {
	size_t size; /* GPUs; 1: rows are successive samples of one */
	int64_t border_ns; /* a longer step, or one back, begins a block; size > 1 */
	bool by_header; /* a header begins a block instead: the log has no times */
};

#define BLOCKS_MAX 64 /* GPUs */

/* Whether a row begins a block of a log with times: the step from the row before. */
bool blocks_is_border(const struct blocks *blocks, int64_t step_ns);

/* Of a log without times, whose header stands before every block: header[i] of row i. */
struct blocks blocks_find_by_header(const uint8_t *header, size_t count);

/* Of the times of successive rows. */
struct blocks blocks_find(const int64_t *t_ns, size_t count);

/* The same where rows of a block follow one another as slowly as in some seconds. */
struct blocks blocks_find_wide(const int64_t *t_ns, size_t count);

/*
 * Of a log of few rows, whose steps prove nothing: one block, or several of one size, in
 * which rows follow one another as fast as those of one call do. *certain: a header
 * stands before each of several, so that they are calls.
 */
struct blocks blocks_find_few(
	const int64_t *t_ns, const uint8_t *header, size_t count, bool *certain);

/*
 * Rows that come in short bursts, though of no constant size: they may be several GPUs
 * all the same.
 */
bool blocks_look_like(const int64_t *t_ns, size_t count);
bool blocks_look_like_by_header(const uint8_t *header, size_t count);

/*
 * Rows at two steps in turns, of clearly different length, such as 4, 6, 4, 6 ms: of two
 * GPUs, or of one whose recorder limps.
 */
bool blocks_come_in_turns(const int64_t *t_ns, size_t count);

#endif
