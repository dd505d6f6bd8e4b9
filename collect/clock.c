/*
 * Clocks, ticks and delays.
 */
#include "clock.h"

#include <stddef.h>
#include <stdio.h>
#include <time.h>

static int64_t clock_ns(clockid_t id)
{
	struct timespec now = {0, 0};

	/* Cannot fail: these clocks are older than any kernel that runs this. */
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

int64_t clock_cpu_of_ns(pid_t pid)
{
	clockid_t id;

	return clock_getcpuclockid(pid, &id) == 0 ? clock_ns(id) : -1;
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

void ticker_start(
	struct ticker *ticker, int64_t interval_ns, int64_t origin_ns, int64_t now_ns)
{
	int64_t passed = (now_ns - origin_ns) / interval_ns;

	*ticker = (struct ticker){.interval_ns = interval_ns,
		.first_ns = origin_ns + (passed + 1) * interval_ns};
	ticker->next_ns = ticker->first_ns;
}

void ticker_pass(struct ticker *ticker, int64_t now_ns)
{
	if (ticker->interval_ns > 0 && now_ns >= ticker->next_ns)
		ticker->next_ns +=
			((now_ns - ticker->next_ns) / ticker->interval_ns + 1) *
			ticker->interval_ns;
}

void ticker_sampled(struct ticker *ticker, int64_t began_ns)
{
	int64_t late_ns, bin;

	if (ticker->interval_ns == 0 || began_ns < ticker->next_ns)
		return;
	ticker_pass(ticker, began_ns);
	late_ns = began_ns - (ticker->next_ns - ticker->interval_ns);
	bin = late_ns / TICKER_BIN_NS;
	ticker->late[bin < TICKER_BINS ? bin : TICKER_BINS - 1]++;
	if (late_ns > ticker->late_max_ns)
		ticker->late_max_ns = late_ns;
	ticker->ticks++;
}

uint64_t ticker_missed(const struct ticker *ticker)
{
	if (ticker->interval_ns == 0)
		return 0;
	return (uint64_t)((ticker->next_ns - ticker->first_ns) / ticker->interval_ns) -
		ticker->ticks;
}

int64_t ticker_late_p99_ns(const struct ticker *ticker)
{
	uint64_t wanted = (ticker->ticks * 99 + 99) / 100, seen = 0;

	for (int64_t bin = 0; wanted > 0 && bin < TICKER_BINS - 1; bin++) {
		int64_t late_ns = (bin + 1) * TICKER_BIN_NS;

		seen += ticker->late[bin];
		if (seen >= wanted)
			return late_ns < ticker->late_max_ns ? late_ns
							     : ticker->late_max_ns;
	}
	return ticker->late_max_ns;
}

#define PAUSE_FIRST_NS (1 * NS_PER_S)
#define PAUSE_MOST_NS  (64 * NS_PER_S)

int64_t backoff_pause(struct backoff *backoff, int64_t now_ns)
{
	int64_t pause_ns = backoff->pause_ns;

	if (now_ns - backoff->started_ns > PAUSE_MOST_NS)
		pause_ns = 0;
	if (pause_ns == 0)
		backoff->pause_ns = PAUSE_FIRST_NS;
	else if (pause_ns < PAUSE_MOST_NS)
		backoff->pause_ns = 2 * pause_ns;
	return pause_ns;
}
