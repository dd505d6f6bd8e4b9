/*
 * Signals that collect reads from a descriptor instead of in handlers, and the
 * descriptors that it was started with. Knows nothing of who uses them.
 */
#ifndef COLLECT_SIGNALS_H
#define COLLECT_SIGNALS_H

#include <signal.h>

struct signals {
	int fd; /* a non-blocking signalfd */
	sigset_t before; /* the mask that collect was started with: COMMAND's */
};

/*
 * Blocks what collect forwards, and SIGCHLD, and lets them be read from fd. A fault of
 * its own ends it all the same: the kernel asks nobody. Returns 0, or -1 with errno.
 * Dispositions stay as they were (nohup's SIGHUP must reach COMMAND ignored), but for
 * SIGCHLD, which must not be ignored, else the kernel keeps no exit status.
 */
int signals_take(struct signals *signals);

/* The number of a signal that has asked collect to end, read from fd; 0 if none has. */
int signals_end_asked(const struct signals *signals);

/*
 * Stops this process as that signal does; returns when it is continued, or at once where
 * the kernel drops the signal, as no shell is left that could continue the process group.
 */
void signals_stop(int number);

/*
 * Ends this process as that signal does, so that whoever waits sees what he would have
 * seen of COMMAND; without a core of its own. Returns where it can't: the first process
 * of a container is spared.
 */
void signals_die(int number);

/*
 * The descriptors that collect was started with. They are COMMAND's: a pipe that it
 * closes is to end, a lock that it gives back is to be free.
 */

/*
 * A standard stream that is closed would be taken by the next file that we open, and what
 * is meant for people would go into a log. The null device keeps the place; as it is
 * closed on exec, COMMAND gets the stream as closed as it was. Returns 0, or -1 with
 * errno.
 */
int streams_hold(void);

/*
 * For the process that waits for COMMAND: lets go of all but standard error, kept for a
 * last sentence, and regular files, as closing one gives back the locks on it.
 */
void streams_let_go(void);

/*
 * For a child: lets go of all. In place of the standard streams is the null device.
 * Returns 0, or -1 with errno.
 */
int streams_leave(void);

#endif
