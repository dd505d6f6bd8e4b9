/*
 * Compresses a log that has ended, beside it first.
 * This room knows nothing of what is in it.
 */
#include "compress.h"

#include "lifeline.h"
#include "regular.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

_Noreturn static void become(const char *gzip, int in_fd, int out_fd, pid_t parent)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setsid();
	if (lifeline_tie(parent, SIGKILL) && streams_leave() == 0 &&
		dup2(in_fd, STDIN_FILENO) >= 0 && dup2(out_fd, STDOUT_FILENO) >= 0)
		(void)execl(gzip, "gzip", "-c", (char *)NULL);
	_exit(127);
}

/* Ends it where somebody asks collect to end. */
static int await(pid_t pid, const struct signals *signals)
{
	struct pollfd ready = {.fd = signals->fd, .events = POLLIN};
	int status = -1;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		(void)poll(&ready, 1, -1);
		if (signals_end_asked(signals) == 0)
			continue;
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, &status, 0);
		errno = EINTR;
		return -1;
	}
	errno = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static int run(const char *gzip, int in_fd, int out_fd, const struct signals *signals)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0)
		become(gzip, in_fd, out_fd, parent);
	return pid < 0 ? -1 : await(pid, signals);
}

int compress_log(
	int dir_fd, const char *name, const char *gzip, const struct signals *signals)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int in_fd, out_fd, failed = -1;
	bool interrupted = false;
	char part[64], packed[64];

	(void)snprintf(part, sizeof part, "%s.gz.new", name);
	(void)snprintf(packed, sizeof packed, "%s.gz", name);
	in_fd = regular_open(dir_fd, name, O_RDONLY);
	out_fd = in_fd >= 0 ? openat(dir_fd, part, flags, 0666) : -1;
	if (out_fd >= 0) {
		failed = run(gzip, in_fd, out_fd, signals);
		interrupted = failed != 0 && errno == EINTR;
		if (close(out_fd) != 0 || failed != 0 ||
			renameat(dir_fd, part, dir_fd, packed) != 0)
			failed = -1;
		(void)unlinkat(dir_fd, failed != 0 ? part : name, 0);
	}
	if (in_fd >= 0)
		(void)close(in_fd);
	errno = interrupted ? EINTR : 0;
	return failed;
}
