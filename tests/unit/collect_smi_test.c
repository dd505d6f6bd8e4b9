/*
 * What is noticed of an nvidia-smi: after how many intervals a silence, and what is new
 * in its rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/clock.h"
#include "collect/nvidia_smi.h"

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

#define HEADER                                                                           \
	"timestamp, index, uuid, pci.bus_id, name, power.draw [W], pstate, memory.used " \
	"[MiB]"
#define NONE "[N/A], [N/A], [N/A]"

/* Takes the line; the news of it, of lost GPUs as "-1", of those that are back "+1". */
static const char *take_bytes(struct smi_rows *rows, const char *line, size_t size)
{
	static const char *const names[] = {[SMI_HEADER_CHANGED] = " header",
		[SMI_ORDER_CHANGED] = " order",
		[SMI_NO_ROW] = " no row",
		[SMI_GPU_LOST] = " -",
		[SMI_GPU_BACK] = " +"};
	static char said[1024];
	enum smi_news news;
	size_t used = 0;

	said[0] = '\0';
	smi_rows_take(rows, line, size);
	while ((news = smi_rows_news(rows)) != SMI_NOTHING_NEW) {
		used += (size_t)snprintf(
			said + used, sizeof said - used, "%s", names[news]);
		if (news == SMI_GPU_LOST || news == SMI_GPU_BACK)
			used += (size_t)snprintf(
				said + used, sizeof said - used, "%ld", rows->gpu);
	}
	return said;
}

static const char *take(struct smi_rows *rows, const char *line)
{
	return take_bytes(rows, line, strlen(line));
}

/* The row of the GPU of that letter, with that index. */
static const char *take_of(
	struct smi_rows *rows, char letter, int index, const char *values)
{
	char line[256];

	snprintf(line, sizeof line,
		"2026/11/24 10:00:00.123, %d, GPU-%c, 00000000:01:00.0, Fake GPU, 80GB, "
		"%s",
		index, letter, values);
	return take(rows, line);
}

/* Of GPU A with index 0, B with 1, ... */
static const char *take_row(struct smi_rows *rows, int gpu, const char *values)
{
	return take_of(rows, (char)('A' + gpu), gpu, values);
}

/* Rows of these GPUs, in this order, that answer; what was new in the end. */
static const char *take_all(struct smi_rows *rows, const char *gpus)
{
	static char said[1024];

	said[0] = '\0';
	for (; *gpus != '\0'; gpus++)
		strncat(said, take_row(rows, *gpus - '0', "50.00 W, P0, [N/A]"),
			sizeof said - strlen(said) - 1);
	return said;
}

static void first_lines(struct smi_rows *rows)
{
	*rows = (struct smi_rows){0};
	smi_rows_begin(rows);
	assert_string_equal(take(rows, HEADER), "");
	assert_string_equal(take_all(rows, "012012012"), "");
}

static void order(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	assert_string_equal(take_all(&rows, "2102102"), " order");
	assert_string_equal(take_all(&rows, "10012012"), ""); /* once */
	/* Another nvidia-smi begins with an order of its own. */
	smi_rows_begin(&rows);
	assert_string_equal(take_all(&rows, "210210"), "");
	assert_string_equal(take_all(&rows, "012"), " order");
	/* One that was never there. */
	first_lines(&rows);
	assert_string_equal(take_all(&rows, "01230123"), " order");
}

/* The indexes come as ever, and two of them are others' now. */
static void others(void **state)
{
	struct smi_rows rows = {0};

	(void)state;
	smi_rows_begin(&rows);
	assert_string_equal(take_all(&rows, "0101"), "");
	assert_string_equal(take_of(&rows, 'B', 0, "5 W, P0, 5"), "");
	assert_string_equal(take_of(&rows, 'A', 1, "5 W, P0, 5"), " order");
}

