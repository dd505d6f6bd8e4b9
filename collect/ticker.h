/*
 * Samples at equal distances of time, and how punctual they were.
 * This room knows nothing of what a sample is.
 */
#ifndef COLLECT_TICKER_H
#define COLLECT_TICKER_H

#include <stdbool.h>
#include <stdint.h>

/* Lateness is counted in steps of 0.1 ms; the last bin takes all that is later. */
#define TICKER_BIN_NS INT64_C(100000)
#define TICKER_BINS   1000

/*
 * How punctual the samples were. It outlives the process that takes them, which may be
 * killed at any moment: a tick has passed, or a sample was taken at it, too, so that none
 * counts twice. Zeroed: nobody keeps time yet.
 */
struct punctuality {
	int64_t interval_ns; /* 0: there are no ticks */
	int64_t first_ns, due_ns; /* CLOCK_MONOTONIC of the first tick, and of the next */
	uint64_t ticks; /* at which a sample was taken */
	int64_t late_max_ns;
	bool over; /* none is due any more */
	uint32_t late[TICKER_BINS];
};

/* One that the processes that are started from now on share. NULL, with errno: there is
 * no memory. */
struct punctuality *punctuality_share(void);

/* No tick after that time is due. Of one that is over already nothing changes. */
void punctuality_end(struct punctuality *kept, int64_t mono_ns);

/* How many ticks have passed without a sample. */
uint64_t punctuality_missed(const struct punctuality *kept);

/* By how much 99 of 100 ticks were late at most, rounded up to 0.1 ms. */
int64_t punctuality_late_p99_ns(const struct punctuality *kept);

struct ticker {
	int fd;
	struct punctuality *kept;
	int64_t newest_ns; /* CLOCK_MONOTONIC of the last tick that has come */
};

/*
 * Ticks whole intervals from the origin, which is over, on CLOCK_MONOTONIC: tickers of
 * one origin wake the machine at once, which costs a sixth less than one after the other.
 * With what another ticker of that interval and origin kept it goes on: what has passed
 * since counts. Returns 0, or -1 with errno.
 */
int ticker_open(struct ticker *ticker, struct punctuality *kept, int64_t interval_ns,
	int64_t origin_ns);
void ticker_close(struct ticker *ticker);

/* Takes a sample; returns 0, or -1 with errno. */
typedef int ticker_take(void *context);

/* Takes one now, for the newest tick if that has none. Returns what take does. */
int ticker_sample(struct ticker *ticker, ticker_take *take, void *context);

/* Takes one at each tick, and a last one when stop_fd can be read. Returns 0, or what
 * take does if that fails. */
int ticker_keep(struct ticker *ticker, int stop_fd, ticker_take *take, void *context);

#endif
