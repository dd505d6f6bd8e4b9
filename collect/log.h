/*
 * The files of a recording: logs that only grow, whole records or nothing, lines of
 * events.jsonl, and collect.pid. Knows nothing of what the logs hold.
 */
#ifndef COLLECT_LOG_H
#define COLLECT_LOG_H

#include "base.h"

/* Opens a regular file as openat() does, closed on exec. Follows no link and waits for no
 * pipe: another user may have put anything there. Else returns -1 with errno, ENXIO. */
int regular_open(int dir_fd, const char *name, int flags);

/* Closes it unless it is -1, which it is afterwards. errno stays. */
void fd_close(int *fd);

/* The text of that errno of regular_open and file_append. */
const char *file_why(int error);

/* Creates a file to append to; it must not exist, and no link is followed. Returns a
 * descriptor, or -1 with errno. */
int file_create(int dir_fd, const char *name);

/*
 * Appends one record, wholly or not at all. room: bytes that all logs together may still
 * take, below 0 once one found none; NULL: any number. Returns 0, or -1 with errno:
 * EOVERFLOW if there is no room, ESTALE if the file was removed.
 */
int file_append(int fd, int64_t *room, const char *record, size_t size);

/* One log of a recording. */
struct log {
	const char *name;
	int dir_fd; /* of the run directory */
	int fd; /* of its file; -1: not open */
	int64_t *room; /* as in file_append */
	int64_t least_ns; /* between two samples */
	struct ticker ticker; /* without ticks if nvidia-smi keeps the time */
	void (*take)(void *job); /* takes a sample; NULL if nvidia-smi does */
	void *job;
	int64_t program_cpu_ns; /* CPU time that its programs used */
	/* Of a vendor's program: */
	const char *state; /* "refused" or "failed" when it was tried; NULL: it is run */
	char said[128]; /* the last that it said of a failure, or "" */
	unsigned restarts;
	bool ready; /* its first sample is on disk */
	bool over; /* nothing more comes */
	bool told; /* the trouble is in events.jsonl */
	char trouble[256]; /* sentences for people, or "" */
};

/* Ends a log, and notes its trouble in events.jsonl; a full disk may take that later. */
void log_over(struct log *log);

/* Appends a record. On failure the log is over, its trouble says why, and -1 returns. */
int log_append(struct log *log, const char *record, size_t size);

/* Adds a sentence to the trouble; one that begins with a comma continues the last. */
__attribute__((format(printf, 2, 3))) void log_trouble(
	struct log *log, const char *format, ...);

/* Writes a line {..., "type":"recorder", "log":NAME, "state":STATE} into events.jsonl,
 * with keys and values up to a NULL; a value "" is left out. Returns 0, or -1: it is
 * lost. */
__attribute__((sentinel)) int log_note(const struct log *log, const char *state, ...);

/* One line of events.jsonl: built in memory, then appended with one write, as many
 * processes append to the file at once. */
struct event_line {
	FILE *out;
	char *text;
	size_t size;
};

/* {"ts":...,"mono":...,"boot":...,"type":... : the wall clock as RFC 3339, the others in
 * seconds. */
void event_line_begin(
	struct event_line *line, const struct instant *when, const char *type);
void event_line_text(struct event_line *line, const char *key, const char *value);

/* As a number, if it is one. */
void event_line_value(struct event_line *line, const char *key, const char *value);

/* Appends the line to events.jsonl in dir_fd. Returns 0, or -1 with errno. */
int event_line_append(struct event_line *line, int dir_fd);

/* collect.pid says who records there. The recorder holds a lock on it while it lives: so
 * a recording that died is known, also when another process has its id. */
#define LOCK_NAME "collect.pid"

struct lock {
	pid_t pid;
	bool held; /* the recording goes on */
	pid_t holder; /* of the lock; 0: no process that this one can see */
	bool alone; /* without a command: it may be told to stop */
	char host[256]; /* where it goes on */
};

/* Takes the lock of a new recording. Returns its descriptor, or -1 with errno. */
int lock_take(int dir_fd, bool alone);

/* Removes collect.pid, unless fd is -1: the recording has ended. */
void lock_drop(int dir_fd, int *fd);

/* Who records there. Returns 0, or -1 with errno: ENOENT if nobody does, EINVAL if the
 * file has another content. */
int lock_read(int dir_fd, struct lock *lock);

#endif
