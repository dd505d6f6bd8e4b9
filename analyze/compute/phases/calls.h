/*
 * The calls of a run's phases out of its events: whole ones as the log has them, begin
 * and end of one process paired inside out by name. Known before any sample is.
 */
#ifndef COMPUTE_CALLS_H
#define COMPUTE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/phases/event_process.h"
#include "model/run.h"

struct call {
	const struct event *event; /* that began it; borrowed from the run */
	const struct event *end; /* that ended it; NULL: none of its own */
	int64_t start_ns, end_ns; /* without an end: INT64_MAX */
	uint32_t process; /* that it is of; index into the calls' processes */
	bool unfinished;
};

struct calls {
	/* by start; of equal starts the longer first, of equal spans the one whose end is
	 * logged later, of those without an end the one that begins earlier */
	struct call *at; /* [count] */
	size_t count, cap;
	size_t *lost_end; /* [lost_ends] the run's events that end what nothing began */
	size_t lost_ends, lost_end_cap;
	const struct run *run; /* borrowed */
	struct event_processes processes; /* until it is known which call is in which */
};

void calls_find(struct calls *calls, const struct run *run);
void calls_release(struct calls *calls);

const char *call_name(const struct call *call); /* "": it has none */

#endif
