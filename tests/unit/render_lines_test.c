/*
 * The formats of lines: ndjson, csv, and pytyche's object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "foreign/shared.h"
#include "render_json.h"

static const struct render_options plain = {.width = 80};

static void ndjson_lines_stand_alone(void **state)
{
	struct fixture f;
	char *text, *line, *rest;
	size_t lines = 0;

	(void)state;
	fixture_init(&f);
	make_hostile(&f);
	text = fixture_render(&f, "ndjson", &plain);
	for (line = strtok_r(text, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest)) {
		cJSON *json = parse(line);
		const char *type = at(json, "type")->valuestring;

		assert_text(json, "format_version", "2.0");
		assert_string_equal(json->child->string, "type");
		if (strcmp(type, "warning") != 0)
			assert_text(json, "run", HOSTILE_READ);
		if (!lines)
			assert_string_equal(type, "run");
		cJSON_Delete(json);
		lines++;
	}
	assert_int_equal(lines,
		1 + f.report.stats_count + f.report.path_count + f.report.work_count +
			f.run.diags.count + 1);
	free(text);
	fixture_release(&f);
}

/* A little RFC 4180: cuts the next cell from *s; false at the end of a line. */
static bool csv_cell(const char **s, char *cell, size_t size)
{
	size_t n = 0;
	bool quoted = **s == '"';

	*s += quoted;
	while (**s && (quoted ? **s != '"' || (*s)[1] == '"' : !strchr(",\n", **s))) {
		*s += quoted && **s == '"';
		assert_true(n + 1 < size);
		cell[n++] = *(*s)++;
	}
	cell[n] = '\0';
	*s += quoted;
	return *(*s)++ == ',';
}

/* HOSTILE_INERT, but for the "=" that a spreadsheet would take for a formula. */
static void assert_csv_inert(const char *cell)
{
	assert_memory_equal(cell, "\\x3d", 4);
	assert_string_equal(cell + 4, &HOSTILE_INERT[1]);
}

static void csv_quotes_and_leaves_the_unknown_empty(void **state)
{
	struct fixture f;
	static char cell[43][16384]; /* the longest text has 10,000 */
	char *text;
	const char *s;

	(void)state;
	fixture_init(&f);
	make_hostile(&f);
	f.report.stats[0].covered_s = NAN;
	f.report.stats[0].min_at_ns = TIME_NONE;
	f.report.stats[0].has_growth = true;
	f.report.stats[0].growth = NAN;
	f.report.stats[0].slope_per_h = -0.25;
	text = fixture_render(&f, "csv", &plain);
	assert_null(strchr(text, '\r'));
	s = text;
	for (size_t row = 0; row <= f.report.stats_count; row++) {
		size_t cells = 0;

		do {
			assert_true(cells < 43);
		} while (csv_cell(&s, cell[cells++], sizeof cell[0]));
		assert_int_equal(cells, 42);
		if (!row) {
			assert_string_equal(cell[0], "run");
			assert_string_equal(cell[22], "energy_method");
			assert_string_equal(cell[23], "energy_coverage");
			assert_string_equal(cell[27], "states");
			assert_string_equal(cell[29], "slope_per_h");
			assert_string_equal(cell[30], "part");
			assert_string_equal(cell[34], "value");
			assert_string_equal(cell[41], "missing_reasons");
			continue;
		}
		assert_csv_inert(cell[0]);
		assert_string_equal(cell[2], ""); /* no phase: the run */
		assert_string_equal(
			cell[5], metric_get(f.report.stats[row - 1].metric)->name);
		assert_same_bits(strtod(cell[10], NULL), f.report.stats[row - 1].mean);
		for (size_t k = 21; k <= 23; k++)
			assert_int_equal(
				*cell[k] != '\0', f.report.stats[row - 1].has_energy);
		assert_string_equal(cell[29], row == 1 ? "-0.25" : "");
		assert_string_equal(cell[30], "metric");
		assert_string_equal(cell[34], "");
		if (row == 1) {
			assert_string_equal(cell[9], "");
			assert_string_equal(cell[13], "");
		}
	}
	while (*s) { /* the other numbers and texts: all cells, and one of both */
		size_t cells = 0;

		while (csv_cell(&s, cell[cells++], sizeof cell[0]))
			assert_true(cells < 43);
		assert_int_equal(cells, 42);
		assert_csv_inert(cell[0]);
		assert_string_not_equal(cell[30], "metric");
		assert_true(!*cell[34] != !*cell[35]);
	}
	free(text);
	fixture_release(&f);
}

static void pytyche_rounds_as_python(void **state)
{
	static const struct {
		double number;
		const char *printed; /* json.dumps(round(number, 1)) */
	} cases[] = {
		{77.25, "77.2"},
		{416.4625, "416.5"},
		{0.25, "0.2"},
		{0.35, "0.3"}, /* the double lies below */
		{0.75, "0.8"},
		{2.5, "2.5"},
		{0, "0.0"},
		{60, "60.0"},
		{0.05, "0.1"}, /* the double lies above */
		{99.95, "100.0"},
		{1e15, "1000000000000000.0"},
		{1e16, "1e+16"},
		{NAN, "null"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct fixture f;
		char *text, expected[64];

		unknown_init(&f);
		fixture_item(&f.report, "x", false, cases[i].number);
		text = fixture_render(&f, "pytyche", &plain);
		snprintf(expected, sizeof expected, "{\"x\": %s}\n", cases[i].printed);
		assert_string_equal(text, expected);
		free(text);
		fixture_release(&f);
	}
}

static void floats_are_pythons(void **state)
{
	static const struct {
		double number;
		const char *printed; /* repr(number) */
	} cases[] = {
		{0, "0.0"},
		{-1.5, "-1.5"},
		{31000000000, "31000000000.0"},
		{1e15, "1000000000000000.0"},
		{9007199254740992, "9007199254740992.0"},
		{1e16, "1e+16"},
		{123456789012345680000.0, "1.2345678901234568e+20"},
		{0.0001, "0.0001"},
		{0.00001, "1e-05"},
		{2.7755575615628914e-17, "2.7755575615628914e-17"},
		{0.1 + 0.2, "0.30000000000000004"},
	};
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		strbuf_clear(&sb);
		python_float(&sb, cases[i].number);
		assert_string_equal(sb.text, cases[i].printed);
	}
	strbuf_release(&sb);
	assert_true(python_round(2.675, 2) == 2.67); /* the double lies below */
	assert_true(python_round(0.5, 0) == 0);
	assert_true(python_round(1e300, 3) == 1e300);
	assert_true(isnan(python_round(NAN, 3)));
}

static void pytyche_prints_a_line_a_run(void **state)
{
	struct fixture f, bare;
	struct report both[2];
	struct render_input in = {.report = both, .report_count = 2};
	char *text;

	(void)state;
	fixture_init(&f);
	unknown_init(&bare);
	both[0] = f.report;
	both[1] = bare.report;
	text = fixture_render_input(&in, "pytyche", &plain);
	assert_string_equal(
		text, "{\"peak_vram_mb\": 71210.0, \"cpu_idle_mean_pct\": 77.2}\n{}\n");
	free(text);
	fixture_release(&bare);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ndjson_lines_stand_alone),
		cmocka_unit_test(csv_quotes_and_leaves_the_unknown_empty),
		cmocka_unit_test(pytyche_rounds_as_python),
		cmocka_unit_test(floats_are_pythons),
		cmocka_unit_test(pytyche_prints_a_line_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
