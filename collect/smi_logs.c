/*
 * Which logs of nvidia-smi and its like a recording has.
 * This room must not know how they are recorded.
 */
#include "smi_logs.h"

#include <stddef.h>

static const struct {
	const char *name, *errors_name;
	unsigned lines_to_ready; /* a header, of one line or two, and a row */
	bool quiet; /* says nothing while there is nothing to say */
	bool leads;
} smi_logs[SMI_LOGS] = {
	[SMI_QUERY] = {"nvidia-smi.csv", "nvidia-smi.err", 2, false, true},
	[SMI_DMON] = {"nvidia-smi-dmon.log", "nvidia-smi-dmon.err", 3, false, false},
	[SMI_PMON] = {"nvidia-smi-pmon.log", "nvidia-smi-pmon.err", 3, false, false},
	/* Without a process it prints its header and no row. */
	[SMI_APPS] = {"nvidia-smi-apps.csv", "nvidia-smi-apps.err", 1, true, false},
	[SMI_AMD] = {"amd-smi.csv", "amd-smi.err", 2, false, true},
};

bool smi_log_leads(enum smi_log log)
{
	return smi_logs[log].leads;
}

bool smi_log_plan(
	enum smi_log log, struct smi_job *job, const struct plan *plan, int dir_fd)
{
	const struct smi_command *command = &plan->smi_command[log];

	if (command->argv[0] == NULL)
		return false;
	*job = (struct smi_job){
		.dir_fd = dir_fd,
		.name = smi_logs[log].name,
		.interval_ns = command->interval_ns,
		.errors_name = smi_logs[log].errors_name,
		.program = log == SMI_AMD ? "amd-smi" : "nvidia-smi",
		.plan = plan,
		.command = command,
		.last = log == SMI_QUERY ? &plan->query_last : NULL,
		.lines_to_ready = smi_logs[log].lines_to_ready,
		.rows = log == SMI_QUERY,
		.quiet = smi_logs[log].quiet,
	};
	return true;
}
