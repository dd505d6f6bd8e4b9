/*
 * Which thread speaks for a process, when it comes to memory.
 */
#include "spokesman.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "4711 (sh) Z ...": is that the state? */
static bool has_ended(const char *text, size_t size)
{
	const char *at = memrchr(text, ')', size);

	return at != NULL && text + size - at > 2 && (at[2] == 'Z' || at[2] == 'X');
}

static bool is_at_work(int task_fd, const char *thread)
{
	char path[40], text[1024];
	ssize_t got = -1;
	int fd;

	(void)snprintf(path, sizeof path, "%.20s/stat", thread);
	fd = openat(task_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof text);
	(void)close(fd);
	return got > 0 && !has_ended(text, (size_t)got);
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

		if (thread > 0 && is_at_work(fd, entry->d_name))
			found = thread;
	}
	(void)closedir(dir);
	return found;
}
