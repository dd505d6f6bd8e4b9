/*
 * The values of one metric in all rows that a batch has of a device: what series.h does
 * row by row, at once.
 */
#ifndef COMPUTE_SERIES_ROWS_H
#define COMPUTE_SERIES_ROWS_H

#include <stdbool.h>

#include "compute/series/row_groups.h"
#include "compute/series/series.h"

/* Can a series of that kind be taken so? */
static inline bool series_takes_rows(enum metric_kind kind)
{
	return kind == KIND_GAUGE;
}

/* Of a batch with times. short_ns, limit_known: as of an instant. */
void series_take_rows(struct series *series, const struct sample_batch *batch,
	const struct sample_column *column, const struct row_group *group,
	int64_t short_ns, bool limit_known);

#endif
