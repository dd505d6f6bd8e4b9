/*
 * What the events of a kind told of its units of work, process by process: which lines a
 * sum is made of, or why there is none. Filled by compute, laid out by render.
 */
#ifndef MODEL_WORK_TOLD_H
#define MODEL_WORK_TOLD_H

#include "model/run.h"

/* Of one process, or of all where one goes on where another ended. n: NAN, it has none.
 */
struct work_piece {
	uint64_t events;
	struct event_place first, last; /* of them, by time */
	double first_n, last_n;
	double units; /* of it by itself; NAN: unknown */
	/* of a total: what it adds to that of all, from which n on, and who says that
	   one: another process, if that came further before */
	double adds, from_n;
	struct event_place from;
};

struct work_told {
	struct work_piece *piece; /* [count] owned */
	size_t count;
	const char *unclear; /* why units are unknown; static; NULL: they are not */
	struct event_place
		unclear_at; /* the event that shows it; of no line: none does */
};

#endif
