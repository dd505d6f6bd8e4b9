/* What columns of bare numbers are, by what they do from row to row. */
#include "read/bare_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/cells.h"
#include "read/clock_line.h"
#include "read/headerless.h"
#include "read/log.h"
#include "read/name_words.h"
#include "read/reading.h"

#define MILLI	     1000
#define ROWS_LEAST   3
#define INDEX_MOST   15
#define SHARE_MOST   100
#define POWER_MOST   1500 /* W */
#define TOTAL_LEAST  1900 /* MiB: no GPU in use has less */
#define TOTAL_MOST   400000
#define KEPT_MOST    3000 /* MiB that the driver keeps for itself */
#define COLDEST	     10
#define HOTTEST	     97
#define CALMER	     3 /* times */
#define WARMING_MOST 60 /* degrees from the coldest to the hottest */

#define BARE_CELLS_MAX 12

struct bare_column {
	const char *field; /* of cells that are no numbers, such as a time; NULL */
	size_t numbers, steps; /* steps: the number after the last one, or 0 again */
	int64_t smallest, largest, first, last; /* in thousandths */
	int64_t of[INDEX_MOST + 1]; /* the last ones, by the first number of rows */
	bool has[INDEX_MOST + 1];
	int64_t jump; /* the largest change from one row of that number to the next */
	bool whole, constant; /* whole: without a decimal point */
	size_t less[BARE_CELLS_MAX]; /* rows in which it is less than another column */
};

struct bare_rows {
	size_t count, rows; /* cells of a row; rows */
	size_t names; /* cells of a line before that has no number */
	bool dated; /* the rows begin with nvidia-smi's own times */
	struct bare_column column[BARE_CELLS_MAX];
};

static const char not_used[] = "?";

/* Of a cell that is no number; NULL: it is one, or of no use. */
static const char *text_field(struct span cell)
{
	int64_t number;

	if (clock_is_cell(cell))
		return "timestamp";
	if (number_scaled(cell, MILLI, &number))
		return NULL;
	if (span_begins(cell, "GPU-"))
		return "uuid";
	return span_begins(cell, "NVIDIA ") || span_begins(cell, "Tesla ") ||
			span_begins(cell, "GeForce ") || span_begins(cell, "Quadro ")
		? "name"
		: cell_is_missing(cell) ? NULL
					: not_used;
}

static void take_number(struct bare_column *column, int64_t number, bool whole)
{
	if (!column->numbers) {
		*column = (struct bare_column){.smallest = number,
			.largest = number,
			.first = number,
			.whole = true,
			.constant = true};
	} else {
		column->steps +=
			number == column->last + MILLI || (!number && column->last);
		column->constant &= number == column->first;
	}
	column->whole &= whole;
	column->smallest = number < column->smallest ? number : column->smallest;
	column->largest = number > column->largest ? number : column->largest;
	column->last = number;
	column->numbers++;
}

static void take_jump(struct bare_column *column, int64_t number, size_t of)
{
	int64_t jump = column->has[of] ? llabs(number - column->of[of]) : 0;

	column->jump = jump > column->jump ? jump : column->jump;
	column->of[of] = number;
	column->has[of] = true;
}

/* A time or numbers alone, and a number for each cell that had one. */
static bool is_such_row(const struct bare_rows *rows, const struct csv_row *row)
{
	bool timed = false, text = false;

	for (size_t i = 0; i < row->count; i++) {
		const char *field = text_field(row->cell[i]);

		timed |= text_equal(field, "timestamp");
		text |= field != NULL;
		if (rows->rows && !cell_is_missing(row->cell[i]) &&
			!text_equal(field, rows->column[i].field))
			return false;
	}
	return timed || !text;
}

static bool is_names(const struct csv_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		if (text_field(row->cell[i]) != not_used)
			return false;
	return true;
}

