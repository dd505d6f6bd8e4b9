/*
 * Whether rows of bare numbers could be those of a query: what physics allows, used
 * memory below what is installed, no column that counts the GPUs under another's name.
 */
#ifndef READ_PLAUSIBLE_H
#define READ_PLAUSIBLE_H

#include <stdbool.h>

#include "read/csv.h"
#include "read/probe.h"

/*
 * Could the cells be a row of these fields (names separated by commas)? Stricter than
 * headerless_fits, for fields that nobody named.
 */
bool plausible_row(const struct csv_row *cells, const char *fields);

/*
 * The same of the first rows of a file, as most of them are; and where the second field
 * is one of metrics, it does not count from 0 on and begin anew, as an index does.
 */
bool plausible_rows(const struct probe *probe, const char *fields);

#endif
