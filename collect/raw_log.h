/*
 * A log that only grows: whole records or nothing.
 * This room knows nothing of what a record is.
 */
#ifndef COLLECT_RAW_LOG_H
#define COLLECT_RAW_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

#endif
