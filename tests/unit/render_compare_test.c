/*
 * A comparison as people and programs see it: it fits its width, says first what changed,
 * and says what it leaves out.
 */
#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compared_fixture.h"
#include "render/doc_compare.h"
#include "render_json.h"
#include "tidy.h"

static const char *const hostile[] = {"\x1b[31mred\x1b[0m/a|b`c", "two\nlines",
	"\xff\xfe\x80", "\xe2\x80\xae\x65vil, \"quoted\"", "=SUM(A1)"};

static void assert_matches(const char *text, const char *pattern)
{
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&regex, text, 0, NULL, 0) != 0)
		fail_msg("'%s' is missing in:\n%s", pattern, text);
	regfree(&regex);
}

static void fits_its_width(void **state)
{
	static const int widths[] = {72, 80, 100, 132, 300};
	static const size_t sides[][2] = {
		{1, 1}, {3, 2}, {5, 5}, {6, 1}, {2, 0}, {4, 0}, {5, 0}, {30, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
		for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
			for (int verbose = -1; verbose < 2; verbose++) {
				size_t runs = sides[k][0] + sides[k][1];
				struct render_options opt = {.width = widths[i],
					.unicode = k % 2,
					.verbose = verbose};
				struct comparison c;
				char *text;

				compared_fixture(&c, sides[k][0], sides[k][1],
					runs <= 5 ? hostile : NULL);
				text = compared_render(&c, "text", &opt);
				assert_tidy(text, (size_t)widths[i]);
				free(text);
				comparison_release(&c);
			}
}

/* Where a part begins; fails if it is not there. */
static size_t place_of(const char *text, const char *part)
{
	const char *at = strstr(text, part);

	if (at)
		return (size_t)(at - text);
	fail_msg("'%s' is missing in:\n%s", part, text);
	return 0;
}

/*
 * Five against five: the time is an outcome, and worse (+8 %). Half the utilization
 * (-50 %) explains it: it is of the run, so before the phase.
 */
static void worst_first(void **state)
{
	static const struct render_options opt = {.width = 100};
	struct comparison c;
	const char *worse, *other, *time_line;
	char *text;

	(void)state;
	compared_fixture(&c, 5, 5, NULL);
	text = compared_render(&c, "text", &opt);
	place_of(text, "Base    r0, r1, r2, r3, r4\n");
	place_of(text, "driver  550.0 -> 550.1");
	worse = text + place_of(text, "- Worse ---");
	other = worse + place_of(worse, "- Other changes ---");
	assert_true(worse + place_of(worse, "duration_s") < other);
	assert_true(worse + place_of(worse, "gpu_util_mean_pct") > other);
	assert_true(place_of(other, "gpu_util_mean_pct") < place_of(other, "duration_s"));
	time_line = worse + place_of(worse, "duration_s");
	assert_true(place_of(time_line, "+7.9 %") < strcspn(time_line, "\n"));
	assert_true(place_of(time_line, "0.008") < strcspn(time_line, "\n")); /* 2/252 */
	place_of(text, "- No significant change ---");
	place_of(text, "would show");
	place_of(text, "Difference in duration_s by phase");
	place_of(text, "(Holm)");
	place_of(text, "(-v shows them)");
	free(text);
	comparison_release(&c);
}

/* The same name has two numbers, a median and a mean: each says which. */
static void says_which_statistic(void **state)
{
	static const struct {
		const char *format, *row, *step;
	} said[] = {{"text", "- Worse -+ medians of the runs --",
			    "duration_s by phase -* means of the runs: these add up --"},
		{"markdown", "### Worse: medians of the runs",
			"`duration_s` by phase: means of the runs: these add up"},
		{"html", "<h3>Worse <small>medians of the runs</small></h3>",
			"ifference in time by phase <small>means of the runs: these add "
			"up</small>"}};
	static const struct render_options opt = {.width = 80};
	struct comparison c;

	(void)state;
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		char *text;

		compared_fixture(&c, 5, 5, NULL);
		text = compared_render(&c, said[i].format, &opt);
		assert_matches(text, said[i].row);
		assert_matches(text, said[i].step);
		free(text);
		comparison_release(&c);
		compared_fixture(&c, 1, 1, NULL);
		text = compared_render(&c, said[i].format, &opt);
		assert_null(strstr(text, "medians of the"));
		assert_null(strstr(text, "means of the"));
		free(text);
		comparison_release(&c);
	}
}

/* The bars of the table behind a heading, and whether each begins where the one before
 * it ended, from the whole of the base to that of the new side. */
static void assert_falls(const struct doc_block *block, const double *change)
{
	size_t columns = block->column_count, rows = block->cell_count / columns;
	const struct doc_cell *bar = &block->cell[columns - 1];
	double level = bar->to;

	assert_int_equal(bar->step, STEP_NONE);
	for (size_t i = 1; i + 1 < rows; i++) {
		bar += columns;
		assert_int_equal(bar->blank, change[i - 1] == 0);
		if (bar->blank)
			continue;
		assert_int_equal(bar->step, change[i - 1] < 0 ? STEP_LESS : STEP_MORE);
		assert_true(fabs((bar->step == STEP_LESS ? bar->to : bar->from) - level) <
			1e-9);
		level = bar->step == STEP_LESS ? bar->from : bar->to;
	}
	assert_true(fabs((bar[columns].to) - level) < 1e-9);
	assert_int_equal(bar[columns].step, STEP_NONE);
}

static void steps_fall_from_base_to_new(void **state)
{
	/* The second fits: 400 of 500; the first: 8 of 504, which is enlarged. */
	static const struct {
		double base, change[5];
		bool broken;
	} fallen[] = {
		{500, {-8, 4, 2, 0, -1}, true}, {500, {-400, 300, 20, 0, -10}, false}};
	static char phase[][2] = {"a", "b", "c", "d"};
	static const struct render_options opt = {.width = 80};

	(void)state;
	for (size_t i = 0; i < sizeof fallen / sizeof *fallen; i++) {
		struct waterfall_step step[5];
		struct comparison c = {.on_side = {1, 1}};
		struct doc doc = DOC_INIT;
		size_t last;

		c.waterfall[0] = (struct waterfall){.key = "duration_s",
			.title = "time",
			.unit = "s",
			.base = fallen[i].base,
			.new = fallen[i].base,
			.step = step,
			.count = 5};
		for (size_t k = 0; k < 5; k++) {
			double x = fallen[i].change[k];

			step[k] = (struct waterfall_step){
				k < 4 ? phase[k] : NULL, 100, 100 + x, x};
			c.waterfall[0].new += x;
		}
		c.waterfall[0].difference = c.waterfall[0].new - fallen[i].base;
		doc_compare(&doc, &c, &opt);
		last = doc.count - 1;
		while (doc.block[last].kind != DOC_TABLE)
			last--;
		assert_falls(&doc.block[last], fallen[i].change);
		assert_int_equal(doc.block[last].cell[4].broken, fallen[i].broken);
		doc_release(&doc);
	}
}

/* Steps differ without color: by sign, by shade, by where they point. */
static void steps_need_no_color(void **state)
{
	static const struct {
		const char *format;
		bool unicode;
		const char *pattern;
	} seen[] = {{"text", false, "train +[0-9.,]+ +[0-9.,]+ +\\+[0-9.,]+ +[.]+>+\n"},
		{"text", true, "train +[0-9.,]+ +[0-9.,]+ +\\+[0-9.,]+ +(·)+(▓)+\n"},
		{"text", false, "\n  all, in the base +[0-9.,]+ +~#+"},
		{"text", true, "\n  all, in the base +[0-9.,]+ +≈(█)+"},
		{"html", false,
			"<path class=\"more\" d=\"M1000 5L[0-9]+ "
			"0H[0-9]+V10H[0-9]+z\"/>"},
		{"markdown", false,
			"\n\\| [`]?train[`]? \\| [0-9.,]+ \\| [0-9.,]+ \\| \\+[0-9.,]+ "
			"\\|\n"}};
	struct comparison c;

	(void)state;
	compared_fixture(&c, 5, 5, NULL);
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
		const struct render_options opt = {
			.width = 100, .unicode = seen[i].unicode};
		char *text = compared_render(&c, seen[i].format, &opt);

		assert_matches(text, seen[i].pattern);
		free(text);
	}
	comparison_release(&c);
}

