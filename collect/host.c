/*
 * Collects facts about the host, and records the kernel's files that describe its
 * load. Must not know what the numbers mean, nor of COMMAND.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "run_dir.h"
#include "ticker.h"

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

/*
 * Which files of the kernel tell what this machine does, and what this user may have
 * of it.
 */

/* Memory: the lines of /proc/meminfo that change. */
static const char *const meminfo_lines[] = {"MemTotal:", "MemFree:", "MemAvailable:",
	"Buffers:", "Cached:", "SwapTotal:", "SwapFree:", "Dirty:", "Writeback:",
	"AnonPages:", "Mapped:", "Shmem:", "SReclaimable:", "SUnreclaim:", "PageTables:",
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

/*
 * Load, pressure, disks, network, the control groups that we are in; and energy, where
 * it may be read. NULL-terminated; the caller owns it. NULL: no memory.
 */
static char **host_files(void)
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

/* What does not change as a rule: limits, control groups. Likewise. */
static char **limit_files(void)
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

/* Which logs of the whole machine a recording has. */

/* How often the host's other files are recorded at most: they are many lines. */
#define HOST_LEAST_NS (1 * NS_PER_S)

static const char *const stat_file[] = {"/proc/stat", NULL};

/* The "intr" line behind those of the CPUs alone is longer than all of them. */
static const char *const stat_line[] = {"cpu", NULL};
static const char *const meminfo_file[] = {"/proc/meminfo", NULL};

static const struct {
	const char *name;
	const char *const *file, *const *line;
} host_logs[HOST_LOGS] = {
	[STAT_LOG] = {"proc-stat.log", stat_file, stat_line},
	[MEMINFO_LOG] = {"meminfo.log", meminfo_file, meminfo_lines},
	[HOST_LOG] = {"host.log", NULL, NULL},
};

const char *host_log_name(enum host_log log)
{
	return host_logs[log].name;
}

int host_log_plan(enum host_log log, struct proc_job *job, const struct plan *plan)
{
	*job = (struct proc_job){.interval_ns = plan->interval_ns,
		.file = host_logs[log].file,
		.line = host_logs[log].line,
		.whole = true};
	if (log != HOST_LOG)
		return 0;
	*job = (struct proc_job){.interval_ns = plan->interval_ns > HOST_LEAST_NS
			? plan->interval_ns
			: HOST_LEAST_NS,
		.file = (const char *const *)host_files(),
		.once = (const char *const *)limit_files(),
		.named = true};
	errno = ENOMEM;
	return job->file != NULL && job->once != NULL ? 0 : -1;
}

/*
 * A sample under way: the marker with its clocks, then whole files of the kernel or
 * chosen lines of them.
 */

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
	int length;

	if (!record_grow(record, 256))
		return;
	va_start(arguments, format);
	length = vsnprintf(record->text + record->size, 256, format, arguments);
	va_end(arguments);
	if (length > 0)
		record->size += (size_t)(length < 256 ? length : 255);
}

void record_add(struct record *record, const char *text, size_t size)
{
	if (!record_grow(record, size))
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

/*
 * Appends what the file at path, relative to dir_fd, says, to the last byte. Returns
 * its length, or -1 with errno; then nothing was appended.
 */
static ssize_t record_file(
	struct record *record, int dir_fd, const char *path, enum record_pieces pieces)
{
	int why, fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t size;

	if (fd < 0)
		return -1;
	size = record_again(record, fd, pieces);
	why = errno;
	(void)close(fd);
	errno = why;
	return size;
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

void record_process(struct record *record, pid_t pid, pid_t thread, const char *name,
	const char *const prefixes[])
{
	const size_t before = record->size;
	char path[48];
	size_t from;

	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)thread, name);
	record_printf(record, "> %d/%s\n", (int)pid, name);
	from = record->size;
	if (record_file(record, AT_FDCWD, path, RECORD_WHOLE) <= 0)
		record->size = before;
	else if (prefixes != NULL)
		record_keep(record, from, prefixes);
}

/*
 * Records files of the kernel, as they are, at equal distances of time: per sample a
 * marker line with the three clocks, then the kernel's own lines.
 */

struct sampler {
	struct proc_job *proc;
	struct record record;
	int kept_fd; /* of a file that stays open; -1: it is not */
};

/* It is opened anew where that does not do any more. */
static ssize_t read_kept(struct sampler *s, const char *path)
{
	ssize_t size = -1;

	if (s->kept_fd >= 0)
		size = record_again(&s->record, s->kept_fd, RECORD_WHOLE);
	if (size >= 0)
		return size;
	if (s->kept_fd >= 0)
		(void)close(s->kept_fd);
	s->kept_fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return s->kept_fd < 0 ? -1 : record_again(&s->record, s->kept_fd, RECORD_WHOLE);
}

static void append(struct sampler *s, const char *path)
{
	const struct proc_job *proc = s->proc;
	struct record *record = &s->record;
	const size_t before = record->size;
	size_t from;
	ssize_t size;

	if (proc->named) {
		record_printf(record, "> ");
		record_add(record, path, strlen(path));
		record_printf(record, "\n");
	}
	from = record->size;
	size = proc->whole ? read_kept(s, path)
			   : record_file(record, AT_FDCWD, path, RECORD_PIECES);
	if (size < 0)
		record->size = before;
	else if (proc->line != NULL)
		record_keep(record, from, proc->line);
}

static void append_all(struct sampler *s, const char *const *file)
{
	for (; file != NULL && *file != NULL; file++)
		append(s, *file);
}

static int take(void *context)
{
	struct sampler *s = context;
	struct proc_job *proc = s->proc;
	struct instant now;

	instant_now(&now);
	record_begin(&s->record, &now);
	record_printf(&s->record, "\n");
	append_all(s, proc->once);
	proc->once = NULL;
	append_all(s, proc->file);
	if (!s->record.broken)
		return raw_log_append(&proc->log, s->record.text, s->record.size);
	errno = ENOMEM;
	return -1;
}

void record_proc(void *job, const struct recording *recording)
{
	struct sampler s = {.proc = job, .kept_fd = -1};
	struct ticker ticker;
	int failed = ticker_open(&ticker, recording->punctuality, s.proc->interval_ns,
		recording->origin_ns);

	if (failed == 0)
		failed = ticker_sample(&ticker, take, &s);
	if (failed == 0) {
		recording_ready(recording);
		failed = ticker_keep(&ticker, recording->stop_fd, take, &s);
	}
	if (failed != 0)
		recording_ends_early(recording, raw_log_why(&s.proc->log, errno),
			regular_is_no_room(errno));
	record_release(&s.record);
	ticker_close(&ticker);
	if (s.kept_fd >= 0)
		(void)close(s.kept_fd);
}
