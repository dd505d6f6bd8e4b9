/*
 * Records /proc/stat, as it is, at equal distances of time: per sample a marker line with
 * the three clocks, then the kernel's own lines.
 * This room must not know what the numbers mean, nor of COMMAND.
 */
#include "record_proc.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct sampler {
	struct raw_log *log;
	int stat_fd;
	char *record;
	size_t capacity;
};

static int sampler_open(struct sampler *sampler, struct raw_log *log)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	sampler->log = log;
	/* "cpu1234" and ten numbers of at most twenty digits fit in 256 bytes. */
	sampler->capacity = 4096 + 256 * (size_t)(cpus > 0 ? cpus : 1);
	sampler->record = malloc(sampler->capacity);
	if (sampler->record == NULL)
		return -1;
	sampler->stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	return sampler->stat_fd < 0 ? -1 : 0;
}

static void sampler_close(struct sampler *sampler)
{
	if (sampler->stat_fd >= 0)
		(void)close(sampler->stat_fd);
	free(sampler->record);
}

/* Length of the leading lines that begin with "cpu"; a last line without newline is none.
 */
static size_t cpu_lines_length(const char *text, size_t size)
{
	size_t length = 0;

	while (size - length > 3 && memcmp(text + length, "cpu", 3) == 0) {
		const char *newline = memchr(text + length, '\n', size - length);

		if (newline == NULL)
			break;
		length = (size_t)(newline - text) + 1;
	}
	return length;
}

/*
 * Only the lines that begin with "cpu" are kept: they come first, and the "intr" line
 * after them alone is longer than all of them, with thousands of columns on large
 * machines. Reading from 0 makes the kernel take a new snapshot.
 */
static int sampler_take(struct sampler *sampler)
{
	struct instant now;
	size_t used, cpu;
	ssize_t got;

	instant_now(&now);
	used = (size_t)snprintf(sampler->record, sampler->capacity,
		"# t=%" PRId64 ".%09" PRId64 " mono=%" PRId64 ".%09" PRId64
		" boot=%" PRId64 ".%09" PRId64 "\n",
		now.real_ns / NS_PER_S, now.real_ns % NS_PER_S, now.mono_ns / NS_PER_S,
		now.mono_ns % NS_PER_S, now.boot_ns / NS_PER_S, now.boot_ns % NS_PER_S);
	got = pread(
		sampler->stat_fd, sampler->record + used, sampler->capacity - used, 0);
	if (got < 0)
		return -1;
	cpu = cpu_lines_length(sampler->record + used, (size_t)got);
	return raw_log_append(sampler->log, sampler->record, used + cpu);
}

/*
 * A timer with an absolute start and an interval neither drifts nor bunches: the kernel
 * counts the ticks that were missed (machine busy, process stopped) and wakes us once.
 */
static int timer_open(int64_t interval_ns)
{
	int64_t first_ns = clock_mono_ns() + interval_ns;
	struct itimerspec spec = {
		.it_value = {first_ns / NS_PER_S, first_ns % NS_PER_S},
		.it_interval = {interval_ns / NS_PER_S, interval_ns % NS_PER_S},
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0 && timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL) == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

/* Waits for the next tick. Returns false when it is time to stop. */
static bool tick(int timer_fd, int stop_fd)
{
	struct pollfd either[2] = {
		{.fd = timer_fd, .events = POLLIN},
		{.fd = stop_fd, .events = POLLIN},
	};
	uint64_t ticks;

	for (;;) {
		(void)poll(either, 2, -1);
		if (either[1].revents != 0)
			return false;
		if (read(timer_fd, &ticks, sizeof ticks) == (ssize_t)sizeof ticks)
			return true;
	}
}

void record_proc(void *job, const struct recording *recording)
{
	struct proc_job *proc = job;
	struct sampler sampler = {.stat_fd = -1};
	int timer_fd = timer_open(proc->interval_ns);
	int failed = timer_fd < 0 || sampler_open(&sampler, &proc->log) != 0;

	if (!failed)
		failed = sampler_take(&sampler) != 0;
	if (!failed)
		recording_ready(recording);
	while (!failed && tick(timer_fd, recording->stop_fd))
		failed = sampler_take(&sampler) != 0;
	if (!failed)
		failed = sampler_take(&sampler) != 0;
	if (failed)
		recording_trouble(recording, "ends early: %s", strerror(errno));
	sampler_close(&sampler);
	if (timer_fd >= 0)
		(void)close(timer_fd);
}
