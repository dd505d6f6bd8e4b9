/*
 * Has a signal reached all of the process group, or this process alone? A child that
 * does nothing but keep what it gets: that has reached COMMAND, too, and must not be
 * passed on.
 * This room knows nothing of what signals are for.
 */
#ifndef COLLECT_WITNESS_H
#define COLLECT_WITNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/types.h>

enum {
	SIGNALS = 65 /* numbers from 1 to 64 */
};

struct witness {
	pid_t pid; /* -1: there is none */
	uint64_t had; /* what one before it got beside what was asked for; bit 0 is
			 signal 1 */
	struct {
		uint32_t sender;
		int64_t at_ns; /* on CLOCK_MONOTONIC; 0: never */
	} seen[SIGNALS]; /* the last of each number that it got, too */
};

/* Where none can be started, each signal seems to have come alone. */
void witness_start(struct witness *witness);
void witness_end(struct witness *witness);

/* Has it got this signal, too? Waits a moment, as the one may have come before the other.
 */
bool witness_saw(struct witness *witness, const struct signalfd_siginfo *signal);

#endif
