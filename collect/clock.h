/*
 * The three clocks of a sample, and how they are written.
 * This room knows nothing of recorders or files.
 */
#ifndef COLLECT_CLOCK_H
#define COLLECT_CLOCK_H

#include <stdint.h>

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

#endif
