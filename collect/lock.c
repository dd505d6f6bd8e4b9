/* Who records in a run directory. */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "log.h"

/* It is made under this name, so that nobody sees it without its lock and its text. */
#define NEW_NAME LOCK_NAME ".new"

#define ALONE  "alone"
#define AROUND "around"

/*
 * A lock that belongs to a process and not to its children, and of which the kernel says
 * whose it is. A write lock: nobody but the owner of the file can take that.
 */
static struct flock whole_file(short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

int lock_take(int dir_fd, bool alone)
{
	int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir_fd, NEW_NAME, flags, 0644);
	struct flock lock = whole_file(F_WRLCK);
	struct utsname names;
	char text[512];
	int length;

	if (fd < 0)
		return -1;
	if (uname(&names) != 0)
		names.nodename[0] = '\0';
	length = snprintf(text, sizeof text, "%d %s %s\n", (int)getpid(),
		alone ? ALONE : AROUND, names.nodename);
	/* Without locks, as on some file systems, a recording seems to have died. */
	(void)fcntl(fd, F_SETLK, &lock);
	/* Two recordings can't both be here: the new name is created exclusively. */
	if (faccessat(dir_fd, LOCK_NAME, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		errno = EEXIST;
	else if (write(fd, text, (size_t)length) != length)
		errno = ENOSPC;
	else if (renameat(dir_fd, NEW_NAME, dir_fd, LOCK_NAME) == 0)
		return fd;
	fd_close(&fd);
	(void)unlinkat(dir_fd, NEW_NAME, 0);
	return -1;
}

void lock_drop(int dir_fd, int *fd)
{
	if (*fd < 0)
		return;
	(void)unlinkat(dir_fd, LOCK_NAME, 0);
	fd_close(fd);
}

int lock_read(int dir_fd, struct lock *lock)
{
	int fd = regular_open(dir_fd, LOCK_NAME, O_RDONLY);
	struct flock other = whole_file(F_RDLCK);
	char text[512], how[16] = "";
	struct stat file = {.st_nlink = 0};
	ssize_t got;
	int pid = 0;

	*lock = (struct lock){0};
	if (fd < 0)
		return -1;
	/* To take a lock would hinder a recording that begins. */
	lock->held = fcntl(fd, F_GETLK, &other) == 0 && other.l_type != F_UNLCK;
	lock->holder = lock->held && other.l_pid > 0 ? other.l_pid : 0;
	(void)fstat(fd, &file);
	got = read(fd, text, sizeof text - 1);
	fd_close(&fd);
	text[got > 0 ? got : 0] = '\0';
	errno = 0;
	if (!lock->held && file.st_nlink == 0)
		errno = ENOENT; /* removed since it was opened: the recording has ended */
	else if (sscanf(text, "%d %15s %255s", &pid, how, lock->host) < 2 || pid <= 0)
		errno = EINVAL;
	if (errno != 0)
		return -1;
	lock->pid = (pid_t)pid;
	lock->alone = strcmp(how, ALONE) == 0;
	return 0;
}
