/* Samples of the load of the host. */
#include "host.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Makes room for so many bytes more. */
static void record_grow(struct record *record, size_t more)
{
	size_t capacity = record->capacity > 0 ? record->capacity : 4096;

	while (capacity - record->size < more)
		capacity *= 2;
	if (capacity == record->capacity)
		return;
	record->text = memory_resize(record->text, capacity);
	record->capacity = capacity;
}

void record_printf(struct record *record, const char *format, ...)
{
	va_list arguments;
	size_t length = 255, room; /* that is enough, mostly */

	do {
		record_grow(record, length + 1);
		room = record->capacity - record->size;
		va_start(arguments, format);
		length = (size_t)vsnprintf(
			record->text + record->size, room, format, arguments);
		va_end(arguments);
	} while (length >= room);
	record->size += length;
}

void record_add(struct record *record, const char *text, size_t size)
{
	/* Text of no size may be NULL. */
	if (size == 0)
		return;
	record_grow(record, size);
	memcpy(record->text + record->size, text, size);
	record->size += size;
}

void record_begin(struct record *record, const struct instant *when)
{
	record->size = 0;
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
	size_t room;
	ssize_t got;

	do {
		record_grow(record, 2048);
		room = record->capacity - record->size;
		got = pread(fd, record->text + record->size, room,
			(off_t)(record->size - from));
		if (got < 0) {
			record->size = from;
			return -1;
		}
		record->size += (size_t)got;
	} while (got > 0 && (pieces == RECORD_PIECES || (size_t)got == room));
	return (ssize_t)(record->size - from);
}

static bool is_wanted(const char *line, size_t length, const char *const prefixes[])
{
	for (; *prefixes != NULL; prefixes++)
		/* Most differ in their first byte. */
		if (**prefixes == *line && strlen(*prefixes) <= length &&
			memcmp(line, *prefixes, strlen(*prefixes)) == 0)
			return true;
	return false;
}

/* Of what was appended from the offset on. */
static void keep_lines(struct record *record, size_t from, const char *const prefixes[])
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

ssize_t record_file(struct record *record, const struct record_file *file, int *fd)
{
	const size_t before = record->size;
	ssize_t size = -1;
	size_t from;

	if (file->marked)
		record_printf(record, "> %s\n", file->path);
	from = record->size;
	if (*fd < 0)
		*fd = openat(file->dir_fd, file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (*fd >= 0)
		size = record_again(record, *fd, file->pieces);
	if (size < 0)
		record->size = before;
	else if (file->lines != NULL)
		keep_lines(record, from, file->lines);
	if (*fd >= file->kept_below)
		fd_close(fd);
	return size;
}

/* Memory: the lines of /proc/meminfo that change, and what they are of. */
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
	"memory.peak", "memory.max_usage_in_bytes", "memory.events", "memory.oom_control",
	"cpu.stat", "cpuacct.usage", "pids.current", "io.stat", NULL};

/* What does not change as a rule: limits, control groups. */
static const char *const limit_files[] = {"/proc/self/limits", "/proc/self/cgroup",
	"/proc/sys/kernel/random/boot_id", "/sys/class/powercap/*/name",
	"/sys/class/powercap/*/max_energy_range_uj", NULL};
static const char *const group_limits[] = {"memory.max", "memory.high", "memory.swap.max",
	"memory.limit_in_bytes", "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us",
	"cpuset.cpus.effective", "cpuset.effective_cpus", "pids.max", NULL};

/* Adds the files of a pattern; a name without '*' is tried at each sample, also if there
 * is no such file yet. */
static void add_one(struct host_job *job, const char *pattern)
{
	(void)glob(pattern,
		GLOB_NOESCAPE | (job->file.gl_pathc > 0 ? GLOB_APPEND : 0) |
			(strchr(pattern, '*') == NULL ? GLOB_NOCHECK : 0),
		NULL, &job->file);
}

static void add(struct host_job *job, const char *const *patterns)
{
	for (; *patterns != NULL; patterns++)
		add_one(job, *patterns);
}

/* The files of a control group that are there. */
static void add_group(struct host_job *job, const char *mount, const char *path,
	const char *const names[])
{
	char text[1024];

	for (; *names != NULL; names++) {
		(void)snprintf(text, sizeof text, "/sys/fs/cgroup%s%s%s/%s",
			mount[0] != '\0' ? "/" : "", mount, path, *names);
		if (access(text, F_OK) == 0)
			add_one(job, text);
	}
}

/* /proc/self/cgroup has lines "4:memory:/path", or "0::/path" of version 2. A batch
 * system limits and counts in the groups around it; in a container it may be at the root.
 */
static void add_groups(struct host_job *job, const char *const names[])
{
	FILE *groups = fopen("/proc/self/cgroup", "re");
	char line[1024];

	while (groups != NULL && fgets(line, sizeof line, groups) != NULL) {
		char *mount = strchr(line, ':');
		char *path = mount != NULL ? strchr(mount + 1, ':') : NULL;

		if (path == NULL)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (strcmp(path, "/") == 0)
			*path = '\0';
		for (char *end = path + strlen(path); end != NULL;
			end = strrchr(path, '/')) {
			*end = '\0';
			add_group(job, mount + 1, path, names);
		}
	}
	if (groups != NULL)
		(void)fclose(groups);
}

static void host_job_sample(void *context)
{
	struct host_job *job = context;
	const bool only = host_logs[job->kind].file != NULL;
	struct record_file file = {.pieces = only ? RECORD_WHOLE : RECORD_PIECES,
		.lines = host_logs[job->kind].lines,
		.marked = !only,
		.kept_below = job->log.ready ? job->kept_below : 0};
	struct instant now;

	instant_now(&now);
	record_begin(&job->record, &now);
	record_add(&job->record, "\n", 1);
	for (size_t i = job->log.ready ? job->first : 0; i < job->file.gl_pathc; i++) {
		file.path = job->file.gl_pathv[i];
		(void)record_file(&job->record, &file, &job->fd[i]);
	}
	(void)log_append(&job->log, job->record.text, job->record.size);
}

void host_job_open(struct host_job *job, enum host_log kind)
{
	*job = (struct host_job){.kind = kind,
		.kept_below = (int)sysconf(_SC_OPEN_MAX) / 4,
		.log = {.name = host_logs[kind].name,
			.least_ns = host_logs[kind].least_ns,
			.fd = -1,
			.take = host_job_sample,
			.job = job}};
	if (host_logs[kind].file != NULL) {
		add_one(job, host_logs[kind].file);
	} else {
		add(job, limit_files);
		add_groups(job, group_limits);
		job->first = job->file.gl_pathc;
		add(job, host_files);
		add_groups(job, group_files);
	}
	job->fd = memory_resize(NULL, (job->file.gl_pathc + 1) * sizeof *job->fd);
	for (size_t i = 0; i < job->file.gl_pathc; i++)
		job->fd[i] = -1;
}
