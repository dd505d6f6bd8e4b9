/*
 * Ticks at equal distances of time, and how punctual they were.
 * This room knows nothing of what happens at a tick.
 */
#ifndef COLLECT_TICKER_H
#define COLLECT_TICKER_H

#include "recorder.h"

#include <stdbool.h>
#include <stdint.h>

/* Lateness is counted in steps of 0.1 ms; the last bin takes all that is later. */
#define TICKER_BIN_NS INT64_C(100000)
#define TICKER_BINS   1000

struct ticker {
	int fd;
	int64_t interval_ns;
	int64_t due_ns; /* CLOCK_MONOTONIC of the next tick */
	struct punctuality kept; /* but for late_p99_ns */
	uint32_t late[TICKER_BINS];
};

/*
 * Ticks whole intervals from the origin, which is over, on CLOCK_MONOTONIC: tickers of
 * one origin wake the machine at once, which costs a sixth less than one after the other.
 * Returns 0, or -1 with errno.
 */
int ticker_open(struct ticker *ticker, int64_t interval_ns, int64_t origin_ns);
void ticker_close(struct ticker *ticker);

/* Waits for the next tick; false: stop_fd can be read first. */
bool ticker_wait(struct ticker *ticker, int stop_fd);

/* late_p99_ns is rounded up to 0.1 ms. */
struct punctuality ticker_punctuality(const struct ticker *ticker);

#endif
