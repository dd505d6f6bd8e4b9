/*
 * Runs COMMAND as if nothing were around it: its streams, signals, process group and
 * terminal are the ones that collect was given. Knows nothing of recordings.
 */
#ifndef COLLECT_COMMAND_H
#define COLLECT_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include "signals.h"
#include "ticker.h"

/*
 * Has a signal reached all of the process group, or this process alone? A child that
 * does nothing but keep what it gets: that has reached COMMAND, too, and must not be
 * passed on.
 */

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

struct command {
	pid_t pid;
	pid_t waker; /* a child that continues collect while it is stopped; -1: none */
	struct witness witness; /* of signals */
	struct instant ended; /* when its end was noticed */
	int exit_status; /* as a shell says it: 128 + n where signal n ended it */
	int signal; /* n, or 0 */
};

/*
 * Starts argv, found in PATH, and lets go of the streams that are its own from then on:
 * nobody but it may hold them. Returns 0; or says why not and returns the exit status
 * that says the same: EXIT_NOT_FOUND, EXIT_CANNOT_RUN, EXIT_COLLECT.
 */
int command_start(
	struct command *command, char *const argv[], const struct signals *signals);

/*
 * Passes signals on to the command until it ends, stops while the command is stopped, and
 * calls others(context), unless it is NULL, where another child may have; fills in when
 * and how. What the kernel knows of it stays to be read, under its process id, until
 * command_bury.
 */
void command_wait(struct command *command, const struct signals *signals,
	void (*others)(void *), void *context);
void command_bury(struct command *command);

/*
 * Ends as the command has ended, which is the last that collect does: by the same signal,
 * or with the status returned.
 */
int command_follow(const struct command *command);

#endif
