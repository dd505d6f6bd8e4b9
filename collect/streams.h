/*
 * The descriptors that collect was started with. They are COMMAND's: a pipe that it
 * closes is to end, a lock that it gives back is to be free.
 * This room knows nothing of who lets go of them.
 */
#ifndef COLLECT_STREAMS_H
#define COLLECT_STREAMS_H

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
