/*
 * What host.log says once, of limits: those of the process that recorded, which are those
 * of the command; and whose boot, and which control group, it was. They become facts of
 * the run, as they stand there.
 */
#ifndef READ_HOST_FACTS_H
#define READ_HOST_FACTS_H

#include "model/run.h"
#include "read/host_groups.h"

/* A line of /proc/self/limits: the soft limit of what counts here. */
void host_fact_limit(struct run *run, struct span line);
/* A line of /proc/self/cgroup: the group of version 2, or that of memory. */
void host_fact_group(struct run *run, struct span line);
void host_fact_boot(struct run *run, struct span line);
/* "0-3,8": the processors of the innermost group that says so. */
void host_fact_cpus(struct run *run, struct span line);

/* The lowest limits of the groups. */
void host_fact_groups(struct run *run, const struct host_groups *groups);

#endif
