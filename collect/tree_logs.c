/*
 * Which logs of processes a recording has: that of the tree around it, and those of the
 * levels beside it.
 * This room must not know how they are recorded.
 */
#include "tree_logs.h"

#include <stddef.h>

static const struct {
	const char *name, *level;
	enum tree_scope scope;
} tree_logs[TREE_LOGS] = {
	[TREE_LOG] = {"processes.log", NULL, TREE_ALONE},
	[USER_LOG] = {"processes-user.log", "user", TREE_USER},
	[JOB_LOG] = {"processes-job.log", "slurm", TREE_JOB},
};

const char *tree_log_name(enum tree_log log)
{
	return tree_logs[log].name;
}

bool tree_log_is_wanted(enum tree_log log, const struct plan *plan)
{
	if (plan->command == NULL && plan->pid <= 0)
		return false;
	return log == TREE_LOG || (log == USER_LOG && plan->whole_user) ||
		(log == JOB_LOG && plan->batch_job != NULL);
}

void tree_log_plan(enum tree_log log, struct tree_job *job, const struct plan *plan,
	pid_t root, const struct instant *started, const struct orphans *orphans)
{
	job->interval_ns = plan->interval_ns;
	job->root = root;
	job->scope = tree_logs[log].scope;
	if (log == TREE_LOG && plan->whole_session)
		job->scope = TREE_SESSION;
	job->batch_job = plan->batch_job;
	job->level = tree_logs[log].level;
	job->adopts = plan->command != NULL && orphans->children_fd >= 0;
	job->obituaries_fd =
		log == TREE_LOG && plan->command != NULL ? orphans->heard_fd : -1;
	job->before = plan->command != NULL ? started : NULL;
}
