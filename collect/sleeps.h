/*
 * Whether a process goes on that says nothing: one that loops goes to sleep again and
 * again, one that hangs no more.
 * This room must not know what the process is.
 */
#ifndef COLLECT_SLEEPS_H
#define COLLECT_SLEEPS_H

#include <sys/types.h>

/* How often it has gone to sleep in any of its threads; 0: not known. */
unsigned long long sleeps_of(pid_t pid);

#endif
