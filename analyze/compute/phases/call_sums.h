/*
 * What one device in one source did in the single calls of phases: of the metrics of
 * phase_is_main what a mean and an energy need, and no more, as there may be many calls.
 */
#ifndef COMPUTE_CALL_SUMS_H
#define COMPUTE_CALL_SUMS_H

#include "compute/phases/phase_cells.h"

/* Of one metric in one call; a GAUGE, or a COUNTER. */
struct call_sum {
	uint32_t call;
	enum metric_id metric;
	uint64_t n, missing;
	int128 time_ns,
		amount; /* of what is no gap: twice the integral; what it rose by */
	struct slices *far; /* what may be gaps, by length; owned; NULL: none is there */
};

/* Zeroed is empty. */
struct call_sums {
	struct call_sum *at; /* [count] as they were first met; by call once sorted */
	size_t count, cap;
	uint32_t *slot; /* [slot_count] hashed: index + 1; 0: free */
	size_t slot_count; /* 0 or a power of two */
};

/* Does a single call have that metric's mean? */
bool phase_is_main(enum metric_id metric);

void call_sums_release(struct call_sums *sums);

/* One metric of a row of the map of calls, as phase_cells_take. */
void call_sums_take(struct call_sums *sums, const struct phase_row *row,
	enum metric_id metric, const int64_t *value, const struct slice *ended);

/* By call, and by metric; no row may follow. */
void call_sums_sort(struct call_sums *sums);

/* As series_finish; of the values themselves nothing is known but how many there are. */
void call_sum_finish(const struct call_sum *sum, int64_t limit_ns, int64_t step_ns,
	const struct texts *texts, struct metric_stats *stats);

#endif
