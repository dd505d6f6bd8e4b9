/*
 * Logs without a header: what their units and values tell, what --columns says, times
 * before each row; and a header behind half a row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "room.h"

static int survey_as(struct room *room, const char *columns)
{
	const char *path = room->dir;
	const struct read_options options = {.formats = log_formats(),
		.path = &path,
		.path_count = 1,
		.columns = columns};

	run_init(&room->run, path);
	room->reading = NULL;
	return read_survey(&room->reading, &room->run, &options, &room->err);
}

/* The sentence of a diagnostic; NULL: there is none of that id. */
static const char *said(const struct room *room, const char *id)
{
	for (size_t i = 0; i < room->run.diags.count; i++)
		if (strcmp(room->run.diags.at[i].id, id) == 0)
			return room->run.diags.at[i].text;
	return NULL;
}

static void expect_guess(
	struct room *room, const char *text, const char *fields, size_t devices)
{
	char times[4096];

	put(room, "a", text);
	assert_int_equal(survey_as(room, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
	assert_non_null(said(room, "guessed-units"));
	assert_non_null(strstr(said(room, "guessed-units"), fields));
	assert_int_equal(room->run.device_count, devices);
	assert_int_equal(room->run.file[0].refused, 0);
	leave(room);
}

static void by_units_and_values(void **state)
{
	struct room *room = *state;

	expect_guess(room,
		"2025/03/01 10:00:00.000, 0, 10 %, 300 MiB, 41\n"
		"2025/03/01 10:00:00.010, 1, 0 %, 4 MiB, 30\n"
		"2025/03/01 10:00:01.000, 0, 20 %, 301 MiB, 42\n"
		"2025/03/01 10:00:01.010, 1, 0 %, 4 MiB, 30\n",
		" timestamp,index,utilization.gpu,memory.used,temperature.gpu,", 2);
	/* one index that is not 0 is one, 0 alone may be anything */
	expect_guess(room, "3, 10 %\n3, 11 %\n", " index,utilization.gpu,", 1);
	expect_guess(room, "0, 10 %\n0, 11 %\n", " ?,utilization.gpu,", 1);
	expect_guess(room,
		"NVIDIA H100 80GB HBM3, 00000000:01:00.0, P0, [N/A], Default, 10 %\n",
		" name,pci.bus_id,pstate,?,?,utilization.gpu,", 1);
	expect_guess(room, "1740823200, 10 %\n1740823201, 11 %\n",
		" timestamp,utilization.gpu,", 1);
}

/* The larger of two amounts of memory is what is installed, or what is free. */
static void two_amounts_of_memory(void **state)
{
	struct strbuf idle = strbuf_new();

	expect_guess(*state, "1 %, 10 MiB, 100 MiB\n1 %, 20 MiB, 100 MiB\n",
		" utilization.gpu,memory.used,memory.total,", 1);
	expect_guess(*state, "1 %, 10 MiB, 100 MiB\n1 %, 20 MiB, 90 MiB\n",
		" utilization.gpu,memory.used,memory.free,", 1);
	/* 60 and 40: either may be what is used */
	expect_guess(*state, "1 %, 60 MiB, 40 MiB\n1 %, 50 MiB, 50 MiB\n",
		" utilization.gpu,?,?,", 1);
	/* more idle rows than the format is chosen by */
	for (size_t i = 0; i < 100; i++)
		strbuf_adds(&idle, "1 %, 10 MiB, 100 MiB\n");
	strbuf_adds(&idle, "1 %, 20 MiB, 90 MiB\n");
	expect_guess(*state, idle.text, " utilization.gpu,memory.used,memory.free,", 1);
	strbuf_release(&idle);
}

static void nothing_to_tell_by(void **state)
{
	static const char *const texts[] = {
		"0, 10, 300, 81559\n1, 10, 300, 81559\n", /* no units */
		"4, 10 %\n2, 10 %\n7, 10 %\n2, 10 %\n", /* small, but no indexes */
		"41, 42, 10 %\n", /* two temperatures */
		"10:00:00 0, 10 %\n", /* a clock without a date */
		"10 %, 20 %, 30 %\n",
		"10 MiB, 100 MiB\n20 MiB, 150 MiB\n", /* nor do they make a sum */
	};
	struct room *room = *state;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		put(room, "a", texts[i]);
		assert_int_equal(survey_as(room, NULL), -1);
		leave(room);
	}
}

/* Nine bare cells are pytyche's only where each could be; and even then in doubt. */
static void nine_cells(void **state)
{
	static const char *const refused[] = {
		/* index, two shares, used, total, draw, temperature, a clock: 40,000 W */
		"2025/03/01 10:00:00.000, 0, 60, 15, 300, 40000, 90.50, 41, 1500\n"
		"2025/03/01 10:00:01.000, 0, 61, 15, 301, 40000, 91.50, 41, 1500\n",
		/* the limit of power as the temperature */
		"2025/03/01 10:00:00.000, 5, 6, 300, 40000, 90.50, 700.00, 41, 1500\n",
		/* more used than there is */
		"2025/03/01 10:00:00.000, 60, 15, 40000, 300, 90.50, 41, 1500, 2619\n",
		/* the first share counts the GPUs */
		"2025/03/01 10:00:00.000, 0, 60, 300, 40000, 90.50, 41, 1500, 2619\n"
		"2025/03/01 10:00:00.005, 1, 61, 300, 40000, 90.50, 41, 1500, 2619\n"
		"2025/03/01 10:00:01.000, 0, 62, 300, 40000, 90.50, 41, 1500, 2619\n"
		"2025/03/01 10:00:01.005, 1, 63, 300, 40000, 90.50, 41, 1500, 2619\n",
	};
	const char *pytyche = "2025/03/01 10:00:00.000, 60, 15, 300, 40000, 90.50, 41, "
			      "1500, 2619\n";
	struct room *room = *state;
	char times[256];

	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		put(room, "a", refused[i]);
		assert_int_equal(survey_as(room, NULL), 0);
		read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
		assert_int_equal(room->run.file[0].rows, 0);
		assert_non_null(said(room, "no-header"));
		leave(room);
	}
	put(room, "a", pytyche);
	assert_int_equal(survey_as(room, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
	assert_non_null(said(room, "doubtful-columns"));
	leave(room);
	put(room, "cpu.csv", "timestamp,usr_pct,idle_pct\n2025/03/01 10:00:00,1,99\n");
	assert_int_equal(survey_as(room, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
	assert_null(said(room, "doubtful-columns"));
	assert_non_null(said(room, "guessed-columns"));
	leave(room);
	drop(room, "cpu.csv");
}

/* A log that was rotated has its header in one file alone. */
static void header_of_a_sibling(void **state)
{
	static const struct {
		const char *first, *second;
		bool is_one;
	} names[] = {
		{"gpu.log.1", "gpu.log", true},
		{"gpu-0301.csv", "gpu-0302.csv", true},
		{"gpu.log", "other.log", false},
	};
	struct room *room = *state;
	char times[256];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		put(room, names[i].first,
			"timestamp, index, power.limit [W], power.draw [W]\n"
			"2025/03/01 10:00:00.000, 0, 400.00 W, 100.00 W\n");
		put(room, names[i].second,
			"2025/03/01 10:00:01.000, 0, 400.00 W, 110.00 W\n");
		assert_int_equal(survey_as(room, NULL), 0);
		read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
		assert_string_equal(times, " |0 |1");
		assert_int_equal(!said(room, "guessed-units"), names[i].is_one);
		leave(room);
		drop(room, names[i].first);
		drop(room, names[i].second);
	}
	/* of a file with two headers of as many names nobody knows which is meant */
	put(room, "gpu.log.1",
		"timestamp, index, power.draw [W]\n2025/03/01 10:00:00.000, 0, 10.00\n"
		"timestamp, index, temperature.gpu\n2025/03/01 10:00:01.000, 0, 10\n");
	put(room, "gpu.log", "2025/03/01 10:00:02.000, 0, 20\n");
	assert_int_equal(survey_as(room, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
	assert_non_null(said(room, "no-header"));
	leave(room);
}

static void times_before_rows(void **state)
{
	static const char *const texts[] = {
		"[2025-03-01 10:00:00] 1 %, 9 MiB\n[2025-03-01 10:00:01] 2 %, 9 MiB\n",
		"1740823200 1 %, 9 MiB\n1740823201 2 %, 9 MiB\n",
		"2025-03-01T10:00:00Z 1 %, 9 MiB\n2025-03-01T10:00:01Z 2 %, 9 MiB\n",
	};
	struct room *room = *state;
	char times[64];

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		put(room, "a", texts[i]);
		assert_int_equal(survey_as(room, NULL), 0);
		read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
		assert_string_equal(times, " 0 1");
		leave(room);
	}
	put(room, "a",
		"2025-03-01 10:00:00 cpu  100 0 50 1000\n"
		"2025-03-01 10:00:01 cpu  130 0 60 1060\n");
	assert_int_equal(survey_as(room, NULL), 0);
	read_rows(room, SOURCE_PROC_STAT, times, sizeof times);
	assert_string_equal(times, " 0 1");
	leave(room);
}

static void columns_of_tables(void **state)
{
	struct room *room = *state;
	char times[64];

	put(room, "a", "20250301, 10:00:00, 0, 100, -\n20250301, 10:00:01, 0, 101, 7\n");
	put(room, "b", "   20250301 10:00:02   0   102   8\n");
	assert_int_equal(survey_as(room, "date,time,gpu,pwr,sm"), 0);
	read_rows(room, SOURCE_NVIDIA_DMON, times, sizeof times);
	assert_string_equal(times, " 0 1 |2");
	assert_int_equal(room->run.file[0].rows, 2);
	assert_int_equal(room->run.file[1].rows, 1);
	leave(room);

	put(room, "b", "20250301 10:00:02 0 4711 C 8 3 a name\n");
	assert_int_equal(survey_as(room, "date,time,gpu,pid,type,sm,mem,command"), 0);
	read_rows(room, SOURCE_NVIDIA_PMON, times, sizeof times);
	assert_string_equal(times, " 2");
	leave(room);
}

/* A recorder was killed in the middle of a row, the next one appended to the file. */
static void header_behind_half_a_row(void **state)
{
	static const char *const half[] = {"2025/03", "2025/03/01 10:00:01.000, 0, 1"};
	struct room *room = *state;
	char text[512], times[64];

	for (size_t i = 0; i < sizeof half / sizeof half[0]; i++) {
		snprintf(text, sizeof text,
			"timestamp, index, power.draw [W]\n"
			"2025/03/01 10:00:00.000, 0, 10 W\n%s"
			"timestamp, power.draw [W], index\n"
			"2025/03/01 10:00:02.000, 12 W, 0\n",
			half[i]);
		put(room, "a", text);
		assert_int_equal(survey_as(room, NULL), 0);
		read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
		assert_string_equal(times, " |0 |2");
		assert_int_equal(room->run.file[0].refused, 1);
		assert_non_null(said(room, "field-count"));
		leave(room);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_units_and_values),
		TEST(two_amounts_of_memory),
		TEST(nothing_to_tell_by),
		TEST(nine_cells),
		TEST(header_of_a_sibling),
		TEST(times_before_rows),
		TEST(columns_of_tables),
		TEST(header_behind_half_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
