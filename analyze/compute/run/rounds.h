/*
 * Rounds of a recorder over its devices: the ticks of a log. README.md, "Ticks".
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
	int64_t t_ns; /* ... and its time, if it has one */
};

/* Zeroed is empty. */
struct rounds {
	uint64_t count; /* the last one is open */
	uint32_t last; /* the place of the row before */
	uint32_t places;
	int64_t begin_ns, last_ns; /* of the first row of the round, of the row before */
	int64_t length_ns; /* from the begin of the round before to its own; 0: none */
	int64_t longest_ns; /* the longest step between two rows of the round ... */
	int64_t behind_ns; /* ... and the time of the row behind it */
	struct round_device *of; /* [known] by the run's index */
	size_t known, cap;
};

void rounds_release(struct rounds *rounds);

/* A row, but none of a single CPU. */
struct round_row {
	uint32_t device;
	bool apart; /* a round begins in any case */
	bool timed;
	int64_t t_ns; /* if timed; not before that of the last row, but where apart */
};

enum round_turn {
	ROUND_GOES_ON,
	ROUND_BEGINS, /* with the row */
	ROUND_BEGAN /* ... before, at the longest step: the log begins within a round */
};

enum round_turn rounds_add(
	struct rounds *rounds, const struct run *run, const struct round_row *row);

#endif
