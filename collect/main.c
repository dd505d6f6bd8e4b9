/*
 * collect-recorder, the C part of collect: its first argument selects a command. Users
 * call the script `collect`. Also restores the environment from before the script.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "commands.h"
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
	char path[40];
	int proc_fd, fd;

	(void)unsetenv("COLLECT_KEPT");
	/* It must be our child, whatever the variable says. */
	if (pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0)
		return;
	/* In another pid namespace's /proc other processes have our ids. */
	proc_fd = proc_open_ours();
	(void)snprintf(path, sizeof path, "%d/environ", (int)pid);
	fd = proc_fd >= 0 ? openat(proc_fd, path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0 && record_again(&kept, fd, RECORD_PIECES) >= 0)
		become_environment(&kept);
	fd_close(&fd);
	fd_close(&proc_fd);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
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
