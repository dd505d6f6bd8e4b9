/*
 * How each nvidia-smi that loops is recorded.
 * This room must not know how that is done.
 */
#ifndef COLLECT_SMI_LOGS_H
#define COLLECT_SMI_LOGS_H

#include "plan.h"
#include "record_smi.h"

#include <stdbool.h>

/* Fills the job of a log in, but for the log itself. False: it is not wanted. */
bool smi_log_plan(
	enum smi_log log, struct smi_job *job, const struct plan *plan, int dir_fd);

#endif