/* A round that lacks a GPU ends with the first row of the next. */
static void vanished(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	assert_string_equal(take_all(&rows, "02"), "");
	assert_string_equal(take_all(&rows, "0"), " -1");
	assert_string_equal(take_all(&rows, "20202"), ""); /* once */
	assert_string_equal(take_all(&rows, "01"), " +1");
	assert_string_equal(take_all(&rows, "2012012"), "");
	assert_string_equal(take_all(&rows, "00"), " -1 -2");
	assert_string_equal(take_all(&rows, "012012"), " +1 +2");
	/* Behind another order, too. */
	assert_string_equal(take_all(&rows, "210210"), " order");
	assert_string_equal(take_all(&rows, "212"), " -0");
	/* The others move up: it is known by its UUID. */
	first_lines(&rows);
	assert_string_equal(take_all(&rows, "0"), "");
	assert_string_equal(take_of(&rows, 'C', 1, "5 W, P0, 5"), "");
	assert_string_equal(take_all(&rows, "0"), " -1");
}

/* Whatever the words are: no value is a number. */
static void no_number(void **state)
{
	static const char *const words[] = {"[Unknown Error]", "[GPU requires reset]",
		"ERR!", "[N/A]", "[Not Supported]", "[Insufficient Permissions]",
		"[GPU 1 is lost]", "\xff\xfe", "-", ""};
	struct smi_rows rows;
	char values[128];

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		first_lines(&rows);
		snprintf(values, sizeof values, "%s, %s, %s", words[i], words[i],
			words[i]);
		assert_string_equal(take_all(&rows, "0"), "");
		assert_string_equal(take_row(&rows, 1, values), " -1");
		assert_string_equal(take_all(&rows, "20"), "");
		assert_string_equal(take_row(&rows, 1, values), ""); /* once */
		assert_string_equal(take_all(&rows, "2"), "");
		assert_string_equal(take_all(&rows, "01"), " +1");
		/* A part of them is no loss. */
		snprintf(values, sizeof values, "%s, %s, 512 MiB", words[i], "P8");
		assert_string_equal(take_all(&rows, "20"), "");
		assert_string_equal(take_row(&rows, 1, values),
			strstr(words[i], "is lost") != NULL ? " -1" : "");
	}
}

/* Memory is known of a GPU that is gone; one sign of life that is missing is no loss. */
static void memory_alone(void **state)
{
	struct smi_rows rows = {0};

	(void)state;
	smi_rows_begin(&rows);
	assert_string_equal(take(&rows,
				    "timestamp, index, name, utilization.gpu [%], "
				    "memory.used [MiB], power.draw [W]"),
		"");
	assert_string_equal(take(&rows, "10:00, 0, A, 50 %, 9 MiB, 90.00 W"), "");
	assert_string_equal(take(&rows, "10:01, 0, A, [N/A], 9 MiB, 90.00 W"), "");
	assert_string_equal(take(&rows, "10:02, 0, A, 50 %, 9 MiB, [N/A]"), "");
	assert_string_equal(take(&rows, "10:03, 0, A, [N/A], 9 MiB, [N/A]"), " -0");
	assert_string_equal(take(&rows, "10:04, 0, A, [N/A], 9 MiB, [N/A]"), "");
	assert_string_equal(take(&rows, "10:05, 0, A, B, 1 %, 9 MiB, [N/A]"), " +0");
}

/* Who never had a number did not stop; what says so is lost all the same. */
static void never(void **state)
{
	struct smi_rows rows = {0};

	(void)state;
	smi_rows_begin(&rows);
	assert_string_equal(take(&rows, HEADER), "");
	for (int i = 0; i < 9; i++)
		assert_string_equal(take_row(&rows, i % 3, NONE), "");
	assert_string_equal(
		take(&rows, "2026/11/24 10:00:00.123, 1, [GPU is lost], [GPU is lost]"),
		" -1");
}

