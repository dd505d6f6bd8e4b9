/*
 * What the columns of a log hold, found by their names in a header. Position means
 * nothing; a header may come again in mid-file with other columns.
 */
#ifndef READ_COLUMNS_H
#define READ_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "model/metric.h"
#include "model/sample.h"
#include "read/cells.h"
#include "read/csv.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/log.h"

struct column {
	enum role role;
	const struct binding *binding; /* of a metric */
	bool spare; /* of a metric: another column gives it too, and goes before */
	enum metric_kind kind; /* of a metric */
	int64_t bare; /* of a metric: quanta of a number without unit */
	int64_t low, high; /* of a metric: what such a number can be, in quanta */
	size_t batch_column; /* of a metric; valid while columns.bound */
	const char *name; /* of a metric: as in metrics.def; of an epoch */
	int32_t part; /* of rows that are of several devices: whose it is; 0: the row's */
};

/* Of a cell so much is kept. */
#define CELL_KEPT 32

struct columns {
	struct column *at;
	size_t count, cap;
	char last[CELL_KEPT]; /* [last_len] the last field of the row before, or its end
			       */
	size_t last_len;
	bool last_of_line; /* it is the line's end: the field is behind its last comma */
	int32_t part; /* the columns that columns_put_row() puts */
	bool in_parts; /* there are several */
	bool has_time; /* TIME, CLOCK or ELAPSED */
	bool has_id; /* INDEX, UUID, BUS_ID or HOST; GPU, if its cells are numbers */
	bool has_row; /* the log has a row: it decided the following */
	bool timed, with_ids;
	struct clock_line clock; /* of the lines around the rows that are only a time */
	bool clocked; /* the last one said: */
	int64_t clock_ns;
	uint64_t day; /* of the last row with date and clock: a hash of the date */
	int64_t days, joined_ns; /* since that day began; its time */
	bool bound; /* the columns have their places in the batch; false for a new one */
};

void columns_release(struct columns *columns);
void columns_clear(struct columns *columns);

/* Appends the column of that name, with or without unit; one without use is remarked. */
void columns_add(struct columns *columns, struct log *log, enum source_kind source,
	struct span name);

/*
 * The header of a log's first row decides whether the log has times and GPU ids. False:
 * the current row lacks what the others have; it is refused.
 */
bool columns_accept_row(struct columns *columns, struct log *log);

/*
 * The last field of a row. Where the file ends in it, without a newline, it may be cut,
 * or is: left out then.
 */
void columns_end_row(struct columns *columns, struct log *log, struct span *field);

/* The same of a whole row without quotes. */
static inline void columns_end_line(struct columns *columns, struct span line)
{
	columns->last_of_line = true;
	columns->last_len = line.len < CELL_KEPT ? line.len : CELL_KEPT;
	if (line.len < CELL_KEPT)
		memcpy(columns->last, line.at, line.len);
	else
		memcpy(columns->last, line.at + line.len - CELL_KEPT, CELL_KEPT);
}

/*
 * Whether a blank stands behind each comma between cells, or behind none: where only one
 * lacks it, damage put it there. Those behind the cell `name`, as many as surplus, are of
 * a name.
 */
bool columns_parted_alike(
	const struct span *cell, size_t count, size_t name, size_t surplus);

/*
 * There is no quoting, so a name with a comma gives a row too many cells. Those at the
 * column of a role are joined, if then every value stands where its column is; false:
 * they can't be.
 */
bool columns_join(const struct columns *columns, struct csv_row *row, enum role role);

/*
 * A row has as many cells as the header, and its last one is whole; false: refused, the
 * line being quoted.
 */
bool columns_count_row(
	struct columns *columns, struct log *log, struct csv_row *row, struct span line);

/*
 * Takes a line around the rows that is only a time, of a log that has such lines; it is
 * that of the rows behind it. False: it is another line.
 */
bool columns_take_clock(struct columns *columns, struct log *log, struct span line);

/*
 * The time that stood before the row, of a log that has no column for it; else *t_ns
 * stays. False: there should be one; the row is refused.
 */
bool columns_line_time(struct columns *columns, struct log *log, int64_t *t_ns);

/* A cell as date and clock, or as seconds since 1970. False: the row is refused. */
bool columns_time(struct log *log, struct span cell, int64_t *t_ns);

/*
 * A date and a clock in columns of their own. Without a date the clock counts from a day
 * that is not known. A clock that begins anew on the same day is of the next one. False:
 * the row is refused.
 */
bool columns_join_time(struct columns *columns, struct log *log, struct span date,
	struct span clock, int64_t *t_ns);

/*
 * A recorder that was killed leaves half a row, and the next one writes its header behind
 * it: what stands before the header's first name is cut off and refused. A header that
 * stands alone stays as it is.
 */
void columns_cut_glued(struct log *log, enum source_kind source, struct csv_row *header,
	struct span line);

/* The last column of a role; columns->count: there is none. */
size_t columns_of(const struct columns *columns, enum role role);

/* Is there one? */
static inline bool columns_have(const struct columns *columns, enum role role)
{
	return columns_of(columns, role) < columns->count;
}

/* Of a row's cells that of a role; len 0: there is none, or it has no value. */
struct span columns_cell(
	const struct columns *columns, const struct span *cell, enum role role);

/* What the cells of a row say of its GPU, and else leave as it is. */
void columns_read_gpu(const struct columns *columns, const struct log *log,
	const struct span *cell, struct gpu_id *id);

/* Its pid and command. False: the pid is none; the row is refused. */
bool columns_read_process(const struct columns *columns, struct log *log,
	const struct span *cell, struct process_id *id);

/*
 * Puts a cell of a metric's column, which has its place in the batch, into a row; what
 * can't be read counts as not available and is said.
 */
void columns_put_cell(const struct column *column, struct log *log,
	struct sample_batch *batch, size_t row, struct span cell);

/*
 * Appends an accepted row, all of whose metrics are still absent, and counts it; every
 * column of a metric has its place in the batch. Returns the row. *header_pending: a
 * header stood before it; false afterwards.
 */
size_t columns_begin_row(struct columns *columns, struct log *log,
	struct sample_batch *batch, int64_t t_ns, uint32_t device, bool *header_pending);

/*
 * Appends an accepted row with its metrics, cell[i] being that of column i, and counts
 * it. *header_pending: a header stood before it; false afterwards.
 */
void columns_put_row(struct columns *columns, struct log *log, struct sample_batch *batch,
	int64_t t_ns, uint32_t device, bool *header_pending, const struct span *cell);

/*
 * Columns of wrappers that may be the time: "epoch" is it beside power.draw, but in a
 * table of a training it counts. The first row behind the header decides.
 */

/*
 * Of the columns with such a name the first whose cell is a time is ROLE_TIME, if the log
 * has no other time; the rest are not used, and that is remarked.
 */
void epoch_settle(struct columns *columns, struct log *log, const struct span *cell);

#endif
