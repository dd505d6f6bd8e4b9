/*
 * What the samples inside the phases say: of each path (all calls of one name) and metric
 * the values that were sampled in any of its calls, each sample once even where calls
 * overlap. The calls are known before the samples come; an instant's phases are looked up
 * in them, and hold until the next edge of a call.
 */
#ifndef COMPUTE_PHASE_STATS_H
#define COMPUTE_PHASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/calls.h"
#include "compute/moments.h"
#include "model/report.h"

struct phase_rules {
	bool closed; /* a call's end belongs to it: [start, end], else [start, end) */
	bool finished; /* calls without an end don't count */
};

struct phase_stats;

/* Of the events of a run, which outlive it. */
struct phase_stats *phase_stats_new(
	const struct run *run, const struct phase_rules *rules);
void phase_stats_free(struct phase_stats *stats); /* NULL is fine */

const struct calls *phase_stats_calls(const struct phase_stats *stats);
/* The path of a call: an index into the report's. */
uint32_t phase_stats_path(const struct phase_stats *stats, size_t call);

/* The paths with a call that a sample's time lies in; valid until the next call. Those
 * calls are no longer empty. */
const uint32_t *phase_stats_at(struct phase_stats *stats, int64_t t_ns, size_t *count);

/* Adds the paths, by name, and their calls to the report. */
void phase_stats_report(const struct phase_stats *stats, struct report *report);

/* The values of one device in one source, by path and metric. Zeroed is empty. */
struct phase_cells {
	struct phase_cell *at; /* [cap] hashed; n 0: free */
	size_t count, cap;
};

void phase_cells_release(struct phase_cells *cells);
void phase_cells_add(
	struct phase_cells *cells, uint32_t path, enum metric_id metric, int64_t value);
/* Appends them to the report's paths, by metric. */
void phase_cells_report(const struct phase_cells *cells, enum source_kind source,
	uint32_t device, struct report *report);

#endif
