/*
 * The table that nvidia-smi prints for people: old and new drivers, names that were cut,
 * values that are not there, and what is no row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "room.h"

#define HEAD                                                                             \
	"| NVIDIA-SMI 375.66                 Driver Version: 375.66                    " \
	"|\n"

/* The values of a batch's row, in the order of metric: "-" for one that is not there. */
static void values(char *text, size_t size, const struct sample_batch *batch, size_t row)
{
	static const enum metric_id metric[] = {METRIC_gpu_util_pct, METRIC_mem_used_mib,
		METRIC_mem_total_mib, METRIC_power_w, METRIC_power_limit_w,
		METRIC_temperature_c, METRIC_fan_pct, METRIC_process_gpu_mem_mib};
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof metric / sizeof metric[0]; i++) {
		const struct sample_column *column = sample_batch_find(batch, metric[i]);

		if (sample_column_has(column, row))
			len += (size_t)snprintf(text + len, size - len, "%s%lld",
				i ? " " : "",
				(long long)(column->value[row] /
					metric_get(metric[i])->per_unit));
		else
			len += (size_t)snprintf(
				text + len, size - len, "%s-", i ? " " : "");
	}
}

/* text as a log gives the rows; NULL ends them. */
static void expect_rows(struct room *room, const char *text, const char *const *rows)
{
	struct sample_batch batch;
	struct sample_source *source;
	char row[256];
	size_t count = 0;

	put(room, "a", text);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	source = read_samples(room->reading, SOURCE_NVIDIA_TABLE, 2 * NS_PER_S);
	sample_batch_init(&batch);
	while (sample_source_next(source, &batch, &room->err) > 0)
		for (size_t i = 0; i < batch.rows; i++, count++) {
			assert_non_null(rows[count]);
			values(row, sizeof row, &batch, i);
			assert_string_equal(row, rows[count]);
		}
	assert_null(rows[count]);
	sample_batch_release(&batch);
	sample_source_free(source);
	leave(room);
}

/* Driver 375: two panes less wide, a bus id of four digits first, no third line. */
static void old_drivers(void **state)
{
	struct room *room = *state;
	static const char *const rows[] = {"30 1071 11439 72 235 28 - -",
		"93 5621 6083 255 250 83 53 -", "- - - - - - - 512", NULL};

	expect_rows(room,
		"Sat Mar  1 10:00:00 2025\n" HEAD
		"|   0  Tesla K40m          Off  | 0000:05:00.0     Off |                "
		"    0 |\n"
		"| N/A   28C    P0    72W / 235W |   1071MiB / 11439MiB |     30%      "
		"Default |\n"
		"+-------------------------------+----------------------+----------------"
		"------+\n"
		"|   1  GeForce GTX 980 Ti  On   | 0000:42:00.0     Off |                "
		"  N/A |\n"
		"| 53%   83C    P2   255W / 250W |   5621MiB /  6083MiB |     93%      "
		"Default |\n"
		"| Processes:                                                       GPU "
		"Memory |\n"
		"|  GPU       PID  Type  Process name                               "
		"Usage      |\n"
		"|    1      2473    G   /usr/bin/X                                     "
		"512MiB |\n",
		rows);
}

/* A laptop's limit, a value that could not be read, and a name that ends in dots. */
static void values_that_are_not_there(void **state)
{
	struct room *room = *state;
	static const char *const rows[] = {"23 448 7982 31 - 52 - -",
		"- 0 1998 - - 42 47 -", "4 - - 5 - 36 - -", NULL};

	expect_rows(room,
		HEAD
		"|   0  NVIDIA GeForce ...  Off  | 00000000:01:00.0 Off |  N/A |\n"
		"| N/A   52C    P0    31W /  N/A |    448MiB /  7982MiB |     23%   "
		"Default |\n"
		"|   1  NVIDIA GeForce ...  Off  | 00000000:03:00.0 N/A |  N/A |\n"
		"| 47%   42C    P0    ERR! /  N/A |      0MiB /  1998MiB |     N/A  "
		" Default |\n"
		"|   2  NVIDIA GB10        On   | 0000000F:01:00.0 On |  N/A |\n"
		"| N/A   36C    P8      5W /  N/A | Not Supported          |      4% "
		" Default |\n",
		rows);
}

/* Driver 530 lets bars touch the words before them. */
static void bars_that_touch_words(void **state)
{
	struct room *room = *state;
	static const char *const rows[] = {
		"7 6 6144 - - 57 - -", "- - - - - - - 4", NULL};

	expect_rows(room,
		HEAD
		"|   0  NVIDIA GeForce RTX 3060 L...    Off| 00000000:01:00.0 Off |   "
		"               N/A |\n"
		"| N/A   57C    P0               N/A /  N/A|      6MiB /  6144MiB |   "
		"   7%      Default |\n"
		"| Processes:                                                        "
		"                    |\n"
		"|    0   N/A  N/A      1492      G   /usr/lib/xorg/Xorg           "
		"                 4MiB |\n",
		rows);
}

/* Two hosts have the same bus id: of the second one the GPU and its processes are left.
 */
static void another_model(void **state)
{
	struct room *room = *state;
	static const char *const rows[] = {
		"5 448 7982 31 60 52 - -", "6 450 7982 32 60 53 - -", NULL};

	expect_rows(room,
		HEAD
		"|   0  GeForce GTX 10...  Off  | 00000000:01:00.0 Off |  N/A |\n"
		"| N/A   52C    P0    31W /  60W |    448MiB /  7982MiB |      5%   "
		"Default |\n" HEAD
		"|   0  TITAN Xp           Off  | 00000000:01:00.0 Off |  N/A |\n"
		"| 47%   42C    P0    50W /  60W |      0MiB / 11998MiB |     70%   "
		" Default |\n"
		"| Processes:                                                     |\n"
		"|    0   N/A  N/A      1492      G   Xorg                  4MiB |\n" HEAD
		"|   0  NVIDIA GeForce GTX 1080 Off | 00000000:01:00.0 Off | N/A |\n"
		"| N/A   53C    P0    32W /  60W |    450MiB /  7982MiB |      6%   "
		"Default |\n",
		rows);
}

/* MIG devices and foreign lines are no GPUs; a GPU without its second line is none. */
static void no_rows(void **state)
{
	struct room *room = *state;
	static const char *const none[] = {NULL};

	expect_rows(
		room, HEAD "|   0  Tesla K80 Off | 00000000:05:00.0 Off |  0 |\n", none);
	expect_rows(room,
		HEAD "| MIG devices:                                                  |\n"
		     "|  0    1   0   0  |     12MiB / 19968MiB  | 42      0 |  3   0    "
		     "2    0    0 |\n",
		none);
	expect_rows(room,
		HEAD "|   x  Tesla K80 Off | 00000000:05:00.0 Off |  0 |\n"
		     "| N/A   28C    P0    72W / 235W |   1071MiB / 11439MiB |     30%   "
		     "   Default |\n",
		none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(old_drivers),
		TEST(values_that_are_not_there),
		TEST(bars_that_touch_words),
		TEST(another_model),
		TEST(no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
