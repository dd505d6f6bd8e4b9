/* How long what ends again and again waits, as clock.h says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "collect/base.h"

static void doubled_up_to_64_s(void **state)
{
	static const int64_t pause_s[] = {0, 1, 2, 4, 8, 16, 32, 64, 64, 64};
	struct backoff backoff = {0};
	int64_t now_ns = 5 * NS_PER_S;

	(void)state;
	for (size_t i = 0; i < sizeof pause_s / sizeof *pause_s; i++) {
		int64_t pause_ns;

		backoff.started_ns = now_ns;
		now_ns += 64 * NS_PER_S; /* no longer than the longest pause */
		pause_ns = backoff_pause(&backoff, now_ns, PAUSE_MOST_NS);
		assert_int_equal(pause_ns, pause_s[i] * NS_PER_S);
		now_ns += pause_ns;
	}
}

static void anew_after_a_long_life(void **state)
{
	struct backoff backoff = {0};

	(void)state;
	for (int i = 0; i < 8; i++)
		(void)backoff_pause(&backoff, 0, PAUSE_MOST_NS);
	backoff.started_ns = 1000 * NS_PER_S;
	assert_int_equal(backoff_pause(&backoff, 1064 * NS_PER_S + 1, PAUSE_MOST_NS), 0);
	backoff.started_ns = 1065 * NS_PER_S;
	assert_int_equal(
		backoff_pause(&backoff, 1066 * NS_PER_S, PAUSE_MOST_NS), NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubled_up_to_64_s),
		cmocka_unit_test(anew_after_a_long_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
