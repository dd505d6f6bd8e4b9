/*
 * A command that runs without a recording, as the disk is full: that is no reason not to
 * do the work.
 */
#ifndef COLLECT_UNRECORDED_H
#define COLLECT_UNRECORDED_H

#include "signals.h"

/* Says so, and why, and runs it. Ends as it has ended, or returns the exit status. */
int unrecorded_run(const char *why, char *const argv[], const struct signals *signals);

#endif