/* Says of time, energy and phases what is told from chance, and what is not. */
static void says_what_matters_first(void **state)
{
	static const struct render_options opt = {.width = 300};
	struct comparison c;
	char *text;

	(void)state;
	compared_fixture(&c, 5, 5, NULL);
	text = compared_render(&c, "text", &opt);
	assert_matches(text,
		"^=[^\n]*\n  Result  new runs: 7.9 % more time \\(p 0.008\\); "
		"train: 9.9 % more time \\(p 0.008\\); energy(, [^,;\n]*)*: no "
		"significant "
		"change\n");
	free(text);
	for (size_t i = 0; i < c.row_count; i++)
		if (c.row[i].change >= CHANGE_BETTER)
			c.row[i].change = CHANGE_UNSEEN;
	text = compared_render(&c, "text", &opt);
	assert_matches(
		text, "\n  Result  time, energy(, [^,;\n]*)*: no significant change");
	free(text);
	comparison_release(&c);
	compared_fixture(&c, 3, 3, NULL);
	text = compared_render(&c, "text", &opt);
	assert_matches(text,
		"^=[^\n]*\n  Result    could be chance[^\n]*\n"
		"  Measured  new runs: [^\n]*\n  Base  ");
	assert_null(strstr(text, "(p "));
	free(text);
	comparison_release(&c);
}

