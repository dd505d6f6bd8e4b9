/*
 * The run directory, compression of its logs, collect.pid.
 */
#include "run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "text.h"

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

/* The path has no slash at its end. */
static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Makes what is missing above the path's last name. */
static int parents_make(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL;
		slash = strchr(slash + 1, '/')) {
		int failed;

		*slash = '\0';
		failed = mkdir(path, 0777) != 0 && errno != EEXIST;
		*slash = '/';
		if (failed)
			return -1;
	}
	return 0;
}

/* Opens the directory above, which is made where it is missing. */
static int parent_open(const char *path)
{
	char *copy = strdup(path);
	int fd = -1;

	if (copy == NULL)
		return -1;
	if (parents_make(copy) == 0) {
		copy[name_in(copy) - copy] = '\0';
		fd = open(*copy != '\0' ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	free(copy);
	return fd;
}

static int hidden_make(struct run_dir *dir)
{
	char id[17];

	if (random_id(id, 8) != 0)
		return -1;
	(void)snprintf(dir->hidden, sizeof dir->hidden, ".collect-%s", id);
	if (mkdirat(dir->parent_fd, dir->hidden, 0777) == 0) {
		dir->fd = openat(dir->parent_fd, dir->hidden,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		dir->made = true;
		return dir->fd < 0 ? -1 : 0;
	}
	dir->hidden[0] = '\0';
	return -1;
}

int run_dir_make(struct run_dir *dir, const char *path)
{
	*dir = (struct run_dir){
		.path = path, .fd = directory_open(path), .parent_fd = -1};
	if (dir->fd >= 0)
		return 0;
	if (errno != ENOENT)
		return -1;
	dir->parent_fd = parent_open(path);
	return dir->parent_fd < 0 ? -1 : hidden_make(dir);
}

/* A directory that has something in it is not replaced. */
int run_dir_show(struct run_dir *dir)
{
	if (dir->hidden[0] == '\0')
		return 0;
	if (renameat(dir->parent_fd, dir->hidden, dir->parent_fd, name_in(dir->path)) !=
		0) {
		if (errno == ENOTEMPTY || errno == ENOTDIR)
			errno = EEXIST;
		return -1;
	}
	dir->hidden[0] = '\0';
	return 0;
}

static void files_remove(int dir_fd)
{
	int fd = dup(dir_fd);
	DIR *files = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *file;

	if (files == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((file = readdir(files)) != NULL)
		if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
			(void)unlinkat(dir_fd, file->d_name, 0);
	(void)closedir(files);
}

void run_dir_withdraw(struct run_dir *dir)
{
	const bool hidden = dir->hidden[0] != '\0';

	if (dir->fd >= 0)
		files_remove(dir->fd);
	if (dir->made)
		(void)unlinkat(dir->parent_fd, hidden ? dir->hidden : name_in(dir->path),
			AT_REMOVEDIR);
	dir->hidden[0] = '\0';
	dir->made = false;
}

void run_dir_close(struct run_dir *dir)
{
	if (dir->hidden[0] != '\0')
		run_dir_withdraw(dir);
	if (dir->fd >= 0)
		(void)close(dir->fd);
	if (dir->parent_fd >= 0)
		(void)close(dir->parent_fd);
	*dir = (struct run_dir){.fd = -1, .parent_fd = -1};
}

/* Ends it where somebody asks collect to end. */
static int await(pid_t pid, const struct signals *signals)
{
	struct pollfd ready = {.fd = signals->fd, .events = POLLIN};
	int status = -1;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		(void)poll(&ready, 1, -1);
		if (signals_end_asked(signals) == 0)
			continue;
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, &status, 0);
		errno = EINTR;
		return -1;
	}
	errno = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static int run(const char *gzip, int in_fd, int out_fd, const struct signals *signals)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		if (child_enter(parent, in_fd, out_fd, -1) == 0)
			(void)execl(gzip, "gzip", "-c", (char *)NULL);
		_exit(EXIT_NOT_FOUND);
	}
	return pid < 0 ? -1 : await(pid, signals);
}

int compress_log(
	int dir_fd, const char *name, const char *gzip, const struct signals *signals)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int in_fd, out_fd, failed = -1;
	bool interrupted = false;
	char part[64], packed[64];

	(void)snprintf(part, sizeof part, "%s.gz.new", name);
	(void)snprintf(packed, sizeof packed, "%s.gz", name);
	in_fd = regular_open(dir_fd, name, O_RDONLY);
	out_fd = in_fd >= 0 ? openat(dir_fd, part, flags, 0666) : -1;
	if (out_fd >= 0) {
		failed = run(gzip, in_fd, out_fd, signals);
		interrupted = failed != 0 && errno == EINTR;
		if (close(out_fd) != 0 || failed != 0 ||
			renameat(dir_fd, part, dir_fd, packed) != 0)
			failed = -1;
		(void)unlinkat(dir_fd, failed != 0 ? part : name, 0);
	}
	if (in_fd >= 0)
		(void)close(in_fd);
	errno = interrupted ? EINTR : 0;
	return failed;
}

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
