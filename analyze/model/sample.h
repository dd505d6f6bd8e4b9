/*
 * The stream between the stages: batches of samples, pulled from a sample_source. A
 * log and the database are sources; the aggregate, the database and the checks consume
 * batches. A consumer may know only what is in the batch.
 *
 * A sample is one device at one instant, one row of a batch. Absent is never zero:
 * each value has a presence.
 */
#ifndef MODEL_SAMPLE_H
#define MODEL_SAMPLE_H

#include "base/timestamp.h"
#include "model/metric.h"

/* Rows of a batch at most: its columns then fit into a second-level cache. */
#define SAMPLE_BATCH_ROWS 1024

enum presence {
	PRESENCE_ABSENT, /* the log has no such column in this row: not sampled */
	PRESENCE_MISSING, /* sampled, but not available */
	PRESENCE_VALUE
};

/* From a row of a batch on a column is a certain cell of a line of the log. */
struct sample_place {
	size_t row;
	uint32_t below; /* so many lines below that of its row; 0: that line */
	uint32_t cell; /* from 1 */
};

/* A step longer than max(3h, h + 2 s), for rows that are an interval of h apart, is a
 * gap.
 */
int64_t gap_limit_ns(int64_t interval_ns);

/* Shorter steps are never a gap. */
#define GAP_LIMIT_MIN_NS (2 * NS_PER_S)

struct sample_column {
	enum metric_id metric;
	struct sample_place *place; /* [places] by row; none: not known */
	size_t places, place_cap;
	int64_t *value; /* [SAMPLE_BATCH_ROWS] where presence is VALUE: in quanta, of a
			   STATE the number of its word in the run's texts; MISSING: that
			   of the reason, 0 if it is not known */
	uint8_t *presence; /* [SAMPLE_BATCH_ROWS] enum presence */
};

/*
 * Rows stand in the order of the log, or in that of the database: by segment, time,
 * ordinal and device. Columns are only ever added while a batch is in use; one that
 * a row does not have is ABSENT there.
 */
struct sample_batch {
	enum source_kind source;
	bool timed; /* false: the log has no times; t_ns is 0, ordinal the row's number */
	bool listed; /* rows of one time are one listing: that a device has several was
			said by the reader */
	bool snapshots; /* rows of one time are one sample, which has it from one line */
	size_t rows;
	int64_t *t_ns; /* [rows] UTC; in a log without times all 0 */
	int32_t *segment; /* [rows] from 0; raised by a step back beyond the gap limit */
	uint32_t *ordinal; /* [rows] among equal times of a device in a segment, from 0;
			      in a log without times the row's number */
	uint32_t *device; /* [rows] index into the run's devices */
	uint8_t *header; /* [rows] 1: a header stood right before this row */
	uint8_t *unavailable; /* [rows] 1: "[N/A]" and the like are all that its cells
				 without a value say: nothing failed */
	uint64_t *line; /* [rows] of the file, from 1; 0: not known */
	size_t file; /* index into the run's files; SIZE_MAX: not known */
	size_t column_count;
	struct sample_column *column; /* [column_count] */
	size_t column_cap;
};

void sample_batch_init(struct sample_batch *batch);
void sample_batch_release(struct sample_batch *batch);
/* No rows; all columns stay, with every presence ABSENT. */
void sample_batch_clear(struct sample_batch *batch);
/* The column of a metric; NULL: there is none. */
const struct sample_column *sample_batch_find(
	const struct sample_batch *batch, enum metric_id metric);
/* Has it a value in a row? NULL has none. */
static inline bool sample_column_has(const struct sample_column *column, size_t row)
{
	return column && column->presence[row] == PRESENCE_VALUE;
}
/* The index of a metric's column, which is added if it is not there. */
size_t sample_batch_column(struct sample_batch *batch, enum metric_id metric);
/* From the place's row on the column stands there; what was said of later rows is void.
 */
void sample_column_move(struct sample_column *column, struct sample_place place);
/* Which cell it is in a row; 0: not known. */
uint32_t sample_column_cell(const struct sample_column *column, size_t row);
/* In which line its value stands, as batch->line. */
uint64_t sample_column_line(
	const struct sample_batch *batch, const struct sample_column *column, size_t row);
/* Appends a row with all values ABSENT; returns its number. rows < SAMPLE_BATCH_ROWS. */
size_t sample_batch_add(struct sample_batch *batch, int64_t t_ns, uint32_t device);
/* All values of a row ABSENT: it only says that somebody looked. */
void sample_batch_blank(struct sample_batch *batch, size_t row);
/* Copies a row over an earlier one: to <= from. */
void sample_batch_move(struct sample_batch *batch, size_t to, size_t from);
/* Takes a row out: those behind it move up, and the header before it to the next one,
 * else to *header. */
void sample_batch_remove(struct sample_batch *batch, size_t row, bool *header);
/* Gives a batch away: it is then as before but for its rows, of the other one's memory.
 */
void sample_batch_swap(struct sample_batch *batch, struct sample_batch *with);
/* Takes back the last rows. */
void sample_batch_drop(struct sample_batch *batch, size_t rows);
static inline void sample_batch_put(
	struct sample_batch *batch, size_t row, size_t column, int64_t value)
{
	batch->column[column].value[row] = value;
	batch->column[column].presence[row] = PRESENCE_VALUE;
}

/* Into the metric's column, which is added if it is not there. */
static inline void sample_batch_put_metric(
	struct sample_batch *batch, size_t row, enum metric_id metric, int64_t value)
{
	sample_batch_put(batch, row, sample_batch_column(batch, metric), value);
}
static inline bool sample_batch_full(const struct sample_batch *batch)
{
	return batch->rows == SAMPLE_BATCH_ROWS;
}

/*
 * A pull source. Embed it as the first member; sample_source_free releases the whole.
 * next: clears the batch, fills it; 1: at least one row, 0: the end, -1: err is set.
 */
struct sample_source {
	int (*next)(
		struct sample_source *src, struct sample_batch *batch, struct error *err);
	void (*free)(struct sample_source *src);
};

static inline int sample_source_next(
	struct sample_source *src, struct sample_batch *batch, struct error *err)
{
	return src->next(src, batch, err);
}

void sample_source_free(struct sample_source *src); /* NULL is fine */

#endif
