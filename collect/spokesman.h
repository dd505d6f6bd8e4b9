/*
 * Which thread the kernel's account of a process's memory is to be read from. Where the
 * first thread has ended before the others, the kernel answers for the process as for a
 * zombie: without memory. Any other of its threads has the same memory, and says it.
 * This room must not know who belongs to the tree.
 */
#ifndef COLLECT_SPOKESMAN_H
#define COLLECT_SPOKESMAN_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The thread of a process whose stat says text, of that size: its first one, unless that
 * has ended and another is at work.
 */
pid_t spokesman_of(int proc_fd, pid_t pid, const char *text, size_t size);

#endif
