/*
 * Which files of events are of processes of their own: those that name the same phases,
 * as one file of each rank does. Phases of a process do not lie in those of another one.
 */
#ifndef COMPUTE_WRITERS_H
#define COMPUTE_WRITERS_H

#include <stddef.h>
#include <stdint.h>

#include "model/run.h"

struct writers {
	int64_t *of_event; /* [event_count] WRITER_NONE, or below it, a number for each */
};

#define WRITER_NONE (-1)

void writers_find(struct writers *writers, const struct run *run);
void writers_release(struct writers *writers);

#endif
