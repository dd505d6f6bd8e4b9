/* The kernel counts how often a thread gave up its CPU of itself, in /proc. */
#include "sleeps.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often a thread has gone to sleep; 0: not known. */
static long long sleeps_of_thread(int tasks_fd, const char *thread)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char path[64], text[4096];
	const char *at;
	ssize_t size;
	int fd;

	(void)snprintf(path, sizeof path, "%.32s/status", thread);
	fd = openat(tasks_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size = read(fd, text, sizeof text - 1);
	(void)close(fd);
	text[size > 0 ? size : 0] = '\0';
	at = strstr(text, key);
	return at != NULL ? strtoll(at + sizeof key - 1, NULL, 10) : 0;
}

long long sleeps_of(pid_t pid)
{
	const struct dirent *thread;
	long long sleeps = 0;
	char path[32];
	DIR *tasks;

	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks != NULL && (thread = readdir(tasks)) != NULL)
		if (thread->d_name[0] != '.')
			sleeps += sleeps_of_thread(dirfd(tasks), thread->d_name);
	if (tasks != NULL)
		(void)closedir(tasks);
	return sleeps;
}
