/*
 * Exact percentiles against brute force, the steps between rows and the longest of them,
 * and the slices that wait until it is known what a gap is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/timestamp.h"
#include "compute/numbers/tally.h"
#include "compute/run/aggregate.h"
#include "compute/run/timing.h"
#include "compute/series/counter.h"

#define S NS_PER_S

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void percentiles_by_hand(void **state)
{
	struct tally tally = {0};

	(void)state;
	assert_true(isnan(tally_percentile(&tally, 50, 1)));
	/* 1 2 3 4: r = 0.5 * 3 = 1.5 gives 2.5; r = 0.9 * 3 = 2.7 gives 3.7 */
	tally_add(&tally, 4, 1);
	tally_add(&tally, 1, 1);
	tally_add(&tally, 3, 1);
	tally_add(&tally, 2, 1);
	tally_sort(&tally);
	assert_int_equal(tally.distinct, 4);
	assert_true(tally_percentile(&tally, 50, 1) == 2.5);
	assert_true(tally_percentile(&tally, 90, 1) == 3.7);
	assert_true(tally_percentile(&tally, 0, 1) == 1);
	assert_true(tally_percentile(&tally, 100, 1) == 4);
	assert_true(tally_percentile(&tally, 50, 100) == 0.025);
	tally_release(&tally);

	/* a hundred times 7 and one 1007: r = 0.99 * 100 = 99 is the last 7 */
	tally_add(&tally, 7, 100);
	tally_add(&tally, 1007, 1);
	tally_sort(&tally);
	assert_true(tally_percentile(&tally, 99, 1) == 7);
	assert_true(tally_percentile(&tally, 100, 1) == 1007);
	assert_int_equal(tally_at(&tally, 99), 7);
	assert_int_equal(tally_at(&tally, 100), 1007);
	tally_release(&tally);
}

/* Type 7 on the sorted values themselves; exact, as all products are below 2^53. */
static void percentiles_by_brute_force(void **state)
{
	static const size_t counts[] = {1, 2, 3, 10, 99, 100, 101, 1000, 4096};
	static int64_t value[4096];
	uint64_t seed = 20250301;

	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
		int64_t range = c % 2 ? 50 : 2000000000; /* many ties, or none */
		struct tally tally = {0};
		size_t n = counts[c];

		for (size_t i = 0; i < n; i++) {
			value[i] = (int64_t)(next_random(&seed) % (uint64_t)(2 * range)) -
				range;
			tally_add(&tally, value[i], 1);
		}
		qsort(value, n, sizeof value[0], ascending);
		tally_sort(&tally);
		assert_int_equal(tally.total, n);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(tally_at(&tally, i), value[i]);
		for (unsigned percent = 0; percent <= 100; percent++) {
			size_t scaled = percent * (n - 1), at = scaled / 100;
			int64_t part = (int64_t)(scaled % 100);
			int64_t next = part ? value[at + 1] : value[at];
			double expected =
				(double)(value[at] * (100 - part) + next * part) / 1e8;

			assert_true(
				tally_percentile(&tally, percent, 1000000) == expected);
		}
		tally_release(&tally);
	}
}

static void limits(void **state)
{
	(void)state;
	assert_int_equal(gap_limit_ns(S / 10), S / 10 + 2 * S); /* h + 2 s */
	assert_int_equal(gap_limit_ns(S), 3 * S); /* both are 3 s */
	assert_int_equal(gap_limit_ns(5 * S), 15 * S); /* 3 h */
}

static void add_row(struct track *track, int64_t t_ns, int32_t segment, int64_t short_ns)
{
	track_add(track,
		&(struct track_row){t_ns, segment, 0, track->rows + 1, false, 0,
			ROW_SAYS_LIFE, false},
		short_ns);
}

