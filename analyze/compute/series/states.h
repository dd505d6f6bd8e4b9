/*
 * How long a metric was in each state: a value holds until the row after it. A row
 * without the value ends the state before it, and what follows is not covered. README.md,
 * "States".
 */
#ifndef COMPUTE_STATES_H
#define COMPUTE_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number.h"
#include "compute/series/counter.h"
#include "model/report.h"

/* Distinct values that are told apart; all further ones are one. */
#define STATES_MAX   1024
#define STATES_OTHER INT64_MAX

struct state_sum {
	int64_t value;
	uint64_t n;
	int128 near_ns; /* slices that can't be gaps */
	struct slices far; /* the longer ones */
};

struct states {
	enum metric_id metric;
	uint64_t n, missing;
	bool open; /* the last row had a value, and it holds */
	int64_t prev_ns;
	size_t held; /* the state of the last row's value */
	int32_t prev_segment;
	size_t at; /* the state that was asked for last */
	struct state_sum *sum;
	size_t count, cap;
};

void states_init(struct states *states, enum metric_id metric);
void states_release(struct states *states);

/*
 * A row at a time of a segment, with a value or NULL, of which only the slice is asked
 * that ends there: true, and it is in *ended; its values are that of the state that it
 * was in.
 */
bool states_follow(struct states *states, int64_t t_ns, int32_t segment,
	const int64_t *value, struct slice *ended);

/* As of a gauge. */
void states_value(struct states *states, int64_t value);
void states_cover(struct states *states, const struct slice *slice,
	const struct slice_piece *piece, int64_t short_ns);
void states_join(struct states *states, const struct states *other);

/*
 * Fills n, missing, covered_s and the states, longest first. limit_ns and step_ns as for
 * gauge_finish; the words of texts outlive the statistics.
 */
void states_finish(const struct states *states, int64_t limit_ns, int64_t step_ns,
	const struct texts *texts, struct metric_stats *stats);

#endif
