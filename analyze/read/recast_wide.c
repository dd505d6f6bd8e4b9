/*
 * Tables for people whose cells a tab or two blanks or more part, as those of rocm-smi; a
 * name or a value may have single blanks:
 *
 *   GPU  Temp (DieEdge)  AvgPwr  SCLK     VRAM%  GPU%
 *   0    38.0c           36.0W   1440Mhz  12%    87%
 *
 * Which line is a header, maps say. A cell that ends in a comma goes on behind it.
 */
#include <string.h>

#include "base/number.h"
#include "read/clock_line.h"
#include "read/csv.h"
#include "read/log.h"
#include "read/recast.h"

#define CELLS_MAX 64
#define NAMES_MAX 1024 /* bytes of a header */

struct wide_state {
	char header[NAMES_MAX]; /* empty: there was none yet */
};

/* Splits a line; returns the number of cells, at most CELLS_MAX. */
static size_t split(struct span line, struct span *cell)
{
	size_t count = 0, blanks = 0, from = 0, end = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (line.at[i] == ' ' || line.at[i] == '\t') {
			blanks += line.at[i] == ' ' ? 1 : 2;
			continue;
		}
		if (blanks > 1 && end > from && line.at[end - 1] != ',') {
			if (count < CELLS_MAX)
				cell[count++] = (struct span){line.at + from, end - from};
			from = i;
		}
		from = end == 0 ? i : from;
		end = i + 1;
		blanks = 0;
	}
	if (end > from && count < CELLS_MAX)
		cell[count++] = (struct span){line.at + from, end - from};
	return count;
}

static bool is_header(const struct table_maps *maps, struct span line)
{
	struct span cell[CELLS_MAX];
	struct csv_row header = {.cell = cell};

	header.count = split(span_trim(line), cell);
	return header.count > 1 && table_maps_find(maps, &header, MAP_OF_WIDE);
}

static bool wide_is(const struct probe *probe)
{
	bool is = false;

	for (size_t i = 0; i < probe->count && !is; i++)
		is = is_header(probe->maps, probe->line[i]);
	return is;
}

/* Rows begin with the number of a device. */
static bool put_row(struct recast *recast, struct span line)
{
	const struct wide_state *s = recast_state(recast);
	struct span name[CELLS_MAX], cell[CELLS_MAX];
	size_t names = split(span_of(s->header), name), count = split(line, cell);
	uint64_t number;

	if (!count || count != names || !number_unsigned(cell[0], &number))
		return false;
	for (size_t i = 0; i < count; i++)
		recast_put(recast, name[i], cell[i]);
	recast_line_row(recast);
	return true;
}

static bool wide_next(struct recast *recast)
{
	struct wide_state *s = recast_state(recast);
	struct log *log = recast_log(recast);
	struct span line;

	if (!recast_next_line(recast, &line))
		return false;
	if (is_header(log->opt->maps, line) && line.len < sizeof s->header) {
		memcpy(s->header, line.at, line.len);
		s->header[line.len] = '\0';
	} else if (clock_line_kind(line, CLOCK_LACKS_NOTHING) != CLOCK_NOT) {
		recast_pass(recast, line, recast_number(recast));
	} else if (!put_row(recast, line) && !span_begins(line, "=")) {
		recast_noise(recast, line);
	}
	return true;
}

const struct recast_shape recast_wide = {.name = "a table of wide columns",
	.is = wide_is,
	.next = wide_next,
	.state_size = sizeof(struct wide_state)};
