/*
 * A log that only grows: whole records or nothing.
 * This room knows nothing of what a record is.
 */
#include "raw_log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int raw_log_create(struct raw_log *log, int dir_fd, const char *name)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	log->size = 0;
	log->fd = openat(dir_fd, name, flags, 0666);
	return log->fd < 0 ? -1 : 0;
}

int raw_log_append(struct raw_log *log, const char *record, size_t size)
{
	size_t done = 0;
	int why;

	/* After a short write the next one says why it was short. */
	while (done < size) {
		ssize_t written = write(log->fd, record + done, size - done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			break;
	}
	if (done == size) {
		log->size += (off_t)size;
		return 0;
	}
	why = errno;
	if (done > 0 && ftruncate(log->fd, log->size) != 0)
		why = errno;
	errno = why;
	return -1;
}

void raw_log_close(struct raw_log *log)
{
	(void)close(log->fd);
	log->fd = -1;
}
