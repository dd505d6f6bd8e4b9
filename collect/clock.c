/*
 * The three clocks of a sample, and how they are written.
 * This room knows nothing of recorders or files.
 */
#include "clock.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>

static int64_t clock_ns(clockid_t id)
{
	struct timespec now = {0, 0};

	/* Cannot fail: all three clocks are older than any kernel that runs this. */
	(void)clock_gettime(id, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void instant_now(struct instant *now)
{
	now->real_ns = clock_ns(CLOCK_REALTIME);
	now->mono_ns = clock_ns(CLOCK_MONOTONIC);
	now->boot_ns = clock_ns(CLOCK_BOOTTIME);
}

int64_t clock_mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t clock_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

int clock_left_ms(int64_t deadline_mono_ns)
{
	int64_t left_ns = deadline_mono_ns - clock_mono_ns();

	if (left_ns <= 0)
		return 0;
	if (left_ns / 1000000 >= INT_MAX)
		return INT_MAX;
	return (int)((left_ns + 999999) / 1000000);
}

void clock_rfc3339(int64_t real_ns, char text[RFC3339_SIZE])
{
	time_t seconds = (time_t)(real_ns / NS_PER_S);
	int micros = (int)(real_ns % NS_PER_S / 1000);
	char day[24];
	struct tm utc;

	if (gmtime_r(&seconds, &utc) == NULL ||
		strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc) == 0)
		day[0] = '\0';
	(void)snprintf(text, RFC3339_SIZE, "%s.%06dZ", day, micros);
}
