/*
 * Samples of the kernel's files that describe the load of the host. Must not know what
 * the numbers mean, nor of COMMAND.
 */
#ifndef COLLECT_HOST_H
#define COLLECT_HOST_H

#include <glob.h>

#include "base.h"
#include "log.h"

/* A sample under way, or what else is read of the kernel: the marker with its clocks,
 * then files of the kernel or chosen lines of them, which are written at once. Zeroed is
 * empty; the caller frees the text.
 */
struct record {
	char *text;
	size_t size, capacity;
};

/* Begins anew, with "# t=... mono=... boot=..."; the caller ends the line. */
void record_begin(struct record *record, const struct instant *when);

__attribute__((format(printf, 2, 3))) void record_printf(
	struct record *record, const char *format, ...);

void record_add(struct record *record, const char *text, size_t size);

/* How the kernel gives a file. */
enum record_pieces {
	RECORD_PIECES, /* record by record: it has ended when nothing comes any more */
	RECORD_WHOLE /* what leaves room in a read is all (single_open in its sources) */
};

/* Appends what an open file says from its begin. Returns the bytes, or -1 with errno;
 * then nothing was appended. */
ssize_t record_again(struct record *record, int fd, enum record_pieces pieces);

/* A file whose samples follow one another. */
struct record_file {
	int dir_fd;
	const char *path;
	enum record_pieces pieces;
	const char *const *lines; /* how those begin that are kept; NULL: all are */
	bool marked; /* "> PATH" comes before it */
	int kept_below; /* a higher descriptor is closed: others need some, too */
};

/*
 * Appends the file, which stays open: that costs half as much to read the next time, or a
 * third. fd: its descriptor; -1: not open. Returns its bytes, or -1: nothing is appended.
 */
ssize_t record_file(struct record *record, const struct record_file *file, int *fd);

/* The logs of the whole machine. */
enum host_log {
	STAT_LOG,
	MEMINFO_LOG,
	HOST_LOG,
	HOST_LOGS
};

struct host_job {
	struct log log;
	enum host_log kind;
	glob_t file; /* what it reads */
	size_t first; /* the files before this one are read by the first sample alone */
	int *fd; /* of each, kept open for the next sample; -1: not open */
	int kept_below; /* others need descriptors, too: a higher one is closed */
	struct record record;
};

/* Opens a log, which takes the samples. The caller creates its file. */
void host_job_open(struct host_job *job, enum host_log kind);

#endif
