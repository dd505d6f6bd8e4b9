/*
 * collect.pid in a run directory: who records there, and whether it still does. The
 * recorder holds a lock on it for as long as it lives, so that a pid which another
 * process has by now deceives nobody. This room knows nothing of recordings.
 */
#ifndef COLLECT_LOCK_H
#define COLLECT_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#define LOCK_NAME "collect.pid"

struct lock {
	pid_t pid;
	bool held; /* the recording goes on */
	pid_t holder; /* the process that does it; 0: none that can be seen from here */
	bool packing; /* it has ended; its logs are being compressed */
	bool alone; /* without a command: it may be told to stop */
	char host[256]; /* where it goes on */
};

/*
 * Takes the lock of a new recording, and keeps it for as long as the process lives.
 * Returns its descriptor, or -1 with errno.
 */
int lock_take(int dir_fd, bool alone);

/* Says that the recording has ended and its logs are being compressed. */
void lock_packing(int fd);

/* Gives it up: the recording has ended. */
void lock_drop(int dir_fd, int *fd);

/* Who records there. Returns 0, or -1 with errno: ENOENT where nobody does. */
int lock_read(int dir_fd, struct lock *lock);

#endif
