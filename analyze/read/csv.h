/*
 * One line of CSV as cells. Lines as nvidia-smi writes them (no quotes, ", " between) are
 * split where they lie; any line with a quote goes through libcsv. Both give the same on
 * every line that has no quotes, and a test says so.
 */
#ifndef READ_CSV_H
#define READ_CSV_H

#include <stddef.h>

#include "base/span.h"
#include "base/strbuf.h"

struct csv_row {
	struct span *cell; /* trimmed; valid until the next split */
	size_t count, cap;
	struct strbuf unquoted; /* cells that libcsv unquoted */
};

void csv_row_init(struct csv_row *row);
void csv_row_release(struct csv_row *row);

/* Splits a line at commas; line must stay valid as long as the cells are used. */
void csv_split(struct csv_row *row, struct span line);
/* The same, of a log whose writer knows no quotes: they are characters like any other. */
void csv_split_plain(struct csv_row *row, struct span line);
/* The same through libcsv, whatever the line. */
void csv_split_general(struct csv_row *row, struct span line);

#endif
