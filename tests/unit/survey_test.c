/*
 * The reading of a run: which files there are and what each is, the zone of its times,
 * and several files of one kind as one stream.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "read/read.h"

#define T0_NS (1740823200LL * NS_PER_S) /* 2025-03-01T10:00:00Z */
#define QUERY "timestamp, index, power.draw [W]\n"

/* A directory of its own for each test. */
struct room {
	char dir[64];
	struct run run;
	struct reading *reading;
	struct error err;
};

static int room_open(void **state)
{
	struct room *room = xcalloc(1, sizeof *room);

	snprintf(room->dir, sizeof room->dir, "/tmp/survey_test.XXXXXX");
	*state = room;
	return mkdtemp(room->dir) ? 0 : -1;
}

static int room_close(void **state)
{
	struct room *room = *state;
	DIR *dir = opendir(room->dir);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[512];

		snprintf(path, sizeof path, "%s/%s", room->dir, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove(path);
	}
	closedir(dir);
	rmdir(room->dir);
	free(room);
	return 0;
}

static void put(const struct room *room, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", room->dir, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

static int survey(struct room *room, const char *path, const char *tz)
{
	const struct read_options options = {.tz = tz, .path = &path, .path_count = 1};

	run_init(&room->run, path);
	room->reading = NULL;
	return read_survey(&room->reading, &room->run, &options, &room->err);
}

static void leave(struct room *room)
{
	reading_free(room->reading);
	run_release(&room->run);
}

/* Times of the rows in seconds since T0, and whether a header stood before, as text. */
static void read_rows(struct room *room, enum source_kind kind, char *text, size_t size)
{
	struct sample_source *source = read_samples(room->reading, kind, 2 * NS_PER_S);
	struct sample_batch batch;
	size_t len = 0;

	text[0] = '\0';
	sample_batch_init(&batch);
	while (sample_source_next(source, &batch, &room->err) > 0)
		for (size_t i = 0; i < batch.rows; i++)
			len += (size_t)snprintf(text + len, size - len, "%s%lld",
				batch.header[i] ? " |" : " ",
				(long long)((batch.t_ns[i] - T0_NS) / NS_PER_S));
	sample_batch_release(&batch);
	sample_source_free(source);
}

static void kinds_of_a_directory(void **state)
{
	static const struct {
		const char *name, *text;
		enum source_kind kind;
	} files[] = {
		/* names mean nothing; they come in their order */
		{"a.csv", "# gpu pwr\n# Idx W\n 0 100\n", SOURCE_NVIDIA_DMON},
		{"b.json", QUERY "2025/03/01 10:00:00, 0, 1\n", SOURCE_NVIDIA_QUERY},
		{"c.log", "timestamp,usr_pct,idle_pct\n", SOURCE_CPU_CSV},
		{"d", "# t=1740823200\ncpu 1 2 3 4\n", SOURCE_PROC_STAT},
		{"e.txt", "{\"ts\": 1740823200, \"type\": \"x\"}\n", SOURCE_RUNLOG},
		{"f", "{\"run_id\": \"id\", \"format_version\": 1}\n", SOURCE_MANIFEST},
		{"g", "", SOURCE_NONE},
		{"h", "dear diary\n", SOURCE_NONE},
	};
	size_t count = sizeof files / sizeof files[0];
	struct room *room = *state;

	for (size_t i = count; i-- > 0;)
		put(room, files[i].name, files[i].text);
	put(room, ".hidden", QUERY);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	assert_int_equal(room->run.file_count, count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(room->run.file[i].path, files[i].name);
		assert_int_equal(room->run.file[i].kind, files[i].kind);
		assert_int_equal(room->run.file[i].size, strlen(files[i].text));
	}
	assert_true(room->run.is_directory);
	assert_string_equal(room->run.key, "id");
	assert_int_equal(room->run.event_count, 1);
	leave(room);
}

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

static void what_is_no_run(void **state)
{
	struct room *room = *state;
	char path[128];

	assert_int_equal(survey(room, "/tmp/does/not/exist", NULL), -1);
	assert_non_null(strstr(room->err.message, "/tmp/does/not/exist"));
	leave(room);
	assert_int_equal(survey(room, room->dir, NULL), -1); /* empty */
	assert_non_null(strstr(room->err.message, room->dir));
	leave(room);
	put(room, "diary", "dear diary\nmore\n");
	snprintf(path, sizeof path, "%s/diary", room->dir);
	assert_int_equal(survey(room, path, NULL), -1);
	assert_non_null(strstr(room->err.message, path));
	assert_non_null(strstr(room->err.message, "dear diary"));
	leave(room);
	put(room, "diary", QUERY);
	assert_int_equal(survey(room, path, "Nowhere/Atlantis"), -1);
	assert_non_null(strstr(room->err.message, "Nowhere/Atlantis"));
	leave(room);
}

/* The option rules, then the manifest, then UTC; the report can say which. */
static void zones(void **state)
{
	struct room *room = *state;
	char rows[256];

	put(room, "gpu.csv", QUERY "2025/03/01 10:00:00, 0, 1\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	assert_string_equal(room->run.time_source, "default");
	assert_string_equal(room->run.time_zone, "UTC");
	leave(room);

	put(room, "run.json",
		"{\"run_id\":\"x\",\"format_version\":1,\"recorder_timezone\":\"+02:00\"}"
		"\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	assert_string_equal(room->run.time_source, "manifest");
	assert_string_equal(room->run.time_zone, "+02:00");
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, " |-7200");
	leave(room);

	assert_int_equal(survey(room, room->dir, "-01:00"), 0);
	assert_string_equal(room->run.time_source, "option");
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, " |3600");
	leave(room);
}

/* In the order of their first times; the first row of a further file begins anew. */
static void files_of_one_kind(void **state)
{
	struct room *room = *state;
	char rows[256];

	put(room, "1.csv",
		QUERY "2025/03/01 10:00:20, 0, 1\n2025/03/01 10:00:21, 0, 1\n");
	put(room, "2.csv",
		QUERY "2025/03/01 10:00:00, 0, 1\n2025/03/01 10:00:01, 0, 1\n"
		      "2025/03/01 10:0");
	put(room, "3.csv", QUERY);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, " |0 1 |20 21");
	assert_int_equal(room->run.file[0].rows, 2);
	assert_int_equal(room->run.file[1].rows, 2);
	assert_int_equal(room->run.file[1].refused, 1);
	assert_int_equal(room->run.file[2].rows, 0);
	assert_int_equal(room->run.device_count, 1);
	assert_int_equal(room->run.diags.count, 1);

	/* a second reading gives the same, and counts nothing */
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, " |0 1 |20 21");
	assert_int_equal(room->run.file[1].rows, 2);
	assert_int_equal(room->run.file[1].refused, 1);
	assert_int_equal(room->run.diags.at[0].count, 1);
	leave(room);
}

