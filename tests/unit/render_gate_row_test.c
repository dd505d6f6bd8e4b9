/* Rows of a gate's table: all of one is of the same runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/formats.h"
#include "gate_fixture.h"
#include "render/render.h"

static const struct render_options plain = {.width = 80};

/*
 * What one run decides, the worst of several, has a row of that run alone: 100 -> 130 s
 * is a rise of 30 %, the medians', 100 -> 120 s, one of 20 %; what the medians decide has
 * one of the medians.
 */
static void a_row_is_of_one_thing(void **state)
{
	static const struct {
		const char *limits, *row;
	} cases[] = {
		{"\"at_most\": 125",
			"run new2 100.0 s 130.0 s +30.0 % <= 125 s regression"},
		{"\"max_increase_pct\": 25" EXACT,
			"run new2 100.0 s 130.0 s +30.0 % +25 % regression"},
		{"\"max_increase_pct\": 15" EXACT ", \"at_most\": 500",
			"run new2 100.0 s 130.0 s +30.0 % +15 % regression"},
		{"\"max_increase_pct\": 25", "run 100.0 s 120.0 s +20.0 % +25 %"},
		{"\"at_most\": 125, \"max_increase_pct\": 5",
			"run new2 100.0 s 130.0 s +30.0 % <= 125 s regression"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct made_gate made;
		const struct render_result result = {RESULT_GATE, .gate = &made.gate};
		struct error err;
		char rule[200], *text = NULL, *to;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		snprintf(rule, sizeof rule,
			"{\"name\": \"r\", \"metric\": \"duration_s\", %s}",
			cases[i].limits);
		gate_make(&made, rule, 4, 4);
		gate_row(&made, of_run("duration_s"),
			ROW(99, 100, 100, 101, 119, 120, 130, 120));
		gate_decide(&made);
		assert_non_null(out);
		assert_int_equal(
			output_find("text")->result(&result, &plain, out, &err), 0);
		fclose(out);
		to = text;
		for (const char *from = text; *from; from++)
			if (*from != ' ' || to == text || to[-1] != ' ')
				*to++ = *from;
		*to = '\0';
		if (!strstr(text, cases[i].row))
			fail_msg("no '%s' in: %s", cases[i].row, text);
		free(text);
		gate_unmake(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_of_one_thing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
