/*
 * nvidia-smi queries without a header: which fields were asked for can only be told by
 * the number of cells and by whether each can be what its field says, or by the units.
 */
#ifndef READ_HEADERLESS_H
#define READ_HEADERLESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/text.h"
#include "model/metric.h"
#include "read/csv.h"
#include "read/probe.h"

struct log;

/* The nine fields that pytyche's recorder asks for, in their order. */
extern const char headerless_pytyche[];

/* Could the cells be a row of these fields (names separated by commas)? */
bool headerless_fits(const struct csv_row *cells, const char *fields);

/* "YYYY/MM/DD ..." at the begin of a row of several cells: nvidia-smi's own time. */
bool headerless_begins_with_time(const struct csv_row *cells);

/* A number and one of the units that nvidia-smi writes behind: "10 %", "300 MiB". */
bool headerless_is_amount(struct span cell);

/*
 * What the units in the first rows of a file tell: the fields as names separated by
 * commas. How many metrics are among them; 0: it can't be told, as of bare numbers that
 * are no index and no temperature, or of two amounts of which none is constant.
 */
size_t headerless_by_shape(const struct probe *probe, struct strbuf *names);

/*
 * The fields of a row's cells as far as each alone tells, for somebody to complete:
 * "timestamp,?,?". False: the row has one cell, or no number.
 */
bool headerless_guess(const struct csv_row *cells, struct strbuf *names);

/*
 * Two amounts of memory, of which the larger one was guessed to be installed. Where both
 * change and their sum stays, one of them is what is free.
 */
struct memory_pair {
	size_t fields, used, total; /* how many there are; places */
	int64_t first_used, first_total; /* MiB; -1: no row yet */
	bool sum_stays;
};

/* The pair among fields, which may be NULL; false: there is none. */
bool memory_pair_begin(struct memory_pair *pair, const char *fields);

/* True: the row shows what the two are, no more rows are needed. */
bool memory_pair_take(struct memory_pair *pair, const struct csv_row *row);

/*
 * The fields with what the sum shows. What is used is the small one of a GPU that holds
 * little memory at first; else both are "?", as either may be used.
 */
void memory_pair_rename(const struct memory_pair *pair, char *fields);

/*
 * Whether rows of bare numbers could be those of a query: what physics allows, used
 * memory below what is installed, no column that counts the GPUs under another's name.
 * Of the first rows of a file, as most of them are; and where the second field
 * is one of metrics, it does not count from 0 on and begin anew, as an index does.
 */
bool plausible_rows(const struct probe *probe, const char *fields);

/*
 * Which fields a row without a header has, by whoever knows: --columns, the recorded
 * query, another file of the run; else by what the row can be, and that is said. NULL:
 * nobody can tell. Borrowed from the log.
 */
const char *headerless_fields(struct log *log, const struct csv_row *row);

/* Is a value of a metric, in quanta, what physics allows? */
bool plausible_value(enum metric_id metric, int64_t value);

#endif
