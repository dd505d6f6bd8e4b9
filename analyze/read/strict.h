/*
 * The fast way for rows as nvidia-smi writes them: of the columns that an ordinary row
 * had, with the GPUs that ordinary rows named. Whatever is otherwise by a byte is left to
 * the general way (csv.h, columns.h), and both give the same: tests compare them.
 */
#ifndef READ_STRICT_H
#define READ_STRICT_H

#include <stdbool.h>
#include <stddef.h>

#include "read/columns.h"
#include "read/identity.h"
#include "read/streams.h"

#define STRICT_TEXTS	  4 /* words of a column that are remembered */
#define STRICT_TEXT_BYTES 32
#define STRICT_DECIMALS	  7

/* How the cells of a column are read. */
enum strict_form {
	STRICT_TIME,
	STRICT_ID, /* bytes that a GPU had before */
	STRICT_NUMBER, /* or a word */
	STRICT_WORD, /* that was met before: a state, a mask, a value that is missing */
	STRICT_SKIP
};

struct strict_value {
	uint8_t presence; /* ABSENT: the general way has to read it */
	int64_t value;
};

struct strict_column {
	enum strict_form form;
	size_t id; /* of an ID: which of them */
	const char *suffix; /* of a NUMBER: blank and unit; static */
	size_t suffix_len;
	int64_t with_unit[STRICT_DECIMALS]; /* quanta of the last decimal; 0: no whole one
					     */
	int64_t bare[STRICT_DECIMALS];
	int64_t low, high; /* what it can be */
	struct {
		char text[STRICT_TEXT_BYTES];
		size_t len;
		struct strict_value is;
	} word[STRICT_TEXTS];
	size_t words, next_word; /* which is forgotten next */
};

struct strict_gpu {
	uint32_t device;
	struct stream_key key; /* of its rows, where somebody asks */
	char text[KNOWN_GPU_BYTES];
	size_t end[KNOWN_GPU_TEXTS + 3]; /* of each id's bytes in text */
};

struct strict_cell {
	struct span text; /* what the general way has to read */
	struct strict_value is;
};

struct strict {
	bool usable; /* for the columns since the last strict_begin() */
	struct strict_column *column; /* [count] owned */
	struct strict_cell *cell; /* [count] owned; of the row */
	size_t count, cap, cell_cap;
	size_t ids;
	struct strict_gpu *gpu; /* [gpus] owned */
	size_t gpus, gpu_cap;
	size_t next; /* the GPU that is likely to come */
	unsigned forgotten; /* known_gpus.forgotten, when the GPUs were learnt */
};

void strict_release(struct strict *strict); /* zeroed is empty */

/* Forgets everything: other columns, or rows that need the general way. */
void strict_clear(struct strict *strict);

/*
 * After an ordinary row of a log with times and ids, whose cells are those of the columns
 * and stand in one line without quotes: learns the columns, and the GPU.
 */
void strict_learn(struct strict *strict, const struct columns *columns,
	const struct known_gpus *known, const struct span *cell, uint32_t device,
	const struct stream_key *key);

/*
 * Puts the row that the line is into the batch. False: it is not for the fast way, and
 * nothing has happened.
 */
bool strict_put(struct strict *strict, struct columns *columns,
	const struct known_gpus *known, struct log *log, struct sample_batch *batch,
	struct span line);

#endif
