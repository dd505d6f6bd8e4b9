/*
 * Starts and stops of code blocks as events of a run. A stop ends the innermost start of
 * the same process and block; a pair becomes a phase, a start that is left its beginning.
 * A lost row may have been the partner of any other: where a block's rows don't come out
 * even, no pair is believed that has a lost row in it. Knows nothing of how rows are
 * written.
 */
#ifndef READ_PAIRING_H
#define READ_PAIRING_H

#include "read/log.h"

struct pairing;

struct pairing_row {
	uint64_t process;
	struct span name; /* of the block */
	bool stop;
	int64_t t_ns; /* TIME_NONE: it can't be read, and that was said */
};

/* Of one file: rows are counted and complaints made there. */
struct pairing *pairing_new(struct log *log);

void pairing_add(struct pairing *p, const struct pairing_row *row);

/* Here a row may be lost, and nobody knows whose. */
void pairing_add_hole(struct pairing *p);

/* Gives up what can't be believed; frees. */
void pairing_finish(struct pairing *p);

#endif
