/*
 * What one device in one source did in the phases: a series for each path and metric that
 * looks at the time of the path's calls only, an instant counting once however many calls
 * it lies in. What paths of a set have in common is kept once, under the set's number,
 * until the end.
 */
#ifndef COMPUTE_PHASE_CELLS_H
#define COMPUTE_PHASE_CELLS_H

#include "compute/phase_map.h"
#include "compute/series.h"

struct phase_cell {
	uint32_t path; /* or, until it is sorted, a set of them */
	enum metric_id metric;
	struct series *series; /* owned */
};

/* Where a path's series of a metric was found last. */
struct phase_cell_found {
	uint32_t path;
	struct series *series; /* NULL: not yet */
};
#define PHASE_CELLS_FOUND 8 /* of each metric, by the path's last bits */

/* Only what was met: few paths of many have samples of a device. Zeroed is empty. */
struct phase_cells {
	struct phase_cell_found (*found)[PHASE_CELLS_FOUND]; /* [METRIC_COUNT] */
	struct phase_cell *at; /* [count] */
	size_t count, cap;
	uint32_t *slot; /* [slot_count] hashed by path and metric: place + 1, 0: free */
	size_t slot_count; /* 0 or a power of two */
};

void phase_cells_release(struct phase_cells *cells);

/* A row of a device: where it stands, and the paths that its time lies in. */
struct phase_row {
	struct phase_map *map;
	struct instant at;
	const uint32_t *path; /* [paths] as phase_map_at gives them */
	size_t paths;
	uint32_t set; /* of these, PATH_SET_NONE */
};

struct phase_row phase_row_at(struct phase_map *map, const struct instant *at);

/*
 * One metric of a row. value: NULL if it was not available; ended: the slice that ends
 * there, NULL if none does.
 */
void phase_cells_take(struct phase_cells *cells, const struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended);

/* Gives each path what is kept of the map's sets; no row may follow. */
void phase_cells_join(struct phase_cells *cells, const struct phase_map *map);

/* Puts the cells in the order of paths and metrics; no row may follow. */
void phase_cells_sort(struct phase_cells *cells);

#endif
