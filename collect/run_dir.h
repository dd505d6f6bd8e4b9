/*
 * The directory of a new recording. It appears under its name when there is something in
 * it to be read: so does each that a killed recording leaves.
 * This room knows nothing of what is in it.
 */
#ifndef COLLECT_RUN_DIR_H
#define COLLECT_RUN_DIR_H

#include <stdbool.h>

/* ".collect-" and 16 digits. */
#define RUN_DIR_HIDDEN 26

struct run_dir {
	int fd; /* -1: none */
	const char *path; /* the caller's */
	int parent_fd;
	char hidden[RUN_DIR_HIDDEN]; /* its name in the parent; "": it is shown */
	bool made; /* it was not there before */
};

/*
 * Makes it beside its place, under a name that starts with a point, and the directories
 * above it where they are missing. One that is there already, empty, is taken as it is.
 * Returns 0, or -1 with errno: ELOOP for a link that may not be followed
 * (directory_open).
 */
int run_dir_make(struct run_dir *dir, const char *path);

/*
 * Gives it its name. Returns 0, or -1 with errno: EEXIST where somebody else has made
 * that directory meanwhile.
 */
int run_dir_show(struct run_dir *dir);

/* Removes what is in it, and it where it was made. */
void run_dir_withdraw(struct run_dir *dir);

/* One that was never shown is withdrawn. */
void run_dir_close(struct run_dir *dir);

#endif
