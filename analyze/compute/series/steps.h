/*
 * The longest of the steps from one instant to the next: those that may be gaps, which
 * only the end of a log tells. Knows neither rows nor values.
 */
#ifndef COMPUTE_STEPS_H
#define COMPUTE_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step {
	int64_t start_ns; /* of the instant before */
	int64_t dt_ns;
	size_t file; /* of the row behind, as in a batch; where rows are asked */
	uint64_t line;
	int32_t segment; /* of both */
	bool restart; /* a session begins with the row behind */
	bool unanswered; /* rows lie in it that do not answer: track.h */
};

/* Zeroed is empty. */
struct steps {
	struct step *at; /* [count] in no order, but the first of them leaves first */
	size_t count, cap;
};

/* Of more than so many the longest are kept, of equal ones the earlier; most > 0. */
void steps_keep(struct steps *steps, size_t most, struct step step);
void steps_release(struct steps *steps);

#endif
