/*
 * The host: facts for the manifest, the kernel's files that describe its load, and the
 * recorder that samples them. Must not know what the numbers mean, nor of COMMAND.
 */
#ifndef COLLECT_HOST_H
#define COLLECT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan.h"
#include "recorder.h"
#include "run_dir.h"
#include "ticker.h"

/* Texts are "" and numbers -1 where the machine doesn't say. */
struct host {
	char name[256];
	char kernel[512]; /* "Linux 6.1.0-18-amd64 x86_64" */
	char os[256]; /* PRETTY_NAME of os-release */
	char cpu_model[256];
	char timezone[256]; /* "Europe/Berlin", else an offset as "+01:00" */
	char cpus_allowed[256]; /* to us, and so to COMMAND: "0-3,8" */
	long cpu_count; /* on line */
	long long mem_total_kib;
};

void host_read(struct host *host);

/* Records files of the kernel, as they are, at equal distances of time. */

struct proc_job {
	struct raw_log log;
	int64_t interval_ns;
	const char *const *file; /* absolute paths; NULL-terminated. One that can't be
				    read is left out */
	const char *const *once; /* likewise, of the first sample; NULL: none */
	const char *const *line; /* how the lines begin that are kept; NULL: all are */
	bool named; /* "> PATH" stands before each file */
	bool whole; /* it is one file, which the kernel gives whole, and stays open */
};

/* A recorder's body; job is a struct proc_job. */
recorder_body record_proc;

/* Which logs of the whole machine a recording has. */

enum host_log {
	STAT_LOG,
	MEMINFO_LOG,
	HOST_LOG,
	HOST_LOGS
};

const char *host_log_name(enum host_log log);

/*
 * Fills the job of a log in, but for the log itself. Its lists are the caller's for as
 * long as the process lives: the recorder may have to be started anew. Returns 0, or -1
 * with errno.
 */
int host_log_plan(enum host_log log, struct proc_job *job, const struct plan *plan);

/*
 * A sample under way: the marker with its clocks, then whole files of the kernel or
 * chosen lines of them, in one piece of memory that is written at once.
 */

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
