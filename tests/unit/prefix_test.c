/* What stands before each line: glued to it, of many words, with commas, of several
 * tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "room.h"

static const char timed[] = "timestamp, index, power.draw [W]\n"
			    "2025/03/01 10:00:00, 0, 1 W\n"
			    "2025/03/01 10:00:01, 0, 2 W\n";

/* Rows as read_rows has them, after a log that is a text with words before each line. */
static void read_behind(
	struct room *room, const char *before, const char *text, char *rows, size_t size)
{
	struct strbuf log;

	strbuf_init(&log);
	while (*text) {
		size_t len = strcspn(text, "\n") + 1;

		strbuf_adds(&log, before);
		strbuf_add(&log, text, len);
		text += len;
	}
	put(room, "log", log.text);
	strbuf_release(&log);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, size);
}

static void expect_diags(const struct room *room, const char *const *ids, size_t count)
{
	for (size_t i = 0; i < room->run.diags.count && i < count; i++)
		assert_string_equal(room->run.diags.at[i].id, ids[i]);
	assert_int_equal(room->run.diags.count, count);
}

static void text_before_each_line(void **state)
{
	static const char *const before[] = {"gpu.csv:", "logs/gpu-1.csv:", "INFO:root:",
		"+", "12:", "gpu.csv:7:", "2025-03-01T10:00:00Z INFO:root:",
		"2025-03-01 10:00:00,123 - gpumon - INFO - ",
		"2025-03-01 10:00:00.123 | INFO     | __main__:main:12 - ",
		"(GpuMon pid=1235, ip=10.0.0.1) ", "(GpuMon pid=1234) "};
	static const char *const ids[] = {"prefix"};
	struct room *room = *state;
	char rows[64];

	for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
		read_behind(room, before[i], timed, rows, sizeof rows);
		assert_string_equal(rows, " |0 1");
		expect_diags(room, ids, 1);
		assert_int_equal(room->run.device_count, 1);
		leave(room);
	}
}

