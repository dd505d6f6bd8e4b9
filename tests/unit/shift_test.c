/*
 * Where numbers change their level for good: by hand, and against every cut worked out
 * anew, to the last bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/numbers/changes.h"

#define NUMBERS 200

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct level {
	double low, high, median, cost;
};

static struct level level_of(const double *x, size_t count)
{
	double sorted[NUMBERS];
	size_t strays = count / 20;
	struct level level = {.cost = 0};

	memcpy(sorted, x, count * sizeof *x);
	qsort(sorted, count, sizeof *sorted, ascending);
	level.low = sorted[strays];
	level.high = sorted[count - 1 - strays];
	level.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
	for (size_t i = 0; i < count; i++)
		level.cost += fabs(sorted[i] - level.median);
	return level;
}

/* The header's words. Of cuts that cost the same the last one. */
static bool find_plainly(
	const double *x, size_t count, size_t least, double change, struct shift *shift)
{
	bool found = false;

	for (size_t at = count - least; at >= least; at--) {
		struct level a = level_of(x, at), b = level_of(x + at, count - at);

		if ((a.low <= b.high && a.high >= b.low) ||
			fabs(b.median - a.median) < change * fabs(a.median) ||
			(found && a.cost + b.cost >= shift->cost))
			continue;
		*shift = (struct shift){at, a.median, b.median, level_of(x, least).median,
			level_of(x + count - least, least).median, a.cost + b.cost};
		found = true;
	}
	return found;
}

static double uniform(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (double)(*seed >> 11) * 0x1p-53;
}

enum kind {
	NOISE,
	UP,
	DOWN,
	SLIGHT, /* about as much as counts */
	LINE,
	SOAK, /* falls ever slower */
	TWICE, /* two steps */
	BACK, /* up and down again */
	BELOW, /* below nought */
	THROUGH, /* from below to above */
	WHOLE, /* whole, small, with ties */
	KIND_COUNT
};

static double number_of(enum kind kind, size_t i, size_t count, uint64_t *seed)
{
	double noise = uniform(seed), at = (double)i / (double)count;

	switch (kind) {
	case NOISE:
		return 500 + 60 * noise;
	case UP:
		return (at < 0.3 ? 400 : 500) + 20 * noise + (noise > 0.98 ? 300 : 0);
	case DOWN:
		return (at < 0.7 ? 1980 : 1410) + noise - (noise > 0.97 ? 700 : 0);
	case SLIGHT:
		return (at < 0.5 ? 400 : 420) + 2 * noise;
	case LINE:
		return 600 - 200 * at + noise;
	case SOAK:
		return 1400 + 500 * exp(-4 * at) + noise;
	case TWICE:
		return (at < 0.3 ? 300 : at < 0.6 ? 400 : 500) + noise;
	case BACK:
		return (at > 0.3 && at < 0.6 ? 700 : 300) + noise;
	case BELOW:
		return (at < 0.5 ? -400 : -500) + noise;
	case THROUGH:
		return (at < 0.5 ? -1 : 1) + noise / 4;
	case WHOLE:
		return (at < 0.5 ? 3 : 5) + floor(3 * noise);
	case KIND_COUNT:
		break;
	}
	return 0;
}

static void as_every_cut(void **state)
{
	static const size_t counts[] = {20, 21, 30, 39, 40, 41, 77, 100, NUMBERS};
	static const double changes[] = {0, 0.01, 0.05, 0.3};
	uint64_t seed = 31337;
	size_t found = 0;

	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
		for (enum kind kind = 0; kind < KIND_COUNT; kind++)
			for (size_t n = 0; n < sizeof changes / sizeof changes[0]; n++) {
				struct shift shift = {0}, plain = {0};
				size_t least = 1 + (size_t)(10 * uniform(&seed));
				double x[NUMBERS];
				bool is;

				for (size_t i = 0; i < counts[c]; i++)
					x[i] = number_of(kind, i, counts[c], &seed);
				is = find_plainly(
					x, counts[c], least, changes[n], &plain);
				assert_int_equal(shift_find(x, counts[c], least,
							 changes[n], &shift),
					is);
				found += is;
				assert_int_equal(shift.at, plain.at);
				assert_true(shift.before == plain.before &&
					shift.behind == plain.behind &&
					shift.from == plain.from &&
					shift.to == plain.to && shift.cost == plain.cost);
			}
	assert_true(found > 100);
}

/* Few whole numbers, where parts just lie apart, or just not. */
static void many_small(void **state)
{
	uint64_t seed = 271828;
	size_t found = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct shift shift = {0}, plain = {0};
		size_t count = 4 + (size_t)(40 * uniform(&seed));
		size_t least = 1 + (size_t)((double)(count / 2) * uniform(&seed));
		size_t at = (size_t)((double)count * uniform(&seed));
		double step = floor(9 * uniform(&seed)) - 4, x[NUMBERS];
		bool is;

		for (size_t i = 0; i < count; i++)
			x[i] = 6 + floor(4 * uniform(&seed)) + (i < at ? 0 : step);
		is = find_plainly(x, count, least, 0.05, &plain);
		assert_int_equal(shift_find(x, count, least, 0.05, &shift), is);
		found += is;
		assert_int_equal(shift.at, plain.at);
		assert_true(shift.before == plain.before &&
			shift.behind == plain.behind && shift.from == plain.from &&
			shift.to == plain.to && shift.cost == plain.cost);
	}
	assert_true(found > 1000 && found < 19000);
}

/*
 * 10 11 10 11 | 20 21 20 21: medians 10.5 and 20.5, each of the eight 1/2 away; the first
 * two and the last two have the same. A change of all of 10 is not quite reached.
 */
static void by_hand(void **state)
{
	static const double x[] = {10, 11, 10, 11, 20, 21, 20, 21};
	struct shift shift;

	(void)state;
	assert_true(shift_find(x, 8, 2, 0.9, &shift));
	assert_int_equal(shift.at, 4);
	assert_true(shift.before == 10.5 && shift.behind == 20.5);
	assert_true(shift.from == 10.5 && shift.to == 20.5);
	assert_true(shift.cost == 4);
	assert_true(shift_find(x, 8, 4, 0.95, &shift));
	assert_false(shift_find(x, 8, 4, 1, &shift)); /* 10 < 10.5 */
	assert_false(shift_find(x, 8, 5, 0.05, &shift)); /* too few */
	assert_false(shift_find(x, 8, 0, 0.05, &shift));
	assert_false(shift_find(x, 4, 2, 0, &shift)); /* they lie on each other */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_every_cut),
		cmocka_unit_test(many_small),
		cmocka_unit_test(by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
