/*
 * What a line of nvidia-smi --query-gpu is: its header is told by its names, which data
 * never look like.
 */
#ifndef READ_QUERY_HEADER_H
#define READ_QUERY_HEADER_H

#include <stdbool.h>

#include "read/csv.h"
#include "read/format.h"

bool query_is_header(const struct csv_row *row, struct span line);

/* For the format. */
int query_bid(const struct probe *probe);
enum claim query_claims(struct span line);

#endif
