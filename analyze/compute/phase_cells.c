/* Open addressing over path and metric. */
#include "compute/phase_cells.h"

#include <stdlib.h>

#include "base/alloc.h"

void phase_cells_release(struct phase_cells *cells)
{
	for (size_t i = 0; i < cells->count; i++)
		series_free(cells->at[i].series);
	free(cells->at);
	free(cells->slot);
	free(cells->found);
	*cells = (struct phase_cells){0};
}

/* The slot of a path and metric, or the free one where they belong. */
static uint32_t *slot_of(
	const struct phase_cells *cells, uint32_t path, enum metric_id metric)
{
	uint64_t key = (uint64_t)path * METRIC_COUNT + (uint64_t)metric;
	size_t mask = cells->slot_count - 1;
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & mask;

	for (; cells->slot[i]; i = (i + 1) & mask) {
		const struct phase_cell *cell = &cells->at[cells->slot[i] - 1];

		if (cell->path == path && cell->metric == metric)
			break;
	}
	return &cells->slot[i];
}

static void grow(struct phase_cells *cells)
{
	cells->slot_count = cells->slot_count ? 2 * cells->slot_count : 16;
	free(cells->slot);
	cells->slot = xcalloc(cells->slot_count, sizeof *cells->slot);
	for (size_t i = 0; i < cells->count; i++)
		*slot_of(cells, cells->at[i].path, cells->at[i].metric) = (uint32_t)i + 1;
}

static struct series *find_cell(
	struct phase_cells *cells, uint32_t path, enum metric_id metric)
{
	uint32_t *slot;

	if (2 * (cells->count + 1) > cells->slot_count)
		grow(cells);
	slot = slot_of(cells, path, metric);
	if (!*slot) {
		ALLOC_GROW(cells->at, cells->count + 1, cells->cap);
		cells->at[cells->count++] =
			(struct phase_cell){path, metric, series_new(metric)};
		*slot = (uint32_t)cells->count;
	}
	return cells->at[*slot - 1].series;
}

/* A device stays in a path for a while, or comes back to it soon. */
static inline struct series *cell_of(
	struct phase_cells *cells, uint32_t path, enum metric_id metric)
{
	struct phase_cell_found *found;

	if (!cells->found)
		cells->found = xcalloc(METRIC_COUNT, sizeof *cells->found);
	found = &cells->found[metric][path % PHASE_CELLS_FOUND];
	if (!found->series || found->path != path)
		*found = (struct phase_cell_found){path, find_cell(cells, path, metric)};
	return found->series;
}

static int compare(const void *a, const void *b)
{
	const struct phase_cell *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return (x->metric > y->metric) - (x->metric < y->metric);
}

static void join_set(struct phase_cells *cells, const struct phase_map *map, size_t place)
{
	const struct phase_cell set = cells->at[place];
	size_t count;
	const uint32_t *path = phase_map_set(map, set.path, &count);

	for (size_t i = 0; i < count; i++)
		series_join(cell_of(cells, path[i], set.metric), set.series);
}

/* What is added behind the sets are paths. */
void phase_cells_join(struct phase_cells *cells, const struct phase_map *map)
{
	size_t kept = 0;

	for (size_t i = 0; i < cells->count; i++)
		if (cells->at[i].path >= phase_map_paths(map))
			join_set(cells, map, i);
	for (size_t i = 0; i < cells->count; i++)
		if (cells->at[i].path < phase_map_paths(map))
			cells->at[kept++] = cells->at[i];
		else
			series_free(cells->at[i].series);
	cells->count = kept;
}

void phase_cells_sort(struct phase_cells *cells)
{
	if (cells->count)
		qsort(cells->at, cells->count, sizeof *cells->at, compare);
	free(cells->slot);
	cells->slot = NULL;
	cells->slot_count = 0;
}

struct phase_row phase_row_at(struct phase_map *map, const struct instant *at)
{
	struct phase_row row = {.map = map, .at = *at};

	row.path = phase_map_at(map, at->t_ns, &row.paths);
	row.set = phase_map_set_at(map, at->t_ns);
	return row;
}

static void take(struct series *series, const struct instant *at, const int64_t *value)
{
	if (value)
		series_value(series, at, *value);
	else
		series_lack(series);
}

void phase_cells_take(struct phase_cells *cells, const struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended)
{
	const struct phase_part *part = NULL;
	size_t parts = 0;

	if (ended)
		part = phase_map_set_parts(
			row->map, ended->from_ns, ended->to_ns, &parts);
	for (size_t i = 0; i < parts; i++)
		series_cover(cell_of(cells, part[i].path, metric), &row->at, ended,
			&part[i].part);
	if (row->set != PATH_SET_NONE)
		take(cell_of(cells, row->set, metric), &row->at, value);
	else
		for (size_t i = 0; i < row->paths; i++)
			take(cell_of(cells, row->path[i], metric), &row->at, value);
}
