/*
 * Becomes an nvidia-smi whose output is recorded.
 * This room must not know what it prints.
 */
#include "smi_child.h"

#include "lifeline.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void smi_become(char *const argv[], int out_fd, int err_fd, pid_t parent)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* It must heed it even where COMMAND is to ignore it. */
	(void)signal(SIGTERM, SIG_DFL);
	(void)setenv("TZ", "UTC", 1);
	/* What it may start is ended with it: sites wrap nvidia-smi in scripts. */
	(void)setpgid(0, 0);
	/* SIGKILL: an nvidia-smi that waits in the driver heeds nothing else. */
	if (dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(err_fd, STDERR_FILENO) >= 0 &&
		lifeline_tie(parent, SIGKILL))
		(void)execv(argv[0], argv);
	_exit(127);
}
