/* What a line is by itself: the header of a query, a row, or talk between the rows. */
#ifndef READ_LINES_H
#define READ_LINES_H

#include <stdbool.h>

#include "base/text.h"
#include "read/csv.h"

/*
 * Lines among the rows that are none: prompts and echoes of commands, titles, rules,
 * sentences; and which of them say that something went wrong.
 */

/* In whatever encoding; bytes that nobody prints are damage. */
bool line_is_text(struct span line);

/* A prompt, an echo, a title, a line of dashes: no row, and none that was cut. */
bool line_is_noise(const struct csv_row *row, struct span line);

/* Does the line say that something went wrong? */
bool line_is_complaint(struct span line);

/* A row whose cells all tell of trouble, be it the time: of a GPU that is lost, but
 * which?
 */
bool line_is_failure(const struct csv_row *row);

/* What a job may say before a log begins, commas and all: no cell is an amount. */
bool line_is_prose(const struct csv_row *row, struct span line);

/* The echo of a command that runs nvidia-smi; it may look like a header. */
bool line_is_echo(struct span line);

/* "-----": between rows; of a log of one column it would be a missing value. */
bool line_is_rule(struct span line);

/*
 * What a line of nvidia-smi --query-gpu is: its header is told by its names, which
 * data never look like.
 */

/*
 * Splits a line as those before it, or as a header that has other separators: then the
 * row keeps them for what follows. Whether it is a header.
 */
bool query_split_header(struct csv_row *row, struct span line);

/* Could the cell make its line a header, or a command's echo? Cells of rows can't. */
bool query_is_name(struct span cell);

/*
 * What the names of a header are evidence of, in bits; 0: it is no header of a query, -1:
 * it is one of another query of nvidia-smi. Where only other separators make it a header,
 * it is split by them.
 */
int query_line_bits(struct csv_row *row, struct span line);

/* The same of a table about the host: a time, and a field of it. False: it is none. */
bool host_split_header(struct csv_row *row, struct span line);

/* The echo of a command, or a field of a help text: names, but of no columns. */
bool query_is_talk(struct span line);

#endif
