/*
 * Lines that say the name before each value, as PTDaemon's log of a power meter:
 *
 *   Time,09-08-2021 15:12:43.323,Watts,22.950000,Volts,121.690000,Mark,notset
 */
#include <string.h>

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
	struct csv_row row[2];
	bool is = false, had = false;

	csv_row_init(&row[0]);
	csv_row_init(&row[1]);
	for (size_t i = 0; i < probe->count && !is; i++) {
		bool has = are_pairs(&row[i % 2], probe->line[i]);

		is = has && had && have_same_names(&row[0], &row[1]) &&
			!span_equal(probe->line[i], probe->line[i - 1]);
		had = has;
	}
	csv_row_release(&row[0]);
	csv_row_release(&row[1]);
	return is;
}

static bool pairs_next(struct recast *recast)
{
	struct span line;
	struct csv_row row;
	bool more;

	if (!recast_next_line(recast, &line))
		return false;
	csv_row_init(&row);
	more = are_pairs(&row, line);
	for (size_t i = 0; i < row.count && more; i += 2)
		recast_put(recast, row.cell[i], row.cell[i + 1]);
	if (more)
		recast_row(recast, span_of(""), log_file_line(recast_log(recast)));
	else
		recast_noise(recast, line);
	csv_row_release(&row);
	return true;
}

const struct recast_shape recast_pairs = {
	.name = "lines of names and values", .is = pairs_is, .next = pairs_next};
