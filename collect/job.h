/*
 * To which job of a batch system a process belongs: what its environment says, or its
 * control group.
 * This room must not know who asks.
 */
#ifndef COLLECT_JOB_H
#define COLLECT_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#define JOB_VARIABLE "SLURM_JOB_ID"

/*
 * Says whether the process began with JOB_VARIABLE set to id, or is in a control group
 * below one named job_ID, as Slurm makes them. proc_fd: of /proc.
 */
bool job_has(int proc_fd, pid_t pid, const char *id);

#endif
