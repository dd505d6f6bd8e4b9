/*
 * Which files of the kernel tell what this machine does, and what this user may have of
 * it.
 * This room knows nothing of how they are recorded.
 */
#include "host_files.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const meminfo_lines[] = {"MemTotal:", "MemFree:", "MemAvailable:", "Buffers:",
	"Cached:", "SwapTotal:", "SwapFree:", "Dirty:", "Writeback:", "AnonPages:",
	"Mapped:", "Shmem:", "SReclaimable:", "SUnreclaim:", "PageTables:",
	"Committed_AS:", "HugePages_Total:", "HugePages_Free:", "Hugepagesize:", NULL};

/* A list under way. */
struct files {
	char **path;
	size_t count, capacity;
	bool failed;
};

static void add(struct files *files, const char *path)
{
	if (files->count + 1 >= files->capacity) {
		size_t capacity = files->capacity > 0 ? 2 * files->capacity : 32;
		char **grown = realloc(files->path, capacity * sizeof *grown);

		files->failed |= grown == NULL;
		if (grown == NULL)
			return;
		files->path = grown;
		files->capacity = capacity;
	}
	files->path[files->count] = strdup(path);
	files->failed |= files->path[files->count] == NULL;
	files->count += files->path[files->count] != NULL;
	files->path[files->count] = NULL;
}

static void release(char **files)
{
	for (char **path = files; path != NULL && *path != NULL; path++)
		free(*path);
	free(files);
}

static char **finish(struct files *files)
{
	if (!files->failed && files->path != NULL)
		return files->path;
	release(files->path);
	return NULL;
}

/* Since Linux 5.10 only root may read what processors took; then there is none. */
static void add_matching(struct files *files, const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			add(files, found.gl_pathv[i]);
		globfree(&found);
	}
}

/* Files of a control group, where they are; version 2, or the controller of version 1. */
static void add_group(struct files *files, const char *mount, const char *path,
	const char *const names[])
{
	char text[1024];

	for (; *names != NULL; names++)
		if (snprintf(text, sizeof text, "/sys/fs/cgroup%s%s%s/%s",
			    mount[0] != '\0' ? "/" : "", mount,
			    strcmp(path, "/") != 0 ? path : "",
			    *names) < (int)sizeof text &&
			access(text, F_OK) == 0)
			add(files, text);
}

/*
 * /proc/self/cgroup has lines "4:memory:/path", or "0::/path" of version 2. The groups
 * around it are those of the step, the job and the user: a batch system limits and counts
 * there. In a container the path may be the host's, and the group itself stands at the
 * root.
 */
static void add_groups(struct files *files, const char *const names[])
{
	FILE *groups = fopen("/proc/self/cgroup", "re");
	char line[1024];

	while (groups != NULL && fgets(line, sizeof line, groups) != NULL) {
		char *controller = strchr(line, ':');
		char *path = controller != NULL ? strchr(controller + 1, ':') : NULL;

		if (path == NULL)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		add_group(files, controller + 1, path, names);
		while (strcmp(path, "/") != 0 && strrchr(path, '/') != NULL) {
			char *last = strrchr(path, '/');

			last[last == path] = '\0';
			add_group(files, controller + 1, path, names);
		}
	}
	if (groups != NULL)
		(void)fclose(groups);
}

char **host_files(void)
{
	static const char *const names[] = {"memory.current", "memory.usage_in_bytes",
		"memory.peak", "memory.max_usage_in_bytes", "memory.events", "cpu.stat",
		"cpuacct.usage", "pids.current", "io.stat", NULL};
	struct files files = {0};

	add(&files, "/proc/loadavg");
	add(&files, "/proc/pressure/cpu");
	add(&files, "/proc/pressure/memory");
	add(&files, "/proc/pressure/io");
	add(&files, "/proc/diskstats");
	add(&files, "/proc/net/dev");
	add_matching(&files, "/sys/class/powercap/*/energy_uj");
	add_groups(&files, names);
	return finish(&files);
}

char **limit_files(void)
{
	static const char *const names[] = {"memory.max", "memory.high",
		"memory.swap.max", "memory.limit_in_bytes", "cpu.max", "cpu.cfs_quota_us",
		"cpu.cfs_period_us", "cpuset.cpus.effective", "cpuset.effective_cpus",
		"pids.max", NULL};
	struct files files = {0};

	add(&files, "/proc/self/limits");
	add(&files, "/proc/self/cgroup");
	add(&files, "/proc/sys/kernel/random/boot_id");
	add_matching(&files, "/sys/class/powercap/*/name");
	add_matching(&files, "/sys/class/powercap/*/max_energy_range_uj");
	add_groups(&files, names);
	return finish(&files);
}
