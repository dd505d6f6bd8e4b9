/*
 * The fast way for rows as nvidia-smi writes them: of the columns that an ordinary row
 * had, with the GPUs that ordinary rows named, or with the one that rows without ids
 * are about. Whatever is otherwise by a byte is left to the general way (csv.h,
 * columns.h), and both give the same: tests compare them.
 */
#ifndef READ_FAST_QUERY_H
#define READ_FAST_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "read/columns.h"
#include "read/identity.h"
#include "read/streams.h"

#define FAST_TEXTS	4 /* words of a column that are remembered */
#define FAST_TEXT_BYTES 32
#define FAST_DECIMALS	7
#define FAST_RUNS	8 /* of ids, that other columns part */
#define FAST_GPU_BYTES	256 /* of ids, and what stands between them */

/* How the cells of a column are read. */
enum fast_form {
	FAST_TIME,
	FAST_IDS, /* bytes that a GPU had before: of this column and those behind it */
	FAST_NUMBER, /* or a word */
	FAST_WORD, /* that was met before: a state, a mask, a value that is missing */
	FAST_SKIP /* likewise, so that it need not be looked at again */
};

struct fast_value {
	uint8_t presence;
	int64_t value;
};

struct fast_word {
	char text[FAST_TEXT_BYTES];
	size_t len;
	uint64_t begin,
		mask; /* its first bytes, and which of a word they are (eight.h) */
	struct fast_value is;
};

/* What is read next of a row: a cell, or those of adjacent ids. */
struct fast_step {
	enum fast_form form;
	size_t column; /* of the row, the first one */
	size_t columns; /* how many: 1, but of IDS */
	size_t run; /* of IDS: which of them */
	size_t time_len; /* of a TIME: of the last one */
	/* where the values of a NUMBER or a WORD go, by row of the batch that is filled
	 */
	int64_t *value;
	uint8_t *presence;
	/* of a NUMBER: blank and unit behind it, as a word (eight.h) */
	uint64_t suffix, suffix_mask;
	size_t suffix_len;
	int64_t with_unit[FAST_DECIMALS]; /* quanta of the last decimal; 0: no whole one
					   */
	int64_t bare[FAST_DECIMALS];
	int64_t low, high; /* what it can be */
	/* ... the last short one and the comma, or the end, behind it, as a word */
	uint64_t last, last_mask;
	size_t last_len;
	int64_t last_value;
	struct fast_word word[FAST_TEXTS];
	size_t words, next_word; /* which is forgotten next */
};

struct fast_gpu {
	uint32_t device;
	struct stream_key key; /* of its rows, where somebody asks */
	char text[FAST_GPU_BYTES]; /* of each run what stands from its first id to the
					end of the last */
	size_t end[FAST_RUNS]; /* of each in text */
};

/* A cell that the general way has to read. */
struct fast_cell {
	size_t step;
	struct span text;
};

struct fast_query {
	bool usable; /* for the columns */
	bool header; /* one came, and no ordinary row yet */
	uint64_t names; /* hash of those of the last header */
	struct column *column; /* [column_count] that were learnt; owned */
	size_t column_count, column_cap;
	bool has_id; /* they had, says a row */
	bool placed; /* the steps know where the batch has its values */
	struct fast_step *step; /* [steps] owned */
	size_t steps, step_cap;
	size_t runs;
	struct fast_cell *left; /* [lefts] owned; of the row */
	size_t lefts, left_cap;
	struct fast_gpu *gpu; /* [gpus] owned */
	size_t gpus, gpu_cap;
	size_t next; /* the GPU that is likely to come */
	unsigned forgotten; /* known_gpus.forgotten, when the GPUs were learnt */
};

void fast_release(struct fast_query *fast); /* zeroed is empty */

/*
 * A header; names: hash of those of its columns. What was learnt stays, if the first
 * ordinary row behind it has the same columns.
 */
void fast_take_header(struct fast_query *fast, uint64_t names);

/* Another batch is filled. Its first row goes the general way, which gives it columns. */
static inline void fast_begin(struct fast_query *fast)
{
	fast->placed = false;
}

/*
 * After an ordinary row of a log with times, whose cells are those of the columns and
 * stand in one line without quotes, and whose ids, or their absence, say which GPU it is
 * about, wherever it stands: learns the columns, and the GPU.
 */
void fast_learn(struct fast_query *fast, const struct columns *columns,
	const struct known_gpus *known, const struct span *cell, uint32_t device,
	const struct stream_key *key);

/*
 * Puts the row that the line is into the batch. False: it is not for the fast way, and
 * nothing has happened.
 */
bool fast_put(struct fast_query *fast, struct columns *columns,
	const struct known_gpus *known, struct log *log, struct sample_batch *batch,
	struct span line);

#endif
