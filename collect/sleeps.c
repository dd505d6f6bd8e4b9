/* The kernel counts how often a thread gave up its CPU of itself, in /proc. */
#include "sleeps.h"

#include "proc_text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* How often a thread has gone to sleep; 0: not known. */
static unsigned long long sleeps_of_thread(int tasks_fd, pid_t thread)
{
	unsigned long long sleeps = 0;
	char text[4096];

	(void)proc_text(tasks_fd, thread, "status", text, sizeof text);
	(void)proc_number(text, "\nvoluntary_ctxt_switches:", 10, &sleeps);
	return sleeps;
}

unsigned long long sleeps_of(pid_t pid)
{
	const struct dirent *thread;
	unsigned long long sleeps = 0;
	char path[32];
	DIR *tasks;

	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks != NULL && (thread = readdir(tasks)) != NULL)
		if (thread->d_name[0] != '.')
			sleeps += sleeps_of_thread(
				dirfd(tasks), (pid_t)strtol(thread->d_name, NULL, 10));
	if (tasks != NULL)
		(void)closedir(tasks);
	return sleeps;
}
