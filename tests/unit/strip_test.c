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
#include <string.h>

#include "render/timeline_axis.h"

#define COLUMNS 8

static const struct strip_range to_100 = {0, 100};

enum known {
	GAPS_UNKNOWN,
	GAPS_WITHIN, /* the first and the last value are as near to the ends as can be */
	GAPS_AT_ENDS
};

/* recorded: where rows tell of it, with a value or without one. */
static void draws_recorded(const struct timeline_column *column, enum known known,
	struct timeline_gap recorded, const char *expected)
{
	struct timeline_gap unrecorded[] = {{-1, recorded.from}, {recorded.to, COLUMNS}};
	struct timeline_series series = {.column = (struct timeline_column *)column,
		.gaps_known = known != GAPS_UNKNOWN,
		.starts_late = known == GAPS_AT_ENDS,
		.ends_early = known == GAPS_AT_ENDS,
		.unrecorded = unrecorded,
		.unrecorded_count = 2};
	struct strbuf sb;

	strbuf_init(&sb);
	strip_paths(&sb, &series, COLUMNS, to_100, -0.5, 7.5);
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
}

static void draws(
	const struct timeline_column *column, enum known known, const char *expected)
{
	draws_recorded(column, known, (struct timeline_gap){4, 4}, expected);
}

#define NONE                                \
	{                                   \
		NAN, NAN, NAN, false, false \
	}

/* Level stretches are one step; 100 is at the top, where y is 0. */
static void a_line(void **state)
{
	(void)state;
	draws((struct timeline_column[]){{0, 0, 0, false, false}, {0, 0, 0, true, false},
		      {0, 0, 0, true, false}, {100, 100, 100, true, false},
		      {50, 50, 50, true, false}, {50, 50, 50, true, false},
		      {0, 0, 0, true, false}, {0, 0, 0, true, false}},
		GAPS_WITHIN,
		"<path class=\"m\" d=\"M0 200l2 0 1-200 1 100 1 0 1 100 1 0\"/>");
}

/* A mean of other devices is another line, though no gap lies there: from 50 of two to
 * 100 of the one that is left, for a moment to 90 of it and a third one. */
static void of_others(void **state)
{
	(void)state;
	draws((struct timeline_column[]){{50, 50, 50, false, false},
		      {50, 50, 50, true, false}, {100, 100, 100, true, true}, NONE,
		      {100, 100, 100, true, false}, {90, 90, 90, true, true},
		      {100, 100, 100, true, true}, {100, 100, 100, true, false}},
		GAPS_WITHIN,
		"<path class=\"m\" d=\"M0 100l1 0M2 0l2 0M6 0l1 0\"/>"
		"<path class=\"p\" d=\"M5 20h0\"/>");
}

/* A spike of one column is in the band, though its mean is not. */
static void a_spike(void **state)
{
	(void)state;
	draws((struct timeline_column[]){{10, 10, 10, false, false},
		      {10, 10, 10, true, false}, {10, 100, 10.1, true, false},
		      {10, 10, 10, true, false}, {10, 10, 10, true, false},
		      {10, 10, 10, true, false}, {10, 10, 10, true, false},
		      {10, 10, 10, true, false}},
		GAPS_WITHIN,
		"<path class=\"e\" d=\"M0 180l1 0 1-180 1 180 4 0-7 0z\"/>"
		"<path class=\"m\" d=\"M0 180l7 0\"/>");
}

/* Broken where values are not joined; grey there, and before and behind, where that is
 * more than a line. */
static void gaps(void **state)
{
	(void)state;
	draws((struct timeline_column[]){NONE, NONE, {0, 0, 0, false, false},
		      {0, 0, 0, true, false}, NONE, NONE, {100, 100, 100, false, false},
		      NONE},
		GAPS_AT_ENDS,
		"<path class=\"g\" d=\"M-0.5 0h2v200h-2zM3.5 0h2v200h-2z\"/>"
		"<path class=\"m\" d=\"M2 200l1 0\"/><path class=\"p\" d=\"M6 0h0\"/>");
	/* Joined over columns without a value: the samples are further apart than those.
	 */
	draws((struct timeline_column[]){{0, 0, 0, false, false}, NONE,
		      {0, 0, 0, true, false}, NONE, {100, 100, 100, true, false}, NONE,
		      {0, 0, 0, true, false}, NONE},
		GAPS_WITHIN, "<path class=\"m\" d=\"M0 200l2 0 2-200 2 200\"/>");
	/* Where no gap can be told, none is drawn, and nothing is joined. */
	draws((struct timeline_column[]){{0, 0, 0, false, false}, NONE,
		      {0, 0, 0, false, false}, NONE, NONE, NONE, NONE, NONE},
		GAPS_UNKNOWN, "<path class=\"p\" d=\"M0 200h0M2 200h0\"/>");
}

