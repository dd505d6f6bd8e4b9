/* Cells of a line: by hand where no quote is in it, else by libcsv. */
#include "read/csv.h"

#include <csv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void csv_row_init(struct csv_row *row)
{
	*row = (struct csv_row){.separator = ','};
	strbuf_init(&row->unquoted);
	strbuf_init(&row->pointed);
}

void csv_row_release(struct csv_row *row)
{
	free(row->cell);
	strbuf_release(&row->unquoted);
	strbuf_release(&row->pointed);
}

static void add_cell(struct csv_row *row, struct span cell)
{
	ALLOC_GROW(row->cell, row->count + 1, row->cap);
	row->cell[row->count++] = cell;
}

char csv_separator(struct span names)
{
	if (memchr(names.at, ',', names.len))
		return ',';
	if (memchr(names.at, ';', names.len))
		return ';';
	return memchr(names.at, '\t', names.len) ? '\t' : ',';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct span with_points(struct csv_row *row, struct span line)
{
	char *text;

	strbuf_clear(&row->pointed);
	strbuf_add(&row->pointed, line.at, line.len);
	text = row->pointed.text;
	for (size_t i = 1; i + 1 < line.len; i++)
		if (text[i] == ',' && is_digit(text[i - 1]) && is_digit(text[i + 1]))
			text[i] = '.';
	return (struct span){text, line.len};
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

void csv_split_plain(struct csv_row *row, struct span line)
{
	const char *end = line.at + line.len;

	row->count = 0;
	for (const char *at = line.at;;) {
		const char *comma = memchr(at, row->separator, (size_t)(end - at));
		const char *stop = comma ? comma : end;

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

void csv_split_general(struct csv_row *row, struct span line)
{
	struct csv_parser parser;
	size_t offset = 0;

	row->count = 0;
	strbuf_clear(&row->unquoted);
	if (csv_init(&parser, 0) != 0)
		return;
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
