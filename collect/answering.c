/*
 * Which GPUs still answer, when an nvidia-smi that was asked for several has died of one:
 * it gives up all of them then, or hangs for all.
 * This room knows nothing of what is recorded of them.
 */
#include "answering.h"

#include "gpu.h"
#include "probe.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool stop_asked(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1;
}

_Noreturn static void ask(const struct plan *plan, char *uuid)
{
	char word[] = "probe", one[] = "-i", format[] = "--format=csv",
	     query[] = "--query-gpu=utilization.gpu,memory.used";
	char *argv[] = {word, plan->patience, plan->smi, one, uuid, query, format, NULL};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(probe_main((int)(sizeof argv / sizeof *argv) - 1, argv));
}

/* What it prints goes nowhere; its exit status tells of the one GPU. */
static bool answers(const struct plan *plan, char *uuid)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		ask(plan, uuid);
	while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
		if (stop_asked())
			(void)kill(pid, SIGKILL);
		(void)nanosleep(&moment, NULL);
	}
	return pid > 0 && status == 0;
}

bool gpus_answering(const struct plan *plan, char ids[GPU_IDS_SIZE])
{
	const char *rows = plan->gpu_rows;
	size_t used = 0;
	bool silent = false;
	struct gpu gpu;

	while (gpu_next(&rows, &gpu) && !stop_asked()) {
		if (!answers(plan, gpu.uuid))
			silent = true;
		else if (used + strlen(gpu.uuid) + 1 < GPU_IDS_SIZE)
			used += (size_t)snprintf(ids + used, GPU_IDS_SIZE - used, "%s%s",
				used > 0 ? "," : "", gpu.uuid);
	}
	if (!silent)
		used = 0;
	ids[used] = '\0';
	return !stop_asked();
}
