/*
 * Whether a text that stands somewhere in a line is a header of nvidia-smi, or a row: how
 * what other programs put around it is found out.
 */
#ifndef READ_HEADER_H
#define READ_HEADER_H

#include <stdbool.h>

#include "read/columns.h"
#include "read/csv.h"

/* What a name means in a query of GPUs, or else of processes; nothing: ROLE_IGNORED. */
enum role header_role(struct span name);

/* Of dmon or pmon, or of a query; then row holds its names. */
bool header_is(struct csv_row *row, struct span line);

/* A header that has no time, of a query; row holds it. */
bool header_is_timeless(const struct csv_row *row, struct span line);

/* A row of a query without its header, or a line that says by itself what it is. */
bool header_is_amounts(struct csv_row *row, struct span line);

/* The same where any words may stand before it. */
bool header_is_row(struct csv_row *row, struct span line);

#endif
