/* What another program put before the lines of a log: found by its first lines. */
#ifndef READ_FIND_PREFIX_H
#define READ_FIND_PREFIX_H

#include "read/prefix.h"
#include "read/probe.h"

struct prefix prefix_find(const struct probe *probe);

/*
 * What is missing to the time that stands before rows which have none: "year", "date",
 * "time"; NULL: nothing, or the rows have one.
 */
const char *prefix_lacks(const struct probe *probe, const struct prefix *prefix);

/*
 * Did several tasks or containers write the log? Each printed a header of its own, and
 * lines of the first come behind that of another.
 */
bool prefix_is_mixed(const struct probe *probe, const struct prefix *prefix);

#endif
