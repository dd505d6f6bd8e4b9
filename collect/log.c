/*
 * A log that only grows: whole records or nothing.
 * This room knows nothing of what a record is.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int log_create(struct log *log, int dir_fd, const char *name)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	log->size = 0;
	log->fd = openat(dir_fd, name, flags, 0666);
	return log->fd < 0 ? -1 : 0;
}

int log_append(struct log *log, const char *record, size_t size)
{
	ssize_t written;
	int why;

	do
		written = write(log->fd, record, size);
	while (written < 0 && errno == EINTR);
	if (written == (ssize_t)size) {
		log->size += written;
		return 0;
	}
	/* A short write to a file says that the disk is full, without setting errno. */
	why = written < 0 ? errno : ENOSPC;
	if (written > 0 && ftruncate(log->fd, log->size) != 0)
		why = errno;
	errno = why;
	return -1;
}

void log_close(struct log *log)
{
	(void)close(log->fd);
	log->fd = -1;
}
