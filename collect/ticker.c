/*
 * Ticks at equal distances of time, and how punctual they were.
 * This room knows nothing of what happens at a tick.
 */
#include "ticker.h"

#include "clock.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

/*
 * A timer with an absolute start and an interval neither drifts nor bunches: the kernel
 * counts the ticks that were missed (machine busy, process stopped) and wakes us once.
 */
int ticker_open(struct ticker *ticker, int64_t interval_ns, int64_t origin_ns)
{
	int64_t passed = (clock_mono_ns() - origin_ns) / interval_ns;
	int64_t first_ns = origin_ns + (passed + 1) * interval_ns;
	struct itimerspec spec = {
		.it_value = {first_ns / NS_PER_S, first_ns % NS_PER_S},
		.it_interval = {interval_ns / NS_PER_S, interval_ns % NS_PER_S},
	};

	*ticker = (struct ticker){.interval_ns = interval_ns, .due_ns = first_ns};
	ticker->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (ticker->fd >= 0 &&
		timerfd_settime(ticker->fd, TFD_TIMER_ABSTIME, &spec, NULL) == 0)
		return 0;
	ticker_close(ticker);
	return -1;
}

void ticker_close(struct ticker *ticker)
{
	if (ticker->fd >= 0)
		(void)close(ticker->fd);
	ticker->fd = -1;
}

/* The newest of count ticks is the one that is taken. */
static void count_ticks(struct ticker *ticker, uint64_t count)
{
	int64_t late_ns, bin;

	ticker->due_ns += (int64_t)count * ticker->interval_ns;
	late_ns = clock_mono_ns() - (ticker->due_ns - ticker->interval_ns);
	if (late_ns < 0)
		late_ns = 0;
	bin = late_ns / TICKER_BIN_NS;
	ticker->late[bin < TICKER_BINS ? bin : TICKER_BINS - 1]++;
	if (late_ns > ticker->kept.late_max_ns)
		ticker->kept.late_max_ns = late_ns;
	ticker->kept.ticks++;
	ticker->kept.missed += count - 1;
}

bool ticker_wait(struct ticker *ticker, int stop_fd)
{
	struct pollfd either[2] = {
		{.fd = ticker->fd, .events = POLLIN},
		{.fd = stop_fd, .events = POLLIN},
	};
	uint64_t count;

	for (;;) {
		(void)poll(either, 2, -1);
		if (either[1].revents != 0)
			return false;
		if (read(ticker->fd, &count, sizeof count) != (ssize_t)sizeof count)
			continue;
		count_ticks(ticker, count);
		return true;
	}
}

/* By how much 99 of 100 ticks were late at most. */
static int64_t late_p99_ns(const struct ticker *ticker)
{
	uint64_t wanted = (ticker->kept.ticks * 99 + 99) / 100, seen = 0;

	for (int bin = 0; wanted > 0 && bin < TICKER_BINS - 1; bin++) {
		seen += ticker->late[bin];
		if (seen >= wanted)
			return (bin + 1) * TICKER_BIN_NS;
	}
	return ticker->kept.late_max_ns;
}

struct punctuality ticker_punctuality(const struct ticker *ticker)
{
	struct punctuality kept = ticker->kept;

	kept.late_p99_ns = late_p99_ns(ticker);
	return kept;
}
