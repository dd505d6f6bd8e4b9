/* The integral of the line between two samples, up to a time between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/series/counter.h"

#define S     NS_PER_S
#define YEARS (100 * INT64_C(365) * 86400 * S)

static struct slice_piece up_to(const struct slice *slice, int64_t at_ns)
{
	int64_t dt_ns = slice->to_ns - slice->from_ns;

	return (struct slice_piece){
		slice->from_ns, slice->from_ns + at_ns, slice_ramp(at_ns, dt_ns)};
}

static int128 narrow_area(const struct slice *slice, const struct slice_piece *piece)
{
	return slice_area_narrow(slice->from, slice->to - slice->from,
		piece->to_ns - slice->from_ns, (int64_t)piece->to_ramp);
}

/* From 20 to 120 in 10 s: 20 + 10 t, whose integral up to t is 20 t + 5 t^2. */
static void by_hand(void **state)
{
	const struct slice slice = {7 * S, 17 * S, 20, 120, 0, 0};

	(void)state;
	for (int64_t t = 1; t <= 10; t++) {
		const struct slice_piece piece = up_to(&slice, t * S);
		int128 twice = (int128)(40 * t + 10 * t * t) * S;

		/* t^2 / 10 s is rounded down, to 2^-16 ns */
		assert_true(twice - narrow_area(&slice, &piece) <= 1);
		assert_true(twice >= narrow_area(&slice, &piece));
	}
	assert_true(slice_area(&slice) == (int128)140 * 10 * S);
}

static int64_t random_up_to(uint64_t *seed, int64_t most)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((*seed >> 1) % (uint64_t)most) + 1;
}

static void narrow_and_wide_agree(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		int64_t most = i % 2 ? 5 * S : INT64_MAX / RAMP_FRACTION;
		int64_t dt_ns = random_up_to(&seed, most);
		const struct slice slice = {0, dt_ns,
			random_up_to(&seed, INT64_C(1) << 40) - (INT64_C(1) << 39),
			random_up_to(&seed, INT64_C(1) << 40) - (INT64_C(1) << 39), 0, 0};
		const struct slice_piece piece =
			up_to(&slice, random_up_to(&seed, dt_ns));
		const struct slice_piece whole = slice_whole(&slice);

		assert_true(slice_is_narrow(&slice));
		assert_true(narrow_area(&slice, &piece) == slice_area_to(&slice, &piece));
		assert_true(narrow_area(&slice, &whole) == slice_area(&slice));
	}
}

/* As damage makes them; the sanitizers see what leaves its width. */
static void centuries(void **state)
{
	const struct slice slice = {0, YEARS, INT64_MIN / 2, INT64_MAX / 2 + 2, 0, 0};
	const struct slice_piece whole = slice_whole(&slice);
	const struct slice_piece half = up_to(&slice, YEARS / 2);

	(void)state;
	assert_false(slice_is_narrow(&slice));
	assert_true(slice_area_to(&slice, &whole) == slice_area(&slice));
	/* 2 (from dt / 2 + (to - from) dt / 8) */
	assert_true(slice_area_to(&slice, &half) ==
		(int128)slice.from * YEARS +
			((int128)slice.to - slice.from) * (YEARS / 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(narrow_and_wide_agree),
		cmocka_unit_test(centuries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
