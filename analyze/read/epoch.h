/*
 * Columns of wrappers that may be the time: "epoch" is it beside power.draw, but in a
 * table of a training it counts. The first row behind the header decides.
 */
#ifndef READ_EPOCH_H
#define READ_EPOCH_H

#include <stdbool.h>

#include "read/columns.h"

/* The name as it is known, of a column that may be the time; NULL: it can't be. */
const char *epoch_name(struct span name);

/*
 * Of the columns with such a name the first whose cell is a time is ROLE_TIME, if the log
 * has no other time; the rest are not used, and that is remarked.
 */
void epoch_settle(struct columns *columns, struct log *log, const struct span *cell);

#endif
