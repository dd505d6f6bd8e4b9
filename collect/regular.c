/*
 * Opens what lies in a run directory, where others may have put anything.
 * This room knows nothing of what is in a file.
 */
#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int regular_open(int dir_fd, const char *name, int flags)
{
	int fd = openat(dir_fd, name,
		flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
	struct stat what;

	if (fd < 0) {
		if (errno == ELOOP)
			errno = ENXIO;
		return -1;
	}
	if (fstat(fd, &what) == 0 && S_ISREG(what.st_mode))
		return fd;
	(void)close(fd);
	errno = ENXIO;
	return -1;
}

const char *regular_why(int error)
{
	return error == ENXIO ? "it is no regular file" : strerror(error);
}