/* A page has the names for people, with the keys behind them; all else has the keys. */
static void a_page_has_names_for_people(void **state)
{
	static const struct render_options opt = {.width = 80};
	struct comparison c;
	char *text;

	(void)state;
	compared_fixture(&c, 5, 5, NULL);
	text = compared_render(&c, "html", &opt);
	place_of(text, "<td class=\"k\" title=\"duration_s\">Duration (s)</td>");
	place_of(text, "<td class=\"k\" title=\"duration_s\">Time in the phase (s)</td>");
	free(text);
	text = compared_render(&c, "markdown", &opt);
	place_of(text, "| `duration_s` |");
	assert_null(strstr(text, "Duration (s)"));
	free(text);
	comparison_release(&c);
}

static void take_title(void *context, const struct measure *measure, double value,
	const struct covered *covered)
{
	struct strbuf title;

	(void)value;
	(void)covered;
	strbuf_init(&title);
	measure_title(&title, measure);
	if (strncmp(title.text, measure->key, strlen(measure->key)) == 0)
		fail_msg("%s has no title", measure->key);
	assert_null(strstr(title.text, "(1/"));
	strbuf_release(&title);
	++*(size_t *)context;
}

static void every_measure_has_a_title(void **state)
{
	struct fixture f;
	size_t count = 0;

	(void)state;
	fixture_init(&f);
	measures_of(&f.report, take_title, &count);
	assert_true(count > 50);
	fixture_release(&f);
}

/* 3 against 3 say first that it may be chance, and how many runs would tell. */
static void too_few(void **state)
{
	static const struct render_options opt = {.width = 132},
					   quiet = {.width = 132, .verbose = -1};
	struct comparison c;
	char *text;

	(void)state;
	compared_fixture(&c, 3, 3, NULL);
	text = compared_render(&c, "text", &opt);
	assert_true(
		place_of(text,
			"could be chance: with 3 runs against 3, p is at least 0.10") <
		place_of(text, "- Outcomes ---"));
	assert_null(strstr(text, "Worse"));
	place_of(text, "With the spread of these runs, such changes need 4 runs on each");
	free(text);
	text = compared_render(&c, "text", &quiet);
	assert_null(strstr(text, "With the spread"));
	free(text);
	comparison_release(&c);
	compared_fixture(&c, 1, 1, NULL);
	text = compared_render(&c, "text", &opt);
	place_of(text, "against 1, the spread is unknown; 4");
	free(text);
	comparison_release(&c);
}

/* Names that fit are titles of columns, others are letters; of many runs each is a row.
 */
