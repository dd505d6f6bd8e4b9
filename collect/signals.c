/*
 * Signals that collect reads from a descriptor instead of in handlers, and the
 * descriptors that it was started with.
 */
#include "signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
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

/* The descriptors that collect was started with. */

int streams_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", O_RDWR | O_CLOEXEC) != fd)
			return -1;
	return 0;
}

static int streams_to_null(int last)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC), fd = STDIN_FILENO;

	while (null_fd >= 0 && fd <= last && dup2(null_fd, fd) >= 0)
		fd++;
	if (null_fd >= 0)
		(void)close(null_fd);
	return fd > last ? 0 : -1;
}

/* What is not closed on exec was here before: all that we open is. */
static bool is_foreign(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	return fd > STDERR_FILENO && flags >= 0 && (flags & FD_CLOEXEC) == 0;
}

static bool is_regular(int fd)
{
	struct stat what;

	return fstat(fd, &what) == 0 && S_ISREG(what.st_mode);
}

static void others_close(bool regular_too)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (is_foreign(fd) && (regular_too || !is_regular(fd)))
			(void)close(fd);
	}
	(void)closedir(dir);
}

void streams_let_go(void)
{
	(void)streams_to_null(STDOUT_FILENO);
	others_close(false);
}

int streams_leave(void)
{
	others_close(true);
	return streams_to_null(STDERR_FILENO);
}
