/* Which fields the rows of a query without header have. */
#ifndef READ_QUERY_FIELDS_H
#define READ_QUERY_FIELDS_H

#include "read/csv.h"
#include "read/log.h"

/*
 * Their names, separated by commas, as --columns says, the recorded query, another file,
 * or, as it notes, their units and values; valid as long as the log. NULL: nothing tells.
 */
const char *query_fields(struct log *log, const struct csv_row *row);

#endif
