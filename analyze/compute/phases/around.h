/*
 * The calls around an instant. They are found in the tree that the calls' order implies,
 * in the logarithm of all calls and their number; or, as instants are nearly always asked
 * for as time goes on, from those around the instant before.
 */
#ifndef COMPUTE_AROUND_H
#define COMPUTE_AROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/phases/calls.h"

/* Of calls[count] by start the latest end in the tree below each; the caller's to free.
 */
int64_t *around_latest(const struct calls *calls);

/* One who asks. Zeroed it has asked for nothing. */
struct around {
	int64_t t_ns; /* the instant */
	bool known; /* there was one */
	size_t next; /* the first call that begins behind it */
	uint32_t *call; /* [count] ascending; owned */
	size_t count, cap;
};

void around_release(struct around *around);

/*
 * The calls that t_ns lies in: [start, end), closed: [start, end]. latest_ns is
 * around_latest's; calls, latest_ns and closed are the same each time.
 */
void around_move(struct around *around, const struct calls *calls,
	const int64_t *latest_ns, bool closed, int64_t t_ns);

#endif
