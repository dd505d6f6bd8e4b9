/*
 * The signals that collect takes from its descriptor instead of in handlers.
 * This room knows nothing of who they are for.
 */
#include "signals.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_take(struct signals *signals)
{
	sigset_t set, blocked;

	(void)sigfillset(&blocked);
	/*
	 * Two are blocked and never read, so that a write fails with EPIPE or EFBIG
	 * instead of ending collect, and with it the report of COMMAND's status.
	 */
	set = blocked;
	(void)sigdelset(&set, SIGPIPE);
	(void)sigdelset(&set, SIGXFSZ);
	(void)signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_BLOCK, &blocked, &signals->before) != 0)
		return -1;
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->fd < 0 ? -1 : 0;
}

/* A blocked signal comes even if it is ignored, as SIGHUP under nohup. */
static bool is_ignored(int number)
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int signals_end_asked(const struct signals *signals)
{
	struct signalfd_siginfo info;

	while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
		int number = (int)info.ssi_signo;

		if ((number == SIGHUP || number == SIGINT || number == SIGQUIT ||
			    number == SIGTERM) &&
			!is_ignored(number))
			return number;
	}
	return 0;
}

static void raise_unblocked(int number)
{
	sigset_t one, before;

	(void)sigemptyset(&one);
	(void)sigaddset(&one, number);
	(void)raise(number);
	(void)sigprocmask(SIG_UNBLOCK, &one, &before);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
}

void signals_stop(int number)
{
	struct sigaction before = {0}, plain = {.sa_handler = SIG_DFL};

	(void)sigaction(number, &plain, &before);
	raise_unblocked(number);
	(void)sigaction(number, &before, NULL);
}

void signals_die(int number)
{
	(void)prctl(PR_SET_DUMPABLE, 0);
	(void)signal(number, SIG_DFL);
	raise_unblocked(number);
}
