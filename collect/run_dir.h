/*
 * The run directory and its files: logs that only grow, compression, collect.pid. A
 * directory appears under its name once there is something to read in it, so a killed
 * recording leaves a readable one. Knows nothing of what is in the files.
 */
#ifndef COLLECT_RUN_DIR_H
#define COLLECT_RUN_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "signals.h"

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
 * Opens a run directory and what lies in it, where others may have put anything: a
 * pipe whose other end never comes, a link to somewhere else.
 */

/*
 * Opens a regular file as openat() does, closed on exec; follows no link and waits for
 * nobody. Returns a descriptor, or -1 with errno: ENXIO for what is no regular file.
 */
int regular_open(int dir_fd, const char *name, int flags);

/*
 * Opens a directory to write into. A link to one is followed only where it was made by
 * who follows it, outside of directories in which everybody may make links: else another
 * chooses where the files go. Returns a descriptor, or -1 with errno: ELOOP for such a
 * link.
 */
int directory_open(const char *path);

/* Does what is in the file end without a newline? */
bool regular_is_torn(int fd);

/* Has it no name any more? Or a directory. */
bool regular_is_removed(int fd);

/* Why that failed with this errno, for people. */
const char *regular_why(int error);

/* Is that error that the disk, or what may be had of it, is full? */
bool regular_is_no_room(int error);

/* A log that only grows: whole records or nothing. */

struct raw_log {
	int fd; /* -1: not open */
	off_t size; /* of the whole records in it */
	_Atomic int64_t
		*room; /* bytes that all logs together may still take, in memory
			  that their processes share; NULL: as many as there are */
	bool full; /* there is no such room left */
	bool removed; /* its file: nobody would ever read what comes */
};

/*
 * Room for so many bytes, which the processes that are started from now on share. Returns
 * NULL with errno where there is no memory.
 */
_Atomic int64_t *raw_log_room(int64_t bytes);

/* Has a log found no room any more? room: NULL: any. */
bool raw_log_is_full(_Atomic int64_t *room);

/*
 * Creates the file name in the directory dir_fd; it must not exist, links are not
 * followed. Returns 0, or -1 with errno.
 */
int raw_log_create(struct raw_log *log, int dir_fd, const char *name);

/* Opens one that raw_log_create has made, and ends its last line. Returns 0; or -1 with
 * errno, and fd is -1. */
int raw_log_reopen(struct raw_log *log, int dir_fd, const char *name);

/* Creates it, or reopens that of a recorder that was killed. Likewise. */
int raw_log_resume(struct raw_log *log, int dir_fd, const char *name);

/*
 * Appends one record. On a full disk the kernel writes what fits; that part is taken
 * back, so that the log ends with a whole record. Returns 0, or -1 with errno.
 */
int raw_log_append(struct raw_log *log, const char *record, size_t size);

/* Why an append failed with this errno, for people. */
const char *raw_log_why(const struct raw_log *log, int error);

void raw_log_close(struct raw_log *log);

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
