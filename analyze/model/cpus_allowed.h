/*
 * The processors that a run's process may use, out of those that the machine has: a list
 * of numbers as the kernel writes it, "0-3,8".
 */
#ifndef MODEL_CPUS_ALLOWED_H
#define MODEL_CPUS_ALLOWED_H

#include <stdint.h>

#include "model/run.h"

/* How many a list names; -1: it is none. */
int64_t cpus_allowed_count(const char *list);

/*
 * What the first process last had, else what the manifest says that its command began
 * with. NULL: not recorded, or no list. Borrowed from the run.
 */
const char *cpus_allowed(const struct run *run);

#endif
