/*
 * The C part of collect: its first argument selects a subcommand. Users call the
 * script `collect`. Also the environment as it was before the script began.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "event.h"
#include "nvidia_smi.h"
#include "recorder.h"
#include "text.h"

/*
 * The environment as it was before the script `collect` began. A shell drops what is
 * no name of a variable, as the functions that bash exports, and has values of its own
 * for IFS and PPID; COMMAND is to find what it would find without collect.
 *
 * The kernel knows what the shell was started with until the shell becomes something
 * else. No descriptor is free for certain, as COMMAND inherits all of them; so a child
 * of the shell holds the copy as its own, and is a child of what the shell becomes.
 */

#define HELD_FD	  3 /* of the one that holds it */
#define HELD_NAME "collect-environment"
#define HELD_S	  10 /* a script that died does not take it */

static bool copy(int from, int to)
{
	char text[16384];
	ssize_t got;

	while ((got = read(from, text, sizeof text)) > 0)
		if (write(to, text, (size_t)got) != got)
			return false;
	return got == 0;
}

/* The environment of a process, as a file in memory; -1: it can't be had. */
static int read_environment(const char *pid)
{
	char path[40];
	int from, held;

	(void)snprintf(path, sizeof path, "/proc/%.10s/environ", pid);
	from = open(path, O_RDONLY | O_CLOEXEC);
	held = from < 0 ? -1 : memfd_create(HELD_NAME, 0);
	if (held >= 0 && !copy(from, held)) {
		(void)close(held);
		held = -1;
	}
	if (from >= 0)
		(void)close(from);
	return held;
}

/*
 * keep PID: holds a copy of the environment that a process began with, until it is
 * taken; it is called collect-kept once it does.
 */
static int keep_main(int argc, char **argv)
{
	int fd = argc == 2 ? read_environment(argv[1]) : -1;

	if (fd < 0 || dup2(fd, HELD_FD) != HELD_FD)
		return EXIT_COLLECT;
	(void)alarm(HELD_S);
	(void)prctl(PR_SET_NAME, "collect-kept");
	for (;;)
		(void)pause();
}

/* Is it ours, whatever COLLECT_KEPT says? */
static bool is_held(const char *path)
{
	static const char ours[] = "/memfd:" HELD_NAME " ";
	char target[64];
	ssize_t length = readlink(path, target, sizeof target);

	return length > (ssize_t)(sizeof ours - 1) &&
		memcmp(target, ours, sizeof ours - 1) == 0;
}

/* All of a file, and a '\0' behind it; NULL: it can't be read. */
static char *read_whole(int fd, size_t *size)
{
	struct stat status;
	char *text;

	if (fstat(fd, &status) != 0)
		return NULL;
	*size = (size_t)status.st_size;
	text = malloc(*size + 1);
	if (text == NULL || pread(fd, text, *size, 0) != (ssize_t)*size) {
		free(text);
		return NULL;
	}
	text[*size] = '\0';
	return text;
}

/* Its entries from now on are in the text, which stays. */
static void become_environment(char *text, size_t size)
{
	size_t count = 0, next = 0;
	char **entries;

	for (size_t at = 0; at < size; at += strlen(text + at) + 1)
		count++;
	entries = malloc((count + 1) * sizeof *entries);
	if (entries == NULL)
		return;
	for (size_t at = 0; at < size; at += strlen(text + at) + 1)
		entries[next++] = text + at;
	entries[next] = NULL;
	environ = entries;
}

/*
 * Takes the one that COLLECT_KEPT names; without one, or a sound one, nothing changes.
 */
static void kept_take(void)
{
	const char *word = getenv("COLLECT_KEPT");
	pid_t pid = word != NULL ? (pid_t)strtol(word, NULL, 10) : 0;
	char path[40], *text = NULL;
	size_t size = 0;
	int fd = -1;

	(void)unsetenv("COLLECT_KEPT");
	if (pid <= 0)
		return;
	(void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, HELD_FD);
	if (is_held(path))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	text = read_whole(fd, &size);
	(void)close(fd);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	if (text != NULL)
		become_environment(text, size);
}

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{"record", record_main},
	{"phase", phase_main},
	{"begin", event_main},
	{"end", event_main},
	{"event", event_main},
	{"status", status_main},
	{"stop", stop_main},
	{"probe", probe_main},
	{"keep", keep_main},
};

int main(int argc, char **argv)
{
	if (streams_hold() != 0)
		return EXIT_COLLECT;
	kept_take();
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].main(argc - 1, argv + 1);
	say("this program is started by the script collect");
	return EXIT_COLLECT;
}
