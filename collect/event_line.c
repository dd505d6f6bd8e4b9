/*
 * One line of events.jsonl: made whole, then appended with one write.
 * This room knows nothing of what happens.
 */
#include "event_line.h"

#include "jsonout.h"
#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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
	(void)fputc('\n', line->out);
	(void)fprintf(line->out, "{\"ts\":\"%s\"", text);
	clock_print(line->out, "mono", when->mono_ns);
	clock_print(line->out, "boot", when->boot_ns);
	(void)fputs(",\"type\":", line->out);
	json_string(line->out, type);
	return 0;
}

void event_line_text(struct event_line *line, const char *key, const char *value)
{
	(void)fputc(',', line->out);
	json_string(line->out, key);
	(void)fputc(':', line->out);
	json_string(line->out, value);
}

void event_line_number(struct event_line *line, const char *key, long long value)
{
	(void)fputc(',', line->out);
	json_string(line->out, key);
	(void)fprintf(line->out, ":%lld", value);
}

/*
 * Does the line before end without a newline, and is nobody at work on it? Another's
 * write is seen in part while it crosses from one page of the file into the next.
 */
static bool is_torn(int fd)
{
	const struct timespec moment = {.tv_nsec = NS_PER_S / 1000};

	for (int looks = 0; regular_is_torn(fd); looks++) {
		if (looks == 50)
			return true;
		(void)nanosleep(&moment, NULL);
	}
	return false;
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
