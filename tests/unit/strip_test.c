/*
 * A strip's paths, written down by hand; a time axis' marks and names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "render/strip.h"
#include "render/time_axis.h"

#define COLUMNS 8

static const struct strip_range to_100 = {0, 100};

static void draws(
	const struct timeline_column *column, double gap_columns, const char *expected)
{
	struct timeline_series series = {
		.column = (struct timeline_column *)column, .gap_columns = gap_columns};
	struct strbuf sb;

	strbuf_init(&sb);
	strip_paths(&sb, &series, COLUMNS, to_100, -0.5, 7.5);
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
}

#define NONE                         \
	{                            \
		NAN, NAN, NAN, false \
	}

/* Level stretches are one step; 100 is at the top, where y is 0. */
static void a_line(void **state)
{
	(void)state;
	draws((struct timeline_column[]){{0, 0, 0, false}, {0, 0, 0, true},
		      {0, 0, 0, true}, {100, 100, 100, true}, {50, 50, 50, true},
		      {50, 50, 50, true}, {0, 0, 0, true}, {0, 0, 0, true}},
		1.5, "<path class=\"m\" d=\"M0 200l2 0 1-200 1 100 1 0 1 100 1 0\"/>");
}

/* A spike of one column is in the band, though its mean is not. */
static void a_spike(void **state)
{
	(void)state;
	draws((struct timeline_column[]){{10, 10, 10, false}, {10, 10, 10, true},
		      {10, 100, 10.1, true}, {10, 10, 10, true}, {10, 10, 10, true},
		      {10, 10, 10, true}, {10, 10, 10, true}, {10, 10, 10, true}},
		1.5,
		"<path class=\"e\" d=\"M0 180l1 0 1-180 1 180 4 0-7 0z\"/>"
		"<path class=\"m\" d=\"M0 180l7 0\"/>");
}

/* Broken where values are not joined; grey there, and before and behind. */
static void gaps(void **state)
{
	(void)state;
	draws((struct timeline_column[]){NONE, NONE, {0, 0, 0, false}, {0, 0, 0, true},
		      NONE, NONE, {100, 100, 100, false}, NONE},
		1.5,
		"<path class=\"g\" d=\"M-0.5 0h2v200h-2zM3.5 0h2v200h-2z\"/>"
		"<path class=\"m\" d=\"M2 200l1 0\"/><path class=\"p\" d=\"M6 0h0\"/>");
	/* Joined over columns without a value: the samples are further apart than those.
	 */
	draws((struct timeline_column[]){{0, 0, 0, false}, NONE, {0, 0, 0, true}, NONE,
		      {100, 100, 100, true}, NONE, {0, 0, 0, true}, NONE},
		2.5, "<path class=\"m\" d=\"M0 200l2 0 2-200 2 200\"/>");
	/* Where no gap can be told, none is drawn, and nothing is joined. */
	draws((struct timeline_column[]){{0, 0, 0, false}, NONE, {0, 0, 0, false}, NONE,
		      NONE, NONE, NONE, NONE},
		NAN, "<path class=\"p\" d=\"M0 200h0M2 200h0\"/>");
}

/* Whatever the values, nothing leaves the strip; nothing at all draws nothing. */
static void beyond(void **state)
{
	(void)state;
	draws((struct timeline_column[]){{-50, 150, 50, false}, NONE, NONE, NONE, NONE,
		      NONE, NONE, NONE},
		NAN,
		"<path class=\"e\" d=\"M0 0l0 200z\"/><path class=\"p\" d=\"M0 "
		"100h0\"/>");
	draws((struct timeline_column[]){NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE},
		NAN, "");
}

static void axis(void **state)
{
	static const struct {
		double seconds, step;
		const char *last;
	} axis[] = {{0.4, 0.1, "0.4\u00a0s"}, {5, 1, "5\u00a0s"}, {13, 5, "10\u00a0s"},
		{75, 15, "75\u00a0s"}, {360, 60, "6\u00a0min"},
		{3600, 600, "60\u00a0min"}, {7200, 1800, "120\u00a0min"},
		{86399, 6 * 3600, "18\u00a0h"}, {86400, 6 * 3600, "24\u00a0h"},
		{10 * 86400, 2 * 86400, "10\u00a0d"}};

	(void)state;
	for (size_t i = 0; i < sizeof axis / sizeof axis[0]; i++) {
		double step = time_axis_step(axis[i].seconds);
		struct strbuf sb;

		strbuf_init(&sb);
		assert_true(fabs(step - axis[i].step) < 1e-9 * step);
		time_axis_name(
			&sb, step * floor(axis[i].seconds / step * (1 + 1e-12)), step);
		assert_string_equal(sb.text, axis[i].last);
		strbuf_release(&sb);
	}
	for (double seconds = 0.001; seconds < 1e9; seconds *= 1.7) {
		double marks = seconds / time_axis_step(seconds);

		assert_true(marks >= 1 && marks <= TIME_AXIS_MARKS * (1 + 1e-9));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line),
		cmocka_unit_test(a_spike),
		cmocka_unit_test(gaps),
		cmocka_unit_test(beyond),
		cmocka_unit_test(axis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
