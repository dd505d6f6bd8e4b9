/*
 * What is noticed of an nvidia-smi: after how many intervals a silence, and which GPUs
 * are lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/base.h"
#include "collect/nvidia_smi.h"

#define MS INT64_C(1000000)

static void expect_ends(
	const struct silence *silence, int64_t begins_ms, int64_t hangs_ms)
{
	assert_int_equal(silence_begins_ns(silence), silence->heard_ns + begins_ms * MS);
	assert_int_equal(silence_ends_ns(silence), silence->heard_ns + hangs_ms * MS);
}

/* Three intervals and six, unless these are too short for an nvidia-smi. One that starts
 * has its patience. */
static void bounds(void **state)
{
	(void)state;
	expect_ends(&(struct silence){.interval_ns = 10000 * MS, .spoke = true}, 30000,
		60000);
	expect_ends(
		&(struct silence){.interval_ns = 1000 * MS, .spoke = true, .heard_ns = 7},
		3000, 10000);
	expect_ends(
		&(struct silence){.interval_ns = 100 * MS, .spoke = true}, 1000, 10000);
	expect_ends(&(struct silence){.interval_ns = 1000 * MS, .patience_ns = 8000 * MS},
		3000, 18000);
}

#define ALIVE "50 %, 50.00 W, P0, 9 MiB"
#define NONE  "[N/A], [N/A], [N/A], [N/A]"

/* Takes the line; what is new by it: " -1" where GPU 1 is lost, " +1" where it is back.
 */
static const char *take(struct smi_rows *rows, const char *line)
{
	static char said[1024];
	const struct smi_gpu *gpu;
	size_t used = 0;

	said[0] = '\0';
	smi_rows_take(rows, line);
	while ((gpu = smi_rows_news(rows)) != NULL)
		used += (size_t)snprintf(said + used, sizeof said - used, " %s%ld",
			gpu->lost ? "-" : "+", gpu->index);
	return said;
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
		strncat(said, take_row(rows, *gpus - '0', ALIVE),
			sizeof said - strlen(said) - 1);
	return said;
}

static void first_lines(struct smi_rows *rows)
{
	*rows = (struct smi_rows){0};
	smi_rows_begin(rows);
	assert_string_equal(take_all(rows, "012012012"), "");
}

/* Whatever the order is, and when it changes, nobody is lost. */
static void order(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	assert_string_equal(take_all(&rows, "210210"), "");
	smi_rows_begin(&rows);
	assert_string_equal(take_all(&rows, "102102"), "");
	/* One that was never there. */
	assert_string_equal(take_all(&rows, "31023102"), "");
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
	/* The others move up: it is known by its UUID. */
	first_lines(&rows);
	assert_string_equal(take_all(&rows, "0"), "");
	assert_string_equal(take_of(&rows, 'C', 1, ALIVE), "");
	assert_string_equal(take_all(&rows, "0"), " -1");
}

/* Whatever the words are: neither a percentage nor a wattage is left. */
static void no_number(void **state)
{
	static const char *const words[] = {"[Unknown Error]", "[GPU requires reset]",
		"ERR!", "[N/A]", "[Not Supported]", "[Insufficient Permissions]",
		"[GPU 1 is lost]", "\xff\xfe", "-", ""};
	struct smi_rows rows;
	char values[128];

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const bool says_so = strstr(words[i], "is lost") != NULL;

		first_lines(&rows);
		/* Memory is known of a GPU that is gone. */
		snprintf(values, sizeof values, "%s, %s, %s, 9 MiB", words[i], words[i],
			words[i]);
		assert_string_equal(take_all(&rows, "0"), "");
		assert_string_equal(take_row(&rows, 1, values), " -1");
		assert_string_equal(take_all(&rows, "20"), "");
		assert_string_equal(take_row(&rows, 1, values), ""); /* once */
		assert_string_equal(take_all(&rows, "2"), "");
		assert_string_equal(take_all(&rows, "01"), " +1");
		/* One of the two that is missing is no loss. */
		snprintf(values, sizeof values, "50 %%, %s, P8, 9 MiB", words[i]);
		assert_string_equal(take_all(&rows, "20"), "");
		assert_string_equal(take_row(&rows, 1, values), says_so ? " -1" : "");
		assert_string_equal(take_all(&rows, "201"), says_so ? " +1" : "");
		snprintf(values, sizeof values, "%s, 50.00 W, P8, 9 MiB", words[i]);
		assert_string_equal(take_all(&rows, "20"), "");
		assert_string_equal(take_row(&rows, 1, values), says_so ? " -1" : "");
	}
}

