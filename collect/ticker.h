/*
 * Samples at equal intervals, and how punctual they were; the clocks of a sample;
 * delays before restarts. Knows nothing of what a sample is.
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

/* The three clocks of a sample, and how they are written. */

#define NS_PER_S INT64_C(1000000000)

/*
 * One moment on three clocks, in nanoseconds. Only together do they tell a stepped wall
 * clock (real moves alone) from a suspended machine (boot moves, mono stands).
 */
struct instant {
	int64_t real_ns;
	int64_t mono_ns;
	int64_t boot_ns;
};

/* Reads the three clocks, one right after the other. */
void instant_now(struct instant *now);

/* CLOCK_MONOTONIC alone, for deadlines. */
int64_t clock_mono_ns(void);

/* What this process, of one thread, has used of processors. */
int64_t clock_cpu_ns(void);

/* Milliseconds until a deadline on that clock, rounded up, never negative: for poll(). */
int clock_left_ms(int64_t deadline_mono_ns);

/* "2026-11-20T10:00:00.123456Z" with its terminator. */
#define RFC3339_SIZE 40

/* Writes real_ns, cut to microseconds, as RFC 3339 in UTC. */
void clock_rfc3339(int64_t real_ns, char text[RFC3339_SIZE]);

/*
 * How long what ends again and again waits before it is started anew: not at all the
 * first time, then 1, 2, 4, ... 64 s; from the first time on once it has run for
 * longer.
 */

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
