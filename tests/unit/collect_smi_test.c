/*
 * What is noticed of an nvidia-smi: after how many intervals a silence, and what is new
 * in its rows.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "../../collect/clock.c"
#include "../../collect/silence.c"
#include "../../collect/smi_rows.c"

#include <stdio.h>

#define MS INT64_C(1000000)

static void expect_ends(const struct silence *silence, int64_t told_ms, int64_t hangs_ms)
{
	struct silence told = *silence;

	told.told = true;
	assert_int_equal(silence_ends_ns(silence), silence->heard_ns + told_ms * MS);
	assert_int_equal(silence_ends_ns(&told), silence->heard_ns + hangs_ms * MS);
}

/* Three intervals and six, where these are not too short for an nvidia-smi. */
static void bounds(void **state)
{
	(void)state;
	expect_ends(&(struct silence){.interval_ns = 10000 * MS, .spoke = true}, 30000,
		60000);
	expect_ends(
		&(struct silence){.interval_ns = 1000 * MS, .spoke = true, .heard_ns = 7},
		3000, 6000);
	expect_ends(
		&(struct silence){.interval_ns = 100 * MS, .spoke = true}, 1000, 3000);
}

/* One that may be quiet is looked at twice; one that starts has its patience; one that
 * needed long may need twice that, but not for ever. */
static void bounds_of_others(void **state)
{
	(void)state;
	expect_ends(
		&(struct silence){.interval_ns = 1000 * MS, .spoke = true, .quiet = true},
		1500, 6000);
	expect_ends(&(struct silence){.interval_ns = 1000 * MS, .patience_ns = 8000 * MS},
		11000, 14000);
	expect_ends(
		&(struct silence){
			.interval_ns = 100 * MS, .spoke = true, .longest_ns = 4000 * MS},
		1000, 8000);
	expect_ends(
		&(struct silence){
			.interval_ns = 100 * MS, .spoke = true, .longest_ns = 60000 * MS},
		1000, 10000);
}

static enum smi_news take(struct smi_rows *rows, const char *line)
{
	return smi_rows_take(rows, line, strlen(line));
}

static enum smi_news take_row(struct smi_rows *rows, int gpu, const char *value)
{
	char line[128];

	snprintf(line, sizeof line, "2026/11/24 10:00:00.123, %d, %s", gpu, value);
	return take(rows, line);
}

static void first_lines(struct smi_rows *rows)
{
	*rows = (struct smi_rows){0};
	assert_int_equal(take(rows, "timestamp, index, power.draw [W]"), SMI_NOTHING_NEW);
	for (int i = 0; i < 9; i++)
		assert_int_equal(take_row(rows, i % 3, "50.00 W"), SMI_NOTHING_NEW);
}

static void order(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	assert_int_equal(take_row(&rows, 2, "50.00 W"), SMI_ORDER_CHANGED);
	for (int i = 1; i < 9; i++)
		assert_int_equal(take_row(&rows, 2 - i % 3, "50.00 W"), SMI_NOTHING_NEW);
	/* One that is left out, or twice there, is another order as well. */
	first_lines(&rows);
	assert_int_equal(take_row(&rows, 0, "50.00 W"), SMI_NOTHING_NEW);
	assert_int_equal(take_row(&rows, 2, "50.00 W"), SMI_ORDER_CHANGED);
	first_lines(&rows);
	assert_int_equal(take_row(&rows, 0, "50.00 W"), SMI_NOTHING_NEW);
	assert_int_equal(take_row(&rows, 0, "50.00 W"), SMI_ORDER_CHANGED);
	assert_int_equal(take_row(&rows, 2, "50.00 W"), SMI_NOTHING_NEW); /* once */
}

/* The indexes come as ever, and two of them are others' now. */
static void others(void **state)
{
	struct smi_rows rows = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(take(&rows, "2026/11/24 10:00:00.000, 0, GPU-aa, 5 %"),
			SMI_NOTHING_NEW);
		assert_int_equal(take(&rows, "2026/11/24 10:00:00.000, 1, GPU-ab, 5 %"),
			SMI_NOTHING_NEW);
	}
	assert_int_equal(take(&rows, "2026/11/24 10:00:01.000, 0, GPU-ab, 5 %"),
		SMI_ORDER_CHANGED);
	assert_int_equal(take(&rows, "2026/11/24 10:00:01.000, 1, GPU-aa, 5 %"),
		SMI_NOTHING_NEW); /* once */
}

static void lost(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	assert_int_equal(take_row(&rows, 0, "50.00 W"), SMI_NOTHING_NEW);
	assert_int_equal(take_row(&rows, 1, "[GPU is lost]"), SMI_GPU_LOST);
	assert_int_equal(rows.gpu, 1);
	assert_int_equal(take_row(&rows, 2, "[GPU is lost]"), SMI_GPU_LOST);
	assert_int_equal(rows.gpu, 2);
	assert_int_equal(take_row(&rows, 0, "50.00 W"), SMI_NOTHING_NEW);
	assert_int_equal(take_row(&rows, 1, "[GPU is lost]"), SMI_NOTHING_NEW);
}

static void other_lines(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	assert_int_equal(
		take(&rows, "timestamp, index, power.draw [W]"), SMI_NOTHING_NEW);
	assert_int_equal(take(&rows, "timestamp, index"), SMI_HEADER_CHANGED);
	assert_int_equal(
		take(&rows, "timestamp, index, power.draw [W]"), SMI_NOTHING_NEW);
	assert_int_equal(take(&rows, ""), SMI_NOTHING_NEW);
	assert_int_equal(
		smi_rows_take(&rows, "\0\xff, 1", 5), SMI_NO_ROW); /* no digit first */
	assert_int_equal(take(&rows, "Unable to determine"), SMI_NOTHING_NEW);
	first_lines(&rows);
	assert_int_equal(take(&rows, "2026/11/24 10:00:00.123, x"), SMI_NO_ROW);
	first_lines(&rows);
	assert_int_equal(take(&rows, "2026/11/24 10:00:00.123, "), SMI_NO_ROW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds),
		cmocka_unit_test(bounds_of_others),
		cmocka_unit_test(order),
		cmocka_unit_test(others),
		cmocka_unit_test(lost),
		cmocka_unit_test(other_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
