/*
 * What one device in one source did in the phases: one series for each path and
 * metric. An instant counts once, however many calls it lies in. Values are kept per
 * set of paths until the end; each instant has one set, so the sum over all sets is
 * the whole run. Also shares of CPU time.
 */
#ifndef COMPUTE_PHASES_PHASE_CELLS_H
#define COMPUTE_PHASES_PHASE_CELLS_H

#include "compute/phases/phase_map.h"

struct phase_ticks_of; /* of a path */

/*
 * Series of one device in one set of paths. Samples of gauges wait in the row first: a
 * series is large and rarely cached, the row is small.
 */

/* A metric, as rows of a device have it. */
struct cell_column {
	enum metric_id metric;
	bool waits; /* a GAUGE among the first CELL_COLUMNS */
	bool with_above; /* ... whose time above thresholds is asked */
};

/* A sample whose values wait. */
struct cell_sample {
	int64_t t_ns;
	uint64_t columns; /* mask of those that it has a value of */
	int32_t segment;
};

struct cell_row {
	uint32_t path;
	bool means_only; /* the cells are */
	uint16_t width; /* columns that there is room for */
	struct series **series; /* [width] NULL: none yet; owned */

	/* Pieces of slices, none of them a gap, that no series has yet. */
	uint64_t covered; /* mask of the columns of count and time_ns, the same for all */
	uint64_t count; /* of slices that begin there */
	int128 time_ns;
	int128 *area; /* [width] as slice_sum's */

	struct cell_sample *sample; /* [samples] that no series has yet */
	size_t samples, samples_cap;
	int64_t *value; /* [samples_cap * width] sample by sample */
};

struct phase_cell {
	uint32_t path;
	enum metric_id metric;
	struct series *series; /* owned */
};

/* By a path's number where its row is. */
struct phase_cell_slot {
	uint32_t path;
	struct cell_row *row; /* NULL: free */
};

/* The line of a column's slice that waits for the end of its row. */
struct cell_line {
	int64_t from, rise;
};

/* A piece of a row's slice, as slice_area_narrow asks for its end. */
struct cell_piece {
	struct cell_row *row; /* of its set; NULL: it has none */
	int64_t at_ns, ramp;
};

/* Only what was met: few paths of many have samples of a device. Zeroed is empty. */
struct phase_cells {
	bool means_only; /* of gauges no more is wanted than means and energies */
	uint16_t *place; /* [METRIC_COUNT] of column, from 1; 0: the metric was not met */
	struct cell_column *column; /* [columns] as metrics were first met */
	uint16_t columns, columns_cap; /* columns_cap: of each row */
	struct cell_line *line; /* [columns_cap] see struct phase_row's covered */
	struct cell_row **row; /* [rows] */
	size_t rows, rows_cap;
	struct phase_cell_slot *slot; /* [slot_count] hashed by path */
	size_t slot_count; /* 0 or a power of two */
	struct cell_piece *piece; /* [piece_cap] see struct phase_row */
	size_t piece_cap;
	struct phase_cell *at; /* [count] once they are listed */
	size_t count;
};

void phase_cells_release(struct phase_cells *cells);

/* A row of a device: where it stands, and the paths that its time lies in. */
struct phase_row {
	struct phase_map *map;
	struct instant at;
	uint32_t set;
	const uint32_t *path; /* [paths] where set is PATH_SET_NONE: as phase_map_at */
	size_t paths; /*         gives them */
	/* What the cells, always the same ones, have found for it. */
	struct cell_row *here; /* of the set; NULL: not yet */
	struct cell_sample *sample; /* that waits there; NULL: none does yet */
	int64_t *value; /* ... its values, by column */
	uint64_t covered; /* mask of the columns whose lines over the pieces wait */
	bool plain; /* all pieces are in sets, and their slice can't be a gap */
	bool has_edges; /* a piece's ends count for the extremes */
	int64_t from_ns; /* of the slice of pieces, if there is one, which ends here */
	struct phase_pieces pieces; /* of which the cells' piece has the sets' rows */
};

