/*
 * Which thread speaks for a process, when it comes to memory.
 */
#include "spokesman.h"

#include "proc_text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool has_ended(const char *text, size_t size)
{
	char state = proc_state(text, size);

	return state == 'Z' || state == 'X';
}

static bool is_at_work(int task_fd, pid_t thread)
{
	char text[1024];
	size_t size = proc_text(task_fd, thread, "stat", text, sizeof text);

	return size > 0 && !has_ended(text, size);
}

pid_t spokesman_of(int proc_fd, pid_t pid, const char *text, size_t size)
{
	const struct dirent *entry;
	char path[32];
	pid_t found = pid;
	DIR *dir;
	int fd;

	if (!has_ended(text, size))
		return pid;
	(void)snprintf(path, sizeof path, "%d/task", (int)pid);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return pid;
	}
	while (found == pid && (entry = readdir(dir)) != NULL) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

		if (thread > 0 && is_at_work(fd, thread))
			found = thread;
	}
	(void)closedir(dir);
	return found;
}
