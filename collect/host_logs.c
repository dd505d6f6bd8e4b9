/*
 * Which logs of the whole machine a recording has.
 * This room must not know how they are recorded.
 */
#include "host_logs.h"

#include "clock.h"
#include "host_files.h"

#include <errno.h>
#include <stddef.h>

/* How often the host's other files are recorded at most: they are many lines. */
#define HOST_LEAST_NS (1 * NS_PER_S)

static const char *const stat_file[] = {"/proc/stat", NULL};
/* The "intr" line behind those of the CPUs alone is longer than all of them. */
static const char *const stat_line[] = {"cpu", NULL};
static const char *const meminfo_file[] = {"/proc/meminfo", NULL};

static const struct {
	const char *name;
	const char *const *file, *const *line;
} host_logs[HOST_LOGS] = {
	[STAT_LOG] = {"proc-stat.log", stat_file, stat_line},
	[MEMINFO_LOG] = {"meminfo.log", meminfo_file, meminfo_lines},
	[HOST_LOG] = {"host.log", NULL, NULL},
};

const char *host_log_name(enum host_log log)
{
	return host_logs[log].name;
}

int host_log_plan(enum host_log log, struct proc_job *job, const struct plan *plan)
{
	*job = (struct proc_job){.interval_ns = plan->interval_ns,
		.file = host_logs[log].file,
		.line = host_logs[log].line,
		.whole = true};
	if (log != HOST_LOG)
		return 0;
	*job = (struct proc_job){.interval_ns = plan->interval_ns > HOST_LEAST_NS
			? plan->interval_ns
			: HOST_LEAST_NS,
		.file = (const char *const *)host_files(),
		.once = (const char *const *)limit_files(),
		.named = true};
	errno = ENOMEM;
	return job->file != NULL && job->once != NULL ? 0 : -1;
}
