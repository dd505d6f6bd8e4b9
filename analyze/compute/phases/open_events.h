/*
 * Begins of phases whose end has not come yet. An end meets the innermost begin of its
 * name that says the same of its process; else the innermost of those that say nothing
 * else, one of both saying less than the other.
 */
#ifndef COMPUTE_OPEN_EVENTS_H
#define COMPUTE_OPEN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/phases/event_process.h"
#include "model/run.h"

#define EVENT_NONE ((size_t)-1)

struct open_events;

/* Both are borrowed. */
struct open_events *open_events_new(
	const struct run *run, const struct event_processes *processes);
void open_events_free(struct open_events *open);

/* Indexes of events of the run, in its order. */
void open_events_begin(struct open_events *open, size_t begin);
/* The begin of that end, which is open no more. EVENT_NONE: there is none before it. */
size_t open_events_end(struct open_events *open, size_t end);
bool open_events_is_open(const struct open_events *open, size_t begin);

#endif
