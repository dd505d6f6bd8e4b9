/* A hash table from sets of paths to series; a row has one column per metric. */
#include "compute/phases/phase_cells.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

/* Columns whose gauges can wait: as many as a mask has bits. */
#define CELL_COLUMNS 64

static inline struct series *cell_row_series(
	struct cell_row *row, size_t column, enum metric_id metric)
{
	if (!row->series[column]) {
		row->series[column] = series_new(metric);
		if (row->series[column]->kind == KIND_GAUGE)
			row->series[column]->gauge.means_only = row->means_only;
	}
	return row->series[column];
}

static void cell_row_settle(struct cell_row *row, const struct cell_column *column);

/* Adds waiting samples column by column, once there are enough to fetch a series. */

#define SAMPLES_FIRST 4
#define SAMPLES_MOST  32

static struct cell_row *cell_row_new(uint32_t path, uint16_t width)
{
	struct cell_row *row = xcalloc(1, sizeof *row);

	row->path = path;
	row->width = width;
	row->series = xcalloc(width, sizeof(struct series *));
	row->area = xcalloc(width, sizeof *row->area);
	return row;
}

static void cell_row_free(struct cell_row *row)
{
	for (size_t i = 0; i < row->width; i++)
		series_free(row->series[i]);
	free(row->series);
	free(row->area);
	free(row->sample);
	free(row->value);
	free(row);
}

/* column: the device's, [width], the same each time. */
static void cell_row_widen(
	struct cell_row *row, const struct cell_column *column, uint16_t width)
{
	size_t more = (size_t)width - row->width;

	cell_row_settle(row, column);
	row->series = xrealloc(row->series, width, sizeof(struct series *));
	memset(&row->series[row->width], 0, more * sizeof(struct series *));
	row->area = xrealloc(row->area, width, sizeof *row->area);
	memset(&row->area[row->width], 0, more * sizeof *row->area);
	row->value = xrealloc(row->value, row->samples_cap * width, sizeof *row->value);
	row->width = width;
}

static void settle_covered(struct cell_row *row, const struct cell_column *column)
{
	size_t i = 0;

	for (uint64_t left = row->covered; left; left >>= 1, i++) {
		struct slice_sum *sum;

		if (!(left & 1))
			continue;
		sum = &cell_row_series(row, i, column[i].metric)->gauge.slices.near;
		sum->count += row->count;
		sum->time_ns += row->time_ns;
		sum->area += row->area[i];
		row->area[i] = 0;
	}
	row->covered = row->count = 0;
	row->time_ns = 0;
}

/* The row's samples: where they stand, as far as all columns have it in common. */
struct settling {
	uint64_t columns; /* mask of those that any has a value of */
	struct extreme first; /* none of them stands before it; but for its value */
};

static struct settling settling_of(const struct cell_row *row)
{
	struct settling s = {.columns = 0};

	for (size_t k = 0; k < row->samples; k++) {
		const struct cell_sample *sample = &row->sample[k];
		const struct extreme at = {0, sample->t_ns, sample->segment};

		s.columns |= sample->columns;
		if (!k || extreme_is_first(&at, &s.first))
			s.first = at;
	}
	return s;
}

/* The values of a column, least to largest. */
struct values {
	int64_t at[SAMPLES_MOST];
	size_t count;
	int64_t least, largest;
};

static void gather(const struct cell_row *row, size_t column, struct values *values)
{
	int64_t least = INT64_MAX, largest = INT64_MIN;
	size_t count = 0;

	for (size_t k = 0; k < row->samples; k++) {
		int64_t value = row->value[k * row->width + column];

		if (!(row->sample[k].columns >> column & 1))
			continue;
		values->at[count++] = value;
		least = value < least ? value : least;
		largest = value > largest ? value : largest;
	}
	values->count = count;
	values->least = least;
	values->largest = largest;
}

/* Do the gauge's extremes stay: are others none, or as large and come later? */
static bool is_within(const struct gauge *gauge, const struct extreme *first,
	const struct values *values)
{
	return gauge->n && values->least >= gauge->least.value &&
		values->largest <= gauge->largest.value &&
		!extreme_is_first(first, &gauge->least) &&
		!extreme_is_first(first, &gauge->largest);
}

static void settle_column(struct cell_row *row, const struct extreme *first,
	size_t column, struct gauge *gauge)
{
	struct values values;
	size_t at = 0;

	gather(row, column, &values);
	if (is_within(gauge, first, &values))
		gauge->n += values.count;
	else
		for (size_t k = 0; k < row->samples; k++)
			if (row->sample[k].columns >> column & 1)
				gauge_count(gauge, row->sample[k].t_ns,
					row->sample[k].segment, values.at[at++]);
	tally_add_each(&gauge->values, values.at, values.count);
}

static void settle_samples(struct cell_row *row, const struct cell_column *column)
{
	const struct settling s = settling_of(row);
	size_t i = 0;

	for (uint64_t columns = s.columns; columns; i++, columns >>= 1)
		if (columns & 1)
			settle_column(row, &s.first, i,
				&cell_row_series(row, i, column[i].metric)->gauge);
	row->samples = 0;
}

