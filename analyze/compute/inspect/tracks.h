/*
 * What is gathered for a timeline: timeline.c fills it, timeline_columns.c draws from it,
 * timeline_gaps.c finds where there is nothing. Private to them.
 */
#ifndef COMPUTE_TRACKS_H
#define COMPUTE_TRACKS_H

#include "compute/inspect/timeline.h"
#include "compute/series/envelope.h"
#include "compute/series/share.h"

/* Bins for each column, so that they can be joined to nearly as many as are wanted. */
#define BINS_LIMIT (4 * TIMELINE_COLUMNS)

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

/* Zeroed is empty. */
void steps_add(struct step_list *steps, int64_t from_ns, int64_t to_ns);

/*
 * The gaps of a series, from the timeline's start to its end. limit_ns: a longer step is
 * one; -1: none can be told.
 */
void timeline_find_gaps(struct timeline_series *series, const struct timeline *timeline,
	const struct timeline_track *track, int64_t limit_ns);

/* Behind the last batch: windows of ticks end. */
void tracks_finish(struct timeline_maker *maker);

#endif
