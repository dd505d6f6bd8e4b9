/*
 * Runs COMMAND as if nothing were around it: its streams, signals, process group and
 * terminal are those of collect. Also what any child of collect needs.
 */
#ifndef COLLECT_COMMAND_H
#define COLLECT_COMMAND_H

#include <signal.h>

#include "base.h"

struct signals {
	int fd; /* a non-blocking signalfd */
	sigset_t before; /* the mask that collect was started with: COMMAND's */
};

/* Blocks all signals, so that they are read from fd. Only SIGCHLD's disposition changes:
 * if it is ignored the kernel keeps no exit status. Returns 0, or -1 with errno. */
int signals_take(struct signals *signals);

/* The number of a signal that asks collect to end, read from fd; 0 if there is none. */
int signals_end_asked(const struct signals *signals);

struct command {
	pid_t pid; /* 0: not started */
	pid_t group; /* the process group that collect was started in */
	struct instant ended; /* when its end was noticed */
	int exit_status; /* as in a shell: 128 + n if signal n ended it */
	int signal; /* n, or 0 */
};

/* Starts argv and closes all files that collect was started with, except standard error:
 * a pipe that COMMAND closes must be closed. If here, or where no process can be started,
 * this one becomes COMMAND. Returns 0; or says why not, and the status. */
int command_start(struct command *command, char *const argv[],
	const struct signals *signals, bool here);

/* Passes signals on to the command. Stops while the command is stopped, if there is a
 * terminal whose shell waits for that. Returns whether the command has ended; its process
 * id and files in /proc stay until the caller waits for it. */
bool command_signals(struct command *command, const struct signals *signals);

/* The same until it has ended, and waits for it. */
void command_wait(struct command *command, const struct signals *signals);

/* Ends collect by the signal that ended the command, or returns the exit status. */
int command_follow(const struct command *command);

/* Has this session a controlling terminal? */
bool has_terminal(void);

/* Opens the null device for each standard stream that is closed, else messages would go
 * into a log. It is closed on exec: COMMAND gets the stream closed. Returns 0, or -1. */
int streams_hold(void);

/* Closes all files that collect was started with; the null device takes the place of the
 * standard streams up to the last one. Returns 0, or -1 with errno. */
int streams_leave(int last);

/* Process groups, up to so many, that are killed when the leash is cut, or when this
 * process ends, however it does; never a later group of the same id. */
#define LEASH_GROUPS 8

struct leash {
	int fd[LEASH_GROUPS][2];
	pid_t group[LEASH_GROUPS];
	size_t groups;
};

void leash_tie(struct leash *leash, pid_t group);
void leash_cut(struct leash *leash);

/*
 * Starts argv in a session of its own, with these standard streams (-1: the null device),
 * no blocked signal, and TZ=UTC. It is killed if this process ends; so is its process
 * group, by the leash, if that is not NULL. Returns its process id, or -1 with errno.
 */
pid_t child_start(
	char *const argv[], struct leash *leash, int in_fd, int out_fd, int err_fd);

#endif