static void intervals(void **state)
{
	static const int t_s[] = {0, 1, 3, 4, 9, 11}; /* steps 1 2 1 5 2 */
	struct track track;

	(void)state;
	track_init(&track, true);
	for (size_t i = 0; i < 5; i++)
		add_row(&track, t_s[i] * S, 0, 2 * S);
	assert_int_equal(track_interval_ns(&track, -1), -1); /* four steps */
	assert_int_equal(track_interval_ns(&track, 7 * S), 7 * S);
	add_row(&track, t_s[5] * S, 0, 2 * S);
	assert_int_equal(track_interval_ns(&track, -1), 2 * S);
	add_row(&track, 12 * S, 0, 2 * S); /* 1 1 1 2 2 5: the lower median */
	assert_int_equal(track_interval_ns(&track, -1), 1 * S);
	add_row(&track, 12 * S, 0, 2 * S); /* no step: equal times */
	assert_int_equal(track_interval_ns(&track, -1), 1 * S);
	assert_int_equal(track.rows, 8);
	track_release(&track);
}

static void cover_and_gaps(void **state)
{
	struct track track;
	uint64_t gaps;

	(void)state;
	track_init(&track, true);
	for (int i = 0; i <= 10; i++)
		add_row(&track, i * S, 0, 2 * S);
	add_row(&track, 14 * S, 0, 2 * S); /* 4 s */
	add_row(&track, 17 * S, 0, 2 * S); /* 3 s: not above the limit */
	add_row(&track, 5 * S, 1, 2 * S); /* a new segment: no step at all */
	add_row(&track, 6 * S, 1, 2 * S);
	/* ten steps of 1 s, 3 s, and 1 s in the second segment */
	assert_true(track_covered_ns(&track, 3 * S, &gaps) == 14 * S);
	assert_int_equal(gaps, 1);
	assert_true(track_covered_ns(&track, 2 * S, &gaps) == 11 * S);
	assert_int_equal(gaps, 2);
	assert_true(track_covered_ns(&track, 4 * S, &gaps) == 18 * S);
	assert_int_equal(gaps, 0);
	assert_int_equal(track.first_ns, 0);
	assert_int_equal(track.last_ns, 17 * S);
	assert_int_equal(track.segments_begun, 1);
	assert_int_equal(track.shortest_step_back_ns, 12 * S);
	track_release(&track);
}

static void without_median(void **state)
{
	struct track track;
	uint64_t gaps;

	(void)state;
	track_init(&track, false);
	for (int i = 0; i <= 10; i++)
		add_row(&track, i * S, 0, S / 2); /* --gap 0.5 */
	assert_int_equal(track_interval_ns(&track, 3 * S), 3 * S);
	assert_int_equal(track.steps.cap, 0); /* no memory for what nobody asks */
	assert_true(track_covered_ns(&track, S / 2, &gaps) == 0);
	assert_int_equal(gaps, 10);
	assert_int_equal(track.longest.count, 10);
	track_release(&track);
}

/* Of 3000 steps the 1000 longest are kept, of equal ones the earliest. */
static void longest_steps(void **state)
{
	static int64_t dt_ns[3000];
	uint64_t seed = 7;
	int64_t t_ns = 0, sum = 0, kept = 0, shortest;
	struct track track;

	(void)state;
	track_init(&track, true);
	add_row(&track, 0, 0, 2 * S);
	for (size_t i = 0; i < 3000; i++) {
		dt_ns[i] = 2 * S + 1 + (int64_t)(next_random(&seed) % 500) * S;
		t_ns += dt_ns[i];
		add_row(&track, t_ns, 0, 2 * S);
	}
	assert_int_equal(track.longest.count, GAPS_LISTED);
	qsort(dt_ns, 3000, sizeof dt_ns[0], ascending);
	for (size_t i = 2000; i < 3000; i++)
		sum += dt_ns[i];
	shortest = dt_ns[2000];
	for (size_t i = 0; i < GAPS_LISTED; i++) {
		kept += track.longest.at[i].dt_ns;
		assert_true(track.longest.at[i].dt_ns >= shortest);
		assert_true(track.longest.at[0].dt_ns <= track.longest.at[i].dt_ns);
	}
	assert_int_equal(kept, sum);
	track_release(&track);

	track_init(&track, true);
	for (int i = 0; i <= 1500; i++)
		add_row(&track, i * 10 * S, 0, 2 * S);
	assert_int_equal(track.longest.count, GAPS_LISTED);
	for (size_t i = 0; i < GAPS_LISTED; i++)
		assert_true(track.longest.at[i].start_ns < 10000 * S);
	track_release(&track);

	track_init(&track, true);
	for (int i = 0; i <= 100; i++)
		add_row(&track, i * 2 * S, 0, 2 * S); /* never above 2 s: can't be gaps */
	assert_int_equal(track.longest.count, 0);
	track_release(&track);
}

