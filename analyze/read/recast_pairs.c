/*
 * Lines that say the name before each value, as PTDaemon's log of a power meter:
 *
 *   Time,09-08-2021 15:12:43.323,Watts,22.950000,Volts,121.690000,Mark,notset
 */
#include <string.h>

#include "read/csv.h"
#include "read/log.h"
#include "read/recast.h"

#define PAIRS_MAX 64

/* Cells that are names and values by turns, and the names of a map. */
static bool split_pairs(
	struct csv_row *row, const struct table_maps *maps, struct span line)
{
	struct span name[PAIRS_MAX];
	struct csv_row names = {.cell = name};
	const struct table_map *map;

	csv_split(row, line);
	for (size_t i = 0; i < row->count && names.count < PAIRS_MAX; i += 2)
		name[names.count++] = row->cell[i];
	map = names.count ? table_maps_find(maps, &names, MAP_OF_SAMPLES) : NULL;
	return map && map->cells == CELLS_PAIRS && row->count % 2 == 0;
}

static bool pairs_is(const struct probe *probe)
{
	struct csv_row row = csv_row_new();
	bool is = false;

	for (size_t i = 0; i < probe->count && !is; i++)
		is = split_pairs(&row, probe->maps, probe->line[i]);
	csv_row_release(&row);
	return is;
}

static bool pairs_next(struct recast *recast)
{
	struct span line;
	struct csv_row row;

	if (!recast_next_line(recast, &line))
		return false;
	row = csv_row_new();
	if (split_pairs(&row, recast_log(recast)->opt->maps, line)) {
		for (size_t i = 0; i < row.count; i += 2)
			recast_put(recast, row.cell[i], row.cell[i + 1]);
		recast_line_row(recast);
	} else if (memchr(line.at, ',', line.len)) {
		recast_refuse(recast, recast_number(recast), false,
			"expected names and values by turns, as in other lines", line);
	} else {
		recast_noise(recast, line);
	}
	csv_row_release(&row);
	return true;
}

const struct recast_shape recast_pairs = {
	.name = "lines of names and values", .is = pairs_is, .next = pairs_next};
