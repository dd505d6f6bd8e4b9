/* Logs whose lines are strings of JSON objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "room.h"

static void expect(struct room *room, const char *text, enum source_kind kind,
	const char *rows, size_t diags)
{
	char got[64];

	put(room, "log", text);
	assert_int_equal(survey(room, room->dir, NULL), 0);
	assert_int_equal(room->run.file[0].kind, kind);
	read_rows(room, kind, got, sizeof got);
	assert_string_equal(got, rows);
	assert_int_equal(room->run.diags.count, diags);
	if (diags)
		assert_string_equal(room->run.diags.at[0].id, "prefix");
	leave(room);
}

#define LINE(text, second) \
	"{\"log\":\"" text \
	"\\n\",\"stream\":\"stdout\",\"time\":\"2025-03-01T10:00:0" second ".5Z\"}\n"

/* The rows have the time that they say, or else that of the object. */
static void log_of_docker(void **state)
{
	expect(*state,
		LINE("timestamp, index, power.draw [W]", "5")
			LINE("2025/03/01 10:00:00.000, 0, 1 W", "6")
				LINE("2025/03/01 10:00:01.000, 0, 1 W", "7"),
		SOURCE_NVIDIA_QUERY, " |0 1", 1);
	expect(*state,
		LINE("index, power.draw [W]", "5") LINE("0, 1 W", "6")
			LINE("0, 1 W", "7"),
		SOURCE_NVIDIA_QUERY, " |6 7", 1);
	expect(*state,
		LINE("# gpu   pwr", "5") LINE("# Idx     W", "5") LINE("    0   1", "6")
			LINE("    0   1", "7"),
		SOURCE_NVIDIA_DMON, " |6 7", 1);
}

static void lines_of_loggers(void **state)
{
	static const char *const line[] = {"{\"message\": \"%s\"}\n",
		"{\"textPayload\": \"%s\", \"severity\": \"INFO\"}\n",
		"{\"ts\": 1740823205, \"msg\": \"%s\", \"level\": \"info\"}\n",
		"{\"jsonPayload\": {\"message\": \"%s\"}}\n",
		"2025-03-01T10:00:07Z {\"log\":\"%s\\n\"}\n",
		"gpu-1 | {\"log\":\"%s\"}\n"};
	char text[512];

	for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
		size_t len = (size_t)snprintf(
			text, sizeof text, line[i], "timestamp, index, power.draw [W]");

		len += (size_t)snprintf(text + len, sizeof text - len, line[i],
			"2025/03/01 10:00:00.000, 0, 1 W");
		snprintf(text + len, sizeof text - len, line[i],
			"2025\\/03\\/01 10:00:01.000, 0, 1 W");
		expect(*state, text, SOURCE_NVIDIA_QUERY, " |0 1", 1);
	}
}

/* One string may be several lines; what says nothing of the log is passed over. */
static void odd_objects(void **state)
{
	expect(*state,
		"{\"log\":\"timestamp, index, power.draw [W]\\r\\n"
		"2025/03/01 10:00:00.000, 0, 1 W\\n\\n\"}\n"
		"{\"level\": \"info\", \"step\": 3, \"a\": [1, 2]}\n{\"log\": 3}\n"
		"{\"log\":\"2025/03/01 10:00:01.000, 0, 1 W\"}\n",
		SOURCE_NVIDIA_QUERY, " |0 1", 1);
}

/* Events whose names are anything else stay events. */
static void events_stay_events(void **state)
{
	struct room *room = *state;

	put(room, "log",
		"{\"ts\": 1740823200, \"message\": \"epoch 1, 20 %\"}\n"
		"{\"ts\": 1740823201, \"message\": \"10 %, 3 of 5\"}\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	assert_int_equal(room->run.file[0].kind, SOURCE_RUNLOG);
	assert_int_equal(room->run.event_count, 2);
	leave(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(log_of_docker),
		TEST(lines_of_loggers),
		TEST(odd_objects),
		TEST(events_stay_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
