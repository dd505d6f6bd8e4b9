/* Lists of patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "base/name_match.h"

static void known_answers(void **state)
{
	(void)state;
	assert_true(globs_match(NULL, "power_w"));
	assert_true(globs_match("power_w", "power_w"));
	assert_true(globs_match("temperature_c,pow*", "power_w"));
	assert_true(globs_match("pow*,temperature_c", "power_w"));
	assert_true(globs_match(",power_?,", "power_w"));
	assert_true(globs_match("*,", ""));
	assert_false(globs_match("", "power_w"));
	assert_false(globs_match("power,w", "power_w"));
	assert_false(globs_match("temperature_c,power_", "power_w"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
