/*
 * What a line of nvidia-smi --query-gpu is: its header is told by its names, which data
 * never look like.
 */
#ifndef READ_QUERY_HEADER_H
#define READ_QUERY_HEADER_H

#include <stdbool.h>

#include "read/csv.h"
#include "read/format.h"

/*
 * Splits a line as those before it, or as a header that has other separators: then the
 * row keeps them for what follows. Whether it is a header.
 */
bool query_split_header(struct csv_row *row, struct span line);

/* Could the cell make its line a header, or a command's echo? Cells of rows can't. */
bool query_is_name(struct span cell);

/* For the format. */
int query_bid(const struct probe *probe);
enum claim query_claims(struct span line);

#endif