/* Where rows say that there is no value nothing is grey; what is narrow goes with what
 * it lies beside. */
static void without_a_value(void **state)
{
	const struct timeline_column column[] = {
		{0, 0, 0, false, false}, NONE, NONE, NONE, NONE, NONE, NONE, NONE};

	(void)state;
	draws_recorded(column, GAPS_AT_ENDS, (struct timeline_gap){-1, COLUMNS},
		"<path class=\"na\" d=\"M0.5 0h7v200h-7z\"/>"
		"<path class=\"p\" d=\"M0 200h0\"/>");
	draws_recorded(column, GAPS_AT_ENDS, (struct timeline_gap){3, 6},
		"<path class=\"g\" d=\"M0.5 0h2v200h-2zM5.5 0h2v200h-2z\"/>"
		"<path class=\"na\" d=\"M2.5 0h3v200h-3z\"/>"
		"<path class=\"p\" d=\"M0 200h0\"/>");
	draws_recorded(column, GAPS_AT_ENDS, (struct timeline_gap){2, 7},
		"<path class=\"na\" d=\"M0.5 0h7v200h-7z\"/>"
		"<path class=\"p\" d=\"M0 200h0\"/>");
	draws_recorded(column, GAPS_AT_ENDS, (struct timeline_gap){-1, 2},
		"<path class=\"g\" d=\"M0.5 0h7v200h-7z\"/>"
		"<path class=\"p\" d=\"M0 200h0\"/>");
}

/* Every gap has a mark below the strip; those that share a column have one. */
static void marks(void **state)
{
	struct timeline_gap gap[] = {
		{0.25, 0.5}, {2.125, 2.25}, {2.5, 3.5}, {3.75, 4}, {6, 7}};
	struct timeline_series series = {.gaps_known = true, .gap = gap, .gap_count = 5};
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	assert_int_equal(strip_gap_marks(&sb, &series), 3);
	assert_string_equal(sb.text,
		"<path class=\"s\" d=\"M1.625 0h1.875v4h-1.875z\"><title>3 gaps</title>"
		"</path><path class=\"s\" d=\"M-0.25 0h0.25v4h-0.25zM5.5 0h1v4h-1z\"/>");
	series.starts_late = series.ends_early = true;
	strbuf_clear(&sb);
	series.gap = gap + 1;
	series.gap_count = 3;
	assert_int_equal(strip_gap_marks(&sb, &series), 1);
	assert_non_null(strstr(sb.text, "<title>1 gap, the start, the end</title>"));
	strbuf_clear(&sb);
	series.gap_count = 2;
	assert_int_equal(strip_gap_marks(&sb, &series), 1);
	assert_non_null(strstr(sb.text, "<title>the start, the end</title>"));
	series.gap_count = 1;
	series.starts_late = series.ends_early = false;
	assert_int_equal(strip_gap_marks(&sb, &series), 1);
	series.gap_count = 0;
	strbuf_clear(&sb);
	assert_int_equal(strip_gap_marks(&sb, &series), 0);
	assert_int_equal(sb.len, 0);
	strbuf_release(&sb);
}