struct phase_row phase_row_at(struct phase_map *map, const struct instant *at);

/*
 * One metric of a row. value: NULL if it was not available; ended: the slice that ends
 * there, NULL if none does. whole: the series of the metric at all times, for the sums of
 * a map that divides (phase_map_divides) the time; NULL: has its own.
 */
static inline void phase_cells_take(struct phase_cells *cells, struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended,
	struct series *whole);

/* Behind the last metric of a row, before its map is asked anything else. */
void phase_cells_end(struct phase_cells *cells, struct phase_row *row);

/* Gives the series of all times, [METRIC_COUNT], what is kept of the map's sets; no row
 * may follow. */
void phase_cells_join(struct phase_cells *cells, const struct phase_map *map,
	struct series *const *whole);

/*
 * Lists the cells in the order of paths and metrics, where a map is given with what is
 * kept of its sets; no row may follow.
 */
void phase_cells_list(struct phase_cells *cells, const struct phase_map *map);

/* What comes first in a row, or can't wait. */
void phase_cells_take_any(struct phase_cells *cells, struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended,
	struct series *whole);

/* The thresholds of a slice that waits. */
void phase_cells_cross(struct phase_cells *cells, const struct phase_row *row,
	size_t column, const struct slice *slice);

/* The line of a slice that waits, where the row's pieces cut it. */
void phase_cells_edges(struct phase_cells *cells, const struct phase_row *row,
	size_t column, const struct slice *slice);

/* Is it the slice of the row's pieces, and can it wait? */
static inline bool phase_row_keeps(const struct phase_row *row, const struct slice *slice)
{
	return row->pieces.count && row->from_ns == slice->from_ns && row->plain &&
		slice_is_narrow(slice);
}

/* A value waits, and the slice that ends there, if there is one. */
static inline void phase_cells_keep(struct phase_cells *cells, struct phase_row *row,
	size_t column, int64_t value, const struct slice *ended)
{
	const uint64_t bit = UINT64_C(1) << column;

	row->sample->columns |= bit;
	row->value[column] = value;
	if (!ended)
		return;
	row->covered |= bit;
	cells->line[column] = (struct cell_line){ended->from, ended->to - ended->from};
	if (cells->column[column].with_above)
		phase_cells_cross(cells, row, column, ended);
	if (row->has_edges)
		phase_cells_edges(cells, row, column, ended);
}

static inline void phase_cells_take(struct phase_cells *cells, struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended,
	struct series *whole)
{
	size_t place = row->sample ? cells->place[metric] : 0;

	if (place && value && cells->column[place - 1].waits &&
		(!ended || phase_row_keeps(row, ended)))
		phase_cells_keep(cells, row, place - 1, *value, ended);
	else
		phase_cells_take_any(cells, row, metric, value, ended, whole);
}

/* Is it one of the few metrics that single calls and units of work have? */
bool phase_is_main(enum metric_id metric);

/*
 * Shares of CPU time in phases: ticks of all calls of a path, and windows of them for
 * extremes and percentiles. A slice that is partly in a call counts in proportion.
 */

/* Of all CPUs together. Zeroed is empty. */
struct phase_ticks {
	struct phase_ticks_of **of; /* [paths] NULL: no sample, and no part of a slice */
	size_t paths;
	uint64_t snapshots;
};

void phase_ticks_release(struct phase_ticks *ticks);

/*
 * A snapshot: its counters, -1 where the line has no such field. before: what the log had
 * until now, which still says what the last snapshot was.
 */
void phase_ticks_take(struct phase_ticks *ticks, const struct phase_row *row,
	const int64_t now[TICK_COUNT], const struct shares *before);

/*
 * The statistics of share i in a path; false: there are none. limit_ns: longer slices are
 * gaps, and count only where they lie in one path as a whole; -1: all partial ones are.
 * phase_ticks_finish comes first, once.
 */
void phase_ticks_finish(struct phase_ticks *ticks, int64_t limit_ns);
bool phase_ticks_get(
	struct phase_ticks *ticks, size_t path, int i, struct metric_stats *stats);

#endif
