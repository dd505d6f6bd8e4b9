/*
 * The clocks of a sample, samples at equal intervals and how punctual they were, delays
 * before restarts. Knows nothing of what a sample is.
 */
#ifndef COLLECT_CLOCK_H
#define COLLECT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

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

/* What all threads of another one have used; -1: not known. */
int64_t clock_cpu_of_ns(pid_t pid);

/* "2026-11-20T10:00:00.123456Z" with its terminator. */
#define RFC3339_SIZE 40

/* Writes real_ns, cut to microseconds, as RFC 3339 in UTC. */
void clock_rfc3339(int64_t real_ns, char text[RFC3339_SIZE]);

/* Lateness is counted in steps of 0.1 ms; the last bin takes all that is later. */
#define TICKER_BIN_NS INT64_C(100000)
#define TICKER_BINS   1000

/* Zeroed: nobody keeps time. All times are on CLOCK_MONOTONIC. */
struct ticker {
	int64_t interval_ns; /* 0: there are no ticks */
	int64_t first_ns, next_ns; /* the first tick, and the next one without a sample */
	uint64_t ticks; /* at which a sample was taken */
	int64_t late_max_ns;
	uint32_t late[TICKER_BINS];
};

/*
 * Ticks whole intervals from the origin, the first one after now: tickers of one origin
 * wake the machine at once.
 */
void ticker_start(
	struct ticker *ticker, int64_t interval_ns, int64_t origin_ns, int64_t now_ns);

/* A sample was begun then: it is that of the newest tick, unless that has one. */
void ticker_sampled(struct ticker *ticker, int64_t began_ns);

/* The ticks until then had their time, with or without a sample. */
void ticker_pass(struct ticker *ticker, int64_t now_ns);

/* How many ticks have passed without a sample. */
uint64_t ticker_missed(const struct ticker *ticker);

/* The 99th percentile of lateness, rounded up to 0.1 ms, but not beyond the latest tick.
 */
int64_t ticker_late_p99_ns(const struct ticker *ticker);

/*
 * How long what ends again and again waits before it is started anew: not at all the
 * first time, then 1, 2, 4, ... 64 s; from the first time on once it has run for
 * longer. Zeroed: it has not been started yet.
 */
struct backoff {
	int64_t started_ns; /* on CLOCK_MONOTONIC */
	int64_t pause_ns; /* the next one */
};

/* It ends now: how long it waits. */
int64_t backoff_pause(struct backoff *backoff, int64_t now_ns);

#endif
