/*
 * Which files of the kernel tell what this machine does, and what this user may have of
 * it.
 * This room knows nothing of how they are recorded.
 */
#ifndef COLLECT_HOST_FILES_H
#define COLLECT_HOST_FILES_H

#include <stddef.h>

/* Memory: the lines of /proc/meminfo that change. */
extern const char *const meminfo_lines[];

/*
 * Load, pressure, disks, network, the control groups that we are in; and energy, where it
 * may be read. NULL-terminated; the caller owns it. NULL: no memory.
 */
char **host_files(void);
/* What does not change as a rule: limits, control groups. Likewise. */
char **limit_files(void);

#endif