/* "a:b" is only cut where lines have it. */
static void text_before_the_header_only(void **state)
{
	static const char *const ids[] = {"glued-column:a:timestamp"};
	struct room *room = *state;
	char rows[64];

	put(room, "log",
		"a:timestamp, index, power.draw [W]\n2025/03/01 10:00:00, 0, 1 W\n"
		"2025/03/01 10:00:01, 0, 1 W\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	expect_diags(room, ids, 1);
	assert_int_equal(room->run.file[0].rows, 2);
	leave(room);
}

/* grep -H of several files: GPUs of one index in two of them are two. */
static void files_before_each_line(void **state)
{
	struct room *room = *state;
	struct strbuf text;
	char rows[1024];

	strbuf_init(&text);
	for (int file = 0; file < 2; file++) {
		strbuf_addf(&text, "gpu%d.csv:%s", file, QUERY);
		for (int i = 0; i < 80; i++)
			strbuf_addf(&text,
				"gpu%d.csv:2025/03/01 10:%02d:%02d.000, 0, 1 W\n", file,
				i / 60, i % 60);
	}
	put(room, "log", text.text);
	strbuf_release(&text);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_int_equal(room->run.device_count, 2);
	assert_string_equal(room->run.device[0].host, "gpu0.csv");
	assert_string_equal(room->run.device[1].host, "gpu1.csv");
	leave(room);
}

/* The header stands alone, a time before each row. */
static void times_before_the_rows_only(void **state)
{
	static const char *const time[] = {"[2025-03-01 10:00:0%d] ",
		"Sat Mar  1 10:00:0%d UTC 2025 ", "174082320%d ", "2025-03-01 10:00:0%d,",
		"Sat Mar  1 10:00:0%d UTC 2025, "};
	static const char *const ids[] = {"prefix", "bad-time"};
	struct room *room = *state;
	char before[64], text[512], rows[64];

	for (size_t i = 0; i < sizeof time / sizeof time[0]; i++) {
		size_t len =
			(size_t)snprintf(text, sizeof text, "index, power.draw [W]\n");

		for (int k = 0; k < 9; k++) {
			snprintf(before, sizeof before, time[i], k);
			len += (size_t)snprintf(
				text + len, sizeof text - len, "%s0, 1 W\n", before);
		}
		snprintf(text + len, sizeof text - len, "0, 2 W\n");
		put(room, "log", text);
		assert_int_equal(survey(room, room->dir, NULL), 0);
		read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
		assert_string_equal(rows, " |0 1 2 3 4 5 6 7 8");
		expect_diags(room, ids, 2);
		leave(room);
	}
}

/* A header with a time follows one without: it is the first cell of its rows. */
static void times_in_the_rows(void **state)
{
	struct room *room = *state;
	char rows[64];

	put(room, "log",
		"index, power.draw [W]\ntimestamp, index, power.draw [W]\n"
		"2025/03/01 10:00:00.000, 0, 1 W\n2025/03/01 10:00:01.000, 0, 1 W\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, " |0 1");
	assert_int_equal(room->run.diags.count, 0);
	leave(room);
}

/* No header at all, and words before the rows that are no time. */
static void levels_before_rows(void **state)
{
	struct room *room = *state;
	char rows[64];

	read_behind(room, "2025-03-01 09:00:00,123 INFO ",
		"2025/03/01 10:00:00, 0 %, 1 W\n2025/03/01 10:00:01, 0 %, 1 W\n", rows,
		sizeof rows);
	assert_string_equal(rows, " 0 1");
	leave(room);
	read_behind(room, "2025-03-01 10:00:00 INFO ",
		"utilization.gpu [%], power.draw [W]\n"
		"0 %, 1 W\n",
		rows, sizeof rows);
	assert_string_equal(rows, " |0");
	assert_int_equal(room->run.diags.count, 1); /* INFO is no zone */
	leave(room);
}

/* What the words lack is said where the rows need it. */
static void times_that_lack_something(void **state)
{
	static const struct {
		const char *before, *lacks;
	} words[] = {{"Nov 20 10:00:00 ", "no year"},
		{"Mar 09 10:00:01 node1 gpumon[12]: ", "no year"},
		{"10:00:00 ", "no time"}, {"gpu-1  | ", "no time"}};
	struct room *room = *state;
	char rows[64];

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		for (int time = 0; time < 2; time++) {
			bool year = strstr(words[i].lacks, "year");

			read_behind(room, words[i].before,
				time ? timed : "index, power.draw [W]\n0, 1 W\n", rows,
				sizeof rows);
			assert_string_equal(room->run.diags.at[0].id, "prefix");
			assert_int_equal(time && !year,
				!strstr(room->run.diags.at[0].text, words[i].lacks));
			assert_int_equal(!time && year, room->run.diags.count == 2);
			leave(room);
		}
}

/*
 * The first rows of a log behind stamps. A year or a date that they lack is the one that
 * is nearest to the run's begin, and each further one to the row before.
 */
static void stamps_are_completed(void **state)
{
	static const struct {
		const char *stamp[3], *rows; /* in seconds since T0_NS */
	} log[] = {{{"Dec 31 23:59:58", "Dec 31 23:59:59", "Jan  1 00:00:00"},
			   " -5133602 -5133601 -5133600"},
		{{"23:59:58", "00:00:00", "00:00:01"}, " -5133602 -5133600 -5133599"},
		{{"Jan  1 00:00:05", "Jan  1 00:00:06", "Jan  1 00:00:07"},
			" -5133595 -5133594 -5133593"}};
	struct room *room = *state;
	char text[256];

	for (size_t i = 0; i < sizeof log / sizeof log[0]; i++) {
		snprintf(text, sizeof text, "%s 1 %%, 2 W\n%s 1 %%, 2 W\n%s 1 %%, 2 W\n",
			log[i].stamp[0], log[i].stamp[1], log[i].stamp[2]);
		put(room, "log", text);
		put(room, "run.json",
			"{\"format_version\": \"1.0\", \"run_id\": \"a\",\n"
			"\"started_at\": \"2025-01-01T00:00:03Z\"}");
		assert_int_equal(survey(room, room->dir, NULL), 0);
		read_rows(room, SOURCE_NVIDIA_QUERY, text, sizeof text);
		assert_string_equal(text, log[i].rows);
		for (size_t k = 0; k < room->run.diags.count; k++)
			assert_string_not_equal(room->run.diags.at[k].id, "no-date");
		leave(room);
	}
}

/* Only who prints a header takes part. */
static void tasks_with_a_header(void **state)
{
	static const struct {
		const char *one, *other;
	} task[] = {{"mon-1  | ", "mon-2  | "}, {"0: ", "1: "},
		{"pod-a mon ", "pod-b mon "},
		{"(GpuMon pid=1) ", "(GpuMon pid=2, ip=10.0.0.1) "}};
	static const char *const mixed[] = {"mixed", "prefix"};
	static const char *const alone[] = {"prefix", "noise"};
	struct room *room = *state;
	char text[512], rows[64];

	for (size_t i = 0; i < sizeof task / sizeof task[0]; i++)
		for (int second = 0; second < 2; second++) {
			snprintf(text, sizeof text, "%s%s%s%s\n%s%s", task[i].one, QUERY,
				task[i].other,
				second ? "timestamp, index, power.draw [W]" : "step 7",
				task[i].one, "2025/03/01 10:00:00.000, 0, 1 W\n");
			put(room, "log", text);
			assert_int_equal(survey(room, room->dir, NULL), 0);
			read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
			expect_diags(room, second ? mixed : alone, 2);
			leave(room);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_before_each_line),
		TEST(text_before_the_header_only),
		TEST(files_before_each_line),
		TEST(times_before_the_rows_only),
		TEST(times_in_the_rows),
		TEST(levels_before_rows),
		TEST(times_that_lack_something),
		TEST(stamps_are_completed),
		TEST(tasks_with_a_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