/* Who never had a number did not stop; what says so is lost all the same. */
static void never(void **state)
{
	struct smi_rows rows = {0};

	(void)state;
	smi_rows_begin(&rows);
	for (int i = 0; i < 9; i++)
		assert_string_equal(take_row(&rows, i % 3, NONE), "");
	assert_string_equal(
		take(&rows, "2026/11/24 10:00:00.123, 1, [GPU is lost], [GPU is lost]"),
		" -1");
	assert_string_equal(
		take_row(&rows, 2, "[Unknown Error], [Unknown Error]"), " -2");
}

/* One that comes and goes in each round: three times both are reported, then the 4th,
 * 8th, 16th and 32nd loss of 50, each with its return. */
static void comes_and_goes(void **state)
{
	struct smi_rows rows;
	int news = 0;

	(void)state;
	first_lines(&rows);
	for (int i = 0; i < 100; i++) {
		const char *said = take_row(&rows, 1, i % 2 ? ALIVE : NONE);

		if (i < 6)
			assert_string_equal(said, i % 2 ? " +1" : " -1");
		news += said[0] != '\0';
		take_all(&rows, "20");
	}
	assert_int_equal(news, 6 + 8);
	assert_int_equal(rows.gpu[1].times, 50);
	assert_false(rows.gpu[1].lost);
	assert_true(rows.gpu[1].away_ns > 0);
}

/* Without a row in one round it was away from its last row to its next. */
static void misses_a_row(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	rows.gpu[1].since_ns -= 5 * NS_PER_S;
	assert_string_equal(take_all(&rows, "202"), " -1");
	assert_true(smi_gpu_away_ns(&rows.gpu[1]) >= 5 * NS_PER_S);
	assert_string_equal(take_all(&rows, "1"), " +1");
	assert_true(smi_gpu_away_ns(&rows.gpu[1]) >= 5 * NS_PER_S);
	/* The next time is counted from the row it came back with. */
	assert_string_equal(take_all(&rows, "0202"), " -1");
	assert_true(smi_gpu_away_ns(&rows.gpu[1]) < 10 * NS_PER_S);
}

/* What is known of a GPU outlives an nvidia-smi. */
static void restarted(void **state)
{
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	smi_rows_begin(&rows);
	assert_string_equal(take_row(&rows, 0, NONE), " -0");
	smi_rows_begin(&rows);
	assert_string_equal(take_row(&rows, 0, NONE), ""); /* once */
	/* The others are recorded alone: who was left out is no more lost than before. */
	smi_rows_begin(&rows);
	assert_string_equal(take_all(&rows, "1212"), "");
	smi_rows_begin(&rows);
	assert_string_equal(take_all(&rows, "012012"), " +0");
}

/* No more GPUs are known than there is room for. */
static void many(void **state)
{
	struct smi_rows rows = {0};
	char line[64];

	(void)state;
	smi_rows_begin(&rows);
	for (int i = 0; i < 3 * SMI_GPUS; i++) {
		snprintf(line, sizeof line, "2026/11/24 10:00:00.123, %d, 5 %%", i);
		assert_string_equal(take(&rows, line), "");
	}
	assert_int_equal(rows.count, SMI_GPUS);
}

/* What is no row says nothing of a GPU, wherever a row is cut. */
static void other_lines(void **state)
{
	static const char *const lines[] = {"", "timestamp, index, power.draw [W]",
		"Unable to determine the device handle for GPU0000:01:00.0: is lost",
		"\xff\x01, 1", "2026/11/24 10:00:00.123, x", "2026/11/24 10:00:00.123, ",
		"2026/11/24 10:00:00.123", "2026/1"};
	struct smi_rows rows;

	(void)state;
	first_lines(&rows);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_string_equal(take(&rows, lines[i]), "");
	assert_int_equal(rows.count, 3);
	assert_string_equal(take_all(&rows, "012012"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds),
		cmocka_unit_test(order),
		cmocka_unit_test(vanished),
		cmocka_unit_test(no_number),
		cmocka_unit_test(never),
		cmocka_unit_test(comes_and_goes),
		cmocka_unit_test(misses_a_row),
		cmocka_unit_test(restarted),
		cmocka_unit_test(many),
		cmocka_unit_test(other_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