static void tables_of_runs(void **state)
{
	static const struct render_options opt = {.width = 80};
	static const char *const long_names[] = {"a-name-of-18-bytes", "b", "c", "d"};
	struct comparison c;
	char *text;

	(void)state;
	compared_fixture(&c, 3, 0, NULL);
	text = compared_render(&c, "text", &opt);
	place_of(text, "  r0 ");
	place_of(text, "* ");
	assert_null(strstr(text, "change"));
	free(text);
	comparison_release(&c);
	compared_fixture(&c, 4, 0, long_names);
	text = compared_render(&c, "text", &opt);
	place_of(text, "  A       a-name-of-18-bytes\n");
	place_of(text, " A  ");
	free(text);
	comparison_release(&c);
	compared_fixture(&c, 30, 0, NULL);
	text = compared_render(&c, "text", &opt);
	place_of(text, "Runs    r0, r1, r2, r3 and 26 more, 30 runs");
	place_of(text, "\n  r29 ");
	place_of(text, "  worst  best run\n");
	free(text);
	comparison_release(&c);
}

static void json_reads_back(void **state)
{
	static const struct render_options opt = {.width = 80};
	struct comparison c;
	cJSON *json;
	char *text;

	(void)state;
	compared_fixture(&c, 2, 3, hostile);
	text = compared_render(&c, "json", &opt);
	json = parse(text);
	assert_text(json, "runs.1.name", "two\nlines");
	assert_text(json, "runs.4.side", "new");
	for (size_t i = 0; i < c.row_count; i++) {
		char path[64];

		snprintf(path, sizeof path, "rows.%zu.values.3", i);
		assert_number(json, path, c.row[i].value[3]);
		snprintf(path, sizeof path, "rows.%zu.ratio", i);
		assert_number(json, path, c.row[i].ratio);
		snprintf(path, sizeof path, "rows.%zu.key", i);
		assert_text(json, path, c.row[i].measure.key);
	}
	cJSON_Delete(json);
	free(text);
	comparison_release(&c);
}

/* As many cells in each line as in the header; a quote is doubled. */
static void csv_has_a_line_a_row(void **state)
{
	static const struct render_options opt = {.width = 80};
	struct comparison c;
	size_t lines = 0;
	char *text;

	(void)state;
	compared_fixture(&c, 2, 3, NULL);
	text = compared_render(&c, "csv", &opt);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t commas = 0;

		for (const char *p = line; *p != '\n'; p++)
			commas += *p == ',';
		assert_int_equal(commas, 34 + 5 - 1);
		lines++;
	}
	assert_int_equal(lines, c.row_count + 1);
	free(text);
	comparison_release(&c);
	compared_fixture(&c, 4, 0, hostile);
	text = compared_render(&c, "csv", &opt);
	place_of(text, "evil, \"\"quoted\"\"\"\n");
	free(text);
	comparison_release(&c);
}

static void a_full_disk_is_an_error(void **state)
{
	static const struct render_options opt = {.width = 80};
	size_t count;
	const struct render_format *formats = render_formats(&count);
	struct comparison c;
	const struct render_result result = {RESULT_COMPARISON, .comparison = &c};

	(void)state;
	compared_fixture(&c, 2, 2, NULL);
	for (size_t i = 0; i < count; i++) {
		struct error err = {""};
		FILE *out;

		if (!render_has(&formats[i], RESULT_COMPARISON))
			continue;
		out = fopen("/dev/full", "w");
		if (!out)
			skip();
		setvbuf(out, NULL, _IONBF, 0);
		assert_int_equal(formats[i].result(&result, &opt, out, &err), -1);
		assert_non_null(strstr(err.message, formats[i].name));
		fclose(out);
	}
	comparison_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fits_its_width),
		cmocka_unit_test(worst_first), cmocka_unit_test(says_which_statistic),
		cmocka_unit_test(steps_fall_from_base_to_new),
		cmocka_unit_test(steps_need_no_color),
		cmocka_unit_test(says_what_matters_first),
		cmocka_unit_test(a_page_has_names_for_people),
		cmocka_unit_test(every_measure_has_a_title), cmocka_unit_test(too_few),
		cmocka_unit_test(tables_of_runs), cmocka_unit_test(json_reads_back),
		cmocka_unit_test(csv_has_a_line_a_row),
		cmocka_unit_test(a_full_disk_is_an_error)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
