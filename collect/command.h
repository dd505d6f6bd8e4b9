/*
 * Runs COMMAND as if nothing were around it: its streams, signals, process group and
 * terminal are the ones that collect was given. Also what any child of collect needs.
 * Knows nothing of recordings.
 */
#ifndef COLLECT_COMMAND_H
#define COLLECT_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "clock.h"

struct signals {
	int fd; /* a non-blocking signalfd */
	sigset_t before; /* the mask that collect was started with: COMMAND's */
};

/*
 * Blocks all signals and lets them be read from fd. A fault of its own ends collect all
 * the same: the kernel asks nobody. Returns 0, or -1 with errno. Dispositions stay as
 * they were (nohup's SIGHUP must reach COMMAND ignored), but for SIGCHLD, which must not
 * be ignored, else the kernel keeps no exit status.
 */
int signals_take(struct signals *signals);

/* The number of a signal that has asked collect to end, read from fd; 0 if none has. */
int signals_end_asked(const struct signals *signals);

struct command {
	pid_t pid; /* 0: not started */
	pid_t group; /* the process group that collect was started in */
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
 * Passes the signals that have come on to the command. Stops while the command is
 * stopped where a terminal's shell waits for that. Returns whether it has ended, when and
 * how; it stays to be read, under its process id, until command_bury.
 */
bool command_heed(struct command *command, const struct signals *signals);
void command_bury(const struct command *command);

/* Heeds it until it has ended, and buries it. */
void command_wait(struct command *command, const struct signals *signals);

/*
 * Ends as the command has ended, which is the last that collect does: by the same signal,
 * or with the status returned.
 */
int command_follow(const struct command *command);

/*
 * A descriptor that can be read when the process has ended. Returns -1 with errno: ESRCH
 * if there is none, EINVAL if it is a thread of another one, ENOSYS or others where the
 * kernel gives none.
 */
int process_open(pid_t pid);

/* Is there a terminal that controls this session? */
bool has_terminal(void);

/*
 * A standard stream that is closed would be taken by the next file that we open, and what
 * is meant for people would go into a log. The null device keeps the place; as it is
 * closed on exec, COMMAND gets the stream as closed as it was. Returns 0, or -1 with
 * errno.
 */
int streams_hold(void);

/* For a process of its own: lets go of all streams and files that collect was started
 * with. The null device is in place of the standard streams. Returns 0, or -1 with errno.
 */
int streams_leave(void);

/*
 * For a child of `parent`, before it becomes another program: a session of its own, with
 * these standard streams, no signal blocked, that dies with its parent. Returns 0, or -1.
 */
int child_enter(pid_t parent, int in_fd, int out_fd, int err_fd);

#endif
