/*
 * Which files of events are of processes of their own: those that name the same phases,
 * as one file of each rank does. Phases of a process do not lie in those of another one.
 */
#ifndef COMPUTE_WRITERS_H
#define COMPUTE_WRITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"

/* A file of events, and from when to when its lines were written. */
struct writer {
	size_t file;
	int64_t from_ns, to_ns; /* TIME_NONE: it has no line with a time */
};

struct writers {
	struct writer *of_file; /* [file_count] */
	size_t *of_event; /* [event_count] index of the file + 1; 0: it shares no phase */
};

/* [event_count] the file that each event is in, index + 1; 0: not known. To be freed. */
size_t *writers_of_events(const struct run *run);

void writers_find(struct writers *writers, const struct run *run);
void writers_release(struct writers *writers);

/* Were files (indexes) written at one time? Else one may go on where the other ends. */
bool writers_at_one_time(const struct writers *writers, size_t a, size_t b);

#endif
