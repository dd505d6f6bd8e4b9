/* Cells of a line: by hand where no quote is in it, else by libcsv. */
#include "read/csv.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void csv_row_init(struct csv_row *row)
{
	*row = (struct csv_row){0};
	strbuf_init(&row->unquoted);
}

void csv_row_release(struct csv_row *row)
{
	free(row->cell);
	strbuf_release(&row->unquoted);
}

static void add_cell(struct csv_row *row, struct span cell)
{
	ALLOC_GROW(row->cell, row->count + 1, row->cap);
	row->cell[row->count++] = cell;
}

void csv_split(struct csv_row *row, struct span line)
{
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
		const char *comma = memchr(at, ',', (size_t)(end - at));
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
