/*
 * Lines with the time around the rows of dmon, pmon and compute-apps: of a loop that asks
 * once and sleeps they are the times of the rows, of a table that runs on they are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "room.h"

#define DMON "# gpu    pwr     sm\n# Idx      W      %\n"
#define PMON "# gpu  pid  type  sm  command\n# Idx    #   C/G   %  name\n"
#define APPS "pid, process_name, used_gpu_memory [MiB]\n"

static void expect_times(
	struct room *room, enum source_kind kind, const char *text, const char *times)
{
	char found[256];

	put(room, "a", text);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, kind, found, sizeof found);
	assert_string_equal(found, times);
	leave(room);
}

static void one_look_each(void **state)
{
	struct room *room = *state;

	expect_times(room, SOURCE_NVIDIA_DMON,
		"Sat Mar  1 10:00:00 UTC 2025\n" DMON "    0    100     50\n"
		"    1    100     50\nSat Mar  1 10:00:05 UTC 2025\n" DMON
		"    0    100     50\n    1    100     50\n",
		" |0 0 |5 5");
	expect_times(room, SOURCE_NVIDIA_PMON,
		PMON "2025-03-01 10:00:00\n  0 4711 C 5 python\n  0 4711 G 5 python\n"
		     "2025-03-01 10:00:05\n  0 4711 C 5 python\n  1 4711 C 5 python\n",
		" |0 0 5 5");
	expect_times(room, SOURCE_NVIDIA_APPS,
		"1740823200\n" APPS "4711, python, 500 MiB\n4712, python, 500 MiB\n"
		"1740823210\n" APPS "4711, python, 500 MiB\n1740823220\n" APPS,
		" |0 0 |10");
}

/* Two kinds of table behind each time. */
static void of_several_kinds(void **state)
{
	static const char text[] =
		"2025-03-01 10:00:00\n" DMON "    0    100     50\n" PMON
		"  0 4711 C 5 python\n2025-03-01 10:00:05\n" DMON
		"    0    100     50\n" PMON "  0 4711 C 5 python\n";
	struct room *room = *state;

	expect_times(room, SOURCE_NVIDIA_DMON, text, " |0 |5");
	expect_times(room, SOURCE_NVIDIA_PMON, text, " |0 |5");
}

/* A row before the first line has no time. */
static void before_the_first(void **state)
{
	struct room *room = *state;

	expect_times(room, SOURCE_NVIDIA_DMON,
		DMON "    0    100     50\n2025-03-01 10:00:00\n    0    100     50\n"
		     "2025-03-01 10:00:01\n    0    100     50\n",
		" |0 1");
}

static void a_table_that_runs_on(void **state)
{
	struct room *room = *state;
	char found[256];

	put(room, "a",
		"2025-03-01 10:00:00\n" DMON "    0    100     50\n"
		"    0    100     50\n    0    100     50\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_DMON, found, sizeof found);
	assert_int_equal(room->run.file[0].rows, 3);
	assert_int_equal(room->run.file[0].wall, false);
	leave(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_look_each),
		TEST(of_several_kinds),
		TEST(before_the_first),
		TEST(a_table_that_runs_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
