/*
 * What the other files share: messages, memory, JSON, ids; the clocks of a sample, ticks
 * and how punctual they were, pauses before restarts; and the commands of main.c.
 */
#ifndef COLLECT_BASE_H
#define COLLECT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* collect's own exit statuses, those of env(1) and timeout(1). */
enum {
	EXIT_TIMEOUT = 124,
	EXIT_COLLECT = 125,
	EXIT_CANNOT_RUN = 126,
	EXIT_NOT_FOUND = 127
};

/* realloc() and open_memstream() that end collect with a message if there is no memory:
 * COMMAND goes on. The caller frees the memory. */
void *memory_resize(void *old, size_t size);
FILE *memory_stream(char **text, size_t *size);

/* Prints "collect: ", the sentence and a newline on standard error in one write, so that
 * it stays whole among the output of others. errno stays. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* Writes text as a JSON string, or null for NULL. Each byte that is no part of valid
 * UTF-8 becomes U+FFFD: arguments and file names may hold any bytes. */
void json_string(FILE *out, const char *text);

/* Writes nanoseconds as seconds, with as many decimals as are needed. */
void json_seconds(FILE *out, int64_t ns);

/* Is the whole text a number of RFC 8259, which every reader keeps? What has many digits,
 * or an exponent without a sign or point, is an id: 71e4096. */
bool json_is_number(const char *text);

/* Writes up to 16 random bytes, as two digits each, and a terminator. Returns 0, or -1
 * with errno; then text is "". */
int random_id(char *text, size_t bytes);

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

/* One moment on three clocks. Together they tell a wall clock that was set (only real
 * jumps) from a suspended machine (boot runs, mono does not). */
struct instant {
	int64_t real_ns, mono_ns, boot_ns;
};

/* Reads the three clocks, one right after the other. */
void instant_now(struct instant *now);

/* CLOCK_MONOTONIC alone, for deadlines. */
int64_t clock_mono_ns(void);

/* The CPU time of a process, 0: of this one; -1: not known. */
int64_t clock_cpu_of_ns(pid_t pid);

/* "2026-11-20T10:00:00.123456Z" with its terminator. */
#define RFC3339_SIZE 40

/* Writes real_ns, cut to microseconds, as RFC 3339 in UTC. */
void clock_rfc3339(int64_t real_ns, char text[RFC3339_SIZE]);

/* Lateness is counted in steps of 0.1 ms; the last bin takes all that is later. */
#define TICKER_BIN_NS INT64_C(100000)
#define TICKER_BINS   1000

/* Begins zeroed: without ticks. All times are on CLOCK_MONOTONIC. */
struct ticker {
	int64_t interval_ns; /* 0: there are no ticks */
	int64_t first_ns, next_ns; /* the first tick, and the next one without a sample */
	uint64_t ticks; /* at which a sample was taken */
	int64_t late_max_ns;
	uint32_t late[TICKER_BINS];
};

/* Ticks are whole intervals after the origin, the first one after now: tickers of one
 * origin wake the machine at the same time. */
void ticker_start(
	struct ticker *ticker, int64_t interval_ns, int64_t origin_ns, int64_t now_ns);

/* A sample began then: it counts for the newest tick, unless that has one. */
void ticker_sampled(struct ticker *ticker, int64_t began_ns);

/* The ticks until then are over, with or without a sample. */
void ticker_pass(struct ticker *ticker, int64_t now_ns);

/* How many ticks have passed without a sample. */
uint64_t ticker_missed(const struct ticker *ticker);

/* The 99th percentile of lateness, rounded up to 0.1 ms, at most that of the latest. */
int64_t ticker_late_p99_ns(const struct ticker *ticker);

#define PAUSE_MOST_NS (64 * NS_PER_S) /* as a rule */

/* Pauses before restarts: none the first time, then 1, 2, 4, ... s; none again after it
 * has run for longer than the longest. Begins zeroed. */
struct backoff {
	int64_t started_ns; /* on CLOCK_MONOTONIC */
	int64_t pause_ns; /* the next one */
};

/* The pause after an end at that time. */
int64_t backoff_pause(struct backoff *backoff, int64_t now_ns, int64_t most_ns);

/* The commands, as the script `collect` calls them: each returns the exit status. */

/* `record OPTIONS [-- COMMAND [ARG...]]`: records; plan.c knows the options. */
int record_main(int argc, char **argv);

/* Marks in the recording that COLLECT_DIR names. */
int event_main(int argc, char **argv); /* begin, end, event */
int phase_main(int argc, char **argv);

/* The exit status of status is 0, 1, 2 or 3; that of stop is 0 after a complete end. */
int status_main(int argc, char **argv);
int stop_main(int argc, char **argv);

#endif
