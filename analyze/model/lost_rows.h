/*
 * Rows of a file that could not be read, and the rows that they stand between: whoever
 * finds nothing there can't say that nothing was written.
 */
#ifndef MODEL_LOST_ROWS_H
#define MODEL_LOST_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a stretch of which nobody knows how many rows it had. */
#define LOST_ROWS_MANY UINT32_MAX

/* Kept of a file at most; what comes later is joined to the last. */
#define LOST_ROWS_KEPT 65536

struct lost_stretch {
	uint64_t line, last_line; /* of the first and the last, from 1 */
	int64_t after_ns, before_ns; /* the rows around them; INT64_MIN: none before,
					INT64_MAX: none behind */
	uint64_t rows;
};

/* Zeroed is empty. */
struct lost_rows {
	struct lost_stretch *at; /* [count]; owned */
	size_t count, cap;
	size_t closed; /* of those the row behind is known */
	int64_t last_ns; /* of the last row that was placed; if any was */
	bool any;
};

/* So many from a line on, none of which was placed. The rows around it are told later. */
void lost_rows_add(struct lost_rows *lost, uint64_t line, uint64_t rows);

/* Rows that were read, in the order of the file: their times and lines. */
void lost_rows_place(
	struct lost_rows *lost, const int64_t *t_ns, const uint64_t *line, size_t rows);

/* One whose rows around it are known, behind those that are kept. */
void lost_rows_keep(struct lost_rows *lost, const struct lost_stretch *stretch);

/*
 * How many may have been of a time between two instants, from > to being none. *line: of
 * the first such; unchanged if there are none.
 */
uint64_t lost_rows_within(
	const struct lost_rows *lost, int64_t from_ns, int64_t to_ns, uint64_t *line);

void lost_rows_release(struct lost_rows *lost);

#endif
