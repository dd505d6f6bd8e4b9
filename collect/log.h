/*
 * A log that only grows: whole records or nothing.
 * This room knows nothing of what a record is.
 */
#ifndef COLLECT_LOG_H
#define COLLECT_LOG_H

#include <stddef.h>
#include <sys/types.h>

struct log {
	int fd;
	off_t size; /* of the whole records in it */
};

/*
 * Creates the file name in the directory dir_fd; it must not exist, links are not
 * followed. Returns 0, or -1 with errno.
 */
int log_create(struct log *log, int dir_fd, const char *name);

/*
 * Appends one record with one write. On a full disk the kernel writes what fits; that
 * part is taken back, so that the log ends with a whole record. Returns 0, or -1 with
 * errno.
 */
int log_append(struct log *log, const char *record, size_t size);

void log_close(struct log *log);

#endif
