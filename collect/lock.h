/*
 * collect.pid in a run directory says who records there. The recorder holds a lock on it
 * for as long as it lives: so a recording that died is known, also when another process
 * has its id.
 */
#ifndef COLLECT_LOCK_H
#define COLLECT_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

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
