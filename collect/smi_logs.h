/*
 * Which logs of nvidia-smi and its like a recording has.
 * This room must not know how they are recorded.
 */
#ifndef COLLECT_SMI_LOGS_H
#define COLLECT_SMI_LOGS_H

#include "plan.h"
#include "record_smi.h"

#include <stdbool.h>

/* Are its rows those of all GPUs that a run is told by? COMMAND begins with the first. */
bool smi_log_leads(enum smi_log log);

/* Fills the job of a log in, but for the log itself. False: it is not wanted. */
bool smi_log_plan(
	enum smi_log log, struct smi_job *job, const struct plan *plan, int dir_fd);

#endif
