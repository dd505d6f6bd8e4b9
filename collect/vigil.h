/*
 * Waits where no COMMAND is started: for the end of a process that runs already, or for
 * somebody who says that it is enough.
 * This room knows nothing of recordings.
 */
#ifndef COLLECT_VIGIL_H
#define COLLECT_VIGIL_H

#include "signals.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * A descriptor that can be read when the process has ended. Returns -1 with errno: ESRCH
 * if there is none, EINVAL if it is a thread of another one, ENOSYS or others where the
 * kernel gives none, which vigil_keep can do without.
 */
int vigil_open(pid_t pid);

/*
 * Returns when the process has ended, or a signal asks to end. fd: of vigil_open, or -1.
 * Calls others(context) at first and where a child may have ended meanwhile, and returns
 * where that says false.
 */
void vigil_keep(int fd, pid_t pid, const struct signals *signals, bool (*others)(void *),
	void *context);

#endif
