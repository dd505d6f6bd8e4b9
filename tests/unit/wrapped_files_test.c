/*
 * Files that are not one log alone: text before it, words before each line, several kinds
 * of log in turns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "room.h"

/* MLPerf's lines may stand behind more text than the other bids look at. */
static void events_behind_text(void **state)
{
	struct room *room = *state;
	struct strbuf text;

	strbuf_init(&text);
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&text, "layer %d\n", i);
	put(room, "a.txt", text.text);
	strbuf_adds(&text, "0: :::MLLOG {\"time_ms\": 1740823200000, \"key\": \"x\"}\n");
	put(room, "b.txt", text.text);
	put(room, "c.jsonl", "{\"ts\": 1740823200, \"type\": \"x\"}\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	assert_int_equal(room->run.file[0].kind, SOURCE_NONE);
	assert_int_equal(room->run.file[1].kind, SOURCE_MLLOG);
	assert_int_equal(room->run.file[1].rows, 1);
	assert_int_equal(room->run.file[2].rows, 1);
	assert_int_equal(room->run.event_count, 2);
	leave(room);
	strbuf_release(&text);
}

/* One loop that runs everything, into one file: each reader gets its own lines. */
static void kinds_in_one_file(void **state)
{
	static const struct {
		const char *path;
		enum source_kind kind;
		uint64_t rows;
	} files[] = {
		{"a#nvidia-query", SOURCE_NVIDIA_QUERY, 6},
		{"a#nvidia-dmon", SOURCE_NVIDIA_DMON, 3},
		{"a#nvidia-apps", SOURCE_NVIDIA_APPS, 3},
		{"a#proc-stat", SOURCE_PROC_STAT, 3},
		{"a", SOURCE_MEMINFO, 3},
		{"a#runlog", SOURCE_RUNLOG, 1},
	};
	struct room *room = *state;
	struct strbuf text;
	char times[512];

	strbuf_init(&text);
	for (int i = 0; i < 100; i++)
		strbuf_adds(&text, "getting ready, and so on\n");
	for (int i = 0; i < 3; i++) {
		strbuf_addf(&text, "Sat Mar  1 10:00:0%d UTC 2025\n", i);
		strbuf_adds(&text,
			"utilization.gpu [%], power.draw [W]\n"
			"10 %, 100 W\n20 %, 200 W\n");
		strbuf_adds(&text,
			"gpu_uuid, pid, used_gpu_memory [MiB]\n"
			"GPU-1, 123, 500 MiB\n");
		strbuf_adds(&text,
			"# gpu   pwr gtemp\n# Idx     W     C\n"
			"    0   100    40\n");
		strbuf_adds(&text,
			"cpu  1 2 3 4\ncpu0 1 2 3 4\nintr 12 3 4\n"
			"MemTotal:     8 kB\nMemAvailable: 4 kB\n"
			"HugePages_Total: 0\n");
		if (!i)
			strbuf_adds(&text, "{\"ts\": 1740823200, \"type\": \"x\"}\n");
	}
	put(room, "a", text.text);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
	assert_string_equal(times, " |0 0 |1 1 |2 2");
	read_rows(room, SOURCE_PROC_STAT, times, sizeof times);
	read_rows(room, SOURCE_MEMINFO, times, sizeof times);
	assert_string_equal(times, " 0 1 2");
	read_rows(room, SOURCE_NVIDIA_DMON, times, sizeof times);
	read_rows(room, SOURCE_NVIDIA_APPS, times, sizeof times);
	assert_int_equal(room->run.file_count, sizeof files / sizeof files[0]);
	for (size_t i = 0; i < room->run.file_count; i++) {
		const struct run_file *file = &room->run.file[i];
		size_t k = 0;

		while (files[k].kind != file->kind)
			k++;
		assert_string_equal(file->path, files[k].path);
		assert_int_equal(file->rows, files[k].rows);
		assert_int_equal(file->refused, 0);
	}
	for (size_t i = 0; i < room->run.diags.count; i++)
		assert_false(room->run.diags.at[i].damage);
	leave(room);
	strbuf_release(&text);
}

