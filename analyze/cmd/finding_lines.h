/* A run's logs read once more, for the lines in which its findings stand. */
#ifndef CMD_FINDING_LINES_H
#define CMD_FINDING_LINES_H

#include "cmd/load.h"

/*
 * Fills `first` and `last` of the stretches of its findings. path: the operands that it
 * was loaded from. Where there are none, or the logs can't be read again, nothing.
 */
void finding_lines(struct loaded *loaded, const char *const *path, size_t path_count,
	const struct options *opt);

#endif
