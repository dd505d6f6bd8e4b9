/*
 * One line of CSV as cells. Lines as nvidia-smi writes them (no quotes, ", " between) are
 * split where they lie; any line with a quote goes through libcsv. Both give the same on
 * every line that has no quotes, and a test says so.
 *
 * A spreadsheet may have put semicolons or tabs between the cells; commas between digits
 * are decimal points then.
 */
#ifndef READ_CSV_H
#define READ_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct csv_row {
	struct span *cell; /* trimmed; valid until the next split */
	size_t count, cap;
	struct strbuf unquoted; /* cells that libcsv unquoted */
	bool commas; /* decimal ones have come, so that points may part thousands */
	char separator; /* ',', unless its user sets another one */
	struct strbuf pointed; /* a line with decimal points, of another separator */
};

struct csv_row csv_row_new(void); /* without cells */
/* A line, split as csv_split does it; to be released, too. */
struct csv_row csv_row_of(struct span line);
void csv_row_release(struct csv_row *row);

/* The one of a line of names, which hold none of the three. */
char csv_separator(struct span names);

/* ... or of words that bars part, or blanks, of which several are one. */
char csv_separator_of_words(struct span names);

/* Splits a line at its separators; line must stay valid as long as the cells are used. */
void csv_split(struct csv_row *row, struct span line);
/* The same, of a log whose writer knows no quotes: they are characters like any other. */
void csv_split_plain(struct csv_row *row, struct span line);
/* The same through libcsv, whatever the line. */
void csv_split_general(struct csv_row *row, struct span line);

#endif
