/*
 * A process that does not outlive who started it.
 * This room must not know what either does.
 */
#ifndef COLLECT_LIFELINE_H
#define COLLECT_LIFELINE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Of a process that `parent` forked: it gets this signal when that one ends. False: that
 * one has ended already, or the kernel does not send it: no signal will come.
 */
bool lifeline_tie(pid_t parent, int number);

#endif
