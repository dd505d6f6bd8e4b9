/*
 * Which logs of the whole machine a recording has.
 * This room must not know how they are recorded.
 */
#ifndef COLLECT_HOST_LOGS_H
#define COLLECT_HOST_LOGS_H

#include "plan.h"
#include "record_proc.h"

enum host_log {
	STAT_LOG,
	MEMINFO_LOG,
	HOST_LOG,
	HOST_LOGS
};

const char *host_log_name(enum host_log log);

/*
 * Fills the job of a log in, but for the log itself. Its lists are the caller's for as
 * long as the process lives: the recorder may have to be started anew. Returns 0, or -1
 * with errno.
 */
int host_log_plan(enum host_log log, struct proc_job *job, const struct plan *plan);

#endif
