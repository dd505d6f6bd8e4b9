/*
 * A library to be preloaded: makes one call of one function of the system fail, so that a
 * test can see what a program does about it. FAIL_CALL names the function (read, write,
 * sync, close, open, rename, unlink), or "change" all that change a file. FAIL_AT says
 * which call from 1 on, FAIL_ERRNO the error, or that the program is killed there
 * ("kill"); FAIL_COUNT is a file to which the number of calls is written at the end. From
 * that call on every one fails if FAIL_ALL is set, as on a disk that is full.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;

static int is_wanted(const char *wanted, const char *call)
{
	if (strcmp(wanted, "change") == 0)
		return strcmp(call, "read") != 0 && strcmp(call, "open") != 0 &&
			strcmp(call, "close") != 0;
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
	if (number && strcmp(number, "kill") == 0)
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

/* The next definition of a function: the C library's own. */
#define REAL(result, name, ...)             \
	static result (*real)(__VA_ARGS__); \
	if (!real)                          \
	*(void **)(&real) = dlsym(RTLD_NEXT, name)

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
	return is_failing("sync") ? -1 : real(fd);
}

int fdatasync(int fd)
{
	REAL(int, "fdatasync", int);
	return is_failing("sync") ? -1 : real(fd);
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
	return is_failing("unlink") ? -1 : real(path);
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
