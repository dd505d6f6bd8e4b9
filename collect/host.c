/*
 * What this machine is: the facts about the host that a run is described with.
 * This room knows nothing of where they are written.
 */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/*
 * Copies what follows key in the first line of path that begins with it, without the
 * blanks, colons and quotes around it; "" if there is none.
 */
static void file_value(const char *path, const char *key, char *value, size_t size)
{
	FILE *file = fopen(path, "re");
	char line[1024];

	value[0] = '\0';
	if (file == NULL)
		return;
	while (fgets(line, sizeof line, file) != NULL) {
		char *from = line + strlen(key);
		char end[] = "\n\0";
		size_t length;

		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		from += strspn(from, " \t:");
		if (*from == '"' || *from == '\'')
			end[1] = *from++;
		length = strcspn(from, end);
		(void)snprintf(value, size, "%.*s", (int)length, from);
		break;
	}
	(void)fclose(file);
}

/*
 * The zone in which this host writes local times: its name, as the offset alone doesn't
 * tell when it changes; the offset where the host has no name for it.
 */
static void timezone_read(char *value, size_t size)
{
	static const char database[] = "zoneinfo/";
	const char *set = getenv("TZ"), *name;
	char link[512];
	ssize_t length = readlink("/etc/localtime", link, sizeof link - 1);
	time_t now = time(NULL);
	struct tm local;

	if (set != NULL && *set != '\0') {
		(void)snprintf(value, size, "%s", set + (*set == ':'));
		return;
	}
	link[length > 0 ? length : 0] = '\0';
	name = strstr(link, database);
	if (name != NULL) {
		(void)snprintf(value, size, "%s", name + sizeof database - 1);
		return;
	}
	if (localtime_r(&now, &local) == NULL || strftime(value, size, "%z", &local) != 5)
		value[0] = '\0';
	else
		(void)memmove(value + 4, value + 3, 3);
	if (value[0] != '\0')
		value[3] = ':';
}

void host_read(struct host *host)
{
	struct utsname names;
	char memory[64];

	*host = (struct host){.cpu_count = sysconf(_SC_NPROCESSORS_ONLN)};
	if (uname(&names) == 0) {
		(void)snprintf(host->name, sizeof host->name, "%s", names.nodename);
		(void)snprintf(host->kernel, sizeof host->kernel, "%s %s %s",
			names.sysname, names.release, names.machine);
	}
	file_value("/etc/os-release", "PRETTY_NAME=", host->os, sizeof host->os);
	/* Only some architectures name the model (x86: yes, arm64: no). */
	file_value(
		"/proc/cpuinfo", "model name", host->cpu_model, sizeof host->cpu_model);
	file_value("/proc/self/status", "Cpus_allowed_list:", host->cpus_allowed,
		sizeof host->cpus_allowed);
	file_value("/proc/meminfo", "MemTotal:", memory, sizeof memory);
	host->mem_total_kib = memory[0] != '\0' ? atoll(memory) : -1;
	timezone_read(host->timezone, sizeof host->timezone);
}
