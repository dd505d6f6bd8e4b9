/* Problems of the runs of a comparison. */
#ifndef COMPUTE_COMPARE_PROBLEMS_H
#define COMPUTE_COMPARE_PROBLEMS_H

#include <stddef.h>

#include "model/comparison.h"
#include "model/report.h"

/* Adds those of the last run. runs_most: as many as will be compared at most. */
void problems_add(struct comparison *out, const struct report *report, size_t runs_most);

#endif
