/* Open addressing over paths; in a row of one a metric has its column. */
#include "compute/phase_cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void free_row(struct phase_cell_row *row, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		series_free(row->series[i]);
	free(row->series);
	free(row);
}

static void release_rows(struct phase_cells *cells)
{
	for (size_t i = 0; i < cells->rows; i++)
		free_row(cells->row[i], cells->columns);
	free(cells->row);
	free(cells->slot);
	free(cells->column);
	free(cells->of_piece);
}

void phase_cells_release(struct phase_cells *cells)
{
	release_rows(cells);
	for (size_t i = 0; i < cells->count; i++)
		series_free(cells->at[i].series);
	free(cells->at);
	*cells = (struct phase_cells){0};
}

/* The slot of a path, or the free one where it belongs. */
static struct phase_cell_slot *slot_of(const struct phase_cells *cells, uint32_t path)
{
	size_t mask = cells->slot_count - 1;
	size_t i = (size_t)(path * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (cells->slot[i].row && cells->slot[i].path != path)
		i = (i + 1) & mask;
	return &cells->slot[i];
}

static void grow(struct phase_cells *cells)
{
	cells->slot_count = cells->slot_count ? 2 * cells->slot_count : 16;
	free(cells->slot);
	cells->slot = xcalloc(cells->slot_count, sizeof *cells->slot);
	for (size_t i = 0; i < cells->rows; i++)
		*slot_of(cells, cells->row[i]->path) =
			(struct phase_cell_slot){cells->row[i]->path, cells->row[i]};
}

static struct phase_cell_row *row_of(struct phase_cells *cells, uint32_t path)
{
	struct phase_cell_row *row;
	struct phase_cell_slot *slot;

	if (2 * (cells->rows + 1) > cells->slot_count)
		grow(cells);
	slot = slot_of(cells, path);
	if (slot->row)
		return slot->row;
	ALLOC_GROW(cells->row, cells->rows + 1, cells->rows_cap);
	row = cells->row[cells->rows++] = xcalloc(1, sizeof *row);
	row->path = path;
	row->series = xcalloc(cells->columns_cap, sizeof *row->series);
	*slot = (struct phase_cell_slot){path, row};
	return row;
}

static void widen(struct phase_cells *cells)
{
	size_t old = cells->columns_cap, wider = old ? 2 * old : 8;

	for (size_t i = 0; i < cells->rows; i++) {
		struct phase_cell_row *row = cells->row[i];

		row->series = xrealloc(row->series, wider, sizeof *row->series);
		memset(&row->series[old], 0, (wider - old) * sizeof *row->series);
	}
	cells->columns_cap = (uint16_t)wider;
}

static size_t column_of(struct phase_cells *cells, enum metric_id metric)
{
	if (!cells->column)
		cells->column = xcalloc(METRIC_COUNT, sizeof *cells->column);
	if (!cells->column[metric]) {
		if (cells->columns == cells->columns_cap)
			widen(cells);
		cells->column[metric] = ++cells->columns;
	}
	return cells->column[metric] - (size_t)1;
}

static inline struct series *cell_of(
	struct phase_cell_row *row, size_t column, enum metric_id metric)
{
	if (!row->series[column])
		row->series[column] = series_new(metric);
	return row->series[column];
}

static bool is_set(const struct phase_cell_row *row, const struct phase_map *map)
{
	return map && row->path >= phase_map_paths(map);
}

/* Moves what the paths of a set have in common to each of them. */
static void move_set(struct phase_cells *cells, const struct phase_map *map,
	struct phase_cell_row *set)
{
	size_t count;
	const uint32_t *path = phase_map_set(map, set->path, &count);

	for (enum metric_id metric = 0; metric < METRIC_COUNT; metric++) {
		size_t column = cells->column[metric] - (size_t)1;

		if (!cells->column[metric] || !set->series[column])
			continue;
		for (size_t i = 0; i < count; i++)
			series_join(cell_of(row_of(cells, path[i]), column, metric),
				set->series[column]);
		series_free(set->series[column]);
		set->series[column] = NULL;
	}
}

void phase_cells_join(const struct phase_cells *cells, const struct phase_map *map,
	struct series *const *whole)
{
	for (size_t i = 0; i < cells->rows; i++)
		for (enum metric_id metric = 0; metric < METRIC_COUNT; metric++) {
			size_t column = cells->column[metric] - (size_t)1;

			if (is_set(cells->row[i], map) && cells->column[metric] &&
				cells->row[i]->series[column])
				series_join(whole[metric], cells->row[i]->series[column]);
		}
}

static int compare(const void *a, const void *b)
{
	const struct phase_cell *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return (x->metric > y->metric) - (x->metric < y->metric);
}

void phase_cells_list(struct phase_cells *cells, const struct phase_map *map)
{
	size_t count = 0, rows = cells->rows; /* behind the sets paths are added */
	struct phase_cell *at;

	for (size_t i = 0; i < rows; i++)
		if (is_set(cells->row[i], map))
			move_set(cells, map, cells->row[i]);
	at = xcalloc(cells->rows, cells->columns * sizeof *at);
	for (size_t i = 0; i < cells->rows; i++)
		for (enum metric_id metric = 0; metric < METRIC_COUNT; metric++) {
			struct phase_cell_row *row = cells->row[i];
			size_t column = cells->column[metric] - (size_t)1;

			if (!cells->column[metric] || !row->series[column])
				continue;
			at[count++] = (struct phase_cell){
				row->path, metric, row->series[column]};
			row->series[column] = NULL;
		}
	if (count)
		qsort(at, count, sizeof *at, compare);
	release_rows(cells);
	*cells = (struct phase_cells){.at = at, .count = count};
}

struct phase_row phase_row_at(struct phase_map *map, const struct instant *at)
{
	struct phase_row row = {.map = map, .at = *at};

