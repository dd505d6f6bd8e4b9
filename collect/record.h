/*
 * A sample under way: the marker with its clocks, then whole files of the kernel or
 * chosen lines of them, in one piece of memory that is written at once. This room knows
 * nothing of what the lines mean.
 */
#ifndef COLLECT_RECORD_H
#define COLLECT_RECORD_H

#include "clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Zeroed is empty. */
struct record {
	char *text;
	size_t size, capacity;
	bool broken; /* no memory: what follows is left out */
};

void record_release(struct record *record);

/* Begins anew, with "# t=... mono=... boot=..." of that time; the caller ends the line.
 */
void record_begin(struct record *record, const struct instant *when);

__attribute__((format(printf, 2, 3))) void record_printf(
	struct record *record, const char *format, ...);

void record_add(struct record *record, const char *text, size_t size);

/* How the kernel gives a file. */
enum record_pieces {
	RECORD_PIECES, /* record by record: it has ended when nothing comes any more */
	RECORD_WHOLE /* what leaves room in a read is all (single_open in its sources) */
};

/*
 * Appends what the file at path, relative to dir_fd, says, to the last byte. Returns its
 * length, or -1 with errno; then nothing was appended.
 */
ssize_t record_file(
	struct record *record, int dir_fd, const char *path, enum record_pieces pieces);

/* The same of a file that stays open, from its begin. */
ssize_t record_again(struct record *record, int fd, enum record_pieces pieces);

/*
 * Appends "> PID/NAME" and what that file of a process says, which the kernel gives
 * whole: all of it, or the lines that begin with one of the NULL-terminated prefixes.
 * Nothing, where it can't be read. It is read of that thread of the process.
 */
void record_process(struct record *record, pid_t pid, pid_t thread, const char *name,
	const char *const prefixes[]);

/*
 * Of what was appended from the offset on, keeps the lines that begin with one of the
 * NULL-terminated prefixes.
 */
void record_keep(struct record *record, size_t from, const char *const prefixes[]);

#endif
