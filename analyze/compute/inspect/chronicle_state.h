/* A metric that is a word, or a mask of bits, as stretches of time: a value holds until
 * the row behind it, but over no gap. As README.md, "States". */
#ifndef COMPUTE_CHRONICLE_STATE_H
#define COMPUTE_CHRONICLE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"
#include "model/timeline.h"

struct chronicle_state { /* zeroed: none holds */
	bool open;
	int64_t value, from_ns, last_ns;
};

struct chronicle_row {
	int64_t t_ns;
	int64_t limit_ns; /* a longer step is a gap */
	const int64_t *value; /* NULL: not available */
};

/* A row of its segment: tells the taker of a state that has ended. */
void chronicle_state_take(struct chronicle_state *state, const struct chronicle_row *row,
	const struct run *run, const struct chronicle_of *of,
	struct chronicle_taker *taker);

/* No row comes behind: what holds ends with its last one. */
void chronicle_state_end(struct chronicle_state *state, const struct run *run,
	const struct chronicle_of *of, struct chronicle_taker *taker);

#endif
