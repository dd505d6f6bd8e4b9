/*
 * Which spans an event lies in, from the outermost on, where events say so by span_id and
 * parent_span_id, OpenTelemetry's words. `collect phase` says the first, and whatever is
 * marked in it the second, so that phases of processes at one time are told apart.
 */
#ifndef COMPUTE_EVENT_SPAN_H
#define COMPUTE_EVENT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"

#define SPAN_LEVELS 8 /* what lies deeper is of the span at the last */

struct event_span {
	uint64_t own, parent; /* hashes of their texts; 0: not said */
};

struct event_spans {
	struct event_span *of; /* [event_count] */
	struct event_span *known; /* [count] all that have an own, ascending by it */
	size_t count;
	uint64_t *whole; /* [wholes] own ones that one event tells whole, ascending */
	size_t wholes;
};

void event_spans_find(struct event_spans *spans, const struct run *run);
void event_spans_release(struct event_spans *spans);

/* The own one of an event too; 0: it says no more. */
void event_spans_path(
	const struct event_spans *spans, size_t event, uint64_t path[SPAN_LEVELS]);

/* Does another event say all of the call that this one begins? */
bool event_spans_know_whole(const struct event_spans *spans, size_t begin);

#endif
