/*
 * Becomes a process of its own, of which its starter waits only until it is under way.
 * This room knows nothing of what it does there.
 */
#ifndef COLLECT_BACKGROUND_H
#define COLLECT_BACKGROUND_H

/*
 * Forks. The starter does not return: it exits with 0 once background_ready is called
 * with what this returns, or with EXIT_COLLECT when the process ends before. Standard
 * error is kept until then. Returns -1 with errno where it can't.
 */
int background_begin(void);
void background_ready(int fd);

#endif
