/*
 * The least and largest values over time: what bins hold, worked out by hand; that a
 * spike stays however long the course is; that order and doubling change nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "base/timestamp.h"
#include "compute/series/course.h"

#define BIN (INT64_C(1) << ENVELOPE_SHIFT)

/* A multiple of any length of a bin that is used here. */
#define T0 (INT64_C(1) << 60)

static void bins_that_double(void **state)
{
	struct envelope e;

	(void)state;
	envelope_init(&e, 4);
	envelope_add(&e, T0, 5);
	envelope_add(&e, T0 + BIN - 1, 7);
	envelope_add(&e, T0 + 3 * BIN, -2);
	assert_int_equal(e.shift, ENVELOPE_SHIFT);
	assert_int_equal(e.count, 4);
	assert_int_equal(e.bin[0].n, 2);
	assert_int_equal(e.bin[0].min, 5);
	assert_int_equal(e.bin[0].max, 7);
	assert_true(e.bin[0].sum == 12);
	assert_true(e.bin[0].first_ns == T0 && e.bin[0].last_ns == T0 + BIN - 1);
	assert_int_equal(e.bin[1].n, 0);
	assert_int_equal(e.bin[2].n, 0);
	envelope_add(&e, T0 + 4 * BIN, 9);
	assert_int_equal(e.shift, ENVELOPE_SHIFT + 1);
	assert_int_equal(e.count, 3);
	assert_int_equal(e.first, T0 >> e.shift);
	assert_int_equal(e.bin[1].n, 1);
	assert_int_equal(e.bin[1].min, -2);
	assert_int_equal(e.bin[2].max, 9);
	/* Before all others: nothing is left out, as no bin is the first for good. */
	envelope_add(&e, T0 - 1, 100);
	assert_int_equal(e.count, 4);
	assert_int_equal(e.bin[0].max, 100);
	assert_int_equal(e.bin[1].max, 7);
	envelope_release(&e);
}

/* Bins of odd and even number from 1970 on become one, whatever the first is. */
static void odd_first(void **state)
{
	struct envelope e;

	(void)state;
	envelope_init(&e, 2);
	envelope_add(&e, T0 + BIN, 1);
	envelope_add(&e, T0 + 2 * BIN, 2);
	assert_int_equal(e.shift, ENVELOPE_SHIFT);
	envelope_add(&e, T0 + 3 * BIN, 3);
	assert_int_equal(e.shift, ENVELOPE_SHIFT + 1);
	assert_int_equal(e.count, 2);
	assert_int_equal(e.bin[0].n, 1);
	assert_int_equal(e.bin[1].n, 2);
	envelope_release(&e);
}

static void before_1970(void **state)
{
	struct envelope e;

	(void)state;
	assert_int_equal(envelope_number(-1, 20), -1);
	assert_int_equal(envelope_number(-BIN, 20), -1);
	assert_int_equal(envelope_number(-BIN - 1, 20), -2);
	assert_int_equal(envelope_number(INT64_MIN, 63), -1);
	envelope_init(&e, 2);
	envelope_add(&e, -1, 1);
	envelope_add(&e, 0, 2);
	envelope_add(&e, INT64_MIN, 3);
	envelope_add(&e, INT64_MAX, 4);
	assert_int_equal(e.count, 2);
	assert_int_equal(e.bin[0].n, 2);
	assert_int_equal(e.bin[1].max, 4);
	envelope_release(&e);
}

/* From a second to a year of samples, one of which is a spike up and one down. */
static void spikes_stay(void **state)
{
	(void)state;
	for (int64_t step_ns = NS_PER_S / 1000; step_ns < 1000 * NS_PER_S;
		step_ns *= 10) {
		int64_t max = INT64_MIN, min = INT64_MAX;
		struct envelope e;

		envelope_init(&e, 720);
		for (int64_t i = 0; i < 30000; i++)
			envelope_add(&e, T0 + i * step_ns,
				i == 12345	     ? 1000
					: i == 23456 ? -1000
						     : i % 7);
		for (int64_t i = 0; i < e.count; i++) {
			max = e.bin[i].n && e.bin[i].max > max ? e.bin[i].max : max;
			min = e.bin[i].n && e.bin[i].min < min ? e.bin[i].min : min;
		}
		assert_int_equal(max, 1000);
		assert_int_equal(min, -1000);
		assert_in_range(e.count, 361, 720);
		envelope_release(&e);
	}
}

static void same(const struct envelope *a, const struct envelope *b)
{
	assert_int_equal(a->shift, b->shift);
	assert_int_equal(a->first, b->first);
	assert_int_equal(a->count, b->count);
	for (int64_t i = 0; i < a->count; i++) {
		assert_int_equal(a->bin[i].n, b->bin[i].n);
		if (!a->bin[i].n)
			continue;
		assert_int_equal(a->bin[i].min, b->bin[i].min);
		assert_int_equal(a->bin[i].max, b->bin[i].max);
		assert_int_equal(a->bin[i].first_ns, b->bin[i].first_ns);
		assert_int_equal(a->bin[i].last_ns, b->bin[i].last_ns);
		assert_true(a->bin[i].sum == b->bin[i].sum);
	}
}

static void order_does_not_matter(void **state)
{
	enum {
		COUNT = 5000
	};
	struct envelope forward, backward, shuffled;

	(void)state;
	envelope_init(&forward, 64);
	envelope_init(&backward, 64);
	envelope_init(&shuffled, 64);
	for (int64_t i = 0; i < COUNT; i++) {
		/* 1,999 has no divisor in common with COUNT: each once. */
		int64_t k = i * 1999 % COUNT, j = COUNT - 1 - i;

		envelope_add(&forward, T0 + i * i * 1000, i % 97);
		envelope_add(&backward, T0 + j * j * 1000, j % 97);
		envelope_add(&shuffled, T0 + k * k * 1000, k % 97);
	}
	same(&forward, &backward);
	same(&forward, &shuffled);
	envelope_widen(&forward, 40);
	assert_int_equal(forward.count, 1);
	assert_int_equal(forward.bin[0].n, COUNT);
	envelope_release(&forward);
	envelope_release(&backward);
	envelope_release(&shuffled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_that_double),
		cmocka_unit_test(odd_first),
		cmocka_unit_test(before_1970),
		cmocka_unit_test(spikes_stay),
		cmocka_unit_test(order_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
