/*
 * Several series as one, and several columns as one: by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "model/timeline.h"

#define COLUMNS 5

#define NONE                                \
	{                                   \
		NAN, NAN, NAN, false, false \
	}

static void is_column(const struct timeline_column *column, double min, double max,
	double mean, bool joined)
{
	assert_true(column->min == min);
	assert_true(column->max == max);
	assert_true(fabs(column->mean - mean) < 1e-12);
	assert_int_equal(column->joined, joined);
}

/* Of two columns, and of the one that is left, each extreme stays. */
static void of_columns(void **state)
{
	struct timeline_column column[COLUMNS] = {{1, 3, 2, false, false},
		{2, 97, 4, true, false}, {5, 5, 5, true, false}, NONE,
		{6, 8, 7, false, false}};
	struct timeline_gap gap[] = {{2.5, 4.5}};
	const struct timeline_series one = {.column = column,
					     .min = 1,
					     .max = 97,
					     .gaps_known = true,
					     .gap = gap,
					     .gap_count = 1},
				     *series = &one;
	struct timeline_series all;

	(void)state;
	assert_int_equal(timeline_merged_columns(COLUMNS, 2), 3);
	timeline_merge(&all, &series, 1, COLUMNS, 2);
	is_column(&all.column[0], 1, 97, 3, false);
	is_column(&all.column[1], 5, 5, 5, true);
	is_column(&all.column[2], 6, 8, 7, false);
	assert_true(all.max == 97);
	assert_true(all.gaps_known && !all.starts_late && !all.ends_early);
	assert_int_equal(all.gap_count, 1);
	assert_true(all.gap[0].from == 1.25);
	assert_true(all.gap[0].to == 2.25);
	timeline_series_release(&all);
}

/* A column without a value in any of them has none, and 0 is one. */
static void of_devices(void **state)
{
	struct timeline_column a[COLUMNS] = {{0, 0, 0, false, false},
		{0, 4, 2, true, false}, NONE, {9, 9, 9, false, false}, NONE};
	struct timeline_column b[COLUMNS] = {
		NONE, {8, 8, 8, false, false}, NONE, {7, 7, 7, true, false}, NONE};
	struct timeline_gap gaps_a[] = {{2, 3}, {4, 5}}, gaps_b[] = {{0, 1}};
	const struct timeline_series first = {.column = a,
		.min = 0,
		.max = 9,
		.gaps_known = true,
		.ends_early = true,
		.gap = gaps_a,
		.gap_count = 2,
		.edge_gaps = 1};
	const struct timeline_series second = {.column = b,
		.min = 7,
		.max = 8,
		.gaps_known = true,
		.starts_late = true,
		.gap = gaps_b,
		.gap_count = 1,
		.edge_gaps = 1};
	const struct timeline_series *series[] = {&first, &second};
	struct timeline_series all;

	(void)state;
	timeline_merge(&all, series, 2, COLUMNS, 1);
	is_column(&all.column[0], 0, 0, 0, false);
	is_column(&all.column[1], 0, 8, 5, true);
	assert_true(isnan(all.column[2].min) && isnan(all.column[2].mean));
	is_column(&all.column[3], 7, 9, 8, true);
	assert_true(isnan(all.column[4].max));
	assert_true(all.min == 0);
	assert_true(all.max == 9);
	assert_true(all.gaps_known && !all.starts_late && !all.ends_early);
	assert_int_equal(all.gap_count, 0);
	assert_int_equal(timeline_gaps_between(&all), 0);
	assert_true(timeline_lacks_alone(&first, &all));
	assert_true(timeline_lacks_alone(&second, &all));
	timeline_series_release(&all);
}

/* Gaps of several are those that all have, of which it can be told, and as long as one.
 */
