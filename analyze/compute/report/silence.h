/*
 * The time in which a GPU's log says nothing of a metric: its gaps, and what lies before
 * its first value, or behind its last one, while it or other GPUs of the log have rows.
 * README.md, "Steady state".
 */
#ifndef COMPUTE_SILENCE_H
#define COMPUTE_SILENCE_H

#include "compute/run/state.h"

/* Of a GPU that counts, if the log has values of it with times; NULL. */
const struct series *series_heard(const struct aggregate *agg,
	const struct report *report, enum source_kind kind, size_t device,
	enum metric_id metric);

struct silence {
	struct stretch *each; /* [each_count] of one GPU or another; owned */
	size_t each_count, each_cap;
	struct stretch *any; /* [any_count] of at least one: ascending, apart; owned */
	size_t any_count;
	struct stretch rows; /* from the first row of any of those GPUs to the last */
	size_t gpus; /* that count and have the metric in the log */
	bool known; /* of each of them it can be told what a gap is */
};

/* Release it. */
void silence_find(struct silence *silence, const struct aggregate *agg,
	const struct report *report, enum source_kind kind, enum metric_id metric);
void silence_release(struct silence *silence);

/* The stretch of time in which somebody is silent that a closed one lies in; NULL. */
const struct stretch *silence_around(const struct silence *silence, struct stretch time);

/* The share of the GPUs' time from one instant to a later one that is covered; NAN. */
double silence_coverage(const struct silence *silence, struct stretch time);

/* Makes stretches ascending and joins those that touch; how many are left. */
size_t stretches_join(struct stretch *stretch, size_t count);

/* What of a stretch lies in another, in ns. */
int64_t stretch_common_ns(const struct stretch *a, const struct stretch *b);

#endif
