/*
 * The run directory: creates it, opens files in it safely, appends to logs, compresses
 * them, keeps collect.pid. Knows nothing of what is in the files.
 */
#include "run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json.h"
#include "recorder.h"
#include "signals.h"

/*
 * Opens a run directory and what lies in it, where others may have put anything. This
 * room knows nothing of what is in a file.
 */

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

/* A log that only grows: whole records or nothing. */

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

/* Compresses a log that has ended, beside it first. */

_Noreturn static void become(const char *gzip, int in_fd, int out_fd, pid_t parent)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setsid();
	if (lifeline_tie(parent, SIGKILL) && streams_leave() == 0 &&
		dup2(in_fd, STDIN_FILENO) >= 0 && dup2(out_fd, STDOUT_FILENO) >= 0)
		(void)execl(gzip, "gzip", "-c", (char *)NULL);
	_exit(127);
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

	if (pid == 0)
		become(gzip, in_fd, out_fd, parent);
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

/*
 * collect.pid in a run directory: who records there, and whether it still does. This
 * room knows nothing of recordings.
 */

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
