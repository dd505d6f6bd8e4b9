/*
 * What nvidia-smi's scrolling tables (dmon, pmon) have in common. Two header lines,
 * names and units, that come again every so many rows; the order of the columns is
 * that of the letters behind -s, so only names count. "Date" and "Time" are glued to
 * the '#', "gpu" is not. Without -o there are no times at all; with -o T there is a
 * clock without a date, which passes midnight. With --format csv the cells stand
 * between commas, and the '#' may be lacking. A terminal's ^C may stand in the middle
 * of a row.
 */
#ifndef READ_DMON_ROWS_H
#define READ_DMON_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "read/columns.h"
#include "read/formats.h"

/* The last one of a column, as it was written. */
struct dmon_time {
	char text[16];
	size_t len; /* 0: none was */
	int64_t ns;
};

struct dmon_rows {
	struct log *log; /* owned: dmon_release closes it */
	enum source_kind kind;
	struct columns columns;
	bool commas; /* the header has them */
	bool rest; /* the last column is the rest of the line: names have blanks */
	bool header_pending; /* a header stood before the next row */
	struct strbuf header, units; /* those that hold, where it says nothing if they
					come again; else empty */
	struct dmon_time date, clock;
	int64_t day_ns, clock_ns; /* of -o T: the day so far, the last clock */
	struct span *word; /* of the current row, one a column */
	size_t words, word_cap;
	struct strbuf text; /* a row without its ^C */
};

void dmon_init(struct dmon_rows *rows, struct log *log, enum source_kind kind);
void dmon_release(struct dmon_rows *rows);

/*
 * Is it a header of that kind of table? It begins with the gpu, but for date and time,
 * names a metric, and something of a process (pid, type, command) or not.
 */
bool dmon_is_header(enum source_kind kind, struct span line);

/* Could the line be a row of a table without its header, which had these names? */
bool dmon_fits(enum source_kind kind, struct span line, const struct csv_row *names);

/*
 * Cuts the next word between blanks, or cell between commas, from *rest. False: none is
 * left.
 */
bool dmon_word(struct span *rest, bool commas, struct span *word);

/*
 * The words of a line, or its cells; the last of so many columns may be the rest of the
 * line. dmon_next_row() does it for rows.
 */
void dmon_split(struct dmon_rows *rows, struct span line, size_t columns);

/*
 * The next row of the log, split into words; headers are taken in, what is no row is
 * refused. False: the end.
 */
bool dmon_next_row(struct dmon_rows *rows);

/*
 * Time and GPU index of the row, wall_ns in the log's zone; false: refused. Without times
 * wall_ns means nothing.
 */
bool dmon_ids(struct dmon_rows *rows, int64_t *wall_ns, int32_t *gpu);

/* Appends the row to the batch as a sample of the device. */
void dmon_put(struct dmon_rows *rows, struct sample_batch *batch, int64_t wall_ns,
	uint32_t device);

#endif