/* ts, docker-compose, journalctl, srun -l: words before each line, as many as the header
 * has. */
static void words_before_each_line(void **state)
{
	static const struct {
		const char *before;
		const char *id;
	} program[] = {{"Mar 14 10:00:00 ", "prefix"}, {"gpu-monitor_1  | ", "prefix"},
		{"Mar 14 10:00:00 node7 monitor[4711]: ", "prefix"}, {"0: ", "prefix"},
		{"2025-03-01T10:00:00.123Z ", "prefix"}, {"", NULL}};
	static const char *const line[] = {"timestamp, index, power.draw [W]",
		"2025/03/01 10:00:00, 0, 1 W", "2025/03/01 10:00:01, 0, 2 W"};
	struct room *room = *state;
	char text[512];

	for (size_t i = 0; i < sizeof program / sizeof program[0]; i++) {
		size_t len = 0, ids = 0;

		for (size_t k = 0; k < 3; k++)
			len += (size_t)snprintf(text + len, sizeof text - len, "%s%s\n",
				program[i].before, line[k]);
		put(room, "log", text);
		assert_int_equal(survey(room, room->dir, NULL), 0);
		assert_int_equal(room->run.file[0].kind, SOURCE_NVIDIA_QUERY);
		read_rows(room, SOURCE_NVIDIA_QUERY, text, sizeof text);
		assert_string_equal(text, " |0 1");
		for (size_t k = 0; k < room->run.diags.count; k++)
			if (program[i].id &&
				!strcmp(room->run.diags.at[k].id, program[i].id))
				ids++;
		assert_int_equal(ids, program[i].id != NULL);
		assert_int_equal(room->run.diags.count, ids);
		leave(room);
	}
}

