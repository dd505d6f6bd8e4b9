/*
 * Lays the rows of a log without times out in time, where it is known how far apart its
 * ticks stand: from TIME_BEGIN on. README.md, "Time".
 */
#ifndef COMPUTE_LAYING_H
#define COMPUTE_LAYING_H

#include "compute/run/rounds.h"
#include "model/sample.h"

/* Of one kind of log, from its first batch to its last. */
struct laying {
	int64_t step_ns; /* from one tick to the next; 0: nothing is laid */
	struct rounds rounds;
};

void laying_release(struct laying *laying);

/* So many ticks, and a batch more, that far apart, find room among the times that are no
 * wall clock's. */
bool laying_has_room(uint64_t ticks, int64_t step_ns);

/* Gives the rows of a batch without times theirs; one that has times stays as it is, as
 * does one that there is no room for. */
void laying_put(struct laying *laying, const struct run *run, struct sample_batch *batch);

#endif
