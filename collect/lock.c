/*
 * collect.pid in a run directory: who records there, and whether it still does.
 * This room knows nothing of recordings.
 */
#include "lock.h"

#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Where it is made, so that nobody finds it without its lock or its text. */
#define NEW_NAME LOCK_NAME ".new"

#define ALONE	"alone"
#define AROUND	"around"
#define PACKING "packing" /* behind the others, if at all */

/*
 * A lock of a process, which its children don't have, and of which the kernel says whose
 * it is. To write: nobody but the owner of the file can have that.
 */
static struct flock whole_file(short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

/* Two that record there at once can't both be here: the new name is made exclusively. */
static int publish(int dir_fd)
{
	if (faccessat(dir_fd, LOCK_NAME, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
		return renameat(dir_fd, NEW_NAME, dir_fd, LOCK_NAME);
	errno = EEXIST;
	return -1;
}

int lock_take(int dir_fd, bool alone)
{
	int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir_fd, NEW_NAME, flags, 0644);
	struct flock lock = whole_file(F_WRLCK);
	struct utsname names;
	char text[512];
	int length, why = ENOSPC;

	if (fd < 0)
		return -1;
	if (uname(&names) != 0)
		names.nodename[0] = '\0';
	length = snprintf(text, sizeof text, "%d %s %s\n", (int)getpid(),
		alone ? ALONE : AROUND, names.nodename);
	/* A file system without locks can't tell a recording that died from one that goes
	 * on; it records all the same. */
	(void)fcntl(fd, F_SETLK, &lock);
	if (write(fd, text, (size_t)length) == length) {
		if (publish(dir_fd) == 0)
			return fd;
		why = errno;
	}
	(void)unlinkat(dir_fd, NEW_NAME, 0);
	(void)close(fd);
	errno = why;
	return -1;
}

/* Nobody depends on it: a disk may be full. */
void lock_packing(int fd)
{
	if (fd >= 0 && write(fd, PACKING "\n", sizeof PACKING) < 0)
		return;
}

void lock_drop(int dir_fd, int *fd)
{
	if (*fd < 0)
		return;
	(void)unlinkat(dir_fd, LOCK_NAME, 0);
	(void)close(*fd);
	*fd = -1;
}

/* Asks for a lock without taking one: that would be in the way of a recording. */
static int lock_look(int fd, struct lock *lock)
{
	struct flock other = whole_file(F_RDLCK);
	struct stat file;

	if (fcntl(fd, F_GETLK, &other) != 0 || fstat(fd, &file) != 0)
		return -1;
	lock->held = other.l_type != F_UNLCK;
	lock->holder = lock->held && other.l_pid > 0 ? other.l_pid : 0;
	if (lock->held || file.st_nlink > 0)
		return 0;
	/* It went after it was opened: the recording has ended meanwhile. */
	errno = ENOENT;
	return -1;
}

int lock_read(int dir_fd, struct lock *lock)
{
	int fd = regular_open(dir_fd, LOCK_NAME, O_RDONLY);
	char text[512], how[16] = "", what[16] = "";
	ssize_t got;
	int why, pid = 0;

	*lock = (struct lock){0};
	if (fd < 0)
		return -1;
	why = lock_look(fd, lock) == 0 ? 0 : errno;
	got = read(fd, text, sizeof text - 1);
	(void)close(fd);
	if (why != 0) {
		errno = why;
		return -1;
	}
	text[got > 0 ? got : 0] = '\0';
	if (sscanf(text, "%d %15s %255s %15s", &pid, how, lock->host, what) < 2 ||
		pid <= 0) {
		errno = EINVAL;
		return -1;
	}
	lock->pid = (pid_t)pid;
	lock->packing = strcmp(what, PACKING) == 0;
	lock->alone = strcmp(how, ALONE) == 0;
	return 0;
}
