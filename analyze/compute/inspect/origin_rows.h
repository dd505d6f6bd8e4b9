/*
 * The rows of one series, gathered between the edges of phases, whose order in the log
 * does not matter: in each span between two edges the first, the last, the smallest and
 * the largest value by time. Any stretch of time between edges, and the rows around it,
 * are put together from these.
 */
#ifndef COMPUTE_ORIGIN_ROWS_H
#define COMPUTE_ORIGIN_ROWS_H

#include "model/run.h"

/* The place of a value that names a file of `read`, in `run`, the same run read before.
 */
void origin_value_settle(
	struct origin_value *value, const struct run *run, const struct run *read);

/* Ascending, each once. Span i is [at[i - 1], at[i]); there is one more than edges. */
struct time_edges {
	int64_t *at; /* [count] owned */
	size_t count;
	size_t last; /* the span that was found last */
};

size_t time_edges_span(struct time_edges *edges, int64_t t_ns);

struct span_rows {
	uint64_t values, missing;
	struct origin_value first, last, min, max; /* values > 0 */
	int64_t lack_ns; /* of the last row without a value; missing > 0 */
};

/* No step between rows crosses the border of a segment. */
struct segment_rows {
	int32_t segment;
	struct span_rows *span; /* [edges + 1] owned */
};

struct origin_rows {
	enum source_kind source;
	uint32_t device;
	enum metric_id metric;
	bool timed;
	struct origin_cell *cell; /* [cells] as in an origin; owned */
	size_t cells, cell_cap;
	struct origin_order order;
	bool begun; /* a row was there; the last one: */
	int64_t last_ns;
	int32_t last_segment;
	struct segment_rows *segment; /* [segments] in the order in which they were met */
	size_t segments, cap;
	size_t at; /* the one of the last row */
};

void origin_rows_release(struct origin_rows *rows);

/* The rows from that line on have their values in that cell. */
void origin_rows_move(struct origin_rows *rows, const struct origin_cell *cell);

/* A row follows the last one in the log; the quanta of one without a value are 0. */
void origin_rows_follow(
	struct origin_rows *rows, int32_t segment, const struct origin_value *value);

/* The rows of a span in a segment. */
struct span_rows *origin_rows_span(
	struct origin_rows *rows, int32_t segment, size_t span, size_t spans);
void span_rows_add(struct span_rows *span, const struct origin_value *value);
void span_rows_lack(struct span_rows *span, int64_t t_ns);

/* All rows of [from, to) of spans, and how they stand around the edges. */
void origin_count(
	struct origin *origin, const struct segment_rows *rows, size_t from, size_t to);

/*
 * The rows right around each edge of a segment: NULL where there is none. lack: one
 * without a value stands between the edge and the row before it.
 */
struct edge_rows {
	const struct origin_value *before, *behind;
	bool lack;
};
void edge_rows_find(
	const struct segment_rows *rows, size_t edges, struct edge_rows *around);

/* The value at an edge; limit_s: NAN, no gap can be told. */
struct origin_edge origin_edge_of(enum metric_id metric, int64_t t_ns,
	const struct edge_rows *around, double limit_s);

#endif
