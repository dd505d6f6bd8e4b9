/*
 * The run directory: its place, compression of its logs, collect.pid. A directory appears
 * under its name once there is something to read in it, so a killed recording leaves a
 * readable one. Knows nothing of what is in the files.
 */
#ifndef COLLECT_RUN_DIR_H
#define COLLECT_RUN_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "command.h"

/* ".collect-" and 16 digits. */
#define RUN_DIR_HIDDEN 26

struct run_dir {
	int fd; /* -1: none */
	const char *path; /* the caller's */
	int parent_fd;
	char hidden[RUN_DIR_HIDDEN]; /* its name in the parent; "": it is shown */
	bool made; /* it was not there before */
};

/*
 * Makes it beside its place, under a name that starts with a point, and the directories
 * above it where they are missing. One that is there already, empty, is taken as it is.
 * Returns 0, or -1 with errno: ELOOP for a link that may not be followed
 * (directory_open).
 */
int run_dir_make(struct run_dir *dir, const char *path);

/*
 * Gives it its name. Returns 0, or -1 with errno: EEXIST where somebody else has made
 * that directory meanwhile.
 */
int run_dir_show(struct run_dir *dir);

/* Removes what is in it, and it where it was made. */
void run_dir_withdraw(struct run_dir *dir);

/* One that was never shown is withdrawn. */
void run_dir_close(struct run_dir *dir);

/*
 * Opens a directory to write into. A link to one is followed only where it was made by
 * who follows it, outside of directories in which everybody may make links: else another
 * chooses where the files go. Returns a descriptor, or -1 with errno: ELOOP for such a
 * link.
 */
int directory_open(const char *path);

/*
 * Compresses a log that has ended, beside it first: at any moment there is one of the
 * two whole.
 */

/*
 * Puts NAME.gz, made by the program gzip, in the place of NAME in dir_fd. Returns 0, or
 * -1; then NAME is as it was, and errno is EINTR where a signal has asked collect to end.
 */
int compress_log(
	int dir_fd, const char *name, const char *gzip, const struct signals *signals);

/*
 * collect.pid in a run directory: who records there, and whether it still does. The
 * recorder holds a lock on it for as long as it lives, so that a pid which another
 * process has by now deceives nobody.
 */

#define LOCK_NAME "collect.pid"

struct lock {
	pid_t pid;
	bool held; /* the recording goes on */
	pid_t holder; /* the process that does it; 0: none that can be seen from here */
	bool packing; /* it has ended; its logs are being compressed */
	bool alone; /* without a command: it may be told to stop */
	char host[256]; /* where it goes on */
};

/*
 * Takes the lock of a new recording, and keeps it for as long as the process lives.
 * Returns its descriptor, or -1 with errno.
 */
int lock_take(int dir_fd, bool alone);

/* Says that the recording has ended and its logs are being compressed. */
void lock_packing(int fd);

/* Gives it up: the recording has ended. */
void lock_drop(int dir_fd, int *fd);

/* Who records there. Returns 0, or -1 with errno: ENOENT where nobody does. */
int lock_read(int dir_fd, struct lock *lock);

#endif
