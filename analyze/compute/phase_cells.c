/* Two arrays, because few paths of many have samples of a device. */
#include "compute/phase_cells.h"

#include <stdlib.h>

#include "base/alloc.h"

void phase_cells_release(struct phase_cells *cells)
{
	for (size_t i = 0; i < cells->paths; i++) {
		if (!cells->of[i])
			continue;
		for (int id = 0; id < METRIC_COUNT; id++)
			series_free(cells->of[i][id]);
		free(cells->of[i]);
	}
	free(cells->of);
	*cells = (struct phase_cells){.paths = 0};
}

struct series *phase_cells_get(
	const struct phase_cells *cells, size_t path, enum metric_id metric)
{
	if (path >= cells->paths || !cells->of[path])
		return NULL;
	return cells->of[path][metric];
}

static struct series *cell_of(struct phase_cells *cells, const struct phase_row *row,
	uint32_t path, enum metric_id metric)
{
	struct series **series;

	if (!cells->of) {
		cells->paths = phase_map_paths(row->map);
		cells->of = xcalloc(cells->paths, sizeof *cells->of);
	}
	if (!cells->of[path])
		cells->of[path] = xcalloc(METRIC_COUNT, sizeof **cells->of);
	series = &cells->of[path][metric];
	if (!*series)
		*series = series_new(metric);
	return *series;
}

void phase_cells_take(struct phase_cells *cells, const struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended)
{
	const struct phase_part *part = NULL;
	size_t parts = 0;

	if (ended)
		part = phase_map_parts(row->map, ended->from_ns, ended->to_ns, &parts);
	for (size_t i = 0; i < parts; i++)
		series_cover(cell_of(cells, row, part[i].path, metric), &row->at, ended,
			&part[i].part);
	for (size_t i = 0; i < row->paths; i++) {
		struct series *series = cell_of(cells, row, row->path[i], metric);

		if (value)
			series_value(series, &row->at, *value);
		else
			series_lack(series);
	}
}
