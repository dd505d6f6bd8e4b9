/*
 * Becomes an nvidia-smi whose output is recorded.
 * This room must not know what it prints.
 */
#ifndef COLLECT_SMI_CHILD_H
#define COLLECT_SMI_CHILD_H

#include <sys/types.h>

/*
 * Of a process that was forked by `parent`: runs argv[0], in a process group of its own,
 * with these two for its output; it dies with its parent.
 */
_Noreturn void smi_become(char *const argv[], int out_fd, int err_fd, pid_t parent);

#endif
