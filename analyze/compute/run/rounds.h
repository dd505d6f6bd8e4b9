/*
 * Rounds of a recorder over its devices: the ticks of a log, told by the order of its
 * rows alone.
 */
#ifndef COMPUTE_ROUNDS_H
#define COMPUTE_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"

/* Of a device of the run. */
struct round_device {
	uint32_t place; /* in a round: from 1, as first met; 0: not met yet */
	uint64_t round; /* of its last row */
};

/* Zeroed is empty. */
struct rounds {
	uint64_t count; /* the last one is open */
	uint32_t last; /* the place of the row before */
	uint32_t places;
	struct round_device *of; /* [known] by the run's index */
	size_t known, cap;
};

void rounds_release(struct rounds *rounds);

/*
 * A row, but none of a single CPU. A round ends where a device comes again, or one that
 * does not follow the last one in the order of their first rows; a process has the place
 * of its GPU. apart: it ends in any case. Does one begin with the row?
 */
bool rounds_add(
	struct rounds *rounds, const struct run *run, uint32_t device, bool apart);

#endif