/* Whatever the values, nothing leaves the strip; nothing at all draws nothing. */
static void beyond(void **state)
{
	(void)state;
	draws((struct timeline_column[]){{-50, 150, 50, false, false}, NONE, NONE, NONE,
		      NONE, NONE, NONE, NONE},
		GAPS_UNKNOWN,
		"<path class=\"e\" d=\"M0 0l0 200z\"/><path class=\"p\" d=\"M0 "
		"100h0\"/>");
	draws((struct timeline_column[]){NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE},
		GAPS_UNKNOWN, "");
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

static void names_from(
	double from, double seconds, int wide_px, int narrow_px, const char *expected)
{
	struct strbuf sb;

	strbuf_init(&sb);
	time_axis_names(&sb, from, seconds, wide_px, narrow_px);
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
}

static void names(double seconds, int wide_px, int narrow_px, const char *expected)
{
	names_from(0, seconds, wide_px, narrow_px, expected);
}

/* As many as don't touch: on a narrow axis every second one. The last one ends with it.
 */
static void axis_names(void **state)
{
	(void)state;
	names(40, 740, 300,
		"<text x=\"0%\" y=\"12\" class=\"first\">0</text>"
		"<text x=\"25%\" y=\"12\">10\u00a0s</text>"
		"<text x=\"50%\" y=\"12\">20\u00a0s</text>"
		"<text x=\"75%\" y=\"12\">30\u00a0s</text>"
		"<text x=\"100%\" y=\"12\" class=\"last\">40\u00a0s</text>");
	names(40, 740, 120,
		"<text x=\"0%\" y=\"12\" class=\"first\">0</text>"
		"<text x=\"25%\" y=\"12\" class=\"tight\">10\u00a0s</text>"
		"<text x=\"50%\" y=\"12\">20\u00a0s</text>"
		"<text x=\"75%\" y=\"12\" class=\"tight\">30\u00a0s</text>"
		"<text x=\"100%\" y=\"12\" class=\"last\">40\u00a0s</text>");
	names(40, 120, 120,
		"<text x=\"0%\" y=\"12\" class=\"first\">0</text>"
		"<text x=\"50%\" y=\"12\">20\u00a0s</text>"
		"<text x=\"100%\" y=\"12\" class=\"last\">40\u00a0s</text>");
	names(0, 120, 120, "<text x=\"0%\" y=\"12\" class=\"first\">0</text>");
}

/*
 * Where an axis begins is told, too, where the first mark has room beside that: "41 s" is
 * 28 px wide, 6 px lie between, and "45 s" begins 14 px before its place, a sixth of the
 * axis: 288 px.
 */
static void axis_begins(void **state)
{
	static const char marks[] =
		"<text x=\"16.667%\" y=\"12\">45\u00a0s</text>"
		"<text x=\"37.5%\" y=\"12\">50\u00a0s</text>"
		"<text x=\"58.333%\" y=\"12\">55\u00a0s</text>"
		"<text x=\"79.167%\" y=\"12\">60\u00a0s</text>"
		"<text x=\"100%\" y=\"12\" class=\"last\">65\u00a0s</text>";
	static const struct {
		int wide_px, narrow_px;
		const char *begin;
	} axis[] = {
		{290, 290, "<text x=\"0%\" y=\"12\" class=\"first\">41\u00a0s</text>"},
		{290, 286,
			"<text x=\"0%\" y=\"12\" class=\"first tight\">41\u00a0s</text>"},
		{286, 286, ""}};
	static const struct {
		double seconds, step;
		const char *name;
	} begin[] = {{100, 60, "1.67\u00a0min"}, {40000, 3600, "11.11\u00a0h"},
		{40.123, 0.1, "40.123\u00a0s"}};
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (size_t i = 0; i < sizeof axis / sizeof axis[0]; i++) {
		strbuf_clear(&sb);
		strbuf_addf(&sb, "%s%s", axis[i].begin, marks);
		names_from(41, 24, axis[i].wide_px, axis[i].narrow_px, sb.text);
	}
	for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++) {
		strbuf_clear(&sb);
		time_axis_name(&sb, begin[i].seconds, begin[i].step);
		assert_string_equal(sb.text, begin[i].name);
	}
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line),
		cmocka_unit_test(of_others),
		cmocka_unit_test(a_spike),
		cmocka_unit_test(gaps),
		cmocka_unit_test(without_a_value),
		cmocka_unit_test(marks),
		cmocka_unit_test(beyond),
		cmocka_unit_test(axis),
		cmocka_unit_test(axis_names),
		cmocka_unit_test(axis_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
