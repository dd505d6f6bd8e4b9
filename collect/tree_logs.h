/*
 * Which logs of processes a recording has: that of the tree around it, and those of the
 * levels beside it.
 * This room must not know how they are recorded.
 */
#ifndef COLLECT_TREE_LOGS_H
#define COLLECT_TREE_LOGS_H

#include "orphans.h"
#include "plan.h"
#include "record_tree.h"

enum tree_log {
	TREE_LOG,
	USER_LOG,
	JOB_LOG,
	TREE_LOGS
};

const char *tree_log_name(enum tree_log log);
bool tree_log_is_wanted(enum tree_log log, const struct plan *plan);

/*
 * Fills the job of a log in, but for the log itself. root: of the tree; started: when the
 * command did; orphans: what is told of them, borrowed.
 */
void tree_log_plan(enum tree_log log, struct tree_job *job, const struct plan *plan,
	pid_t root, const struct instant *started, const struct orphans *orphans);

#endif
