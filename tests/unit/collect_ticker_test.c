/* Which ticks count as taken and which as missed, and how late the samples were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "collect/base.h"

#define ORIGIN_NS (1000 * NS_PER_S)

/* Ticks of a second; begun half a second behind the origin. */
static struct ticker begun(void)
{
	struct ticker ticker;

	ticker_start(&ticker, NS_PER_S, ORIGIN_NS, ORIGIN_NS + NS_PER_S / 2);
	return ticker;
}

static void check_counts(const struct ticker *ticker, uint64_t ticks, uint64_t missed)
{
	assert_int_equal(ticker->ticks, ticks);
	assert_int_equal(ticker_missed(ticker), missed);
}

static void test_whole_intervals_from_the_origin(void **state)
{
	struct ticker ticker = begun();

	(void)state;
	assert_int_equal(ticker.first_ns, ORIGIN_NS + NS_PER_S);
	ticker_start(&ticker, NS_PER_S, ORIGIN_NS, ORIGIN_NS + 7 * NS_PER_S);
	assert_int_equal(ticker.first_ns, ORIGIN_NS + 8 * NS_PER_S);
	assert_int_equal(ticker.next_ns, ticker.first_ns);
}

/* The first sample and the last one stand at no tick. */
static void test_nothing_is_due(void **state)
{
	struct ticker ticker = begun();

	(void)state;
	ticker_sampled(&ticker, ORIGIN_NS + NS_PER_S / 2);
	ticker_pass(&ticker, ORIGIN_NS + NS_PER_S - 1);
	check_counts(&ticker, 0, 0);
	assert_int_equal(ticker.next_ns, ticker.first_ns);
}

static void test_each_tick_once(void **state)
{
	struct ticker ticker = begun();

	(void)state;
	ticker_sampled(&ticker, ORIGIN_NS + NS_PER_S + 3 * NS_PER_MS);
	ticker_sampled(&ticker, ORIGIN_NS + NS_PER_S + 4 * NS_PER_MS);
	check_counts(&ticker, 1, 0);
	assert_int_equal(ticker.late_max_ns, 3 * NS_PER_MS);
	ticker_sampled(&ticker, ORIGIN_NS + 2 * NS_PER_S);
	check_counts(&ticker, 2, 0);
}

/* Stopped for four ticks: the sample is that of the newest one. */
static void test_late_by_more_than_the_interval(void **state)
{
	struct ticker ticker = begun();

	(void)state;
	ticker_sampled(&ticker, ORIGIN_NS + 4 * NS_PER_S + NS_PER_S / 4);
	check_counts(&ticker, 1, 3);
	assert_int_equal(ticker.late_max_ns, NS_PER_S / 4);
	assert_int_equal(ticker.next_ns, ORIGIN_NS + 5 * NS_PER_S);
}

/* What was due has passed without a sample, as one that failed. */
static void test_passed(void **state)
{
	struct ticker ticker = begun();

	(void)state;
	ticker_pass(&ticker, ORIGIN_NS + 2 * NS_PER_S);
	check_counts(&ticker, 0, 2);
	ticker_pass(&ticker, ORIGIN_NS + 2 * NS_PER_S);
	check_counts(&ticker, 0, 2);
}

static void test_without_ticks(void **state)
{
	struct ticker ticker = {0};

	(void)state;
	ticker_sampled(&ticker, ORIGIN_NS);
	ticker_pass(&ticker, ORIGIN_NS);
	check_counts(&ticker, 0, 0);
}

/* Of a hundred ticks the latest may be as late as it will. */
static void test_late_p99(void **state)
{
	struct ticker ticker = {.ticks = 100, .late_max_ns = 3600 * NS_PER_S};

	(void)state;
	ticker.late[2] = 99;
	ticker.late[TICKER_BINS - 1] = 1;
	assert_int_equal(ticker_late_p99_ns(&ticker), 3 * TICKER_BIN_NS);
	ticker.late[2]--;
	ticker.late[TICKER_BINS - 1]++;
	assert_int_equal(ticker_late_p99_ns(&ticker), 3600 * NS_PER_S);
	/* Rounding makes none later than the latest. */
	ticker = (struct ticker){.ticks = 1, .late_max_ns = TICKER_BIN_NS / 4};
	ticker.late[0] = 1;
	assert_int_equal(ticker_late_p99_ns(&ticker), TICKER_BIN_NS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_intervals_from_the_origin),
		cmocka_unit_test(test_nothing_is_due),
		cmocka_unit_test(test_each_tick_once),
		cmocka_unit_test(test_late_by_more_than_the_interval),
		cmocka_unit_test(test_passed),
		cmocka_unit_test(test_without_ticks),
		cmocka_unit_test(test_late_p99),
	};

	return cmocka_run_group_tests_name("collect_ticker", tests, NULL, NULL);
}
