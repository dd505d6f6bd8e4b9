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

#include "room.h"

static void kinds_of_a_directory(void **state)
{
	static const struct {
		const char *name, *text;
		enum source_kind kind;
	} files[] = {
		/* names mean nothing; they come in their order */
		{"a.csv", "# gpu pwr\n# Idx W\n 0 100\n", SOURCE_NVIDIA_DMON},
		{"b.json", QUERY "2025/03/01 10:00:00, 0, 1\n", SOURCE_NVIDIA_QUERY},
		{"c.log", "timestamp,usr_pct,idle_pct\n", SOURCE_HOST_TABLE},
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
}

/* What an event says of columns is no header: it stays one, and a file of one kind. */
static void an_event_that_names_columns(void **state)
{
	struct room *room = *state;

	put(room, "events.jsonl",
		"{\"ts\": 1740823200, \"type\": \"a\"}\n"
		"{\"ts\": 1740823201, \"type\": \"b\", \"smi\": \"pid, used_gpu_memory "
		"[MiB], x\"}\n"
		"{\"ts\": 1740823202, \"type\": \"c\"}\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	assert_int_equal(room->run.file_count, 1);
	assert_int_equal(room->run.event_count, 3);
	assert_int_equal(room->run.diags.count, 0);
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

/*
 * Two indexes with one bus id in each round are two GPUs; an index that changes between
 * rounds, also in the second one, is that of one.
 */
static void bus_ids_of_several_gpus(void **state)
{
	static const struct {
		const char *text;
		size_t gpus;
	} cases[] = {
		{"0, 0A\n1, 0B\n2, 0A\n0, 0A\n1, 0B\n2, 0A\n", 3},
		{"0, 0A\n1, 0A\n", 2},
		{"0, 0A\n0, 0A\n1, 0A\n1, 0A\n", 1},
		{"0, 0A\n1, 0B\n0, 0B\n0, 0B\n", 2},
	};
	struct room *room = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *row = cases[i].text;
		char text[1024] = "timestamp, index, pci.bus_id, power.draw [W]\n",
		     rows[256];
		size_t len = strlen(text);
		bool said = false;

		for (int s = 0; *row; row += 6, s++)
			len += (size_t)snprintf(text + len, sizeof text - len,
				"2025/03/01 10:00:%02d, %c, 00000000:%.2s:00.0, 10 W\n",
				s, row[0], row + 3);
		put(room, "gpu.csv", text);
		assert_int_equal(survey(room, room->dir, NULL), 0);
		read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
		assert_int_equal(room->run.device_count, cases[i].gpus);
		for (size_t k = 0; k < room->run.diags.count; k++)
			said |= strcmp(room->run.diags.at[k].id, "shared-id") == 0;
		assert_int_equal(said, i < 2);
		leave(room);
	}
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

/* Files stay open, but not many: one that can't be opened again is said. */
static void file_that_vanished(void **state)
{
	enum {
		FILES = 40
	};
	struct room *room = *state;
	char rows[256], expected[256], path[128];
	int len = 0;

	for (int i = 0; i < FILES; i++) {
		char name[16], text[128];

		snprintf(name, sizeof name, "%02d.csv", i);
		snprintf(text, sizeof text, QUERY "2025/03/01 10:00:%02d, 0, 1\n", i);
		put(room, name, text);
		if (i < FILES - 1)
			len += snprintf(
				expected + len, sizeof expected - (size_t)len, " |%d", i);
	}
	assert_int_equal(survey(room, room->dir, NULL), 0);
	for (int i = 0; i < FILES; i += FILES - 1) {
		snprintf(path, sizeof path, "%s/%02d.csv", room->dir, i);
		assert_int_equal(unlink(path), 0);
	}
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, expected);
	assert_int_equal(room->run.diags.count, 1);
	assert_string_equal(room->run.diags.at[0].id, "unreadable");
	assert_string_equal(room->run.diags.at[0].file, "39.csv");
	leave(room);
}

/* Logs of several places are one run; what is given twice is read once, and said. */
static void several_operands(void **state)
{
	struct room *room = *state;
	char first[128], again[128], rows[256];
	const char *const paths[] = {first, again, room->dir};
	const struct read_options options = {
		.formats = log_formats(), .path = paths, .path_count = 3};

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(kinds_of_a_directory),
		TEST(what_is_no_run),
		TEST(an_event_that_names_columns),
		TEST(zones),
		TEST(files_of_one_kind),
		TEST(one_device_in_two_logs),
		TEST(bus_ids_of_several_gpus),
		TEST(times_beside_none),
		TEST(file_that_vanished),
		TEST(several_operands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