	row.set = phase_map_set_at(map, at->t_ns);
	if (row.set == PATH_SET_NONE)
		row.path = phase_map_at(map, at->t_ns, &row.paths);
	return row;
}

static void cut(struct phase_cells *cells, struct phase_row *row, int64_t from_ns)
{
	row->pieces = phase_map_pieces(row->map, from_ns, row->at.t_ns);
	row->from_ns = from_ns;
	ALLOC_GROW(cells->of_piece, row->pieces.count, cells->of_piece_cap);
	for (size_t i = 0; i < row->pieces.count; i++) {
		uint32_t set = row->pieces.at[i].set;

		if (set != PATH_SET_NONE)
			cells->of_piece[i] = row->here && row->here->path == set
				? row->here
				: row_of(cells, set);
	}
}

/*
 * plain: of a gauge, pieces in sets, narrow, no gap; as nearly always, so that there
 * is code for it alone.
 */
__attribute__((always_inline)) static inline void cover_pieces(struct phase_cells *cells,
	const struct phase_row *row, size_t column, enum metric_id metric,
	const struct slice *slice, struct series *whole, bool plain)
{
	int128 done = 0;

	for (size_t i = 0; i < row->pieces.count; i++) {
		const struct phase_piece *piece = &row->pieces.at[i];
		int128 to = slice_area_to(slice, &piece->at, plain), area = to - done;

		done = to;
		if (plain) {
			gauge_cover(&cell_of(cells->of_piece[i], column, metric)->gauge,
				slice, &piece->at, area, row->at.short_ns);
			continue;
		}
		if (piece->set != PATH_SET_NONE) {
			series_cover(cell_of(cells->of_piece[i], column, metric),
				&row->at, slice, &piece->at, area);
			continue;
		}
		for (size_t k = 0; k < piece->paths; k++)
			series_cover(
				cell_of(row_of(cells, row->pieces.path[piece->first + k]),
					column, metric),
				&row->at, slice, &piece->at, area);
		if (whole)
			series_cover(whole, &row->at, slice, &piece->at, area);
	}
}

static void cover(struct phase_cells *cells, struct phase_row *row, size_t column,
	enum metric_id metric, const struct slice *slice, struct series *whole)
{
	if (!row->pieces.count || row->from_ns != slice->from_ns)
		cut(cells, row, slice->from_ns);
	if (metric_get(metric)->kind != KIND_GAUGE || !row->pieces.in_sets ||
		!slice_is_narrow(slice) || instant_is_gap(&row->at, slice))
		cover_pieces(cells, row, column, metric, slice, whole, false);
	else if (row->pieces.count == 1)
		gauge_cover(&cell_of(cells->of_piece[0], column, metric)->gauge, slice,
			&row->pieces.at->at, slice_area(slice), row->at.short_ns);
	else
		cover_pieces(cells, row, column, metric, slice, whole, true);
}

static void cover_far(struct phase_cells *cells, struct phase_row *row, size_t column,
	enum metric_id metric, const struct slice *slice, struct series *whole)
{
	size_t parts;
	const struct phase_part *part =
		phase_map_parts(row->map, slice->from_ns, slice->to_ns, &parts);

	row->pieces.count = 0; /* the map has cut another slice */
	for (size_t i = 0; i < parts; i++)
		series_cover_far(cell_of(row_of(cells, part[i].path), column, metric),
			slice, part[i].time_ns);
	if (whole)
		series_cover_far(whole, slice, slice->to_ns - slice->from_ns);
}

void phase_cells_take(struct phase_cells *cells, struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended,
	struct series *whole)
{
	size_t column = column_of(cells, metric);

	if (row->set != PATH_SET_NONE && !row->here)
		row->here = row_of(cells, row->set);
	if (ended && ended->to_ns - ended->from_ns > row->at.short_ns &&
		metric_get(metric)->kind == KIND_COUNTER)
		cover_far(cells, row, column, metric, ended, whole);
	else if (ended)
		cover(cells, row, column, metric, ended, whole);
	if (row->here) {
		series_take(cell_of(row->here, column, metric), &row->at, value);
		return;
	}
	for (size_t i = 0; i < row->paths; i++)
		series_take(cell_of(row_of(cells, row->path[i]), column, metric),
			&row->at, value);
	if (whole)
		series_take(whole, &row->at, value);
}
