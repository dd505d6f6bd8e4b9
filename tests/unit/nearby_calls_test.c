/* The calls around an instant, against a look at each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdlib.h>

#include "base/alloc.h"
#include "compute/phases/phase_map.h"

static uint32_t below(uint32_t *seed, uint32_t end)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % end;
}

static int by_start(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

static struct calls make_calls(
	uint32_t *seed, size_t count, uint32_t span, uint32_t longest)
{
	struct calls calls = {.at = xcalloc(count, sizeof(struct call)), .count = count};

	for (size_t i = 0; i < count; i++) {
		calls.at[i].start_ns = below(seed, span);
		calls.at[i].end_ns = calls.at[i].start_ns + below(seed, longest);
	}
	qsort(calls.at, count, sizeof *calls.at, by_start);
	return calls;
}

static void assert_around(const struct calls *calls, const struct nearby_calls *around,
	bool closed, int64_t t_ns)
{
	size_t met = 0;

	for (size_t i = 0; i < calls->count; i++) {
		const struct call *call = &calls->at[i];

		if (t_ns < call->start_ns ||
			(closed ? t_ns > call->end_ns : t_ns >= call->end_ns))
			continue;
		assert_true(met < around->count);
		assert_int_equal(around->call[met++], i);
	}
	assert_int_equal(met, around->count);
}

/* Step by step, by leaps, back, and anywhere; short calls and long ones, none at all. */
static void as_if_looked_at(void **state)
{
	static const struct {
		size_t count;
		uint32_t span, longest, leap;
	} cases[] = {{0, 10, 2, 3}, {1, 10, 5, 2}, {300, 1000, 20, 4},
		{300, 1000, 2000, 40}, {2000, 1000, 3, 1}, {2000, 100, 5, 90}};
	uint32_t seed = 3;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		bool closed = i % 2;
		struct calls calls = make_calls(&seed, cases[i / 2].count,
			cases[i / 2].span, cases[i / 2].longest);
		int64_t *latest_ns = nearby_calls_latest(&calls), t_ns = -3;
		struct nearby_calls around = {0};

		for (int k = 0; k < 600; k++) {
			t_ns += below(&seed, cases[i / 2].leap + 1);
			if (below(&seed, 20) == 0)
				t_ns = (int64_t)below(&seed, cases[i / 2].span + 9) - 4;
			nearby_calls_move(&around, &calls, latest_ns, closed, t_ns);
			assert_around(&calls, &around, closed, t_ns);
		}
		nearby_calls_release(&around);
		free(latest_ns);
		free(calls.at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_if_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
