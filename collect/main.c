/*
 * collect-recorder, the C part of collect: its first argument selects a command. Users
 * call the script `collect`. Restores the environment from before the script, and probes
 * programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "host.h"
#include "log.h"
#include "tree.h"

/* Makes the environment of the entries in the text, which stays in use. */
static void become_environment(struct record *kept)
{
	const size_t size = kept->size;
	char **entries = memory_resize(NULL, (size + 1) * sizeof *entries);
	size_t count = 0;

	record_add(kept, "", 1);
	for (size_t at = 0; at < size; at += strlen(kept->text + at) + 1)
		entries[count++] = kept->text + at;
	entries[count] = NULL;
	environ = entries;
}

/*
 * COMMAND must find the environment that it would find without collect. But a shell drops
 * entries that are no variables for it, such as functions that bash exports, and sets IFS
 * and PPID. The kernel knows the environment that the shell was started with until the
 * shell execs this program. So a child of the shell, whose id is in COLLECT_KEPT, waits
 * until it is read from there. Without that child nothing changes.
 */
static void environment_take(void)
{
	const char *word = getenv("COLLECT_KEPT");
	pid_t pid = word != NULL ? (pid_t)strtol(word, NULL, 10) : 0;
	struct record kept = {0};
	int proc_fd;

	(void)unsetenv("COLLECT_KEPT");
	/* It must be our child, whatever the variable says. */
	if (pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0)
		return;
	/* In another pid namespace's /proc other processes have our ids. */
	proc_fd = proc_open_ours();
	if (proc_fd >= 0 && proc_append(&kept, proc_fd, pid, "environ") >= 0)
		become_environment(&kept);
	fd_close(&proc_fd);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* A longer answer is cut: a shell could not pass it on. */
#define ANSWER_MAX 65536

/*
 * `probe SECONDS PROGRAM [ARG...]`: copies the output of PROGRAM, on either stream, to
 * standard output. Returns PROGRAM's exit status, or EXIT_TIMEOUT. timeout(1) waits for
 * the program that it has killed, and one that hangs in a driver does not die. Here that
 * program is left behind.
 */
static int probe_main(int argc, char **argv)
{
	const int64_t patience_ns = strtol(argv[1], NULL, 10) * NS_PER_S;
	const int64_t deadline_ns = clock_mono_ns() + patience_ns;
	/* The other end of standard output is gone with the script that asked. */
	struct pollfd fds[] = {{.events = POLLIN}, {.fd = STDOUT_FILENO}};
	char text[4096];
	size_t all = 0;
	int ends[2], status;
	bool ended = false;
	struct leash leash = {.groups = 0};
	pid_t pid;

	(void)argc;
	(void)signal(SIGCHLD, SIG_DFL);
	if (pipe2(ends, O_CLOEXEC) != 0 ||
		(pid = child_start(argv + 2, &leash, -1, ends[1], ends[1])) < 0) {
		say("can't start %s: %s", argv[2], strerror(errno));
		return EXIT_COLLECT;
	}
	(void)close(ends[1]);
	fds[0].fd = ends[0];
	do {
		ssize_t got = 0;

		ended = ended || waitpid(pid, &status, WNOHANG) == pid;
		if (poll(fds, 2, ended ? 0 : 10) > 0 && fds[0].revents != 0)
			got = read(fds[0].fd, text, sizeof text);
		if (got <= 0 && ended)
			return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						   : WEXITSTATUS(status);
		if (got <= 0)
			(void)poll(NULL, 0, 2);
		else if (all < ANSWER_MAX && write(STDOUT_FILENO, text, (size_t)got) > 0)
			all += (size_t)got;
	} while (clock_mono_ns() < deadline_ns && (fds[1].revents & POLLERR) == 0);
	leash_end(&leash, proc_open_ours(), pid);
	return EXIT_TIMEOUT;
}

static const struct {
	const char *name;
	int words; /* at least, with its name */
	int (*main)(int argc, char **argv);
} commands[] = {
	{"record", 1, record_main},
	{"phase", 3, phase_main},
	{"begin", 2, event_main},
	{"end", 2, event_main},
	{"event", 2, event_main},
	{"status", 2, status_main},
	{"stop", 2, stop_main},
	{"probe", 3, probe_main},
};

int main(int argc, char **argv)
{
	if (streams_hold() != 0)
		return EXIT_COLLECT;
	environment_take();
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0 && argc > commands[i].words)
			return commands[i].main(argc - 1, argv + 1);
	say("this program is started by the script collect");
	return EXIT_COLLECT;
}