static void slices_by_length(void **state)
{
	struct slices slices = {0};
	struct slice_sum sum;

	(void)state;
	assert_ptr_equal(slices_at(&slices, 2 * S, 2 * S), &slices.near);
	for (int64_t length = 1; length <= 200; length++)
		for (int64_t i = 0; i < length; i++) {
			struct slice_sum *to = slices_at(&slices, length * S, 2 * S);

			to->count++;
			to->time_ns += length * S;
			to->area += length;
			to->band[ABOVE_50] += 1;
		}
	assert_ptr_equal(slices_at(&slices, S, 2 * S), &slices.near);
	/* the lengths 1 to n occur n (n + 1) / 2 times, and sum to that of their squares
	 */
	sum = slices_within(&slices, 100 * S);
	assert_int_equal(sum.count, 5050);
	assert_true(sum.area == 338350);
	assert_true(sum.time_ns == (int128)338350 * S);
	assert_true(sum.band[ABOVE_50] == 5050);
	assert_true(sum.band[ABOVE_0] == 0);
	sum = slices_within(&slices, 200 * S - 1);
	assert_int_equal(sum.count, 19900);
	sum = slices_within(&slices, 2 * S);
	assert_int_equal(sum.count, 3);
	slices_release(&slices);
}

static void answer_at(struct track *track, int t_s, enum row_answer answer)
{
	track_add(track, &(struct track_row){t_s * S, 0, 0, 1, false, 0, answer, false},
		20 * S);
}

/*
 * A row that was not asked for life counts beside those that show it, whichever comes
 * first; one that was asked and showed none doesn't, once another did, in the track or
 * elsewhere in the log. What said nothing at all counts only where nothing ever does.
 */
static void answers(void **state)
{
	struct track track;
	uint64_t gaps;

	(void)state;
	track_init(&track, true);
	answer_at(&track, 0, ROW_SAYS_NOTHING);
	answer_at(&track, 1, ROW_SAYS_NOTHING);
	assert_true(track_covered_ns(&track, 20 * S, &gaps) == S);
	answer_at(&track, 3, ROW_SAYS_UNASKED); /* 3 4, not 0 1 */
	answer_at(&track, 4, ROW_SAYS_UNASKED);
	assert_true(track_covered_ns(&track, 20 * S, &gaps) == S);
	answer_at(&track, 6, ROW_SAYS_LIFE); /* 3 4 6 */
	answer_at(&track, 7, ROW_SAYS_VALUE);
	answer_at(&track, 9, ROW_SAYS_UNASKED); /* 3 4 6 9 */
	assert_true(track_covered_ns(&track, 20 * S, &gaps) == 6 * S);
	assert_int_equal(track.answers.first_ns, 3 * S);
	track_release(&track);

	track_init(&track, true);
	answer_at(&track, 0, ROW_SAYS_UNASKED);
	answer_at(&track, 1, ROW_SAYS_VALUE);
	answer_at(&track, 3, ROW_SAYS_UNASKED);
	assert_true(track_covered_ns(&track, 20 * S, &gaps) == 3 * S);
	track_expect(&track, ROW_SAYS_UNASKED); /* says nothing new */
	assert_true(track_covered_ns(&track, 20 * S, &gaps) == 3 * S);
	track_expect(&track, ROW_SAYS_LIFE);
	assert_false(track.answers.any);
	assert_true(track_covered_ns(&track, 20 * S, &gaps) == 0);
	track_release(&track);
}