/* Gives the series what waits. */
static void cell_row_settle(struct cell_row *row, const struct cell_column *column)
{
	settle_covered(row, column);
	settle_samples(row, column);
}

/*
 * A piece of a slice that the columns of a mask have in common, and whose integrals
 * are in area.
 */
static void cell_row_cover(struct cell_row *row, const struct cell_column *column,
	uint64_t covered, int64_t time_ns, bool begins)
{
	if (row->covered != covered)
		settle_covered(row, column);
	row->covered = covered;
	row->count += begins;
	row->time_ns += time_ns;
}

/*
 * A sample that waits, and where its values belong, by columns that wait; valid until
 * the row gets another, or is widened.
 */
static struct cell_sample *cell_row_sample(struct cell_row *row,
	const struct cell_column *column, const struct instant *at, int64_t **value)
{
	struct cell_sample *sample;

	if (row->samples == SAMPLES_MOST)
		settle_samples(row, column);
	if (row->samples == row->samples_cap) {
		row->samples_cap =
			row->samples_cap ? 2 * row->samples_cap : SAMPLES_FIRST;
		row->sample =
			xrealloc(row->sample, row->samples_cap, sizeof *row->sample);
		row->value = xrealloc(
			row->value, row->samples_cap * row->width, sizeof *row->value);
	}
	*value = &row->value[row->samples * row->width];
	sample = &row->sample[row->samples++];
	*sample = (struct cell_sample){.t_ns = at->t_ns, .segment = at->segment};
	return sample;
}

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

	row->means_only = cells->means_only;
	if (2 * (cells->rows + 1) > cells->slot_count)
		grow(cells);
	ALLOC_NEXT(cells->row, cells->rows, cells->rows_cap) = row;
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
	SORT(at, count, compare);
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

/*
 * Do the ends of a row's piece count for the extremes? Those of a slice that is all in
 * the set that its last sample is in are samples of it. Other programs' phases have no
 * edges.
 */
static bool has_edges(const struct phase_row *row, const struct phase_piece *piece)
{
	return phase_map_divides(row->map) &&
		(row->pieces.count > 1 || piece->set == PATH_SET_NONE ||
			piece->set != row->set);
}

