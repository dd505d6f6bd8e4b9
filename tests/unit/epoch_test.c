/* Columns that may be the time, and lines that say it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "room.h"

static void expect(struct room *room, const char *text, const char *rows, const char *id)
{
	char got[64];

	put(room, "log", text);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, got, sizeof got);
	assert_string_equal(got, rows);
	assert_int_equal(room->run.file[0].refused, 0);
	assert_int_equal(room->run.diags.count, id ? 1 : 0);
	if (id)
		assert_string_equal(room->run.diags.at[0].id, id);
	leave(room);
}

static void names_of_times(void **state)
{
	static const struct {
		const char *name, *first, *second;
	} column[] = {{"epoch", "1740823200.5", "1740823201.5"},
		{"unix_time", "1740823200", "1740823201"},
		{"timestamp_ms", "1740823200000", "1740823201000"},
		{"timestamp_ns", "1740823200000000000", "1740823201000000000"},
		{"Datetime", "2025-03-01 10:00:00", "2025-03-01 10:00:01"}};
	char text[256];

	for (size_t i = 0; i < sizeof column / sizeof column[0]; i++) {
		snprintf(text, sizeof text,
			"%s, index, power.draw [W]\n%s, 0, 1 W\n%s, 0, 1 W\n",
			column[i].name, column[i].first, column[i].second);
		expect(*state, text, " |0 1", NULL);
	}
}

/* An epoch of a training, and one beside a time: columns that are not used. */
static void no_times(void **state)
{
	struct room *room = *state;
	char rows[64];

	expect(room,
		"epoch, timestamp, index, power.draw [W]\n"
		"1, 2025/03/01 10:00:00, 0, 1 W\n2, 2025/03/01 10:00:01, 0, 1 W\n",
		" |0 1", "unknown-column:epoch");
	put(room, "log", "epoch, index, power.draw [W]\n1, 0, 1 W\n2, 0, 1 W\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_int_equal(room->run.file[0].rows, 2);
	assert_int_equal(room->run.file[0].refused, 0);
	assert_string_equal(room->run.diags.at[0].id, "unknown-column:epoch");
	leave(room);
	/* of a training alone it is no log of GPUs */
	put(room, "log", "index,epoch,loss\n0,1,2.3\n1,1,2.2\n");
	assert_int_equal(survey(room, room->dir, NULL), -1);
	leave(room);
}

/* "[time] a title" between samples; what complains is lost, as ever. */
static void titles_with_a_time(void **state)
{
	struct room *room = *state;
	char rows[64];

	expect(room,
		"[2025-03-01 10:00:00] GPU status:\nindex, power.draw [W]\n0, 1 W\n1, 1 "
		"W\n"
		"[2025-03-01 10:00:05] GPU status:\nindex, power.draw [W]\n0, 1 W\n1, 1 "
		"W\n",
		" |0 0 |5 5", NULL);
	put(room, "log",
		"[2025-03-01 10:00:00] GPU status:\nindex, power.draw [W]\n0, 1 W\n"
		"[2025-03-01 10:00:05] GPU is lost\n[2025-03-01 10:00:06] on\n0, 1 W\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, rows, sizeof rows);
	assert_string_equal(rows, " |0 |6");
	assert_int_equal(room->run.file[0].refused, 1);
	assert_string_equal(room->run.diags.at[0].id, "prose");
	leave(room);
}

/* Excel asks for it. */
static void line_of_the_separator(void **state)
{
	expect(*state, "sep=,\r\n" QUERY "2025/03/01 10:00:00, 0, 1 W\r\n", " |0",
		"noise");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_of_times),
		TEST(no_times),
		TEST(titles_with_a_time),
		TEST(line_of_the_separator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
