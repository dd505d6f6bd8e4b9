/*
 * Opens a run directory and what lies in it, where others may have put anything: a pipe
 * whose other end never comes, a link to somewhere else. This room knows nothing of what
 * is in a file.
 */
#ifndef COLLECT_REGULAR_H
#define COLLECT_REGULAR_H

#include <stdbool.h>

/*
 * Opens a regular file as openat() does, closed on exec; follows no link and waits for
 * nobody. Returns a descriptor, or -1 with errno: ENXIO for what is no regular file.
 */
int regular_open(int dir_fd, const char *name, int flags);

/*
 * Opens a directory to write into. A link to one is followed only where it was made by
 * who follows it, outside of directories in which everybody may make links: else another
 * chooses where the files go. Returns a descriptor, or -1 with errno: ELOOP for such a
 * link.
 */
int directory_open(const char *path);

/* Does what is in the file end without a newline? */
bool regular_is_torn(int fd);

/* Has it no name any more? Or a directory. */
bool regular_is_removed(int fd);

/* Why that failed with this errno, for people. */
const char *regular_why(int error);

/* Is that error that the disk, or what may be had of it, is full? */
bool regular_is_no_room(int error);

#endif
