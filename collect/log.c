/* Logs that only grow, lines of events.jsonl, and who records. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
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
	if (fstat(fd, &what) != 0 || !S_ISREG(what.st_mode)) {
		fd_close(&fd);
		errno = ENXIO;
	}
	return fd;
}

void fd_close(int *fd)
{
	const int why = errno;

	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
	errno = why;
}

const char *file_why(int error)
{
	switch (error) {
	case ENXIO:
		return "it is not a regular file";
	case ESTALE:
		return "the log was removed";
	case EOVERFLOW:
		return "the recording has reached its --max-size";
	}
	return strerror(error);
}

int file_create(int dir_fd, const char *name)
{
	return openat(dir_fd, name,
		O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int file_append(int fd, int64_t *room, const char *record, size_t size)
{
	size_t done = 0;
	struct stat before;
	int why;

	/* Once a record finds no room a smaller one finds none either: all logs end. */
	if (room != NULL)
		*room = *room < (int64_t)size ? -1 : *room - (int64_t)size;
	if (room != NULL && *room < 0) {
		errno = EOVERFLOW;
		return -1;
	}
	if (fstat(fd, &before) != 0)
		return -1;
	if (before.st_nlink == 0) {
		errno = ESTALE;
		return -1;
	}
	/* After a short write the next one says why it was short. */
	while (done < size) {
		ssize_t written = write(fd, record + done, size - done);

		if (written < 0)
			break;
		done += (size_t)written;
	}
	if (done == size)
		return 0;
	why = errno;
	if (done == 0 || ftruncate(fd, before.st_size) == 0)
		errno = why;
	return -1;
}

void log_trouble(struct log *log, const char *format, ...)
{
	const size_t used = strlen(log->trouble), room = sizeof log->trouble - used;
	const char *between = used > 0 && format[0] != ',' ? "; " : "";
	va_list arguments;
	char text[200];

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	(void)snprintf(log->trouble + used, room, "%s%s", between, text);
}

void log_over(struct log *log)
{
	if (log->trouble[0] != '\0' && !log->told)
		log->told = log_note(log, "trouble", "message", log->trouble, NULL) == 0;
	log->over = true;
}

int log_append(struct log *log, const char *record, size_t size)
{
	if (file_append(log->fd, log->room, record, size) == 0)
		return 0;
	log_trouble(log, "ends early: %s", file_why(errno));
	log_over(log);
	return -1;
}

int log_note(const struct log *log, const char *state, ...)
{
	struct event_line line;
	struct instant now;
	va_list pairs;
	const char *key;

	instant_now(&now);
	event_line_begin(&line, &now, "recorder");
	event_line_text(&line, "log", log->name);
	event_line_text(&line, "state", state);
	va_start(pairs, state);
	while ((key = va_arg(pairs, const char *)) != NULL) {
		const char *value = va_arg(pairs, const char *);

		if (*value != '\0')
			event_line_value(&line, key, value);
	}
	va_end(pairs);
	return event_line_append(&line, log->dir_fd);
}

static void clock_print(FILE *out, const char *key, int64_t ns)
{
	(void)fprintf(
		out, ",\"%s\":%" PRId64 ".%09" PRId64, key, ns / NS_PER_S, ns % NS_PER_S);
}

void event_line_begin(
	struct event_line *line, const struct instant *when, const char *type)
{
	char text[RFC3339_SIZE];

	line->out = memory_stream(&line->text, &line->size);
	clock_rfc3339(when->real_ns, text);
	/* The newline is written only where the line before has none. */
	(void)fprintf(line->out, "\n{\"ts\":\"%s\"", text);
	clock_print(line->out, "mono", when->mono_ns);
	clock_print(line->out, "boot", when->boot_ns);
	event_line_text(line, "type", type);
}

void event_line_text(struct event_line *line, const char *key, const char *value)
{
	(void)fputc(',', line->out);
	json_string(line->out, key);
	(void)fputc(':', line->out);
	json_string(line->out, value);
}

void event_line_value(struct event_line *line, const char *key, const char *value)
{
	if (!json_is_number(value)) {
		event_line_text(line, key, value);
		return;
	}
	(void)fputc(',', line->out);
	json_string(line->out, key);
	(void)fprintf(line->out, ":%s", value);
}

/* Does the file end within a line? That was cut by a kill or a full disk, or another
 * process is writing it: then the newline before ours leaves an empty line. */
static bool ends_in_line(int fd)
{
	struct stat file;
	char last;

	return fstat(fd, &file) == 0 && file.st_size > 0 &&
		pread(fd, &last, 1, file.st_size - 1) == 1 && last != '\n';
}

/* With one write: O_APPEND keeps it apart from those of others. */
static int append(int dir_fd, const char *text, size_t size)
{
	int fd = regular_open(dir_fd, "events.jsonl", O_RDWR | O_APPEND | O_CREAT);
	struct stat file;
	ssize_t written;
	int why;

	if (fd < 0)
		return -1;
	if (!ends_in_line(fd)) {
		text++;
		size--;
	}
	written = write(fd, text, size);
	why = written < 0 ? errno : ENOSPC;
	/* A full disk gives a name and no bytes: that would be no log. */
	if (written < 0 && fstat(fd, &file) == 0 && file.st_size == 0)
		(void)unlinkat(dir_fd, "events.jsonl", 0);
	fd_close(&fd);
	errno = why;
	return written == (ssize_t)size ? 0 : -1;
}

int event_line_append(struct event_line *line, int dir_fd)
{
	int failed, why;

	(void)fputs("}\n", line->out);
	failed = fclose(line->out);
	if (failed == 0)
		failed = append(dir_fd, line->text, line->size);
	why = errno;
	free(line->text);
	errno = why;
	return failed;
}

/* It is made under this name, so that nobody sees it without its lock and its text. */
#define NEW_NAME LOCK_NAME ".new"

#define ALONE "alone"

/* A lock of a process, not of its children, of which the kernel says whose it is. A write
 * lock: nobody but the owner of the file can take that. */
#define LOCK_OF(type)                                  \
	{                                              \
		.l_type = (type), .l_whence = SEEK_SET \
	}

int lock_take(int dir_fd, bool alone)
{
	int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir_fd, NEW_NAME, flags, 0644);
	struct flock lock = LOCK_OF(F_WRLCK);
	struct utsname names;
	char text[512];
	int length;

	if (fd < 0)
		return -1;
	if (uname(&names) != 0)
		names.nodename[0] = '\0';
	length = snprintf(text, sizeof text, "%d %s %s\n", (int)getpid(),
		alone ? ALONE : "around", names.nodename);
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
	struct flock other = LOCK_OF(F_RDLCK);
	char text[512], how[16] = "";
	struct stat file = {.st_nlink = 0};
	ssize_t got;
	int pid = 0;

	*lock = (struct lock){0};
	if (fd < 0)
		return -1;
	/* To take a lock would hinder a recording that begins. */
	if (fcntl(fd, F_GETLK, &other) != 0) {
		fd_close(&fd);
		return -1; /* nobody can tell */
	}
	lock->held = other.l_type != F_UNLCK;
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
