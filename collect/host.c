/*
 * Facts about the host, samples of its load.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
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
 * The time zone of local times: TZ, or the name that /etc/localtime links to, as an
 * offset doesn't say when it changes; else the offset.
 */
static void timezone_read(char *value, size_t size)
{
	static const char database[] = "zoneinfo/";
	const char *set = getenv("TZ"), *name;
	char link[512], offset[8];
	ssize_t length = readlink("/etc/localtime", link, sizeof link - 1);
	time_t now = time(NULL);
	struct tm local;

	link[length > 0 ? length : 0] = '\0';
	name = strstr(link, database);
	if (set != NULL && *set != '\0')
		(void)snprintf(value, size, "%s", set + (*set == ':'));
	else if (name != NULL)
		(void)snprintf(value, size, "%s", name + sizeof database - 1);
	else if (localtime_r(&now, &local) != NULL &&
		strftime(offset, sizeof offset, "%z", &local) == 5)
		(void)snprintf(value, size, "%.3s:%s", offset, offset + 3);
}

/*
 * PCI display controllers of the makers whose GPUs compute; those of others are for a
 * screen. Their presence is known without any driver.
 */
static void display_read(struct host *host)
{
	static const char *const makers[] = {"10DE:", "1002:", "8086:"}; /* PCI ids */
	size_t count = 0;
	glob_t found;

	host->pci_known = access("/sys/bus/pci/devices", R_OK | X_OK) == 0;
	if (glob("/sys/bus/pci/devices/*/uevent", 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc && count < HOST_DISPLAYS; i++) {
		const char *path = found.gl_pathv[i];
		char class[16], id[16], slot[32];

		file_value(path, "PCI_CLASS=", class, sizeof class);
		file_value(path, "PCI_ID=", id, sizeof id);
		file_value(path, "PCI_SLOT_NAME=", slot, sizeof slot);
		/* Class 0x03, of six digits without leading zeros. */
		if (strlen(class) != 5 || class[0] != '3')
			continue;
		for (size_t maker = 0; maker < sizeof makers / sizeof *makers; maker++)
			if (strncmp(id, makers[maker], strlen(makers[maker])) == 0)
				(void)snprintf(host->display[count++],
					sizeof *host->display, "%s %s", slot, id);
	}
	globfree(&found);
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
	display_read(host);
}

void record_release(struct record *record)
{
	free(record->text);
	*record = (struct record){0};
}

/* Room for so many bytes more. */
static bool record_grow(struct record *record, size_t more)
{
	size_t capacity = record->capacity > 0 ? record->capacity : 4096;
	char *text;

	if (record->broken)
		return false;
	while (capacity - record->size < more)
		capacity *= 2;
	if (capacity == record->capacity)
		return true;
	text = realloc(record->text, capacity);
	record->broken = text == NULL;
	if (record->broken)
		return false;
	record->text = text;
	record->capacity = capacity;
	return true;
}

void record_printf(struct record *record, const char *format, ...)
{
	va_list arguments;
	int length = 255; /* is enough, mostly */
	size_t room;

	do {
		if (length < 0 || !record_grow(record, (size_t)length + 1))
			return;
		room = record->capacity - record->size;
		va_start(arguments, format);
		length = vsnprintf(record->text + record->size, room, format, arguments);
		va_end(arguments);
	} while ((size_t)length >= room);
	record->size += (size_t)length;
}

void record_add(struct record *record, const char *text, size_t size)
{
	/* Text of no size may be NULL. */
	if (size == 0 || !record_grow(record, size))
		return;
	memcpy(record->text + record->size, text, size);
	record->size += size;
}

void record_begin(struct record *record, const struct instant *when)
{
	record->size = 0;
	record->broken = false;
	record_printf(record,
		"# t=%" PRId64 ".%09" PRId64 " mono=%" PRId64 ".%09" PRId64
		" boot=%" PRId64 ".%09" PRId64,
		when->real_ns / NS_PER_S, when->real_ns % NS_PER_S,
		when->mono_ns / NS_PER_S, when->mono_ns % NS_PER_S,
		when->boot_ns / NS_PER_S, when->boot_ns % NS_PER_S);
}

ssize_t record_again(struct record *record, int fd, enum record_pieces pieces)
{
	const size_t from = record->size;

	for (;;) {
		size_t room;
		ssize_t got = -1;

		errno = ENOMEM;
		if (record_grow(record, 2048)) {
			room = record->capacity - record->size;
			got = pread(fd, record->text + record->size, room,
				(off_t)(record->size - from));
			if (got < 0 && errno == EINTR)
				continue;
		}
		if (got < 0) {
			record->size = from;
			return -1;
		}
		record->size += (size_t)got;
		if (got == 0 || (pieces == RECORD_WHOLE && (size_t)got < room))
			return (ssize_t)(record->size - from);
	}
}

static bool is_wanted(const char *line, size_t length, const char *const prefixes[])
{
	for (; *prefixes != NULL; prefixes++) {
		const char *prefix = *prefixes;
		size_t at = 0;

		/* Most differ in their first byte. */
		while (at < length && prefix[at] != '\0' && prefix[at] == line[at])
			at++;
		if (prefix[at] == '\0')
			return true;
	}
	return false;
}

void record_keep(struct record *record, size_t from, const char *const prefixes[])
{
	size_t kept = from, at = from;

	while (at < record->size) {
		const char *line = record->text + at;
		const char *newline = memchr(line, '\n', record->size - at);
		size_t length = newline != NULL ? (size_t)(newline - line) + 1
						: record->size - at;

		if (is_wanted(line, length, prefixes)) {
			memmove(record->text + kept, line, length);
			kept += length;
		}
		at += length;
	}
	record->size = kept;
}

int record_write(const struct record *record, struct log *log)
{
	if (!record->broken)
		return log_append(log, record->text, record->size);
	log->over = true;
	log_trouble(log, "ends early: %s", strerror(ENOMEM));
	return -1;
}

/*
 * Which files of the kernel tell what this machine does, and what this user may have
 * of it.
 */

/* Memory: the lines of /proc/meminfo that change. */
static const char *const meminfo_lines[] = {"MemTotal:", "MemFree:", "MemAvailable:",
	"Buffers:", "Cached:", "SwapTotal:", "SwapFree:", "Dirty:", "Writeback:",
	"AnonPages:", "Mapped:", "Shmem:", "SReclaimable:", "SUnreclaim:", "PageTables:",
	"Committed_AS:", "HugePages_Total:", "HugePages_Free:", "Hugepagesize:", NULL};

/* The "intr" line behind those of the CPUs alone is longer than all of them. */
static const char *const stat_lines[] = {"cpu", NULL};

static const struct {
	const char *name;
	const char *file; /* its only one; NULL: the files of host_files */
	const char *const *lines; /* how those begin that are kept; NULL: all are */
	int64_t least_ns; /* between two samples */
} host_logs[HOST_LOGS] = {
	[STAT_LOG] = {"proc-stat.log", "/proc/stat", stat_lines, 0},
	[MEMINFO_LOG] = {"meminfo.log", "/proc/meminfo", meminfo_lines, 0},
	/* They are many lines. */
	[HOST_LOG] = {"host.log", NULL, NULL, NS_PER_S},
};

/* Load, pressure, disks, network; those with a pattern where they may be read. */
static const char *const host_files[] = {"/proc/loadavg", "/proc/pressure/cpu",
	"/proc/pressure/memory", "/proc/pressure/io", "/proc/diskstats", "/proc/net/dev",
	"/sys/class/powercap/*/energy_uj", NULL};
static const char *const group_files[] = {"memory.current", "memory.usage_in_bytes",
	"memory.peak", "memory.max_usage_in_bytes", "memory.events", "cpu.stat",
	"cpuacct.usage", "pids.current", "io.stat", NULL};

/* What does not change as a rule: limits, control groups. */
static const char *const limit_files[] = {"/proc/self/limits", "/proc/self/cgroup",
	"/proc/sys/kernel/random/boot_id", "/sys/class/powercap/*/name",
	"/sys/class/powercap/*/max_energy_range_uj", NULL};
static const char *const group_limits[] = {"memory.max", "memory.high", "memory.swap.max",
	"memory.limit_in_bytes", "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us",
	"cpuset.cpus.effective", "cpuset.effective_cpus", "pids.max", NULL};

/*
 * Adds the files of a pattern. A name without '*' is added even if there is no such file
 * yet: it is tried at each sample. Returns 0, or -1 if there is no memory.
 */
static int add(struct host_job *job, const char *pattern)
{
	int flags = GLOB_NOESCAPE | (job->file.gl_pathc > 0 ? GLOB_APPEND : 0) |
		(strchr(pattern, '*') == NULL ? GLOB_NOCHECK : 0);

	return glob(pattern, flags, NULL, &job->file) == GLOB_NOSPACE ? -1 : 0;
}

static int add_all(struct host_job *job, const char *const *patterns)
{
	int failed = 0;

	for (; failed == 0 && *patterns != NULL; patterns++)
		failed = add(job, *patterns);
	return failed;
}

/* The files of a control group that are there. */
static int add_group(struct host_job *job, const char *mount, const char *path,
	const char *const names[])
{
	char text[1024];
	int failed = 0;

	for (; failed == 0 && *names != NULL; names++)
		if (snprintf(text, sizeof text, "/sys/fs/cgroup%s%s%s/%s",
			    mount[0] != '\0' ? "/" : "", mount, path,
			    *names) < (int)sizeof text &&
			access(text, F_OK) == 0)
			failed = add(job, text);
	return failed;
}

/*
 * /proc/self/cgroup has lines "4:memory:/path", or "0::/path" of version 2. The groups
 * around it are those of the step, the job and the user: a batch system limits and counts
 * there. In a container the path may be the host's, and the group itself is at the root.
 */
static int add_groups(struct host_job *job, const char *const names[])
{
	FILE *groups = fopen("/proc/self/cgroup", "re");
	char line[1024];
	int failed = 0;

	if (groups == NULL)
		return 0;
	while (failed == 0 && fgets(line, sizeof line, groups) != NULL) {
		char *mount = strchr(line, ':');
		char *path = mount != NULL ? strchr(mount + 1, ':') : NULL;

		if (path == NULL)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (strcmp(path, "/") == 0)
			*path = '\0';
		for (char *end = path + strlen(path); failed == 0 && end != NULL;
			end = strrchr(path, '/')) {
			*end = '\0';
			failed = add_group(job, mount + 1, path, names);
		}
	}
	(void)fclose(groups);
	return failed;
}

/* The only file of a log stays open. */
static ssize_t file_read(struct host_job *job, const char *path, bool only)
{
	int fd = job->fd;
	ssize_t size;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -1;
	size = record_again(&job->record, fd, only ? RECORD_WHOLE : RECORD_PIECES);
	job->fd = only && size >= 0 ? fd : -1;
	if (job->fd < 0)
		(void)close(fd);
	return size;
}

static void append(struct host_job *job, const char *path)
{
	const char *const *lines = host_logs[job->kind].lines;
	const bool only = host_logs[job->kind].file != NULL;
	struct record *record = &job->record;
	const size_t before = record->size;
	size_t from;

	if (!only)
		record_printf(record, "> %s\n", path);
	from = record->size;
	if (file_read(job, path, only) < 0)
		record->size = before;
	else if (lines != NULL)
		record_keep(record, from, lines);
}

static void host_job_sample(void *context)
{
	struct host_job *job = context;
	struct instant now;

	instant_now(&now);
	record_begin(&job->record, &now);
	record_add(&job->record, "\n", 1);
	for (size_t i = job->log.ready ? job->first : 0; i < job->file.gl_pathc; i++)
		append(job, job->file.gl_pathv[i]);
	if (record_write(&job->record, &job->log) == 0)
		job->log.ready = true;
}

int host_job_open(struct host_job *job, enum host_log kind)
{
	*job = (struct host_job){.kind = kind,
		.fd = -1,
		.log = {.name = host_logs[kind].name,
			.fd = -1,
			.take = host_job_sample,
			.job = job}};
	if (host_logs[kind].file != NULL)
		return add(job, host_logs[kind].file);
	if (add_all(job, limit_files) != 0 || add_groups(job, group_limits) != 0)
		return -1;
	job->first = job->file.gl_pathc;
	return add_all(job, host_files) != 0 ? -1 : add_groups(job, group_files);
}

int64_t host_job_interval_ns(const struct host_job *job, int64_t interval_ns)
{
	int64_t least_ns = host_logs[job->kind].least_ns;

	return interval_ns > least_ns ? interval_ns : least_ns;
}
