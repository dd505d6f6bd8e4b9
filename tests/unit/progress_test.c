/* What a line of progress says, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "cmd/options.h"
#include "cmd/progress.h"

static const struct {
	const char *text;
	struct progress_state state;
} lines[] = {
	{"12 of 200 runs, 34 %, 1.19 of 3.50 GB, 12,345,678 rows, 8 s left",
		{12, 200, 1190000000, 3500000000, 12345678, 7.2, false}},
	{"50 %, 250 of 500 MB, 1 row", {1, 1, 250000000, 500000000, 1, NAN, false}},
	{"99 %, 1.00 of 1.00 GB, 0 rows, 0 s left",
		{1, 1, 999999999, 1000000000, 0, 0, false}}, /* all is 100 % alone */
	{"100 %, 3 of 3 MB, 5 rows, 1 s left", {1, 1, 3000000, 3000000, 5, 0.01, false}},
	{"100 %, 3 of 3 MB, 5 rows, reading some again",
		{1, 1, 3000000, 3000000, 5, 0, true}},
	{"2 of 3 runs, 17 rows, 59 s left", {2, 3, 0, 0, 17, 58.5, false}},
	{"17 rows, 99 s left", {1, 1, 0, 0, 17, 98.1, false}},
	{"17 rows, 1 min 40 s left", {1, 1, 0, 0, 17, 99.5, false}},
	{"17 rows, 2 h 46 min 40 s left", {0, 0, 0, 0, 17, 9999.9, false}},
};

static void lines_known_answers(void **state)
{
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		strbuf_clear(&sb);
		progress_text(&sb, &lines[i].state);
		assert_string_equal(sb.text, lines[i].text);
	}
	strbuf_release(&sb);
}

/* Nobody watches a file: there is nothing, and all calls do nothing. */
static void nobody_watches(void **state)
{
	const struct options opt = {.verbose = 0};
	FILE *file = tmpfile();
	struct progress *none = progress_new(&opt, file);
	struct progress_run run;
	const char *path = "run";

	(void)state;
	assert_null(none);
	progress_begin(none, &run, &path, 1);
	progress_add(none, &run, 1000, 1000);
	progress_end(none, &run);
	progress_watch(none);
	progress_wipe(none);
	progress_free(none);
	assert_int_equal(ftell(file), 0);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_known_answers),
		cmocka_unit_test(nobody_watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
