/*
 * What is gathered for a timeline: timeline.c fills it, timeline_columns.c draws from it.
 * Private to them.
 */
#ifndef COMPUTE_TRACKS_H
#define COMPUTE_TRACKS_H

#include "compute/inspect/timeline.h"
#include "compute/series/envelope.h"
#include "compute/series/share.h"

/* Bins for each column, so that they can be joined to nearly as many as are wanted. */
#define BINS_LIMIT (4 * TIMELINE_COLUMNS)

enum track {
#define TIMELINE(metric, ...) TRACK_##metric,
#include "../schema/metrics.def"
	TRACK_SLOWED, /* one for each reason: 1 where it holds, else 0 */
	TRACK_COUNT = TRACK_SLOWED + SLOWED_COUNT
};

struct device_tracks {
	struct envelope *at[TRACK_COUNT]; /* NULL: no value yet */
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

/* Behind the last batch: windows of ticks end. */
void tracks_finish(struct timeline_maker *maker);

#endif