/* pdsh: the word before each line is its host. */
static void hosts_before_each_line(void **state)
{
	struct room *room = *state;
	char times[64];

	put(room, "a",
		"n1: timestamp, index, power.draw [W]\n"
		"n2: timestamp, index, power.draw [W]\n"
		"n1: 2025/03/01 10:00:00.000, 0, 1 W\n"
		"n2: 2025/03/01 10:00:00.000, 0, 2 W\n"
		"n2: 2025/03/01 10:00:01.000, 0, 2 W\n"
		"n1: 2025/03/01 10:00:01.000, 0, 1 W\n");
	put(room, "b",
		"n1: # gpu pwr\nn2: # gpu pwr\nn1: # Idx W\nn2: # Idx W\n"
		"n2:     0 20\nn1:     0 10\n");
	put(room, "c",
		"0: timestamp, index, power.draw [W]\n"
		"1: timestamp, index, power.draw [W]\n"
		"0: 2025/03/01 10:00:05.000, 5, 1 W\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
	assert_string_equal(times, " |0 0 1 1 |5");
	read_rows(room, SOURCE_NVIDIA_DMON, times, sizeof times);
	assert_int_equal(room->run.device_count, 3);
	assert_string_equal(room->run.device[0].host, "n1");
	assert_string_equal(room->run.device[1].host, "n2");
	for (size_t i = 0; i < room->run.diags.count; i++)
		assert_int_equal(room->run.diags.at[i].damage,
			strcmp(room->run.diags.at[i].id, "mixed") == 0);
	leave(room);
}

/* Rows without a time of their own take the one that stands before them. */
static void times_before_each_line(void **state)
{
	static const char *const text[] = {
		"2025-03-01 10:00:00.5 # gpu pwr\n2025-03-01 10:00:00.5 # Idx W\n"
		"2025-03-01 10:00:01.5 0 100\n\n2025-03-01 10:00:02.5 \n"
		"2025-03-01 10:00:03.5 0 102\n",
		"x | 1740823200 # gpu pwr\nx | 1740823200 # Idx W\n"
		"x | 1740823201 0 100\nx | 1740823203 0 102\n"
		"x | yesterday 0 104\n"};
	struct room *room = *state;
	char rows[64];

	for (size_t i = 0; i < 2; i++) {
		put(room, "log", text[i]);
		assert_int_equal(survey(room, room->dir, NULL), 0);
		read_rows(room, SOURCE_NVIDIA_DMON, rows, sizeof rows);
		assert_string_equal(rows, " |1 3");
		assert_int_equal(room->run.file[0].rows, 2);
		assert_int_equal(room->run.file[0].refused, i);
		leave(room);
	}
}

/* A job prints what it has got, then records it: the first rows have no time. */
static void snapshot_before_a_log(void **state)
{
	struct room *room = *state;
	char times[64];

	put(room, "a",
		"index, memory.total [MiB]\n0, 81559 MiB\n1, 81559 MiB\n"
		"timestamp, index, power.draw [W]\n"
		"2025/03/01 10:00:00.000, 0, 1 W\n2025/03/01 10:00:01.000, 0, 2 W\n");
	put(room, "b",
		"# gpu pwr\n# Idx W\n    0 10\n"
		"#Time gpu pwr\n#HH:MM:SS Idx W\n 10:00:00 0 10\n 10:00:01 0 11\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
	assert_string_equal(times, " |0 1");
	assert_int_equal(room->run.file[0].refused, 2);
	read_rows(room, SOURCE_NVIDIA_DMON, times, sizeof times);
	assert_int_equal(room->run.file[1].rows, 2);
	assert_int_equal(room->run.file[1].refused, 1);
	for (size_t i = 0; i < room->run.diags.count; i++)
		if (room->run.diags.at[i].damage)
			assert_string_equal(room->run.diags.at[i].id, "no-time");
	leave(room);
}

/* The time came too late to be believed: it is said. */
static void time_behind_a_long_log(void **state)
{
	struct room *room = *state;
	struct strbuf text;
	bool said = false;
	char times[64];

	strbuf_init(&text);
	strbuf_adds(&text, "index, power.draw [W]\n0, 1 W\n");
	for (int i = 0; i < 16400; i++)
		strbuf_adds(&text, "prose\n");
	strbuf_adds(&text,
		"timestamp, index, power.draw [W]\n"
		"2025/03/01 10:00:00.000, 0, 2 W\n");
	put(room, "a", text.text);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
	assert_int_equal(room->run.file[0].rows, 2);
	for (size_t i = 0; i < room->run.diags.count; i++)
		said |= strcmp(room->run.diags.at[i].id, "unused-time") == 0;
	assert_true(said);
	leave(room);
	strbuf_release(&text);
}

/* A header in bold, docker-compose, a value in red: as if no terminal had been there. */
static void colors_in_lines(void **state)
{
	static const char *const text[] = {
		"\033[1mtimestamp, index, power.draw [W]\033[0m\n"
		"2025/03/01 10:00:00.000, 0, 1 W\n",
		"\033(B\033[mtimestamp, index, power.draw [W]\n"
		"2025/03/01 10:00:00.000, 0, 1 W\n",
		QUERY "\033[01;31m\033[K2025\033[m\033[K/03/01 10:00:00.000, 0, 1 W\n",
		QUERY "2025/03/01 10:00:00.000, 0, \033[31m1 W\033[0m\n",
		"\033[36mgpu-1  | \033[0mtimestamp, index, power.draw [W]\n"
		"\033[36mgpu-1  | \033[0m2025/03/01 10:00:00.000, 0, 1 W\n"};
	struct room *room = *state;
	char rows[64];

	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
		put(room, "log", text[i]);
		assert_int_equal(survey(room, room->dir, NULL), 0);
		read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
		assert_string_equal(rows, " |0");
		for (size_t k = 0; k < room->run.diags.count; k++)
			assert_string_equal(room->run.diags.at[k].id, "prefix");
		leave(room);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_behind_text),
		TEST(kinds_in_one_file),
		TEST(words_before_each_line),
		TEST(hosts_before_each_line),
		TEST(times_before_each_line),
		TEST(snapshot_before_a_log),
		TEST(time_behind_a_long_log),
		TEST(colors_in_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
