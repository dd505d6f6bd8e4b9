/* Cells of a line: by hand where no quote is in it, else by libcsv. */
#include "read/csv.h"

#include <csv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct csv_row csv_row_new(void)
{
	return (struct csv_row){
		.unquoted = strbuf_new(), .separator = ',', .pointed = strbuf_new()};
}

void csv_row_release(struct csv_row *row)
{
	free(row->cell);
	strbuf_release(&row->unquoted);
	strbuf_release(&row->pointed);
}

static void add_cell(struct csv_row *row, struct span cell)
{
	ALLOC_NEXT(row->cell, row->count, row->cap) = cell;
}

char csv_separator(struct span names)
{
	if (memchr(names.at, ',', names.len))
		return ',';
	if (memchr(names.at, ';', names.len))
		return ';';
	return memchr(names.at, '\t', names.len) ? '\t' : ',';
}

char csv_separator_of_words(struct span names)
{
	if (csv_separator(names) != ',' || memchr(names.at, ',', names.len))
		return csv_separator(names);
	return memchr(names.at, '|', names.len) ? '|' : ' ';
}

static size_t count_digits(struct span text)
{
	size_t count = 0;

	while (count < text.len && is_digit(text.at[count]))
		count++;
	return count;
}

static struct span behind(struct span text, size_t len)
{
	return (struct span){text.at + len, text.len - len};
}

/* "1.024", "1.024,50 W": what parts thousands, where commas are decimal points. */
static bool has_thousands(struct span cell)
{
	size_t quotes = cell.len && cell.at[0] == '"', digits;
	bool grouped = false;

	cell = behind(cell, quotes);
	digits = count_digits(cell);

	if (!digits || digits > 3 || cell.at[0] == '0')
		return false;
	cell = behind(cell, digits);
	while (cell.len && cell.at[0] == '.') {
		if (count_digits(behind(cell, 1)) != 3)
			return false;
		cell = behind(cell, 4);
		grouped = true;
	}
	return grouped && (!cell.len || strchr(", \"", cell.at[0]));
}

static bool has_decimal_comma(struct span line)
{
	for (size_t i = 1; i + 1 < line.len; i++)
		if (line.at[i] == ',' && is_digit(line.at[i - 1]) &&
			is_digit(line.at[i + 1]))
			return true;
	return false;
}

/* A cell with its decimal comma as a point, and without points between thousands. */
static void point_cell(struct csv_row *row, struct span cell)
{
	bool thousands = row->commas && has_thousands(span_trim(cell));

	for (size_t i = 0; i < cell.len; i++) {
		bool between = i && i + 1 < cell.len && is_digit(cell.at[i - 1]) &&
			is_digit(cell.at[i + 1]);

		if (cell.at[i] == '.' && thousands)
			continue;
		strbuf_addc(
			&row->pointed, cell.at[i] == ',' && between ? '.' : cell.at[i]);
	}
}

static struct span with_points(struct csv_row *row, struct span line)
{
	const char *end = line.at + line.len;

	row->commas |= has_decimal_comma(line);
	strbuf_clear(&row->pointed);
	for (const char *at = line.at;;) {
		const char *next = memchr(at, row->separator, (size_t)(end - at));

		point_cell(row, (struct span){at, (size_t)((next ? next : end) - at)});
		if (!next)
			break;
		strbuf_addc(&row->pointed, row->separator);
		at = next + 1;
	}
	return (struct span){row->pointed.text, row->pointed.len};
}

void csv_split(struct csv_row *row, struct span line)
{
	if (row->separator != ',')
		line = with_points(row, line);
	if (memchr(line.at, '"', line.len))
		csv_split_general(row, line);
	else
		csv_split_plain(row, line);
}

struct csv_row csv_row_of(struct span line)
{
	struct csv_row row = csv_row_new();

	csv_split(&row, line);
	return row;
}

void csv_split_plain(struct csv_row *row, struct span line)
{
	const char *end = line.at + line.len;

	row->count = 0;
	for (const char *at = line.at;;) {
		const char *comma = memchr(at, row->separator, (size_t)(end - at));
		const char *stop = comma ? comma : end;

		if (stop > at || row->separator != ' ')
			add_cell(row, span_trim((struct span){at, (size_t)(stop - at)}));
		if (!comma)
			return;
		at = comma + 1;
	}
}

/*
 * libcsv hands out one buffer again and again, so cells are copied; while the copy still
 * grows only their offsets are kept, in `at` of a span without a base.
 */
static void take_field(void *text, size_t len, void *context)
{
	struct csv_row *row = context;

	add_cell(row, (struct span){NULL, len});
	strbuf_add(&row->unquoted, text, len);
}

/* The line is one record, whatever it holds: a CR inside it ends nothing. */
static int is_never(unsigned char c)
{
	(void)c;
	return 0;
}

static void *grow(void *p, size_t size)
{
	return xrealloc(p, size, 1);
}

void csv_split_general(struct csv_row *row, struct span line)
{
	struct csv_parser parser;
	size_t offset = 0;

	row->count = 0;
	strbuf_clear(&row->unquoted);
	if (csv_init(&parser, 0) != 0)
		return;
	csv_set_realloc_func(&parser, grow);
	csv_set_term_func(&parser, is_never);
	csv_set_delim(&parser, (unsigned char)row->separator);
	csv_parse(&parser, line.at, line.len, take_field, NULL, row);
	csv_fini(&parser, take_field, NULL, row);
	csv_free(&parser);
	for (size_t i = 0; i < row->count; i++) {
		struct span cell = {row->unquoted.text + offset, row->cell[i].len};

		offset += cell.len;
		row->cell[i] = span_trim(cell);
	}
	if (!row->count) /* libcsv gives no field for a blank line */
		add_cell(row, (struct span){line.at, 0});
}
