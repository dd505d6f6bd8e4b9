/*
 * A log that only grows: whole records or nothing.
 * This room knows nothing of what a record is.
 */
#ifndef COLLECT_RAW_LOG_H
#define COLLECT_RAW_LOG_H

#include <stddef.h>
#include <sys/types.h>

struct raw_log {
	int fd;
	off_t size; /* of the whole records in it */
};

/*
 * Creates the file name in the directory dir_fd; it must not exist, links are not
 * followed. Returns 0, or -1 with errno.
 */
int raw_log_create(struct raw_log *log, int dir_fd, const char *name);

/*
 * Appends one record. On a full disk the kernel writes what fits; that part is taken
 * back, so that the log ends with a whole record. Returns 0, or -1 with errno.
 */
int raw_log_append(struct raw_log *log, const char *record, size_t size);

void raw_log_close(struct raw_log *log);

#endif
