/*
 * To which job of a batch system a process belongs: what its environment says, or its
 * control group.
 * This room must not know who asks.
 */
#include "job.h"

#include "proc_text.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How far the bytes of an environment are those of an entry that is looked for. */
struct search {
	const char *entry; /* with its end, '\0' */
	size_t size, equal;
	bool passed; /* this entry of the environment is another one */
};

/* Says whether the entry ends in these bytes. */
static bool search_goes_on(struct search *search, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!search->passed && text[i] == search->entry[search->equal]) {
			if (++search->equal == search->size)
				return true;
			continue;
		}
		search->passed = text[i] != '\0';
		search->equal = 0;
	}
	return false;
}

/* "0::/system.slice/slurmstepd.scope/job_4711/step_0/user" */
static bool is_in_group(int proc_fd, pid_t pid, const char *id)
{
	char name[256], text[4096];
	int length = snprintf(name, sizeof name, "/job_%s", id);

	if (length < 0 || (size_t)length >= sizeof name ||
		proc_text(proc_fd, pid, "cgroup", text, sizeof text) == 0)
		return false;
	for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name))
		if (at[length] == '/' || at[length] == '\n' || at[length] == '\0')
			return true;
	return false;
}

static bool has_variable(int proc_fd, pid_t pid, const char *id)
{
	char path[40], entry[256], text[4096];
	struct search search = {.entry = entry};
	int fd, length = snprintf(entry, sizeof entry, JOB_VARIABLE "=%s", id);
	bool found = false;
	ssize_t got;

	if (length < 0 || (size_t)length >= sizeof entry)
		return false;
	search.size = (size_t)length + 1;
	(void)snprintf(path, sizeof path, "%d/environ", (int)pid);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (!found && (got = read(fd, text, sizeof text)) > 0)
		found = search_goes_on(&search, text, (size_t)got);
	(void)close(fd);
	return found;
}

bool job_has(int proc_fd, pid_t pid, const char *id)
{
	return has_variable(proc_fd, pid, id) || is_in_group(proc_fd, pid, id);
}