static void add_edges(const struct phase_row *row, const struct phase_piece *piece,
	const struct slice *slice, struct series *series)
{
	if ((series->kind != KIND_GAUGE && series->kind != KIND_SHARE) ||
		!has_edges(row, piece) || instant_is_gap(&row->at, slice))
		return;
	slice_edges(slices_at(&series->gauge.slices, slice->to_ns - slice->from_ns,
			    row->at.short_ns),
		slice, &piece->at, row->at.segment);
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
	row->has_edges = false;
	ALLOC_GROW(cells->piece, row->pieces.count, cells->piece_cap);
	for (size_t i = 0; i < row->pieces.count; i++) {
		const struct phase_piece *piece = &row->pieces.at[i];

		row->has_edges |= has_edges(row, piece);
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

void phase_cells_edges(struct phase_cells *cells, const struct phase_row *row,
	size_t column, const struct slice *slice)
{
	for (size_t i = 0; i < row->pieces.count; i++)
		add_edges(row, &row->pieces.at[i], slice,
			cell_row_series(cells->piece[i].row, column,
				cells->column[column].metric));
}

/* A piece of a path or a set, with the line at its ends. */
static void cover_piece(struct series *series, const struct phase_row *row,
	const struct slice *slice, const struct phase_piece *piece, int128 area)
{
	series_cover(series, &row->at, slice, &piece->at, area);
	add_edges(row, piece, slice, series);
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
			cover_piece(cell_row_series(cells->piece[i].row, column, metric),
				row, slice, piece, area);
			continue;
		}
		for (size_t k = 0; k < piece->paths; k++)
			cover_piece(
				cell_row_series(
					row_of(cells, row->pieces.path[piece->first + k]),
					column, metric),
				row, slice, piece, area);
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

bool phase_is_main(enum metric_id metric)
{
	return metric == METRIC_gpu_util_pct || metric == METRIC_power_w ||
		metric == METRIC_gpu_energy_j;
}

/* Shares of CPU time: tick counters by path. */

struct phase_ticks_of {
	struct shares windows; /* of ticks in 1/RISE_FRACTION */
	int128 time_ns; /* of all that windows has */
	uint64_t snapshot; /* the last one in it; 0: none */
	struct slices whole; /* that lie in it and may be gaps: ticks count in these,
				time does not */
	struct share_piece *late; /* [late_count] of slices that may be gaps: then nothing
				     of them counts; owned */
	size_t late_count, late_cap;
	double covered_s, gap_limit_s;
};

void phase_ticks_release(struct phase_ticks *ticks)
{
	for (size_t i = 0; i < ticks->paths; i++) {
		struct phase_ticks_of *of = ticks->of[i];

		if (!of)
			continue;
		shares_release(&of->windows);
		slices_release(&of->whole);
		free(of->late);
		free(of);
	}
	free(ticks->of);
	*ticks = (struct phase_ticks){NULL, 0, 0};
}

static struct phase_ticks_of *get(
	struct phase_ticks *ticks, const struct phase_row *row, uint32_t path)
{
	if (!ticks->of) {
		ticks->paths = phase_map_paths(row->map);
		ticks->of = xcalloc(ticks->paths, sizeof(struct phase_ticks_of *));
	}
	if (!ticks->of[path]) {
		ticks->of[path] = xcalloc(1, sizeof(struct phase_ticks_of));
		shares_init(&ticks->of[path]->windows, -1);
	}
	return ticks->of[path];
}

static void take_piece(struct phase_ticks_of *of, const struct share_piece *piece)
{
	shares_cover(&of->windows, piece);
	of->time_ns += piece->time_ns;
}

/* A field that fell rose by nothing, as in the whole run. */
static void cover(struct phase_ticks_of *of, const struct phase_row *row,
	const int64_t now[TICK_COUNT], const struct shares *before, int64_t time_ns)
{
	struct slice slice = {.from_ns = before->prev_ns, .to_ns = row->at.t_ns};
	struct share_piece piece = {.from_ns = slice.from_ns,
		.to_ns = slice.to_ns,
		.time_ns = time_ns,
		.segment = row->at.segment};
	int64_t dt_ns = slice.to_ns - slice.from_ns;

	for (int k = 0; k < TICK_COUNT; k++) {
		if (now[k] < 0 || before->prev[k] < 0)
			continue;
		slice.to = now[k] > before->prev[k] ? now[k] - before->prev[k] : 0;
		piece.ticks[k] = slice_rise(&slice, slice.from_ns + time_ns);
		of->windows.has[k] = true;
	}
	if (dt_ns > row->at.short_ns && time_ns < dt_ns) {
		ALLOC_NEXT(of->late, of->late_count, of->late_cap) = piece;
		return;
	}
	take_piece(of, &piece);
	if (dt_ns > row->at.short_ns) {
		struct slice_sum *sum = slices_far(&of->whole, dt_ns);

		sum->count++;
		sum->time_ns += dt_ns;
	}
}

void phase_ticks_take(struct phase_ticks *ticks, const struct phase_row *row,
	const int64_t now[TICK_COUNT], const struct shares *before)
{
	bool follows = before && before->has_prev &&
		before->prev_segment == row->at.segment && row->at.t_ns > before->prev_ns;
	bool closed = phase_map_is_closed(row->map);
	const struct phase_part *part = NULL;
	size_t parts = 0, paths;
	const uint32_t *path;

	ticks->snapshots++;
	if (follows && !closed)
		part = phase_map_parts(row->map, before->prev_ns, row->at.t_ns, &parts);
	path = phase_map_at(row->map, row->at.t_ns, &paths);
	for (size_t i = 0; i < paths; i++) {
		struct phase_ticks_of *of = get(ticks, row, path[i]);

		for (int k = 0; k < TICK_COUNT; k++)
			of->windows.has[k] |= now[k] >= 0;
		if (follows && closed && of->snapshot + 1 == ticks->snapshots)
			cover(of, row, now, before, row->at.t_ns - before->prev_ns);
		of->snapshot = ticks->snapshots;
	}
	for (size_t i = 0; i < parts; i++)
		cover(get(ticks, row, part[i].path), row, now, before, part[i].time_ns);
}

/* Of the slices that lie in a path those that are gaps. */
static int128 gaps_ns(const struct phase_ticks_of *of, int64_t limit_ns)
{
	return slices_within(&of->whole, INT64_MAX).time_ns -
		slices_within(&of->whole, limit_ns).time_ns;
}

void phase_ticks_finish(struct phase_ticks *ticks, int64_t limit_ns)
{
	for (size_t i = 0; i < ticks->paths; i++) {
		struct phase_ticks_of *of = ticks->of[i];

		if (!of)
			continue;
		for (size_t k = 0; k < of->late_count; k++)
			if (of->late[k].to_ns - of->late[k].from_ns <= limit_ns)
				take_piece(of, &of->late[k]);
		of->covered_s = limit_ns < 0
			? NAN
			: number_ratio(of->time_ns - gaps_ns(of, limit_ns), NS_PER_S);
		of->gap_limit_s = limit_ns < 0 ? NAN : number_ratio(limit_ns, NS_PER_S);
		shares_finish(&of->windows);
	}
}

bool phase_ticks_get(
	struct phase_ticks *ticks, size_t path, int i, struct metric_stats *stats)
{
	struct phase_ticks_of *of = path < ticks->paths ? ticks->of[path] : NULL;

	if (!of || !shares_get(&of->windows, i, stats))
		return false;
	stats->covered_s = of->covered_s;
	stats->gap_limit_s = of->gap_limit_s;
	return true;
}
