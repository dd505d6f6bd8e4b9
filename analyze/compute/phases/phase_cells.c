/* Open addressing over paths; in a row of one a metric has its column. */
#include "compute/phases/phase_cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void release_rows(struct phase_cells *cells)
{
	for (size_t i = 0; i < cells->rows; i++)
		cell_row_free(cells->row[i]);
	free(cells->row);
	free(cells->slot);
	free(cells->place);
	free(cells->column);
	free(cells->line);
	free(cells->piece);
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

static struct cell_row *add_row(struct phase_cells *cells, uint32_t path)
{
	struct cell_row *row = cell_row_new(path, cells->columns_cap);

	if (2 * (cells->rows + 1) > cells->slot_count)
		grow(cells);
	ALLOC_GROW(cells->row, cells->rows + 1, cells->rows_cap);
	cells->row[cells->rows++] = row;
	*slot_of(cells, path) = (struct phase_cell_slot){path, row};
	return row;
}

static inline struct cell_row *row_of(struct phase_cells *cells, uint32_t path)
{
	struct cell_row *row = cells->slot_count ? slot_of(cells, path)->row : NULL;

	return row ? row : add_row(cells, path);
}

static void widen(struct phase_cells *cells)
{
	size_t wider = cells->columns_cap ? 2 * (size_t)cells->columns_cap : 8;

	for (size_t i = 0; i < cells->rows; i++)
		cell_row_widen(cells->row[i], cells->column, (uint16_t)wider);
	cells->column = xrealloc(cells->column, wider, sizeof *cells->column);
	cells->line = xrealloc(cells->line, wider, sizeof *cells->line);
	cells->columns_cap = (uint16_t)wider;
}

static void add_column(
	struct phase_cells *cells, struct phase_row *row, enum metric_id metric)
{
	const struct metric *m = metric_get(metric);

	if (!cells->place)
		cells->place = xcalloc(METRIC_COUNT, sizeof *cells->place);
	if (cells->columns == cells->columns_cap) {
		widen(cells);
		row->sample = NULL; /* it waits no longer */
	}
	cells->column[cells->columns] = (struct cell_column){.metric = metric,
		.waits = m->kind == KIND_GAUGE && cells->columns < CELL_COLUMNS,
		.with_above = m->stats == STATS_ABOVE};
	cells->place[metric] = ++cells->columns;
}

static inline size_t column_of(
	struct phase_cells *cells, struct phase_row *row, enum metric_id metric)
{
	if (!cells->place || !cells->place[metric])
		add_column(cells, row, metric);
	return cells->place[metric] - (size_t)1;
}

static bool is_set(const struct cell_row *row, const struct phase_map *map)
{
	return map && row->path >= phase_map_paths(map);
}

/* Moves what the paths of a set have in common to each of them. */
static void move_set(
	struct phase_cells *cells, const struct phase_map *map, struct cell_row *set)
{
	size_t count;
	const uint32_t *path = phase_map_set(map, set->path, &count);

	for (size_t c = 0; c < cells->columns; c++) {
		if (!set->series[c])
			continue;
		for (size_t i = 0; i < count; i++)
			series_join(cell_row_series(row_of(cells, path[i]), c,
					    cells->column[c].metric),
				set->series[c]);
		series_free(set->series[c]);
		set->series[c] = NULL;
	}
}

static void settle(struct phase_cells *cells)
{
	for (size_t i = 0; i < cells->rows; i++)
		cell_row_settle(cells->row[i], cells->column);
}

void phase_cells_join(struct phase_cells *cells, const struct phase_map *map,
	struct series *const *whole)
{
	settle(cells);
	for (size_t i = 0; i < cells->rows; i++)
		for (size_t c = 0; c < cells->columns; c++)
			if (is_set(cells->row[i], map) && cells->row[i]->series[c])
				series_join(whole[cells->column[c].metric],
					cells->row[i]->series[c]);
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

	settle(cells);
	for (size_t i = 0; i < rows; i++)
		if (is_set(cells->row[i], map))
			move_set(cells, map, cells->row[i]);
	at = xcalloc(cells->rows, cells->columns * sizeof *at);
	for (size_t i = 0; i < cells->rows; i++)
		for (size_t c = 0; c < cells->columns; c++) {
			struct cell_row *row = cells->row[i];

			if (!row->series[c])
				continue;
			at[count++] = (struct phase_cell){
				row->path, cells->column[c].metric, row->series[c]};
			row->series[c] = NULL;
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

/* A line over the pieces: twice its integral up to the end of each, less that before. */
static void cover_line(const struct phase_cells *cells, size_t pieces, size_t column)
{
	const struct cell_line line = cells->line[column];
	int128 done = 0;

	for (size_t i = 0; i < pieces; i++) {
		const struct cell_piece *piece = &cells->piece[i];
		int128 to = slice_area_narrow(
			line.from, line.rise, piece->at_ns, piece->ramp);

		piece->row->area[column] += to - done;
		done = to;
	}
}

void phase_cells_end(struct phase_cells *cells, struct phase_row *row)
{
	for (size_t i = 0; row->covered && i < row->pieces.count; i++) {
		const struct slice_piece *piece = &row->pieces.at[i].at;

		cell_row_cover(cells->piece[i].row, cells->column, row->covered,
			piece->to_ns - piece->from_ns, i == 0);
	}
	for (uint64_t left = row->covered; left; left &= left - 1)
		cover_line(cells, row->pieces.count, (size_t)__builtin_ctzll(left));
	row->covered = 0;
	row->pieces.count = 0;
}

static void cut(struct phase_cells *cells, struct phase_row *row, int64_t from_ns)
{
	phase_cells_end(cells, row);
	row->pieces = phase_map_pieces(row->map, from_ns, row->at.t_ns);
	row->from_ns = from_ns;
	row->plain = row->pieces.in_sets && row->at.t_ns - from_ns <= row->at.short_ns;
	ALLOC_GROW(cells->piece, row->pieces.count, cells->piece_cap);
	for (size_t i = 0; i < row->pieces.count; i++) {
		const struct phase_piece *piece = &row->pieces.at[i];

		cells->piece[i] = (struct cell_piece){.row = piece->set == PATH_SET_NONE
				? NULL
				: row_of(cells, piece->set),
			.at_ns = piece->at.to_ns - from_ns,
			.ramp = (int64_t)piece->at.to_ramp};
	}
}

static inline bool is_cut(const struct phase_row *row, const struct slice *slice)
{
	return row->pieces.count && row->from_ns == slice->from_ns;
}

void phase_cells_cross(struct phase_cells *cells, const struct phase_row *row,
	size_t column, const struct slice *slice)
{
	for (size_t i = 0; i < row->pieces.count; i++) {
		struct gauge *gauge = &cell_row_series(
			cells->piece[i].row, column, cells->column[column].metric)
					       ->gauge;

		gauge_cover_bands(
			gauge, &gauge->slices.near, slice, &row->pieces.at[i].at);
	}
}

static void cover_pieces(struct phase_cells *cells, struct phase_row *row, size_t column,
	enum metric_id metric, const struct slice *slice, struct series *whole)
{
	int128 done = 0;

	if (!is_cut(row, slice))
		cut(cells, row, slice->from_ns);
	for (size_t i = 0; i < row->pieces.count; i++) {
		const struct phase_piece *piece = &row->pieces.at[i];
		int128 to = slice_area_to(slice, &piece->at), area = to - done;

		done = to;
		if (piece->set != PATH_SET_NONE) {
			series_cover(cell_row_series(cells->piece[i].row, column, metric),
				&row->at, slice, &piece->at, area);
			continue;
		}
		for (size_t k = 0; k < piece->paths; k++)
			series_cover(
				cell_row_series(
					row_of(cells, row->pieces.path[piece->first + k]),
					column, metric),
				&row->at, slice, &piece->at, area);
		if (whole)
			series_cover(whole, &row->at, slice, &piece->at, area);
	}
}

static void cover_far(struct phase_cells *cells, struct phase_row *row, size_t column,
	enum metric_id metric, const struct slice *slice, struct series *whole)
{
	size_t parts;
	const struct phase_part *part;

	phase_cells_end(cells, row);
	part = phase_map_parts(row->map, slice->from_ns, slice->to_ns, &parts);
	for (size_t i = 0; i < parts; i++)
		series_cover_far(
			cell_row_series(row_of(cells, part[i].path), column, metric),
			slice, part[i].time_ns);
	if (whole)
		series_cover_far(whole, slice, slice->to_ns - slice->from_ns);
}

/* What can't wait. */
static void take_at_once(struct phase_cells *cells, struct phase_row *row, size_t column,
	enum metric_id metric, const int64_t *value, const struct slice *ended,
	struct series *whole)
{
	if (ended && ended->to_ns - ended->from_ns > row->at.short_ns &&
		metric_get(metric)->kind == KIND_COUNTER)
		cover_far(cells, row, column, metric, ended, whole);
	else if (ended)
		cover_pieces(cells, row, column, metric, ended, whole);
	if (row->here) {
		series_take(cell_row_series(row->here, column, metric), &row->at, value);
		return;
	}
	for (size_t i = 0; i < row->paths; i++)
		series_take(cell_row_series(row_of(cells, row->path[i]), column, metric),
			&row->at, value);
	if (whole)
		series_take(whole, &row->at, value);
}

void phase_cells_take_any(struct phase_cells *cells, struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended,
	struct series *whole)
{
	size_t column = column_of(cells, row, metric);

	if (row->set != PATH_SET_NONE && !row->here)
		row->here = row_of(cells, row->set);
	if (row->here && value && cells->column[column].waits) {
		if (ended && !is_cut(row, ended))
			cut(cells, row, ended->from_ns);
		if (!ended || phase_row_keeps(row, ended)) {
			if (!row->sample)
				row->sample = cell_row_sample(
					row->here, cells->column, &row->at, &row->value);
			phase_cells_keep(cells, row, column, *value, ended);
			return;
		}
	}
	take_at_once(cells, row, column, metric, value, ended, whole);
}
