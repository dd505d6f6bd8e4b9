/* Reads a small file of /proc in one read, so that it shows one moment. */
#include "proc_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t proc_text(int proc_fd, pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	(void)snprintf(path, sizeof path, "%s%d/%s",
		proc_fd == PROC_OF_ALL ? "/proc/" : "", (int)pid, name);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	got = fd >= 0 ? read(fd, text, size - 1) : -1;
	if (fd >= 0)
		(void)close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

/* Only the name, in parentheses, may hold anything. */
char proc_state(const char *text, size_t size)
{
	const char *at = memrchr(text, ')', size);

	return at != NULL && text + size - at > 2 ? at[2] : '\0';
}

bool proc_number(const char *text, const char *word, int base, unsigned long long *number)
{
	const char *found = strstr(text, word);
	char *end;

	if (found == NULL)
		return false;
	found += strlen(word);
	*number = strtoull(found, &end, base);
	return end != found;
}

bool proc_is_ours(void)
{
	char text[24];
	ssize_t length = readlink("/proc/self", text, sizeof text - 1);

	if (length <= 0)
		return false;
	text[length] = '\0';
	return strtol(text, NULL, 10) == getpid();
}
