/*
 * The descriptors that collect was started with.
 * This room knows nothing of who lets go of them.
 */
#include "streams.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int streams_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", O_RDWR | O_CLOEXEC) != fd)
			return -1;
	return 0;
}

static int streams_to_null(int last)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC), fd = STDIN_FILENO;

	while (null_fd >= 0 && fd <= last && dup2(null_fd, fd) >= 0)
		fd++;
	if (null_fd >= 0)
		(void)close(null_fd);
	return fd > last ? 0 : -1;
}

/* What is not closed on exec was here before: all that we open is. */
static bool is_foreign(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	return fd > STDERR_FILENO && flags >= 0 && (flags & FD_CLOEXEC) == 0;
}

static bool is_regular(int fd)
{
	struct stat what;

	return fstat(fd, &what) == 0 && S_ISREG(what.st_mode);
}

static void others_close(bool regular_too)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (is_foreign(fd) && (regular_too || !is_regular(fd)))
			(void)close(fd);
	}
	(void)closedir(dir);
}

void streams_let_go(void)
{
	(void)streams_to_null(STDOUT_FILENO);
	others_close(false);
}

int streams_leave(void)
{
	others_close(true);
	return streams_to_null(STDERR_FILENO);
}
