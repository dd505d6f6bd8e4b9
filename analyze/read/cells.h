/*
 * Cells of logs and the names of their columns: the spellings of "not available",
 * numbers with or without a unit behind them, and what a name means in a kind of log.
 */
#ifndef READ_CELLS_H
#define READ_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "model/metric.h"
#include "model/run.h"

enum role {
	ROLE_IGNORED, /* not known */
	ROLE_KNOWN, /* known, but of no use here: other columns say it too */
	ROLE_METRIC,
	ROLE_TIME, /* date and clock in one cell */
	ROLE_EPOCH, /* the same, if its first cell is one (epoch_settle) */
	ROLE_DATE,
	ROLE_CLOCK,
	ROLE_ELAPSED, /* seconds since the log began */
	ROLE_INDEX,
	ROLE_GPU, /* a wrapper's own: an index, or a name */
	ROLE_UUID,
	ROLE_BUS_ID,
	ROLE_BUS, /* the PCI bus alone */
	ROLE_SERIAL, /* of the board */
	ROLE_MODEL,
	ROLE_HOST,
	ROLE_CPU, /* a number, or "all": of a row about one CPU */
	ROLE_PID,
	ROLE_INSTANCE, /* of a virtual GPU */
	ROLE_COMMAND
};

/* What a name means in a kind of log, without adding it. */
enum role column_role(enum source_kind source, struct span name);

/* Does the name say what share of time a GPU worked? */
bool columns_is_gpu_share(enum source_kind source, struct span name);

/*
 * One cell of a log as a value: the spellings of "not available", numbers with or
 * without a unit behind them.
 */

enum cell_result {
	CELL_VALUE,
	CELL_MISSING, /* one of the many spellings of "not available" */
	CELL_UNREADABLE /* neither that nor a number in a unit that fits */
};

/* Any text that begins with "[", "N/A", "-", "nan", nothing at all ... */
bool cell_is_missing(struct span cell);

/* Of the missing ones: "[GPU is lost]" and the like, which tell of trouble. */
bool cell_is_failure(struct span cell);

/* "[N/A]", "-", "[Not Supported]": nothing failed, but there is no such value. */
bool cell_is_unavailable(struct span cell);

/*
 * A trimmed cell in quanta of the metric. A unit written behind the number must be of the
 * same kind as the metric's and is converted; bare: quanta that a number without one
 * stands for, which is per_unit unless the header says another unit.
 */
enum cell_result cell_read(
	struct span cell, enum unit unit, int64_t per_unit, int64_t bare, int64_t *value);

/* The unit that nvidia-smi writes behind such a number, with its blank; static. */
const char *cell_usual_suffix(enum unit unit);

/* What a gauge can be, or a counter, in quanta. */
void cell_range(bool is_counter, int64_t per_unit, int64_t *low, int64_t *high);

/* The name of a column without GPU and unit: "power.draw@1 [W]" gives "power.draw". */
struct span cell_strip_unit(struct span name);

/* The GPU that a whole column is about: 1 of "power.draw@1 [W]"; -1: none is named. */
#define CELL_GPUS_MAX 4096
int32_t cell_header_gpu(struct span name);

/* The number of a GPU, or of a CPU. */
bool cell_read_index(struct span cell, int32_t *index);

/*
 * The quanta of a bare number under the unit in a header ("power.draw [mW]"); where there
 * is none, of the binding's. False: a unit that does not fit, or one that is missing.
 */
bool cell_header_unit(struct span name, enum unit unit, int64_t per_unit, int64_t *bare);

/* What a cell is behind which the file ends, without a newline. */
enum cell_end {
	CELL_WHOLE, /* nothing can be missing: a number before its unit, or "[N/A]" */
	CELL_MAYBE_CUT, /* digits, or a word, that may have gone on */
	CELL_CUT /* it lacks what it must have */
};

/*
 * before: the cell of the same column in the row before, or its end; empty: none. It
 * shows whether there should be a unit, or more of a word.
 */
enum cell_end cell_end(struct span cell, struct span before, enum unit unit);

/* The same of a counter: not negative, and larger numbers are believed. */
enum cell_result cell_read_counter(
	struct span cell, enum unit unit, int64_t per_unit, int64_t bare, int64_t *value);

/*
 * A word that is a state ("P0", "Enabled", "None"); of what is missing elsewhere only
 * what is no word of its own is missing here.
 */
bool cell_is_state(struct span cell);

/* A mask of bits: "0x0000000000000004", or a decimal number. */
bool cell_read_flags(struct span cell, int64_t *mask);

/* The name as it is known, of a column that may be the time; NULL: it can't be. */
const char *epoch_name(struct span name);

/*
 * What no name holds and nobody writes to make one out of two: a colon, a quote, a
 * brace, but no blank, parenthesis, hyphen or slash.
 */
bool glued_is_border(char c);

/*
 * The name of a column that counts (time, GPU, process, metric) in one that is not known,
 * between such characters; len 0: there is none.
 */
struct span glued_find(enum source_kind source, struct span name);

/* "22-08 14:39:31", a day and a month without a year: the clock. Any other cell as it is.
 */
struct span cell_clock(struct span cell);

#endif