/* The last row may be cut off anywhere. */
static void cut_short(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	assert_string_equal(
		take(&rows, "2026/11/24 10:00:00.123, 0, GPU-A, 00000000:01"), " no row");
	assert_string_equal(take(&rows, "2026/11/24 10:00:00.123, 1"), "");
	/* The last one has as many cells as the header, as the name has a comma. */
	first_lines(&rows);
	assert_string_equal(take_row(&rows, 0, "50.00 W, P0"), " no row");
	first_lines(&rows);
	assert_string_equal(
		take(&rows, "2026/11/24 10:00:00.123, 1, [GPU is lost]"), " -1");
	/* Without a header nobody knows which columns are values. */
	rows = (struct smi_rows){0};
	smi_rows_begin(&rows);
	assert_string_equal(take_all(&rows, "00"), "");
	assert_string_equal(take_row(&rows, 0, NONE), "");
}

/* What is known of a GPU outlives an nvidia-smi. */
static void restarted(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	smi_rows_begin(&rows);
	assert_string_equal(take(&rows, HEADER), "");
	assert_string_equal(take_row(&rows, 0, NONE), " -0");
	smi_rows_begin(&rows);
	smi_rows_begin(&rows);
	assert_string_equal(take(&rows, HEADER), "");
	assert_string_equal(take_row(&rows, 0, NONE), ""); /* once */
	/* It is left out, and asked by somebody else. */
	smi_rows_begin(&rows);
	assert_string_equal(take_all(&rows, "1212"), "");
	smi_rows_begin(&rows);
	assert_string_equal(take_all(&rows, "012012"), "");
}

/* One that flaps for ever is told now and then, and how it is in the end. */
static void flaps(void **state)
{
	struct smi_rows rows;
	unsigned told = 0;

	(void)state;
	first_lines(&rows);
	for (int round = 0; round < 4 * SMI_ROWS_ROUNDS; round++) {
		told += *take_all(&rows, "0") != '\0';
		told += *take_row(&rows, 1, round % 2 == 0 ? NONE : "5, 5, 5") != '\0';
		told += *take_all(&rows, "2") != '\0';
	}
	assert_in_range(told, SMI_ROWS_TOLD + 3, SMI_ROWS_TOLD + 4);
	for (int round = 0; round <= 2 * SMI_ROWS_ROUNDS; round++) {
		(void)take_all(&rows, "0");
		(void)take_row(&rows, 1, NONE);
		(void)take_all(&rows, "2");
	}
	assert_true(rows.known[1].told);
}

/* No more GPUs are known than there is room for. */
static void many(void **state)
{
	struct smi_rows rows = {0};
	char line[64];

	(void)state;
	smi_rows_begin(&rows);
	for (int i = 0; i < 3 * SMI_ROWS_GPUS; i++) {
		snprintf(line, sizeof line, "2026/11/24 10:00:00.123, %d, 5 %%", i);
		assert_string_equal(take(&rows, line), "");
	}
	assert_int_equal(rows.count, SMI_ROWS_GPUS);
}

static void other_lines(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	assert_string_equal(take(&rows, HEADER), "");
	assert_string_equal(take(&rows, "timestamp, index, power.draw"), " header");
	assert_string_equal(take(&rows, HEADER), "");
	assert_string_equal(take(&rows, ""), "");
	assert_string_equal(
		take_bytes(&rows, "\0\xff, 1", 5), " no row"); /* no digit first */
	assert_string_equal(take(&rows, "Unable to determine"), "");
	first_lines(&rows);
	assert_string_equal(take(&rows, "2026/11/24 10:00:00.123, x"), " no row");
	first_lines(&rows);
	assert_string_equal(take(&rows, "2026/11/24 10:00:00.123, "), " no row");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds),
		cmocka_unit_test(bounds_of_others),
		cmocka_unit_test(order),
		cmocka_unit_test(others),
		cmocka_unit_test(vanished),
		cmocka_unit_test(no_number),
		cmocka_unit_test(memory_alone),
		cmocka_unit_test(never),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(restarted),
		cmocka_unit_test(flaps),
		cmocka_unit_test(many),
		cmocka_unit_test(other_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
