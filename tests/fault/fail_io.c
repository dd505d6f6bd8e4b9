/*
 * A library to be preloaded: makes one call of one function of the system fail, so that a
 * test can see what a program does about it. FAIL_CALL names the function (read, write,
 * sync, close, open, rename, unlink, malloc), or "change" all that change a file. FAIL_AT
 * says which call from 1 on, FAIL_ERRNO the error, or that the program is killed there
 * ("kill"), or that the power fails ("power"); FAIL_COUNT is a file to which the number
 * of calls is written at the end. From that call on every one fails if FAIL_ALL is set,
 * as on a disk that is full.
 *
 * When the power fails, files whose paths begin with FAIL_FILES are again as they were
 * last synced: what was written since is gone, and so is a file that never was synced. A
 * file that was removed is back if its folder was not synced since. The folder FAIL_KEPT
 * holds the synced states.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;

/* The next definition of a function: the C library's own. */
#define REAL(result, name, ...)             \
	static result (*real)(__VA_ARGS__); \
	if (!real)                          \
	*(void **)(&real) = dlsym(RTLD_NEXT, name)

#define FILES_MOST 16

/* A file that loses what was not synced. */
static struct file {
	char path[512], kept[512];
	int is_removed; /* and its folder is not synced since */
} files[FILES_MOST];
static int file_count;

/* By calls that are not counted. */
static void copy_file(const char *from, const char *to)
{
	char piece[65536];
	long size, in = syscall(SYS_openat, AT_FDCWD, from, O_RDONLY), out;

	if (in < 0)
		return;
	out = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	while ((size = syscall(SYS_read, in, piece, sizeof piece)) > 0)
		if (syscall(SYS_write, out, piece, size) != size)
			abort();
	syscall(SYS_close, in);
	syscall(SYS_close, out);
}

/* The file of a path, known from its first opening on; NULL: it loses nothing. */
static struct file *file_of(const char *path)
{
	const char *wanted = getenv("FAIL_FILES"), *kept = getenv("FAIL_KEPT");
	struct file *file;

	if (!wanted || !kept || fnmatch(wanted, path, 0) != 0)
		return NULL;
	for (int i = 0; i < file_count; i++)
		if (strcmp(files[i].path, path) == 0)
			return &files[i];
	if (file_count == FILES_MOST)
		abort();
	file = &files[file_count++];
	snprintf(file->path, sizeof file->path, "%s", path);
	snprintf(file->kept, sizeof file->kept, "%s/%d", kept, file_count);
	syscall(SYS_unlink, file->kept);
	copy_file(path, file->kept);
	return file;
}

static void keep_synced(int fd)
{
	char link[64], path[512];
	struct file *file;
	struct stat is;
	ssize_t len;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof path - 1);
	if (len < 0 || fstat(fd, &is) < 0)
		return;
	path[len] = '\0';
	if (S_ISDIR(is.st_mode)) {
		for (int i = 0; i < file_count; i++)
			if (files[i].is_removed)
				syscall(SYS_unlink, files[i].kept);
		return;
	}
	file = file_of(path);
	if (!file)
		return;
	file->is_removed = 0;
	copy_file(path, file->kept);
}

static void fail_power(void)
{
	for (int i = 0; i < file_count; i++) {
		syscall(SYS_unlink, files[i].path);
		copy_file(files[i].kept, files[i].path);
	}
}

static int is_wanted(const char *wanted, const char *call)
{
	if (strcmp(wanted, "change") == 0)
		return strcmp(call, "read") != 0 && strcmp(call, "open") != 0 &&
			strcmp(call, "close") != 0 && strcmp(call, "malloc") != 0;
	return strcmp(wanted, call) == 0;
}

static int is_failing(const char *call)
{
	const char *wanted = getenv("FAIL_CALL"), *at = getenv("FAIL_AT");
	const char *number = getenv("FAIL_ERRNO");
	long nth;

	if (!wanted || !is_wanted(wanted, call))
		return 0;
	calls++;
	nth = at ? atol(at) : 0;
	if (nth <= 0 || (getenv("FAIL_ALL") ? calls < nth : calls != nth))
		return 0;
	if (number && strcmp(number, "power") == 0)
		fail_power();
	if (number && (strcmp(number, "power") == 0 || strcmp(number, "kill") == 0))
		raise(SIGKILL);
	errno = number ? atoi(number) : EIO;
	return 1;
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("FAIL_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%ld\n", calls);
	fclose(file);
}

ssize_t read(int fd, void *to, size_t size)
{
	REAL(ssize_t, "read", int, void *, size_t);
	return is_failing("read") ? -1 : real(fd, to, size);
}

ssize_t pread64(int fd, void *to, size_t size, off64_t at)
{
	REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
	return is_failing("read") ? -1 : real(fd, to, size, at);
}

ssize_t write(int fd, const void *from, size_t size)
{
	REAL(ssize_t, "write", int, const void *, size_t);
	/* What is said on standard error is what the test wants to see. */
	return fd != 2 && is_failing("write") ? -1 : real(fd, from, size);
}

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at)
{
	REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
	return is_failing("write") ? -1 : real(fd, from, size, at);
}

int fsync(int fd)
{
	REAL(int, "fsync", int);
	if (is_failing("sync") || real(fd) < 0)
		return -1;
	keep_synced(fd);
	return 0;
}

int fdatasync(int fd)
{
	REAL(int, "fdatasync", int);
	if (is_failing("sync") || real(fd) < 0)
		return -1;
	keep_synced(fd);
	return 0;
}

int ftruncate64(int fd, off64_t size)
{
	REAL(int, "ftruncate64", int, off64_t);
	return is_failing("write") ? -1 : real(fd, size);
}

int rename(const char *from, const char *to)
{
	REAL(int, "rename", const char *, const char *);
	return is_failing("rename") ? -1 : real(from, to);
}

int unlink(const char *path)
{
	REAL(int, "unlink", const char *);
	struct file *file = file_of(path);

	if (is_failing("unlink") || real(path) < 0)
		return -1;
	if (file)
		file->is_removed = 1;
	return 0;
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	REAL(int, "open", const char *, int, ...);
	va_list ap;
	mode_t mode;

	file_of(path);
	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return is_failing("open") ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	REAL(int, "open64", const char *, int, ...);
	va_list ap;
	mode_t mode;

	file_of(path);
	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return is_failing("open") ? -1 : real(path, flags, mode);
}

/* A close that fails has closed all the same, as Linux does. */
int close(int fd)
{
	REAL(int, "close", int);
	int result = real(fd);

	return result == 0 && is_failing("close") ? -1 : result;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size)
{
	return is_failing("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return is_failing("malloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
	return is_failing("malloc") ? NULL : __libc_realloc(p, size);
}