static void gaps_of_devices(void **state)
{
	struct timeline_column column[COLUMNS] = {NONE, NONE, NONE, NONE, NONE};
	struct timeline_gap gaps_a[] = {{0, 1.5}, {2, 3}, {4, 5}};
	struct timeline_gap gaps_b[] = {{0, 1}, {1.3, 1.45}, {2.1, 3.2}, {3.8, 4.4}};
	const struct timeline_series a = {.column = column,
		.gaps_known = true,
		.limit = 0.5,
		.starts_late = true,
		.ends_early = true,
		.gap = gaps_a,
		.gap_count = 3,
		.edge_gaps = 2};
	struct timeline_series b = {.column = column,
		.gaps_known = true,
		.limit = 0.5,
		.starts_late = true,
		.gap = gaps_b,
		.gap_count = 4,
		.edge_gaps = 1};
	const struct timeline_series unknown = {.column = column};
	const struct timeline_series *series[] = {&unknown, &a, &b};
	struct timeline_series all;

	(void)state;
	timeline_merge(&all, series, 3, COLUMNS, 1);
	assert_true(all.gaps_known && all.starts_late && !all.ends_early);
	assert_int_equal(all.gap_count, 2);
	assert_int_equal(timeline_gaps_between(&all), 1);
	assert_true(all.gap[0].from == 0 && all.gap[0].to == 1);
	assert_true(all.gap[1].from == 2.1 && all.gap[1].to == 3);
	assert_true(timeline_lacks_alone(&a, &all));
	assert_true(timeline_lacks_alone(&b, &all));
	timeline_series_release(&all);
	b.gap_count--;
	timeline_merge(&all, series, 3, COLUMNS, 1);
	assert_int_equal(all.gap_count, 2);
	assert_false(timeline_lacks_alone(&b, &all));
	assert_false(timeline_lacks_alone(&unknown, &all));
	timeline_series_release(&all);
	timeline_merge(&all, series, 1, COLUMNS, 1);
	assert_true(!all.gaps_known && !all.starts_late && !all.gap_count);
	timeline_series_release(&all);
}

#define APART 8

static void is_flat(const struct timeline_series *all, const size_t *at, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		is_column(&all->column[at[i]], 0, 100, 50, i > 0);
		assert_false(all->column[at[i]].others);
	}
}

static const struct timeline_column high = {100, 100, 100, true, false},
				    low = {0, 0, 0, true, false}, none = NONE;

/* Two constants, whose samples are never in the same column: a constant. */
static void of_devices_apart(void **state)
{
	struct timeline_column a[APART] = {
		high, none, none, high, none, none, high, none};
	struct timeline_column b[APART] = {none, low, none, none, low, none, none, low};
	struct timeline_series first = {.column = a, .gaps_known = true, .limit = 6};
	struct timeline_series second = {.column = b, .gaps_known = true, .limit = 6};
	const struct timeline_series *series[] = {&first, &second};
	const size_t sampled[] = {0, 1, 3, 4, 6, 7};
	struct timeline_series all;

	(void)state;
	timeline_merge(&all, series, 2, APART, 1);
	is_flat(&all, sampled, 6);
	assert_true(isnan(all.column[2].mean) && isnan(all.column[5].mean));
	timeline_series_release(&all);
	b[4] = (struct timeline_column){90, 90, 90, true, false};
	timeline_merge(&all, series, 2, APART, 1);
	is_column(&all.column[3], 60, 100, 80, true); /* two thirds of its way */
	is_column(&all.column[4], 90, 100, 95, true);
	is_column(&all.column[6], 30, 100, 65, true);
	timeline_series_release(&all);
	b[4] = low;
	first.gaps_known = second.gaps_known = false;
	for (size_t c = 0; c < APART; c++)
		a[c].joined = b[c].joined = false;
	timeline_merge(&all, series, 2, APART, 1);
	for (size_t i = 0; i < 6; i++)
		assert_true(all.column[sampled[i]].mean == 50);
	timeline_series_release(&all);
}