/* Takes a line in. */
static void take_row(struct bare_rows *rows, const struct csv_row *row)
{
	int64_t number[BARE_CELLS_MAX];
	bool has[BARE_CELLS_MAX];
	size_t of = INDEX_MOST + 1; /* perhaps the index of a GPU */

	if (row->count < 3 || row->count > BARE_CELLS_MAX ||
		(rows->rows && row->count != rows->count) || !is_such_row(rows, row)) {
		rows->names = rows->rows || rows->names || !is_names(row) ? rows->names
									  : row->count;
		return;
	}
	rows->count = row->count;
	for (size_t i = 0; i < row->count; i++) {
		if (!rows->rows)
			rows->column[i].field = text_field(row->cell[i]);
		has[i] = !rows->column[i].field &&
			number_scaled(row->cell[i], MILLI, &number[i]);
		if (!has[i])
			continue;
		if (of > INDEX_MOST)
			of = number[i] >= 0 && number[i] <= INDEX_MOST * MILLI
				? (size_t)(number[i] / MILLI)
				: 0;
		take_number(&rows->column[i], number[i],
			!memchr(row->cell[i].at, '.', row->cell[i].len));
		take_jump(&rows->column[i], number[i], of);
	}
	for (size_t i = 0; i < row->count; i++)
		for (size_t k = 0; k < row->count; k++)
			rows->column[i].less[k] +=
				has[i] && has[k] && number[i] < number[k];
	rows->dated |= headerless_begins_with_time(row);
	rows->rows++;
}

static bool is_within(const struct bare_column *column, int64_t least, int64_t most)
{
	return column->numbers && column->smallest >= least * MILLI &&
		column->largest <= most * MILLI;
}

/* 0, 1, 0, 1: of GPUs. One that stays may be of a single GPU, if it comes first. */
static bool is_index(const struct bare_column *column, bool first)
{
	if (!column->whole || !is_within(column, 0, INDEX_MOST))
		return false;
	if (column->constant)
		return first;
	return !column->smallest && column->numbers > ROWS_LEAST &&
		column->steps * 10 >= (column->numbers - 1) * 9;
}

/* One that stays may as well be a fan's speed. */
static bool is_temperature(const struct bare_column *column)
{
	return column->whole && !column->constant &&
		is_within(column, COLDEST, HOTTEST) &&
		column->largest - column->smallest <= WARMING_MOST * MILLI;
}

static bool is_power(const struct bare_column *column)
{
	return !column->whole && !column->constant && is_within(column, 1, POWER_MOST);
}

static bool is_total(const struct bare_column *column)
{
	return column->whole && column->constant &&
		is_within(column, TOTAL_LEAST, TOTAL_MOST);
}

/* More than a share or a temperature can be. */
static bool is_amount(const struct bare_column *column)
{
	return column->numbers && column->whole && column->largest > SHARE_MOST * MILLI;
}

static bool is_limit(const struct bare_column *column)
{
	return !column->whole && column->constant && is_within(column, 1, POWER_MOST);
}

/*
 * What is installed, and one amount that is never larger, or two whose sum it is, as good
 * as: what is used of a GPU that is little used at first is the small one.
 */
static bool name_memory(const struct bare_rows *rows, const char **field)
{
	size_t amount[BARE_CELLS_MAX], count = 0, total = rows->count;

	for (size_t i = 0; i < rows->count; i++)
		if (is_total(&rows->column[i]) &&
			(total == rows->count ||
				rows->column[i].first > rows->column[total].first))
			total = i;
	for (size_t i = 0; i < rows->count; i++) {
		if (!is_amount(&rows->column[i]) || i == total)
			continue;
		if (total == rows->count || rows->column[total].less[i] || count == 2)
			return false;
		amount[count++] = i;
	}
	if (count == 1) {
		field[amount[0]] = "memory.used";
	} else if (count == 2) {
		const struct bare_column *a = &rows->column[amount[0]],
					 *b = &rows->column[amount[1]],
					 *all = &rows->column[total];
		int64_t kept = all->first - a->first - b->first;
		bool less = a->first < b->first;

		if (kept < 0 || kept > KEPT_MOST * MILLI ||
			(less ? a : b)->first * 8 > all->first)
			return false;
		field[amount[0]] = less ? "memory.used" : "memory.free";
		field[amount[1]] = less ? "memory.free" : "memory.used";
	}
	if (count)
		field[total] = "memory.total";
	return total < rows->count;
}

