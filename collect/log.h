/*
 * The files of a recording: logs that only grow, whole records or nothing, and lines of
 * events.jsonl. Knows nothing of what the logs hold.
 */
#ifndef COLLECT_LOG_H
#define COLLECT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "clock.h"

/*
 * Opens a regular file as openat() does, closed on exec; follows no link and waits for
 * nobody, as others may have put anything there: a pipe whose other end never comes, a
 * link to somewhere else. Returns a descriptor, or -1 with errno: ENXIO for what is no
 * regular file.
 */
int regular_open(int dir_fd, const char *name, int flags);

/* Has it no name any more? Or a directory. */
bool regular_is_removed(int fd);

/* Why that failed with this errno, for people. */
const char *regular_why(int error);

/* Is that error that the disk, or what may be had of it, is full? */
bool regular_is_no_room(int error);

struct raw_log {
	int fd; /* -1: not open */
	off_t size; /* of the whole records in it */
	int64_t *room; /* bytes that all logs together may still take, below 0 once one
			  found none; NULL: as many as there are */
};

/*
 * Creates the file name in the directory dir_fd; it must not exist, links are not
 * followed. Returns 0, or -1 with errno.
 */
int raw_log_create(struct raw_log *log, int dir_fd, const char *name);

/*
 * Appends one record. On a full disk the kernel writes what fits; that part is taken
 * back, so that the log ends with a whole record. Returns 0, or -1 with errno: EOVERFLOW
 * where there is no room for it, ESTALE where the file has been removed.
 */
int raw_log_append(struct raw_log *log, const char *record, size_t size);

void raw_log_close(struct raw_log *log);

/* One log of a recording. */
struct log {
	const char *name;
	int dir_fd; /* of the run directory */
	struct raw_log file;
	struct ticker ticker; /* without ticks where nvidia-smi keeps the time */
	void (*take)(void *job); /* a sample; NULL where nvidia-smi does */
	void *job;
	int64_t cpu_ns, program_cpu_ns; /* that it took here, and programs that it ran */
	bool ready; /* its first sample is on disk */
	bool over; /* nothing more comes */
	bool no_room; /* the disk was full */
	bool noted; /* the trouble stands in events.jsonl */
	char trouble[256]; /* sentences for people, or "" */
};

/* Appends as raw_log_append; where that fails the log is over, and its trouble says why.
 */
int log_append(struct log *log, const char *record, size_t size);

/* One sentence behind the other; one that begins with a comma goes on. */
__attribute__((format(printf, 2, 3))) void log_trouble(
	struct log *log, const char *format, ...);

/*
 * What happens to a log, as a line of events.jsonl: {..., "type":"recorder",
 * "log":NAME, "state":STATE}, and what belongs to the state. Nothing depends on it: a
 * disk that is full has no room for it either.
 */
void log_note(const struct log *log, const char *state);
void log_note_number(
	const struct log *log, const char *state, const char *key, long long value);
void log_note_text(
	const struct log *log, const char *state, const char *key, const char *value);

/*
 * One line of events.jsonl: made whole, then appended with one write, as many
 * processes append to it at once.
 */
struct event_line {
	FILE *out;
	char *text;
	size_t size;
};

/*
 * Writes {"ts":...,"mono":...,"boot":...,"type":... : the three clocks, the wall clock as
 * people write it, the others in seconds. Returns 0, or -1 with errno. Then one of the
 * two ends.
 */
int event_line_begin(
	struct event_line *line, const struct instant *when, const char *type);
void event_line_text(struct event_line *line, const char *key, const char *value);

/* Ends the line and appends it. Returns 0, or -1 with errno. */
int event_line_append(struct event_line *line, int dir_fd);
void event_line_drop(struct event_line *line);

#endif
