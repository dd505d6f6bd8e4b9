/*
 * The run directory, compression of its logs, collect.pid. Knows nothing of what is in
 * the files.
 */
#ifndef COLLECT_RUN_DIR_H
#define COLLECT_RUN_DIR_H

#include <stdbool.h>
#include <sys/types.h>

struct run_dir {
	int fd; /* -1: none */
	const char *path; /* the caller's */
	bool made; /* it was not there before */
};

/* Makes the directory at that path, or uses the one that is there. Returns 0, or -1 with
 * errno. */
int run_dir_make(struct run_dir *dir, const char *path);

/* Removes the directory if it was made, and nobody put a file there. Closes it. */
void run_dir_withdraw(struct run_dir *dir);

/*
 * Replaces the log NAME in dir_fd by NAME.gz, which the program gzip makes. At any moment
 * one of the two is there, complete. Returns 0; or -1, then NAME is as before.
 */
int compress_log(int dir_fd, const char *name, char *gzip);

/*
 * collect.pid in a run directory says who records there. The recorder holds a lock on it
 * for as long as it lives: so a recording that died is known, also when another process
 * has its id.
 */
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
