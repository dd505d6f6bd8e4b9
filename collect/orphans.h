/*
 * Processes whose parent has ended before them, as what becomes a daemon: they become
 * this process's children instead of process 1's, for as long as it lives. So they stay
 * in the tree, and what the kernel knows of each at its end is told before it is
 * forgotten: CPU time and bytes, its last as well as those of a process that came and
 * went between two samples.
 * This room must not know what is recorded of them.
 */
#ifndef COLLECT_ORPHANS_H
#define COLLECT_ORPHANS_H

#include "record.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct orphans {
	int children_fd; /* the kernel's list of them; -1: it has none, and they go to
			    process 1 as ever */
	int told_fd, heard_fd; /* a pipe; -1: nothing can be told */
	struct record record;
};

/* Becomes who they come to, unless there is a terminal, to which that makes a difference.
 */
void orphans_adopt(struct orphans *orphans);
void orphans_release(struct orphans *orphans);

/* What a child of this process is. */
enum child {
	CHILD_AWAITED, /* somebody else waits for it */
	CHILD_STRAY, /* nobody does, or wants to know of it */
	CHILD_ORPHAN
};

/* Buries strays and orphans that have ended, and tells of each of the latter. */
void orphans_bury(
	struct orphans *orphans, enum child (*child_is)(void *, pid_t), void *context);

/* Tells of a child that has ended and is buried by somebody else, later. */
void orphans_tell(struct orphans *orphans, pid_t pid);

/* Fits into a pipe's atomic write. */
#define OBITUARY_SIZE 3072

/* What is told of one, from another process. */
struct obituary {
	pid_t pid;
	size_t size, usage_size; /* of all, of the first file */
	char text[OBITUARY_SIZE]; /* "> PID/FILE" over the kernel's lines: rusage (in
				     s and kB), stat, io */
};

/* The next one; false: there is none yet. */
bool orphans_hear(int heard_fd, struct obituary *obituary);

#endif
