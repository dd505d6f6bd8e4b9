/*
 * A log that only grows: whole records or nothing.
 * This room knows nothing of what a record is.
 */
#include "raw_log.h"

#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Atomic int64_t *raw_log_room(int64_t bytes)
{
	_Atomic int64_t *room = mmap(NULL, sizeof *room, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		return NULL;
	atomic_init(room, bytes);
	return room;
}

bool raw_log_is_full(_Atomic int64_t *room)
{
	return room != NULL && atomic_load(room) < 0;
}

int raw_log_create(struct raw_log *log, int dir_fd, const char *name)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	*log = (struct raw_log){0};
	log->fd = openat(dir_fd, name, flags, 0666);
	return log->fd < 0 ? -1 : 0;
}

/* A record that its writer was killed in does not run into the next one. */
static int end_line(struct raw_log *log)
{
	if (!regular_is_torn(log->fd))
		return 0;
	if (write(log->fd, "\n", 1) != 1)
		return -1;
	log->size++;
	return 0;
}

int raw_log_reopen(struct raw_log *log, int dir_fd, const char *name)
{
	struct stat what;
	int why;

	log->fd = regular_open(dir_fd, name, O_RDWR | O_APPEND);
	if (log->fd < 0)
		return -1;
	if (fstat(log->fd, &what) == 0) {
		log->size = what.st_size;
		if (end_line(log) == 0)
			return 0;
	}
	why = errno;
	raw_log_close(log);
	errno = why;
	return -1;
}

int raw_log_resume(struct raw_log *log, int dir_fd, const char *name)
{
	if (raw_log_create(log, dir_fd, name) == 0)
		return 0;
	return errno == EEXIST ? raw_log_reopen(log, dir_fd, name) : -1;
}

/* Once there is no room for a record, no log may take a smaller one: all end together. */
static bool has_room(struct raw_log *log, size_t size)
{
	if (log->room == NULL ||
		atomic_fetch_sub(log->room, (int64_t)size) >= (int64_t)size)
		return true;
	atomic_store(log->room, INT64_MIN / 2);
	log->full = true;
	errno = EDQUOT;
	return false;
}

static bool is_removed(struct raw_log *log)
{
	log->removed = regular_is_removed(log->fd);
	if (log->removed)
		errno = ENOENT;
	return log->removed;
}

const char *raw_log_why(const struct raw_log *log, int error)
{
	if (log->removed)
		return "the log was removed";
	return log->full ? "the recording has reached its --max-size" : strerror(error);
}

int raw_log_append(struct raw_log *log, const char *record, size_t size)
{
	size_t done = 0;
	int why;

	if (!has_room(log, size) || is_removed(log))
		return -1;

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
