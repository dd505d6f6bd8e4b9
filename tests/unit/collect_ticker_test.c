/*
 * Which ticks count as taken and which as missed, whatever happens to the process that
 * takes them. Ticks are an hour apart: none comes by itself, so what has passed is what
 * the origin says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collect/ticker.h"

#define HOUR_NS (3600 * NS_PER_S)

static int take(void *context)
{
	(void)context;
	return 0;
}

static int take_killed(void *context)
{
	(void)context;
	(void)raise(SIGKILL);
	return 0;
}

static int take_fails(void *context)
{
	(void)context;
	errno = ENOSPC;
	return -1;
}

/* The first of so many ticks was hours ago, the last half an hour; so many were taken. */
static struct punctuality *begun(int64_t *origin_ns, int hours, unsigned taken)
{
	struct punctuality *kept = punctuality_share();

	assert_non_null(kept);
	*origin_ns = clock_mono_ns() - hours * HOUR_NS - HOUR_NS / 2;
	kept->interval_ns = HOUR_NS;
	kept->first_ns = *origin_ns + HOUR_NS;
	kept->due_ns = kept->first_ns + taken * HOUR_NS;
	kept->ticks = taken;
	return kept;
}

static void forget(struct ticker *ticker)
{
	ticker_close(ticker);
	assert_int_equal(munmap(ticker->kept, sizeof *ticker->kept), 0);
}

static void check_counts(const struct ticker *ticker, uint64_t ticks, uint64_t missed)
{
	assert_int_equal(ticker->kept->ticks, ticks);
	assert_int_equal(punctuality_missed(ticker->kept), missed);
}

/* The first sample and the last one stand at no tick. */
static void test_nothing_is_due(void **state)
{
	struct ticker ticker;
	int64_t origin_ns = clock_mono_ns() - HOUR_NS / 2;
	int stop[2];

	(void)state;
	assert_int_equal(
		ticker_open(&ticker, punctuality_share(), HOUR_NS, origin_ns), 0);
	assert_int_equal(ticker.kept->first_ns, origin_ns + HOUR_NS);
	assert_int_equal(ticker_sample(&ticker, take, NULL), 0);
	check_counts(&ticker, 0, 0);
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "", 1), 1);
	assert_int_equal(ticker_keep(&ticker, stop[0], take, NULL), 0);
	check_counts(&ticker, 0, 0);
	assert_true(ticker.kept->over);
	punctuality_end(ticker.kept, clock_mono_ns() + 5 * HOUR_NS);
	check_counts(&ticker, 0, 0);
	(void)close(stop[0]);
	(void)close(stop[1]);
	forget(&ticker);
}

/* Of seven ticks two were taken: the first sample is at the seventh. */
static void test_goes_on(void **state)
{
	struct ticker ticker;
	int64_t origin_ns;
	struct punctuality *kept = begun(&origin_ns, 7, 2);

	(void)state;
	assert_int_equal(ticker_open(&ticker, kept, HOUR_NS, origin_ns), 0);
	check_counts(&ticker, 2, 0);
	assert_int_equal(ticker_sample(&ticker, take, NULL), 0);
	check_counts(&ticker, 3, 4);
	assert_true(kept->late_max_ns >= HOUR_NS / 2 && kept->late_max_ns < HOUR_NS);
	assert_int_equal(kept->due_ns, origin_ns + 8 * HOUR_NS);
	/* ... and no second one. */
	ticker_close(&ticker);
	assert_int_equal(ticker_open(&ticker, kept, HOUR_NS, origin_ns), 0);
	assert_int_equal(ticker_sample(&ticker, take, NULL), 0);
	check_counts(&ticker, 3, 4);
	forget(&ticker);
}

/* Killed over its sample again and again, it has missed that tick once. */
static void test_killed_before_its_sample(void **state)
{
	struct ticker ticker;
	int64_t origin_ns;
	struct punctuality *kept = begun(&origin_ns, 3, 2);

	(void)state;
	for (int life = 0; life < 3; life++) {
		int status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			if (ticker_open(&ticker, kept, HOUR_NS, origin_ns) == 0)
				(void)ticker_sample(&ticker, take_killed, NULL);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
	}
	assert_false(kept->over);
	punctuality_end(kept, origin_ns + 3 * HOUR_NS + 1);
	ticker = (struct ticker){.fd = -1, .kept = kept};
	check_counts(&ticker, 2, 1);
	forget(&ticker);
}

/* What another process takes counts here; it was killed, and hours later all ends. */
static void test_killed_for_good(void **state)
{
	int64_t origin_ns;
	struct ticker ticker = {.fd = -1, .kept = begun(&origin_ns, 3, 2)};
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		if (ticker_open(&ticker, ticker.kept, HOUR_NS, origin_ns) == 0)
			(void)ticker_sample(&ticker, take, NULL);
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	check_counts(&ticker, 3, 0);
	punctuality_end(ticker.kept, origin_ns + 5 * HOUR_NS);
	check_counts(&ticker, 3, 2);
	forget(&ticker);
}

/* The tick whose sample fails is missed, and those behind it are not due. */
static void test_ends_early(void **state)
{
	struct ticker ticker;
	int64_t origin_ns;
	struct punctuality *kept = begun(&origin_ns, 3, 2);

	(void)state;
	assert_int_equal(ticker_open(&ticker, kept, HOUR_NS, origin_ns), 0);
	assert_int_equal(ticker_sample(&ticker, take_fails, NULL), -1);
	assert_int_equal(errno, ENOSPC);
	punctuality_end(kept, clock_mono_ns() + 5 * HOUR_NS);
	check_counts(&ticker, 2, 1);
	forget(&ticker);
}

/* Told to stop over ticks that have come, the last sample is at the newest of them. */
static void test_stopped_over_ticks(void **state)
{
	struct ticker ticker;
	struct pollfd came;
	int stop[2];

	(void)state;
	assert_int_equal(ticker_open(&ticker, punctuality_share(), NS_PER_S / 1000,
				 clock_mono_ns()),
		0);
	came = (struct pollfd){.fd = ticker.fd, .events = POLLIN};
	assert_int_equal(poll(&came, 1, -1), 1);
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "", 1), 1);
	assert_int_equal(ticker_keep(&ticker, stop[0], take, NULL), 0);
	check_counts(&ticker, 1,
		(uint64_t)((ticker.newest_ns - ticker.kept->first_ns) /
			ticker.kept->interval_ns));
	(void)close(stop[0]);
	(void)close(stop[1]);
	forget(&ticker);
}

/* Of a hundred ticks the latest may be as late as it will. */
static void test_late_p99(void **state)
{
	struct punctuality kept = {.ticks = 100, .late_max_ns = HOUR_NS};

	(void)state;
	kept.late[2] = 99;
	kept.late[TICKER_BINS - 1] = 1;
	assert_int_equal(punctuality_late_p99_ns(&kept), 3 * TICKER_BIN_NS);
	kept.late[2]--;
	kept.late[TICKER_BINS - 1]++;
	assert_int_equal(punctuality_late_p99_ns(&kept), HOUR_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_due),
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(test_killed_before_its_sample),
		cmocka_unit_test(test_killed_for_good),
		cmocka_unit_test(test_ends_early),
		cmocka_unit_test(test_stopped_over_ticks),
		cmocka_unit_test(test_late_p99),
	};

	return cmocka_run_group_tests_name("collect_ticker", tests, NULL, NULL);
}
