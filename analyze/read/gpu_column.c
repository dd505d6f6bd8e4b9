/*
 * A column "gpu" of a wrapper: numbers of GPUs come again in turns, the shares of time
 * that a GPU worked don't. Looked at before the rows are read, because a GPU may idle
 * first.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/cell.h"
#include "read/columns.h"
#include "read/glance.h"
#include "read/query_header.h"
#include "read/scroll.h"

#define SHARE_MAX    100
#define HEADER_LINES 2048 /* among which the header is */
#define FEW_GPUS     16 /* numbers of GPUs that need not come without a hole */
#define FEW_RETURNS  4 /* of a number: fewer say nothing about what follows it */

/* The cells of the column, and of another one that says the GPU. */
struct cells {
	uint8_t *share;
	uint64_t *id; /* hash; 0: no such column */
	size_t count, cap, id_cap;
	bool percent, words; /* "17 %"; "GPU3", 4711: no share at all */
};

static void take_cell(struct cells *cells, struct span cell, uint64_t id)
{
	struct span rest = cell;
	int64_t percent;
	uint64_t number;

	if (number_unsigned(cell, &number) && number <= SHARE_MAX) {
		ALLOC_GROW(cells->share, cells->count + 1, cells->cap);
		ALLOC_GROW(cells->id, cells->count + 1, cells->id_cap);
		cells->share[cells->count] = (uint8_t)number;
		cells->id[cells->count++] = id;
		return;
	}
	if (number_cut(&rest, 1, &percent) && span_is(span_trim(rest), "%"))
		cells->percent = true;
	else
		cells->words = true;
}

/* What the shares have in common. */
struct pattern {
	size_t times[SHARE_MAX + 1], distinct, most, least;
	size_t low, high;
	size_t returns, alike; /* of a number, and those with the same one behind */
};

static void find_pattern(const struct cells *cells, struct pattern *p)
{
	int behind[SHARE_MAX + 1];

	*p = (struct pattern){.low = SHARE_MAX, .least = SIZE_MAX};
	memset(behind, -1, sizeof behind);
	for (size_t i = 0; i < cells->count; i++) {
		uint8_t last = i ? cells->share[i - 1] : 0;

		p->times[cells->share[i]]++;
		if (!i)
			continue;
		p->returns += behind[last] >= 0;
		p->alike += behind[last] == cells->share[i];
		behind[last] = cells->share[i];
	}
	for (size_t i = 0; i <= SHARE_MAX; i++) {
		if (!p->times[i])
			continue;
		p->distinct++;
		p->low = i < p->low ? i : p->low;
		p->high = i;
		p->most = p->times[i] > p->most ? p->times[i] : p->most;
		p->least = p->times[i] < p->least ? p->times[i] : p->least;
	}
}

static bool come_in_turns(const struct cells *cells)
{
	struct pattern p;
	bool dense;

	find_pattern(cells, &p);
	dense = p.high - p.low + 1 == p.distinct;
	if (p.distinct == 1)
		return p.high < FEW_GPUS;
	if (dense && p.most <= 2 * p.least + 1)
		return true;
	if (p.returns < FEW_RETURNS)
		return p.high < FEW_GPUS;
	return p.alike * 10 >= p.returns * 9 && (dense || p.high < FEW_GPUS);
}

/* The share that stands beside an id first. */
struct pair {
	uint64_t id;
	uint8_t share;
};

/* Each id has one number of its own; *ids: how many there are. */
static bool go_with_ids(const struct cells *cells, size_t *ids)
{
	struct pair *pair = xmalloc((cells->count + 1) * sizeof *pair);
	size_t count = 0, matches = 0;
	bool taken[SHARE_MAX + 1] = {false}, apart = true;

	for (size_t i = 0; i < cells->count; i++) {
		size_t k = 0;

		while (k < count && pair[k].id != cells->id[i])
			k++;
		if (k == count && count <= SHARE_MAX) {
			pair[count++] = (struct pair){cells->id[i], cells->share[i]};
			apart = apart && !taken[cells->share[i]];
			taken[cells->share[i]] = true;
		}
		matches += k < count && pair[k].share == cells->share[i];
	}
	free(pair);
	*ids = count;
	return apart && matches * 10 >= cells->count * 9;
}

static enum gpu_column judge(const struct cells *cells)
{
	size_t ids;
	bool together;

	if (cells->percent)
		return GPU_COLUMN_SHARE;
	if (cells->words || !cells->count)
		return GPU_COLUMN_NUMBER;
	together = go_with_ids(cells, &ids);
	if (ids > 1)
		return together ? GPU_COLUMN_NUMBER : GPU_COLUMN_DOUBT;
	return come_in_turns(cells) ? GPU_COLUMN_NUMBER : GPU_COLUMN_DOUBT;
}

/* Where a header has the column, and another one that says the GPU. */
struct header_places {
	size_t count, gpu, id; /* count: there is none */
	bool has_share; /* a column says what the GPU did, and is known by its name */
};

static bool is_header(enum source_kind kind, struct csv_row *row, struct span line)
{
	if (kind == SOURCE_NVIDIA_QUERY)
		return query_split_header(row, line);
	csv_split(row, line);
	return row->count > 1 && line.at[0] != '#' && scroll_is_header(kind, line);
}

static struct header_places find_places(enum source_kind kind, const struct csv_row *row)
{
	struct header_places places = {row->count, row->count, row->count, false};

	for (size_t i = row->count; i-- > 0;) {
		enum role role = column_role(kind, cell_strip_unit(row->cell[i]));

		if (span_is_nocase(row->cell[i], "gpu"))
			places.gpu = i;
		else if (role == ROLE_INDEX || role == ROLE_UUID || role == ROLE_BUS_ID)
			places.id = i;
		places.has_share |= columns_is_gpu_share(kind, row->cell[i]);
	}
	return places;
}

enum gpu_column gpu_column_find(struct reading *reading, size_t file)
{
	enum source_kind kind = reading->run->file[file].kind;
	struct header_places places = {0};
	struct cells cells = {0};
	enum gpu_column found;
	struct glance g;
	struct span line;

	glance_begin(&g, reading, file);
	while ((places.count || g.lines < HEADER_LINES) && glance_on(&g, &line)) {
		if (line.at[0] == '#' && scroll_is_header(kind, line))
			break; /* dmon's own */
		if (is_header(kind, &g.row, line)) {
			places = find_places(kind, &g.row);
			if (places.gpu == places.count)
				break;
		} else if (places.count && g.row.count == places.count) {
			take_cell(&cells, g.row.cell[places.gpu],
				places.id == places.count
					? 0
					: span_hash(g.row.cell[places.id], SPAN_HASH));
		}
	}
	glance_end(&g);
	found = judge(&cells);
	free(cells.share);
	free(cells.id);
	return found != GPU_COLUMN_NUMBER && places.has_share ? GPU_COLUMN_UNUSED : found;
}
