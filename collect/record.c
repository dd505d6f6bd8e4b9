/*
 * A sample under way: the marker with its clocks, then whole files of the kernel or
 * chosen lines of them. This room knows nothing of what the lines mean.
 */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void record_release(struct record *record)
{
	free(record->text);
	*record = (struct record){0};
}

/* Room for so many bytes more. */
static bool record_grow(struct record *record, size_t more)
{
	size_t capacity = record->capacity > 0 ? record->capacity : 4096;
	char *text;

	if (record->broken)
		return false;
	while (capacity - record->size < more)
		capacity *= 2;
	if (capacity == record->capacity)
		return true;
	text = realloc(record->text, capacity);
	record->broken = text == NULL;
	if (record->broken)
		return false;
	record->text = text;
	record->capacity = capacity;
	return true;
}

void record_printf(struct record *record, const char *format, ...)
{
	va_list arguments;
	int length;

	if (!record_grow(record, 256))
		return;
	va_start(arguments, format);
	length = vsnprintf(record->text + record->size, 256, format, arguments);
	va_end(arguments);
	if (length > 0)
		record->size += (size_t)(length < 256 ? length : 255);
}

void record_add(struct record *record, const char *text, size_t size)
{
	if (!record_grow(record, size))
		return;
	memcpy(record->text + record->size, text, size);
	record->size += size;
}

void record_begin(struct record *record, const struct instant *when)
{
	record->size = 0;
	record->broken = false;
	record_printf(record,
		"# t=%" PRId64 ".%09" PRId64 " mono=%" PRId64 ".%09" PRId64
		" boot=%" PRId64 ".%09" PRId64,
		when->real_ns / NS_PER_S, when->real_ns % NS_PER_S,
		when->mono_ns / NS_PER_S, when->mono_ns % NS_PER_S,
		when->boot_ns / NS_PER_S, when->boot_ns % NS_PER_S);
}

ssize_t record_again(struct record *record, int fd, enum record_pieces pieces)
{
	const size_t from = record->size;

	for (;;) {
		size_t room;
		ssize_t got = -1;

		errno = ENOMEM;
		if (record_grow(record, 2048)) {
			room = record->capacity - record->size;
			got = pread(fd, record->text + record->size, room,
				(off_t)(record->size - from));
			if (got < 0 && errno == EINTR)
				continue;
		}
		if (got < 0) {
			record->size = from;
			return -1;
		}
		record->size += (size_t)got;
		if (got == 0 || (pieces == RECORD_WHOLE && (size_t)got < room))
			return (ssize_t)(record->size - from);
	}
}

ssize_t record_file(
	struct record *record, int dir_fd, const char *path, enum record_pieces pieces)
{
	int why, fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t size;

	if (fd < 0)
		return -1;
	size = record_again(record, fd, pieces);
	why = errno;
	(void)close(fd);
	errno = why;
	return size;
}

static bool is_wanted(const char *line, size_t length, const char *const prefixes[])
{
	for (; *prefixes != NULL; prefixes++) {
		const char *prefix = *prefixes;
		size_t at = 0;

		/* Most differ in their first byte. */
		while (at < length && prefix[at] != '\0' && prefix[at] == line[at])
			at++;
		if (prefix[at] == '\0')
			return true;
	}
	return false;
}

void record_keep(struct record *record, size_t from, const char *const prefixes[])
{
	size_t kept = from, at = from;

	while (at < record->size) {
		const char *line = record->text + at;
		const char *newline = memchr(line, '\n', record->size - at);
		size_t length = newline != NULL ? (size_t)(newline - line) + 1
						: record->size - at;

		if (is_wanted(line, length, prefixes)) {
			memmove(record->text + kept, line, length);
			kept += length;
		}
		at += length;
	}
	record->size = kept;
}

void record_process(struct record *record, pid_t pid, pid_t thread, const char *name,
	const char *const prefixes[])
{
	const size_t before = record->size;
	char path[48];
	size_t from;

	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)thread, name);
	record_printf(record, "> %d/%s\n", (int)pid, name);
	from = record->size;
	if (record_file(record, AT_FDCWD, path, RECORD_WHOLE) <= 0)
		record->size = before;
	else if (prefixes != NULL)
		record_keep(record, from, prefixes);
}
