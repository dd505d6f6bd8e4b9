/*
 * Compresses a log that has ended, beside it first: at any moment there is one of the two
 * whole.
 * This room knows nothing of what is in it.
 */
#ifndef COLLECT_COMPRESS_H
#define COLLECT_COMPRESS_H

#include "signals.h"

/*
 * Puts NAME.gz, made by the program gzip, in the place of NAME in dir_fd. Returns 0, or
 * -1; then NAME is as it was, and errno is EINTR where a signal has asked collect to end.
 */
int compress_log(
	int dir_fd, const char *name, const char *gzip, const struct signals *signals);

#endif
