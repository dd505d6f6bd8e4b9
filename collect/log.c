/*
 * Logs that only grow, lines of events.jsonl.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

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

bool regular_is_removed(int fd)
{
	struct stat what;

	return fstat(fd, &what) == 0 && what.st_nlink == 0;
}

const char *regular_why(int error)
{
	return error == ENXIO ? "it is no regular file" : strerror(error);
}

bool regular_is_no_room(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EOVERFLOW;
}

int raw_log_create(struct raw_log *log, int dir_fd, const char *name)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	*log = (struct raw_log){.fd = openat(dir_fd, name, flags, 0666)};
	return log->fd < 0 ? -1 : 0;
}

/* Once there is no room for a record, no log may take a smaller one: all end together. */
static bool has_room(struct raw_log *log, size_t size)
{
	if (log->room == NULL)
		return true;
	if (*log->room >= (int64_t)size) {
		*log->room -= (int64_t)size;
		return true;
	}
	*log->room = -1;
	errno = EOVERFLOW;
	return false;
}

static bool is_removed(struct raw_log *log)
{
	if (!regular_is_removed(log->fd))
		return false;
	errno = ESTALE;
	return true;
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
	if (log->fd >= 0)
		(void)close(log->fd);
	log->fd = -1;
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

static const char *append_why(int error)
{
	if (error == ESTALE)
		return "the log was removed";
	return error == EOVERFLOW ? "the recording has reached its --max-size"
				  : strerror(error);
}

int log_append(struct log *log, const char *record, size_t size)
{
	if (raw_log_append(&log->file, record, size) == 0)
		return 0;
	log->over = true;
	log->no_room = regular_is_no_room(errno);
	log_trouble(log, "ends early: %s", append_why(errno));
	return -1;
}

static void note(const struct log *log, const char *state, const char *key,
	const char *text, long long number)
{
	struct event_line line;
	struct instant now;

	instant_now(&now);
	if (event_line_begin(&line, &now, "recorder") != 0)
		return;
	event_line_text(&line, "log", log->name);
	event_line_text(&line, "state", state);
	if (text != NULL)
		event_line_text(&line, key, text);
	else if (key != NULL)
		(void)fprintf(line.out, ",\"%s\":%lld", key, number);
	(void)event_line_append(&line, log->dir_fd);
}

void log_note(const struct log *log, const char *state)
{
	note(log, state, NULL, NULL, 0);
}

void log_note_number(
	const struct log *log, const char *state, const char *key, long long value)
{
	note(log, state, key, NULL, value);
}

void log_note_text(
	const struct log *log, const char *state, const char *key, const char *value)
{
	note(log, state, key, value, 0);
}

static void clock_print(FILE *out, const char *key, int64_t ns)
{
	(void)fprintf(
		out, ",\"%s\":%" PRId64 ".%09" PRId64, key, ns / NS_PER_S, ns % NS_PER_S);
}

int event_line_begin(
	struct event_line *line, const struct instant *when, const char *type)
{
	char text[RFC3339_SIZE];

	line->text = NULL;
	line->out = open_memstream(&line->text, &line->size);
	if (line->out == NULL)
		return -1;
	clock_rfc3339(when->real_ns, text);
	/* Should the line before it be torn. */
	(void)fprintf(line->out, "\n{\"ts\":\"%s\"", text);
	clock_print(line->out, "mono", when->mono_ns);
	clock_print(line->out, "boot", when->boot_ns);
	event_line_text(line, "type", type);
	return 0;
}

void event_line_text(struct event_line *line, const char *key, const char *value)
{
	(void)fputc(',', line->out);
	json_string(line->out, key);
	(void)fputc(':', line->out);
	json_string(line->out, value);
}

/*
 * Does the line before end without a newline, and is nobody at work on it? Another's
 * write is seen in part while it crosses from one page of the file into the next.
 */
static bool is_torn(int fd)
{
	const struct timespec moment = {.tv_nsec = NS_PER_MS};
	struct stat file;
	char last;

	for (int looks = 0; looks < 50; looks++) {
		if (fstat(fd, &file) != 0 || file.st_size == 0 ||
			pread(fd, &last, 1, file.st_size - 1) != 1 || last == '\n')
			return false;
		(void)nanosleep(&moment, NULL);
	}
	return true;
}

/* Without the newline that text begins with, where there is no need for it. O_APPEND
 * keeps each write whole and apart from the others. */
static int append(int dir_fd, const char *text, size_t size)
{
	int why, fd = regular_open(dir_fd, "events.jsonl", O_RDWR | O_APPEND | O_CREAT);
	ssize_t written;

	if (fd < 0)
		return -1;
	if (!is_torn(fd)) {
		text++;
		size--;
	}
	written = write(fd, text, size);
	why = written < 0 ? errno : ENOSPC;
	(void)close(fd);
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
	return failed == 0 ? 0 : -1;
}

void event_line_drop(struct event_line *line)
{
	(void)fclose(line->out);
	free(line->text);
}