/* dmon's index is the query's; a GPU is known by all that any log says. */
static void one_device_in_two_logs(void **state)
{
	struct room *room = *state;
	char rows[256];

	put(room, "a.log", "# gpu pwr\n# Idx W\n 1 100\n 0 90\n");
	put(room, "b.csv",
		"timestamp, uuid, index\n2025/03/01 10:00:00, GPU-a, 0\n"
		"2025/03/01 10:00:00, GPU-b, 1\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_DMON, rows, sizeof rows);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_int_equal(room->run.device_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(room->run.device[i].uuid,
			room->run.device[i].index ? "GPU-b" : "GPU-a");
	leave(room);
}

/* A log without times can't be joined with one that has them: the timed one counts. */
static void times_beside_none(void **state)
{
	struct room *room = *state;
	char rows[256];

	put(room, "1.csv", "index, power.draw [W]\n0, 1\n0, 2\n");
	put(room, "2.csv", QUERY "2025/03/01 10:00:05, 0, 1\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, " |5");
	assert_int_equal(room->run.file[0].rows, 0);
	assert_int_equal(room->run.file[0].refused, 2);
	assert_int_equal(room->run.diags.count, 1);
	assert_string_equal(room->run.diags.at[0].id, "no-time");
	assert_int_equal(room->run.diags.at[0].count, 2);
	leave(room);
}

/* A file that can't be read any more is said; the others stay good. */
static void file_that_vanished(void **state)
{
	struct room *room = *state;
	char rows[256], path[128];

	put(room, "1.csv", QUERY "2025/03/01 10:00:00, 0, 1\n");
	put(room, "2.csv", QUERY "2025/03/01 10:00:05, 0, 1\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	snprintf(path, sizeof path, "%s/1.csv", room->dir);
	assert_int_equal(unlink(path), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, " |5");
	assert_int_equal(room->run.diags.count, 1);
	assert_string_equal(room->run.diags.at[0].id, "unreadable");
	assert_string_equal(room->run.diags.at[0].file, "1.csv");
	leave(room);
}

/* Logs of several places are one run; what is given twice is read once, and said. */
static void several_operands(void **state)
{
	struct room *room = *state;
	char first[128], again[128], rows[256];
	const char *const paths[] = {first, again, room->dir};
	const struct read_options options = {.path = paths, .path_count = 3};

	put(room, "1.csv", QUERY "2025/03/01 10:00:00, 0, 1\n");
	put(room, "2.csv", QUERY "2025/03/01 10:00:05, 0, 1\n");
	snprintf(first, sizeof first, "%s/1.csv", room->dir);
	snprintf(again, sizeof again, "%s/./1.csv", room->dir);
	run_init(&room->run, first);
	assert_int_equal(
		read_survey(&room->reading, &room->run, &options, &room->err), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, " |0 |5");
	assert_false(room->run.is_directory);
	assert_int_equal(room->run.file_count, 2);
	assert_string_equal(room->run.file[0].path, first); /* by its path */
	for (size_t i = 0; i < room->run.diags.count; i++)
		assert_string_equal(room->run.diags.at[i].id, "same-file");
	assert_true(room->run.diags.count > 0);
	leave(room);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, room_open, room_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(kinds_of_a_directory),
		TEST(events_behind_text),
		TEST(kinds_in_one_file),
		TEST(words_before_each_line),
		TEST(times_before_each_line),
		TEST(what_is_no_run),
		TEST(zones),
		TEST(files_of_one_kind),
		TEST(one_device_in_two_logs),
		TEST(times_beside_none),
		TEST(file_that_vanished),
		TEST(several_operands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
