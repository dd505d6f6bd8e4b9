/*
 * What nvidia-smi's scrolling tables (dmon, pmon) have in common. Two header lines,
 * names and units, that come again every so many rows; the order of the columns is
 * that of the letters behind -s, so only names count. "Date" and "Time" are glued to
 * the '#', "gpu" is not. Without -o there are no times at all; with -o T there is a
 * clock without a date, which passes midnight. With --format csv the cells stand
 * between commas, and the '#' may be lacking. A terminal's ^C may stand in the middle
 * of a row.
 */
#ifndef READ_NVIDIA_DMON_H
#define READ_NVIDIA_DMON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "read/columns.h"
#include "read/formats.h"

struct dmon_rows {
	struct log *log;
	enum source_kind kind;
	struct columns columns;
	bool commas; /* the header has them */
	bool rest; /* the last column is the rest of the line: names have blanks */
	bool header_pending; /* a header stood before the next row */
	struct strbuf header, units; /* those that hold, where it says nothing if they
					come again; else empty */
	int64_t wall_ns; /* of -o T: what the last clock was taken for */
	struct span *word; /* of the current row, one a column */
	size_t words, word_cap;
	size_t place, rows_in_place; /* of pmon: where words are, since the last header */
	size_t command; /* ... and where the command begins */
	struct strbuf text; /* a row without its ^C */
};

/*
 * Is it a header of that kind of table? It begins with the gpu, but for date and time,
 * names a metric, and something of a process (pid, type, command) or not.
 */
bool dmon_is_header(enum source_kind kind, struct span line);

/* Could the line be a row of a table without its header, which had these names? */
bool dmon_fits(enum source_kind kind, struct span line, const struct csv_row *names);

/* The names of a header, behind the '#' that the csv form may lack, for dmon_word(). */
struct span dmon_names(struct span line, bool *commas);

/*
 * Cuts the next word between blanks, or cell between commas, from *rest. False: none is
 * left.
 */
bool dmon_word(struct span *rest, bool commas, struct span *word);

/*
 * The words of a line, or its cells; the last of so many columns may be the rest of the
 * line.
 */
void dmon_split(struct dmon_rows *rows, struct span line, size_t columns);

#endif
