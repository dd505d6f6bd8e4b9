/*
 * What one device in one source did in the phases: a series for each path and metric that
 * looks at the time of the path's calls only, an instant counting once however many calls
 * it lies in. What paths of a set have in common is kept once, under the set's number,
 * until the end; and since each instant has one set, what the device did at all times is
 * the sum over the sets, and is not summed beside.
 */
#ifndef COMPUTE_PHASE_CELLS_H
#define COMPUTE_PHASE_CELLS_H

#include "compute/cell_row.h"
#include "compute/phase_map.h"

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

/* Only what was met: few paths of many have samples of a device. Zeroed is empty. */
struct phase_cells {
	uint16_t *place; /* [METRIC_COUNT] of column, from 1; 0: the metric was not met */
	struct cell_column *column; /* [columns] as metrics were first met */
	uint16_t columns, columns_cap; /* columns_cap: of each row */
	struct cell_row **row; /* [rows] */
	size_t rows, rows_cap;
	struct phase_cell_slot *slot; /* [slot_count] hashed by path */
	size_t slot_count; /* 0 or a power of two */
	struct cell_row **of_piece; /* [of_piece_cap] see struct phase_row */
	size_t of_piece_cap;
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
	uint64_t covered; /* mask of the columns whose integrals over pieces wait */
	bool plain; /* all pieces are in sets, and their slice can't be a gap */
	int64_t from_ns; /* of the slice of pieces, if there is one, which ends here */
	struct phase_pieces pieces; /* of which of_piece has the sets' rows */
};

struct phase_row phase_row_at(struct phase_map *map, const struct instant *at);

/*
 * One metric of a row. value: NULL if it was not available; ended: the slice that ends
 * there, NULL if none does. whole: the series of the metric at all times, for the sums of
 * a map that divides (phase_map_divides) the time; NULL: has its own.
 */
void phase_cells_take(struct phase_cells *cells, struct phase_row *row,
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

#endif
