/*
 * Runs a program that may hang, with a limit of time. timeout(1) will not do: it waits
 * for the program that it has killed, and one that hangs in a driver does not die. Here
 * the program holds only our pipe, so we may leave it behind. This room knows nothing of
 * what is asked or answered.
 */
#include "probe.h"

#include "clock.h"
#include "lifeline.h"
#include "say.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

_Noreturn static void become(char *const argv[], int out_fd, pid_t parent)
{
	/* A group of its own, so that its children can be killed with it. */
	(void)setpgid(0, 0);
	if (streams_leave() == 0 && dup2(out_fd, STDOUT_FILENO) >= 0 &&
		dup2(out_fd, STDERR_FILENO) >= 0 && lifeline_tie(parent, SIGKILL))
		(void)execvp(argv[0], argv);
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

/* More is no answer: a shell could not hand it on. */
#define ANSWER_MAX 65536

/*
 * Copies until the program has closed its end, or said too much. Returns -1 if the
 * deadline comes first.
 */
static int copy_until(int fd, int64_t deadline_ns)
{
	struct pollfd from = {.fd = fd, .events = POLLIN};
	char text[4096];

	for (size_t all = 0; all < ANSWER_MAX;) {
		int ready = poll(&from, 1, clock_left_ms(deadline_ns));
		ssize_t got, put = 0;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return -1;
		got = read(fd, text, sizeof text);
		if (got <= 0)
			return 0;
		all += (size_t)got;
		while (put < got) {
			ssize_t done =
				write(STDOUT_FILENO, text + put, (size_t)(got - put));

			if (done < 0 && errno != EINTR)
				return 0;
			if (done > 0)
				put += done;
		}
	}
	return 0;
}

/* Waits for the end of a program that has closed its streams. */
static int reap_until(pid_t pid, int64_t deadline_ns, int *status)
{
	const struct timespec moment = {.tv_nsec = 2000000};

	while (waitpid(pid, status, WNOHANG) != pid) {
		if (clock_left_ms(deadline_ns) == 0)
			return -1;
		(void)nanosleep(&moment, NULL);
	}
	return 0;
}

int probe_main(int argc, char **argv)
{
	pid_t pid, parent = getpid();
	int64_t deadline_ns;
	int ends[2], status;

	if (argc < 3) {
		say("usage: probe SECONDS PROGRAM [ARG...]");
		return EXIT_COLLECT;
	}
	deadline_ns = clock_mono_ns() + strtol(argv[1], NULL, 10) * NS_PER_S;
	(void)signal(SIGCHLD, SIG_DFL);
	if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		say("can't start %s: %s", argv[2], strerror(errno));
		return EXIT_COLLECT;
	}
	if (pid == 0)
		become(argv + 2, ends[1], parent);
	(void)close(ends[1]);
	if (copy_until(ends[0], deadline_ns) != 0 || close(ends[0]) != 0 ||
		reap_until(pid, deadline_ns, &status) != 0) {
		(void)kill(-pid, SIGKILL);
		(void)kill(pid, SIGKILL);
		return EXIT_TIMEOUT;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
