/*
 * The rows of one stream of a file that is looked at, and what they have in common: their
 * blocks, and what their values say of these.
 */
#ifndef READ_ROWS_H
#define READ_ROWS_H

#include "read/look.h"
#include "read/pattern.h"

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

/* Room for those of any stream. The look and the file are borrowed. */
struct rows rows_new(const struct look *look, const struct reading_file *file);
void rows_release(struct rows *rows);

/* Fills in those of a stream, and of a device alone unless it is IDENTITY_NONE. */
void rows_fill(struct rows *rows, size_t stream, uint32_t device);

/* Those in blocks of the right size, as far as there are values; as the look has them. */
size_t rows_in_blocks(const struct rows *rows, const struct blocks *blocks, size_t *row);

/* What the values say of rows in such blocks. */
enum pattern rows_pattern(
	const struct rows *rows, const size_t *row, size_t count, size_t size);

/* A value of theirs comes back in each block, and is another for each place. */
bool rows_repeat(const struct rows *rows, const size_t *row, size_t count, size_t size);

/* ... in blocks of any size, and one that a load does not change as it comes and goes. */
bool rows_come_back(const struct rows *rows);

/* A row is like the last but one, and not like the last. */
bool rows_alternate(const struct rows *rows);

#endif
