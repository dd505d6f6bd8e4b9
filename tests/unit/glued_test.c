/* Names of columns with other text glued to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "read/cells.h"
#include "room.h"

static void names_in_names(void **state)
{
	static const struct {
		const char *text, *name;
	} of[] = {
		{"gpu0.csv:timestamp", "timestamp"},
		{"{\"log\":\"timestamp", "timestamp"},
		{"INFO:root:index", "index"},
		{"temperature.gpu\\n\",\"stream\":\"stdout\"", "temperature.gpu"},
		{"ip=10.0.0.1) timestamp", "timestamp"},
		{"power.draw [W]\033[0m", "power.draw"},
		{"x:power.draw [W]", "power.draw"},
		{"+timestamp", "timestamp"},
		{"-timestamp", "timestamp"},
		{"timestamp;index", "timestamp"},
		/* names of their own */
		{"fan speed", ""},
		{"GPU name", ""},
		{"gpu-index", ""},
		{"mean(power.draw)", ""},
		{"memory.used(MiB)", ""},
		{"power.draw/power.limit", ""},
		{"my_index", ""},
		{"index2", ""},
		{"a:index2", ""},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		struct span found = glued_find(SOURCE_NVIDIA_QUERY, span_of(of[i].text));

		if (!span_is(found, of[i].name))
			fail_msg("'%s' holds '%.*s'", of[i].text, (int)found.len,
				found.at);
	}
	assert_true(glued_find(SOURCE_NVIDIA_DMON, span_of("x:timestamp")).len == 0);
	assert_true(glued_find(SOURCE_NVIDIA_DMON, span_of("x:pwr")).len == 3);
}

/* Whatever can't be cut off is said, and is damage; a name of its own is a remark. */
static void said_of_columns(void **state)
{
	struct room *room = *state;
	char times[64];

	put(room, "a", "my:index, step, power.draw [W]\n0, 1, 100 W\n0, 2, 100 W\n");
	assert_int_equal(survey(room, room->dir, NULL), 0);
	read_rows(room, SOURCE_NVIDIA_QUERY, times, sizeof times);
	assert_int_equal(room->run.diags.count, 3);
	assert_string_equal(room->run.diags.at[0].id, "gpu-count");
	assert_string_equal(room->run.diags.at[1].id, "glued-column:my:index");
	assert_true(room->run.diags.at[1].damage);
	assert_string_equal(room->run.diags.at[2].id, "unknown-column:step");
	assert_false(room->run.diags.at[2].damage);
	leave(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_in_names),
		TEST(said_of_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
