/*
 * Opens a run directory and what lies in it, where others may have put anything.
 * This room knows nothing of what is in a file.
 */
#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
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

bool regular_is_torn(int fd)
{
	struct stat file;
	char last;

	return fstat(fd, &file) == 0 && file.st_size > 0 &&
		pread(fd, &last, 1, file.st_size - 1) == 1 && last != '\n';
}

bool regular_is_removed(int fd)
{
	struct stat what;

	return fstat(fd, &what) == 0 && what.st_nlink == 0;
}

static bool is_shared(const char *path)
{
	char *name = strdup(path);
	struct stat parent;
	bool shared = name == NULL || stat(dirname(name), &parent) != 0 ||
		(parent.st_mode & (S_IWOTH | S_ISVTX)) != 0;

	free(name);
	return shared;
}

int directory_open(const char *path)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	struct stat link;

	if (lstat(path, &link) != 0 || !S_ISLNK(link.st_mode))
		return open(path, flags | O_NOFOLLOW);
	if (link.st_uid == geteuid() && !is_shared(path))
		return open(path, flags);
	errno = ELOOP;
	return -1;
}

const char *regular_why(int error)
{
	return error == ENXIO ? "it is no regular file" : strerror(error);
}

bool regular_is_no_room(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}