/* Where one has a gap the mean is of the other; one that both have leaves it the same. */
static void of_devices_with_gaps(void **state)
{
	struct timeline_column a[APART] = {
		high, none, high, high, high, none, high, none};
	struct timeline_column b[APART] = {none, low, none, none, none, none, none, low};
	struct timeline_series first = {.column = a, .gaps_known = true, .limit = 2};
	struct timeline_series second = {.column = b, .gaps_known = true, .limit = 2};
	const struct timeline_series *series[] = {&first, &second};
	const size_t sampled[] = {0, 1, 2};
	struct timeline_series all, wide, *one = &all;

	(void)state;
	b[7].joined = false;
	timeline_merge(&all, series, 2, APART, 1);
	is_flat(&all, sampled, 3);
	is_column(&all.column[3], 100, 100, 100, true);
	assert_true(all.column[3].others);
	is_column(&all.column[4], 100, 100, 100, true);
	assert_false(all.column[4].others);
	is_column(&all.column[6], 0, 100, 50, true);
	assert_true(all.column[6].others);
	is_column(&all.column[7], 0, 100, 50, true);
	assert_false(all.column[7].others);
	timeline_merge(&wide, (const struct timeline_series *const *)&one, 1, APART, 4);
	assert_true(wide.column[0].others && wide.column[1].others);
	timeline_series_release(&wide);
	timeline_series_release(&all);
	a[3] = a[4] = none;
	a[6].joined = false;
	timeline_merge(&all, series, 2, APART, 1);
	is_flat(&all, sampled, 3);
	is_column(&all.column[6], 0, 100, 50, false);
	is_column(&all.column[7], 0, 100, 50, true);
	assert_true(all.column[6].others && !all.column[7].others);
	timeline_series_release(&all);
}

/* Nothing was recorded where no device has a row. */
static void where_none_has_a_row(void **state)
{
	struct timeline_column column[COLUMNS] = {
		{1, 1, 1, false, false}, NONE, NONE, NONE, NONE};
	struct timeline_gap gaps_a[] = {{0, 1}, {2, 4}}, gaps_b[] = {{0.5, 2.5}, {3, 5}};
	const struct timeline_series a = {.column = column,
		.gaps_known = true,
		.unrecorded = gaps_a,
		.unrecorded_count = 2};
	const struct timeline_series b = {.column = column,
		.gaps_known = true,
		.unrecorded = gaps_b,
		.unrecorded_count = 2};
	const struct timeline_series *series[] = {&a, &b};
	const double expected[][2] = {{0.25, 0.5}, {1, 1.25}, {1.5, 2}};
	struct timeline_series all;

	(void)state;
	timeline_merge(&all, series, 2, COLUMNS, 2);
	assert_int_equal(all.unrecorded_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(all.unrecorded[i].from == expected[i][0]);
		assert_true(all.unrecorded[i].to == expected[i][1]);
	}
	timeline_series_release(&all);
}

/* A gap of all is where each of them has one; columns are not looked at. */
static void common_gaps(void **state)
{
	struct timeline_gap gaps_a[] = {{0, 1}, {2, 4}}, gaps_b[] = {{0.5, 2.5}};
	const struct timeline_series a = {.gaps_known = true,
		.gap = gaps_a,
		.gap_count = 2,
		.unrecorded = gaps_a,
		.unrecorded_count = 1};
	const struct timeline_series b = {.gaps_known = true,
		.gap = gaps_b,
		.gap_count = 1,
		.unrecorded = gaps_b,
		.unrecorded_count = 1};
	const struct timeline_series *series[] = {&a, &b};
	struct timeline_series all;

	(void)state;
	timeline_common_gaps(&all, series, 2);
	assert_int_equal(all.gap_count, 2);
	assert_true(all.gap[0].from == 0.5 && all.gap[0].to == 1);
	assert_true(all.gap[1].from == 2 && all.gap[1].to == 2.5);
	assert_int_equal(all.unrecorded_count, 1);
	assert_true(all.unrecorded[0].from == 0.5 && all.unrecorded[0].to == 1);
	timeline_series_release(&all);
	timeline_common_gaps(&all, series, 1);
	assert_int_equal(all.gap_count, 2);
	timeline_series_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_columns),
		cmocka_unit_test(of_devices),
		cmocka_unit_test(gaps_of_devices),
		cmocka_unit_test(of_devices_apart),
		cmocka_unit_test(of_devices_with_gaps),
		cmocka_unit_test(where_none_has_a_row),
		cmocka_unit_test(common_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
