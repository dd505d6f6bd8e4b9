/*
 * Samples at equal intervals, and how punctual they were; the clocks of a sample;
 * delays before restarts. Knows nothing of what a sample is.
 */
#include "ticker.h"

#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The three clocks of a sample, and how they are written. */

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

struct punctuality *punctuality_share(void)
{
	struct punctuality *kept = mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return kept != MAP_FAILED ? kept : NULL;
}

/* The ticks until then have passed, with or without a sample. */
static void pass(struct punctuality *kept, int64_t mono_ns)
{
	if (mono_ns >= kept->due_ns)
		kept->due_ns += ((mono_ns - kept->due_ns) / kept->interval_ns + 1) *
			kept->interval_ns;
}

void punctuality_end(struct punctuality *kept, int64_t mono_ns)
{
	if (kept->over || kept->interval_ns == 0)
		return;
	pass(kept, mono_ns);
	kept->over = true;
}

uint64_t punctuality_missed(const struct punctuality *kept)
{
	if (kept->interval_ns == 0)
		return 0;
	return (uint64_t)((kept->due_ns - kept->first_ns) / kept->interval_ns) -
		kept->ticks;
}

int64_t punctuality_late_p99_ns(const struct punctuality *kept)
{
	uint64_t wanted = (kept->ticks * 99 + 99) / 100, seen = 0;

	for (int bin = 0; wanted > 0 && bin < TICKER_BINS - 1; bin++) {
		seen += kept->late[bin];
		if (seen >= wanted)
			return (bin + 1) * TICKER_BIN_NS;
	}
	return kept->late_max_ns;
}

/*
 * A timer with an absolute start and an interval neither drifts nor bunches: the kernel
 * counts the ticks that were missed (machine busy, process stopped) and wakes us once.
 */
int ticker_open(struct ticker *ticker, struct punctuality *kept, int64_t interval_ns,
	int64_t origin_ns)
{
	int64_t passed = (clock_mono_ns() - origin_ns) / interval_ns;
	int64_t first_ns = origin_ns + (passed + 1) * interval_ns;
	struct itimerspec spec = {
		.it_value = {first_ns / NS_PER_S, first_ns % NS_PER_S},
		.it_interval = {interval_ns / NS_PER_S, interval_ns % NS_PER_S},
	};

	*ticker = (struct ticker){.kept = kept, .newest_ns = first_ns - interval_ns};
	ticker->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (ticker->fd < 0 ||
		timerfd_settime(ticker->fd, TFD_TIMER_ABSTIME, &spec, NULL) != 0) {
		ticker_close(ticker);
		return -1;
	}
	if (kept->interval_ns == 0) {
		kept->first_ns = kept->due_ns = first_ns;
		kept->interval_ns = interval_ns;
	}
	kept->over = false;
	return 0;
}

void ticker_close(struct ticker *ticker)
{
	if (ticker->fd >= 0)
		(void)close(ticker->fd);
	ticker->fd = -1;
}

/* A sample was taken at the newest tick, so late. One that is killed in here has missed
 * it, as it has passed first. */
static void count(struct ticker *ticker, int64_t late_ns)
{
	struct punctuality *kept = ticker->kept;
	int64_t bin;

	if (late_ns < 0)
		late_ns = 0;
	bin = late_ns / TICKER_BIN_NS;
	pass(kept, ticker->newest_ns);
	kept->late[bin < TICKER_BINS ? bin : TICKER_BINS - 1]++;
	if (late_ns > kept->late_max_ns)
		kept->late_max_ns = late_ns;
	kept->ticks++;
}

int ticker_sample(struct ticker *ticker, ticker_take *take, void *context)
{
	int64_t late_ns = clock_mono_ns() - ticker->newest_ns;
	int failed = take(context);

	if (failed != 0)
		punctuality_end(ticker->kept, ticker->newest_ns);
	else if (ticker->newest_ns >= ticker->kept->due_ns)
		count(ticker, late_ns);
	return failed;
}

/* Waits for the next tick; false: stop_fd can be read. */
static bool ticker_wait(struct ticker *ticker, int stop_fd)
{
	struct pollfd either[2] = {
		{.fd = ticker->fd, .events = POLLIN},
		{.fd = stop_fd, .events = POLLIN},
	};
	uint64_t came = 0;

	while (came == 0 && either[1].revents == 0) {
		(void)poll(either, 2, -1);
		if (read(ticker->fd, &came, sizeof came) != (ssize_t)sizeof came)
			came = 0;
		ticker->newest_ns += (int64_t)came * ticker->kept->interval_ns;
	}
	return either[1].revents == 0;
}

int ticker_keep(struct ticker *ticker, int stop_fd, ticker_take *take, void *context)
{
	bool goes_on = true;

	while (goes_on) {
		int failed;

		goes_on = ticker_wait(ticker, stop_fd);
		failed = ticker_sample(ticker, take, context);
		if (failed != 0)
			return failed;
	}
	punctuality_end(ticker->kept, ticker->newest_ns);
	return 0;
}

/* How long what ends again and again waits before it is started anew. */

#define FIRST_NS (1 * NS_PER_S)
#define MOST_NS	 (64 * NS_PER_S)

void backoff_starts(struct backoff *backoff, int64_t at_ns)
{
	backoff->started_ns = at_ns;
}

void backoff_ends(struct backoff *backoff, int64_t at_ns)
{
	if (at_ns - backoff->started_ns > MOST_NS)
		backoff->pause_ns = 0;
}

int64_t backoff_pause(struct backoff *backoff)
{
	int64_t pause_ns = backoff->pause_ns;

	if (pause_ns == 0)
		backoff->pause_ns = FIRST_NS;
	else if (pause_ns < MOST_NS)
		backoff->pause_ns = 2 * pause_ns;
	return pause_ns;
}
