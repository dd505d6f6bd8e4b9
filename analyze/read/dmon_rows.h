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
struct scroll_time {
	char text[16];
	size_t len; /* 0: none was */
	int64_t ns;
};

struct scroll {
	struct log *log; /* owned: scroll_release closes it */
	enum source_kind kind;
	struct columns columns;
	bool commas; /* the header has them */
	bool rest; /* the last column is the rest of the line: names have blanks */
	bool header_pending; /* a header stood before the next row */
	struct strbuf header, units; /* those that hold, where it says nothing if they
					come again; else empty */
	struct scroll_time date, clock;
	int64_t day_ns, clock_ns; /* of -o T: the day so far, the last clock */
	struct span *word; /* of the current row, one a column */
	size_t words, word_cap;
	struct strbuf text; /* a row without its ^C */
};

void scroll_init(struct scroll *scroll, struct log *log, enum source_kind kind);
void scroll_release(struct scroll *scroll);

/*
 * Is it a header of that kind of table? It begins with the gpu, but for date and time,
 * names a metric, and something of a process (pid, type, command) or not.
 */
bool scroll_is_header(enum source_kind kind, struct span line);

/* Could the line be a row of a table without its header, which had these names? */
bool scroll_fits(enum source_kind kind, struct span line, const struct csv_row *names);

/*
 * Cuts the next word between blanks, or cell between commas, from *rest. False: none is
 * left.
 */
bool scroll_word(struct span *rest, bool commas, struct span *word);

/*
 * The words of a line, or its cells; the last of so many columns may be the rest of the
 * line. scroll_next() does it for rows.
 */
void scroll_split(struct scroll *scroll, struct span line, size_t columns);

/*
 * The next row of the log, split into words; headers are taken in, what is no row is
 * refused. False: the end.
 */
bool scroll_next(struct scroll *scroll);

/*
 * Time and GPU index of the row, wall_ns in the log's zone; false: refused. Without times
 * wall_ns means nothing.
 */
bool scroll_ids(struct scroll *scroll, int64_t *wall_ns, int32_t *gpu);

/* Appends the row to the batch as a sample of the device. */
void scroll_put(struct scroll *scroll, struct sample_batch *batch, int64_t wall_ns,
	uint32_t device);

#endif
