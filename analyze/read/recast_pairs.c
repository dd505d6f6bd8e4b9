/*
 * Lines that say the name before each value, as PTDaemon's log of a power meter:
 *
 *   Time,09-08-2021 15:12:43.323,Watts,22.950000,Volts,121.690000,Mark,notset
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/csv.h"
#include "read/log.h"
#include "read/recast.h"

#define PAIRS_MIN 2

/* Cells that are names and values by turns. */
static bool are_pairs(struct csv_row *row, struct span line)
{
	int64_t number;

	csv_split(row, line);
	if (row->count < 2 * PAIRS_MIN || row->count % 2)
		return false;
	for (size_t i = 0; i < row->count; i += 2)
		if (!row->cell[i].len || number_scaled(row->cell[i], 1, &number))
			return false;
	return true;
}

static bool have_same_names(const struct csv_row *a, const struct csv_row *b)
{
	for (size_t i = 0; i < a->count; i += 2)
		if (i >= b->count || !span_equal(a->cell[i], b->cell[i]))
			return false;
	return a->count == b->count;
}

/* Two lines of the same names, and other values. */
static bool pairs_is(const struct probe *probe)
{
	struct csv_row first = csv_row_new(), row = csv_row_new();
	size_t at = probe->count;
	bool is = false;

	for (size_t i = 0; i < probe->count && !is; i++) {
		if (at == probe->count && are_pairs(&first, probe->line[i]))
			at = i;
		else
			is = at < i && are_pairs(&row, probe->line[i]) &&
				have_same_names(&first, &row) &&
				!span_equal(probe->line[i], probe->line[at]);
	}
	csv_row_release(&first);
	csv_row_release(&row);
	return is;
}

struct pairs_state {
	struct csv_row names; /* of the first line, whose cells are in: */
	char *line; /* owned; NULL: there was none yet */
};

static void pairs_release(void *state)
{
	struct pairs_state *s = state;

	if (s->line)
		csv_row_release(&s->names);
	free(s->line);
}

/* The first line says what the names of all are. */
static bool is_row(struct pairs_state *s, struct csv_row *row, struct span line)
{
	if (!are_pairs(row, line))
		return false;
	if (!s->line) {
		s->line = xstrndup(line.at, line.len);
		s->names = csv_row_of(span_of(s->line));
	}
	return have_same_names(&s->names, row);
}

static bool pairs_next(struct recast *recast)
{
	struct pairs_state *s = recast_state(recast);
	struct span line;
	struct csv_row row;

	if (!recast_next_line(recast, &line))
		return false;
	row = csv_row_new();
	if (is_row(s, &row, line)) {
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

const struct recast_shape recast_pairs = {.name = "lines of names and values",
	.is = pairs_is,
	.next = pairs_next,
	.state_size = sizeof(struct pairs_state),
	.release = pairs_release};