/* Many at once are as many one by one. */
static void each_is_add(void **state)
{
	struct tally added = {0}, put = {0}, joined = {0};
	int64_t value[1000];
	uint32_t seed = 5;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		seed = seed * 1664525 + 1013904223;
		value[i] = 5 * (int64_t)((seed >> 16) % 400) + (i % 97 == 96 ? 1 : 0);
		tally_add(&added, value[i], 1);
	}
	tally_add_each(&put, value, 1000);
	tally_join(&joined, &put);
	assert_int_equal(joined.total, 1000);
	tally_add(&put, 7, 1);
	tally_add(&added, 7, 1);
	tally_sort(&put);
	tally_sort(&added);
	assert_int_equal(put.total, added.total);
	for (uint64_t i = 0; i < put.total; i++)
		assert_int_equal(tally_at(&put, i), tally_at(&added, i));
	tally_release(&added);
	tally_release(&put);
	tally_release(&joined);
}

/* The sum of two is what all of their values make, whatever their steps and ranges. */
static void join_is_add(void **state)
{
	static const struct {
		int64_t step[2], high[2]; /* values are multiples of step, below high */
		int n[2];
	} cases[] = {
		{{5, 5}, {2000, 2000}, {3000, 3000}}, /* arrays of one step */
		{{5, 5}, {500, 4000}, {3000, 3000}}, /* ... the other one is longer */
		{{5, 5}, {4000, 500}, {3000, 3000}},
		{{5, 10}, {2000, 2000}, {3000, 3000}}, /* of two steps */
		{{5, 7}, {2000, 2000}, {3000, 3000}},
		{{5, 5}, {2000, 2000}, {3000, 3}}, /* one has no array */
		{{5, 5}, {2000, 2000}, {3, 3000}},
		{{1, 1}, {1000000000, 1000000000}, {900, 900}}, /* none has */
		{{5, 5}, {2000, 2000}, {0, 3000}}, /* one is empty */
		{{5, 5}, {2000, 2000}, {3000, 0}},
	};
	uint32_t seed = 7;

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct tally all = {0}, part[2] = {{0}, {0}};

		for (int k = 0; k < 2; k++) {
			for (int i = 0; i < cases[c].n[k]; i++) {
				int64_t places = cases[c].high[k] / cases[c].step[k],
					value;

				seed = seed * 1664525 + 1013904223;
				value = cases[c].step[k] *
					((int64_t)(seed >> 2) % places);
				tally_add(&part[k], value, 1);
				tally_add(&all, value, 1);
			}
		}
		tally_join(&part[0], &part[1]);
		tally_add(&part[0], 3, 1); /* it goes on */
		tally_add(&all, 3, 1);
		tally_sort(&part[0]);
		tally_sort(&part[1]);
		tally_sort(&all);
		assert_int_equal(part[0].total, all.total);
		assert_int_equal(part[1].total, cases[c].n[1]);
		for (uint64_t i = 0; i < all.total; i++)
			assert_int_equal(tally_at(&part[0], i), tally_at(&all, i));
		tally_release(&all);
		tally_release(&part[0]);
		tally_release(&part[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_by_hand),
		cmocka_unit_test(percentiles_by_brute_force),
		cmocka_unit_test(limits),
		cmocka_unit_test(intervals),
		cmocka_unit_test(cover_and_gaps),
		cmocka_unit_test(without_median),
		cmocka_unit_test(longest_steps),
		cmocka_unit_test(slices_by_length),
		cmocka_unit_test(answers),
		cmocka_unit_test(each_is_add),
		cmocka_unit_test(join_is_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
