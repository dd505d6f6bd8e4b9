/*
 * Where a number comes from: of each series of values, a metric of a device in a source,
 * in the run or in a phase of it, how many there are and in which lines of which files
 * the ones stand that one wants to see. Filled by compute, laid out by render.
 */
#ifndef MODEL_ORIGIN_H
#define MODEL_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/metric.h"

/* A value as a row of a log has it. */
struct origin_value {
	size_t file; /* index into the run's files; SIZE_MAX: not known */
	uint64_t line; /* from 1; 0: not known */
	int64_t t_ns; /* 0 in a log without times */
	int64_t quanta;
};

/* What is known of the value at the edge of a phase. */
enum origin_edge_kind {
	EDGE_ROW, /* that of a row at that very time */
	EDGE_BETWEEN, /* worked out of the rows before and behind, as for the mean */
	EDGE_NO_ROW, /* nothing, for there is no row before it, or none behind */
	EDGE_GAP, /* nothing, for the step between them is a gap */
	EDGE_RESET /* nothing, for a counter went back between them */
};

const char *origin_edge_name(enum origin_edge_kind kind); /* "row" ...; static */

struct origin_edge {
	int64_t t_ns;
	enum origin_edge_kind kind;
	double quanta; /* of ROW and BETWEEN; of a state what the word stands for */
	struct origin_value before, behind; /* the rows around it; of ROW both are that
					       row; not of NO_ROW */
};

/* Time without interruption in calls of a phase, and the rows in it. */
struct origin_stretch {
	struct origin_edge from, to;
	uint64_t values;
	struct origin_value first, last; /* values > 0 */
};

/* From a line on the values stand in a certain cell. */
struct origin_cell {
	size_t file;
	uint64_t line;
	uint32_t place; /* of the cell in a line, from 1; 0: not known */
};

/* Of each the first so many rows are kept. */
#define ORDER_LISTED 5

/* Rows whose time is before that of the row before them in the log. */
struct origin_order {
	uint64_t late; /* sorted into place by their time */
	uint64_t back; /* with which a segment begins: all behind it is behind the rest */
	struct origin_value late_at[ORDER_LISTED], back_at[ORDER_LISTED];
};

/* The values that a percentile lies between, neighbours by size, or it itself, twice; of
 * equal values the first by time. */
struct origin_neighbours {
	struct origin_value below, above;
};

enum {
	ORIGIN_PERCENTILES = 4
}; /* p50, p90, p95, p99 */

struct origin {
	const char *phase; /* the report's path; borrowed; NULL: the run */
	enum source_kind source;
	uint32_t device;
	enum metric_id metric;
	bool timed;
	uint64_t values, missing;
	struct origin_value first, last, min, max; /* values > 0; min and max: the first
						      ones; of states nothing */
	bool ranked; /* the next are known: the logs were read again, and it has values */
	struct origin_neighbours percentile[ORIGIN_PERCENTILES];
	const struct origin_cell *cell; /* [cell_count] as the log goes, in the phase or
					   not; borrowed of the witness */
	size_t cell_count;
	const struct origin_order *order; /* the same */
	struct origin_stretch *stretch; /* [stretch_count] of a phase, by time; owned */
	size_t stretch_count, stretch_cap;
};

struct origins {
	struct origin *at; /* [count] owned */
	size_t count, cap;
};

#endif
