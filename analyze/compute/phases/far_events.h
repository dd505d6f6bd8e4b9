/*
 * Events whose time, or whose length, can't be of the run: one digit was damaged, or the
 * clock that wrote it had no time yet. analyze/read/README.md, "Events".
 */
#ifndef COMPUTE_FAR_EVENTS_H
#define COMPUTE_FAR_EVENTS_H

#include <stddef.h>

#include "model/run.h"

struct far_event {
	size_t event; /* of the run's */
	int64_t t_ns; /* its begin or its end, whichever is further away */
	int64_t away_ns; /* ... from the run; negative: before it */
};

/*
 * In the order of the run's events, in *far, to be freed; returns how many. from_ns,
 * to_ns: of the run's samples; TIME_NONE: they have no times.
 */
size_t far_events_find(
	const struct run *run, int64_t from_ns, int64_t to_ns, struct far_event **far);

#endif
