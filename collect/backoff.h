/*
 * How long what ends again and again waits before it is started anew: not at all the
 * first time, then 1, 2, 4, ... 64 s; from the first time on once it has run for longer.
 * This room knows nothing of what that is.
 */
#ifndef COLLECT_BACKOFF_H
#define COLLECT_BACKOFF_H

#include <stdint.h>

/* Zeroed: it has not been started yet. Times are on CLOCK_MONOTONIC. */
struct backoff {
	int64_t started_ns;
	int64_t pause_ns; /* the next one */
};

void backoff_starts(struct backoff *backoff, int64_t at_ns);
void backoff_ends(struct backoff *backoff, int64_t at_ns);

/* How long it waits now; the next time longer. */
int64_t backoff_pause(struct backoff *backoff);

#endif
