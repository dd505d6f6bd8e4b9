/*
 * Collects a timeline in the pass over the samples, in constant memory: one envelope
 * for each kind of log, device and metric. README.md, "Timelines".
 */
#ifndef COMPUTE_INSPECT_TIMELINE_H
#define COMPUTE_INSPECT_TIMELINE_H

#include "compute/series/series.h"

struct timeline_maker;

/* Columns of a timeline at most. */
#define TIMELINE_COLUMNS 720

struct timeline_maker *timeline_maker_new(void);
void timeline_maker_free(struct timeline_maker *maker); /* NULL is fine */

/* Is a metric looked at? Others need not be in a batch. */
bool timeline_wants(enum metric_id metric);

/* A batch, in which values outside of their range are MISSING. */
void timeline_maker_add(struct timeline_maker *maker, const struct run *run,
	const struct sample_batch *batch);

/* A kind of log is read again, of which only that window counts. */
void timeline_maker_again(struct timeline_maker *maker, enum source_kind kind,
	const struct compute_window *window);

/*
 * The timeline of a run whose report is made, in so many columns at most, 2 or more.
 * NULL: there is nothing to draw: no log has times, or all of them one. To be freed.
 */
struct timeline *timeline_make(
	struct timeline_maker *maker, const struct report *report, size_t columns);

/* What is collected for a timeline. For timeline.c only. */

enum track_id {
#define TIMELINE(metric, ...) TRACK_##metric,
#include "../schema/metrics.def"
	TRACK_SLOWED, /* one for each reason: 1 where it holds, else 0 */
	TRACK_COUNT = TRACK_SLOWED + SLOWED_COUNT
};

/* From a value to the next one. */
struct track_step {
	int64_t from_ns, to_ns;
};

/*
 * The longest of them: what a gap is becomes known at the end, and of one that both its
 * values share a bin with the envelope knows nothing.
 */
struct step_list {
	struct track_step *step; /* [count] in no order, owned */
	size_t count, cap;
	int64_t dropped_ns; /* none that is longer was dropped */
};

struct timeline_track {
	struct envelope envelope;
	struct envelope
		missing; /* of the times of rows that say that there is no value */
	struct step_list steps;
	bool begun;
	int64_t last_ns; /* of the value before, and its segment */
	int32_t segment;
};

struct device_tracks {
	struct timeline_track *at[TRACK_COUNT]; /* NULL: no value yet */
	struct shares *shares; /* of ticks; NULL: none */
};

struct source_tracks {
	struct device_tracks *device; /* [count] by the run's index */
	size_t count, cap;
};

struct timeline_maker {
	struct source_tracks source[SOURCE_KIND_COUNT];
	struct compute_window window;
};

#endif