/*
 * The only column that may be of that field, or the one that changes little from row to
 * row beside another: a temperature beside a utilization.
 */
static void name_one(const struct bare_rows *rows, const char **field,
	bool (*is)(const struct bare_column *column), const char *name)
{
	size_t found = rows->count, other = rows->count, count = 0;
	bool calm;

	for (size_t i = 0; i < rows->count; i++) {
		if (field[i] || !is(&rows->column[i]))
			continue;
		count++;
		if (found == rows->count ||
			rows->column[i].jump < rows->column[found].jump) {
			other = found;
			found = i;
		} else {
			other = i;
		}
	}
	calm = count == 2 && rows->column[found].jump * CALMER < rows->column[other].jump;
	if (count == 1 || calm)
		field[found] = name;
	for (size_t i = 0; i < rows->count && count > 1; i++)
		if (!calm && !field[i] && is(&rows->column[i]))
			field[i] = not_used;
}

/* The share of a fan stays; a use does so only at its ends. */
static bool is_share(const struct bare_column *column)
{
	return column->whole && is_within(column, 0, SHARE_MOST) &&
		(!column->constant || !column->first ||
			column->first == SHARE_MOST * MILLI);
}

/* A share, or two: memory is hardly busier than its GPU. */
static void name_shares(const struct bare_rows *rows, const char **field)
{
	size_t share[BARE_CELLS_MAX], count = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (!field[i] && is_share(&rows->column[i]))
			share[count++] = i;
	if (count == 1)
		field[share[0]] = "utilization.gpu";
	if (count != 2 || rows->column[share[0]].less[share[1]] * 10 > rows->rows)
		return;
	field[share[0]] = "utilization.gpu";
	field[share[1]] = "utilization.memory";
}

static bool name_rows(
	const struct bare_rows *rows, const char *path, struct strbuf *names)
{
	const char *field[BARE_CELLS_MAX] = {NULL};
	bool first = true, named = false, memory;

	if (rows->rows < ROWS_LEAST || rows->names == rows->count)
		return false; /* of rows with a header that was not understood */
	for (size_t i = 0; i < rows->count; i++) {
		const struct bare_column *column = &rows->column[i];

		field[i] = column->field;
		named |= text_equal(field[i], "name") || text_equal(field[i], "uuid");
		if (field[i])
			continue;
		if (is_index(column, first))
			field[i] = column->constant ? not_used : "index";
		first = false;
	}
	if (!named && !rows->dated && !(name_words_of_file(path) & GPU))
		return false;
	memory = name_memory(rows, field);
	name_one(rows, field, is_power, "power.draw");
	name_one(rows, field, is_limit, "power.limit");
	name_one(rows, field, is_temperature, "temperature.gpu");
	name_shares(rows, field);
	strbuf_clear(names);
	for (size_t i = 0; i < rows->count; i++)
		strbuf_addf(names, "%s%s", i ? "," : "", field[i] ? field[i] : not_used);
	return memory;
}

bool bare_rows_probe(const struct probe *probe, struct strbuf *names)
{
	struct bare_rows rows = {0};
	struct csv_row row = csv_row_new();

	for (size_t i = 0; i < probe->count; i++) {
		csv_split(&row, probe->line[i]);
		take_row(&rows, &row);
	}
	csv_row_release(&row);
	return name_rows(&rows, probe->path, names);
}

void bare_rows_settle(struct reading *reading, size_t file)
{
	struct file_facts *facts = &reading->file[file].facts;
	struct strbuf names = strbuf_new();
	struct bare_rows rows = {0};
	struct span line;
	struct peek g;

	if (!facts->bare)
		return;
	peek_begin(&g, reading, file);
	while (peek_on(&g, &line)) {
		csv_split(&g.row, line);
		take_row(&rows, &g.row);
	}
	peek_end(&g);
	free(facts->by_units);
	facts->by_units = NULL;
	if (name_rows(&rows, reading->run->file[file].path, &names) &&
		(strstr(names.text, "memory.used") || strstr(names.text, "power.draw")))
		facts->by_units = xstrdup(names.text);
	strbuf_release(&names);
}
