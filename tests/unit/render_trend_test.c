/*
 * Trends as they are printed: what began a change is said first, whatever the width and
 * however foreign the names; one behind the other, the values are drawn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "cmd/formats.h"
#include "render/spark.h"
#include "render_fixture.h"
#include "tidy.h"
#include "trended.h"

static const struct render_options plain = {.width = 80};

/* To be freed. */
static char *print(
	const struct trends *trends, const char *format, const struct render_options *opt)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const struct render_result result = {RESULT_TRENDS, .trends = trends};
	struct error err;

	assert_non_null(out);
	assert_int_equal(output_find(format)->result(&result, opt, out, &err), 0);
	fclose(out);
	return text;
}

static void assert_prints(const struct trends *trends, const char *format,
	const struct render_options *opt, const char *part)
{
	char *text = print(trends, format, opt);

	if (!strstr(text, part))
		fail_msg("'%s' is missing in:\n%s", part, text);
	free(text);
}

/* Ten of 100 s and a little, and as many of 5 s more. */
static void a_step(struct trends *trends, const char *key, double by)
{
	double x[20];

	for (int i = 0; i < 20; i++)
		x[i] = 100 + i * 3 % 10 / 10.0 + (i < 10 ? 0 : by);
	trended_values(trends, key, x, 20);
}

static const char *const formats[] = {"text", "json", "csv", "markdown"};

static void says_which_run_began_it(void **state)
{
	const struct render_options wide = {.width = 200};
	struct trends trends;

	(void)state;
	a_step(&trends, "duration_s", 5);
	assert_prints(&trends, "text", &wide,
		"! since run run-10 (2025-03-01 10:10:00), 5.0 % worse: 100.5 -> 105.5 "
		"s, p 0.0001 (10 runs before, 10 since)\n");
	assert_prints(&trends, "text", &plain, "= duration_s =====");
	assert_prints(&trends, "text", &plain, "= 20 runs ==");
	assert_prints(&trends, "markdown", &plain, "**5.0 % worse**");
	assert_prints(&trends, "csv", &plain,
		"run-10,run-10,run-10,2025-03-01T10:10:00Z,105,105,worse,");
	trends_release(&trends);

	a_step(&trends, "gpu_util_mean_pct", 5);
	assert_prints(&trends, "text", &wide, "  since run run-10 (");
	assert_prints(&trends, "text", &wide, "5.0 % better: 100.5 -> 105.5 %, p");
	trends_release(&trends);
}

/* As a percentage 0.2 s of 1,000 would be none. */
static void says_small_changes_in_their_unit(void **state)
{
	const struct render_options wide = {.width = 200};
	struct trends trends;
	double x[20];

	(void)state;
	for (int i = 0; i < 20; i++)
		x[i] = i < 10 ? 1000 : 1000.2;
	trended_values(&trends, "duration_s", x, 20);
	assert_prints(&trends, "text", &wide, ", 0.2 s worse: 1,000.0 -> 1,000.2 s, ");
	trends_release(&trends);
}

static void says_why_nothing_is_said(void **state)
{
	struct trends trends;
	struct trending *trending;
	double x[20];

	(void)state;
	a_step(&trends, "duration_s", 0);
	assert_prints(&trends, "text", &plain, "  no significant change\n");
	trends_release(&trends);
	for (int i = 0; i < 20; i++)
		x[i] = i < 3 ? 1 : 9;
	trended_values(&trends, "duration_s", x, 7);
	assert_prints(
		&trends, "text", &plain, "  too few runs to find a change (7, need 8)\n");
	trends_release(&trends);
	/* mean 90.55, slope -1 + 0.5 / 665: 90.55 +- 9.5 * 0.99925 at its ends */
	for (int i = 0; i < 20; i++)
		x[i] = 100 - i + (i % 2) / 10.0;
	trended_values(&trends, "duration_s", x, 20);
	assert_prints(&trends, "text", &plain,
		"  drifts, 19.0 % better from the first run to the last: 100.0 -> 81.1 "
		"s; "
		"no\n    single run began it\n");
	trends_release(&trends);
	trending = trended_start(&trends, "commit", "duration_s");
	for (int i = 0; i < 9; i++) {
		char name[8];

		snprintf(name, sizeof name, "%d", i);
		trended_run(trending, name, i, "same", i, 0);
	}
	trended_run(trending, "x", 1, NULL, 5, 0);
	trend_end(trending);
	assert_prints(&trends, "text", &plain,
		"  all runs have the same commit: nothing to compare\n");
	assert_prints(&trends, "text", &plain, "  1 run has no label commit\n");
	trends_release(&trends);
}

/* Fifty runs: the last forty, and how many more there are; all of them on demand. */
static void shows_the_last_runs(void **state)
{
	const struct render_options all = {.width = 80, .verbose = 1},
				    few = {.width = 80, .verbose = -1};
	struct trends trends;
	double x[50];
	char *text;

	(void)state;
	for (int i = 0; i < 50; i++)
		x[i] = i * 7 % 11;
	trended_values(&trends, "duration_s", x, 50);
	text = print(&trends, "text", &plain);
	assert_null(strstr(text, "run-09"));
	assert_non_null(strstr(text, "  run-10"));
	assert_non_null(strstr(text, "  run-49"));
	assert_non_null(strstr(text, "  10 earlier rows are hidden (-v shows them)\n"));
	free(text);
	text = print(&trends, "html", &plain);
	assert_non_null(strstr(text, "earlier rows are hidden<"));
	free(text);
	text = print(&trends, "text", &all);
	assert_non_null(strstr(text, "  run-00"));
	assert_null(strstr(text, "not shown"));
	free(text);
	text = print(&trends, "text", &few);
	assert_null(strstr(text, "run-49"));
	free(text);
	trends_release(&trends);
}

/* Names and labels with all that a terminal or a page could misunderstand. */
static void hostile(struct trends *trends, const char *by)
{
	struct trending *trending = trended_start(trends, by, "duration_s");

	for (int i = 0; i < 20; i++) {
		char name[200], label[100];

		snprintf(name, sizeof name,
			"runs/\x1b[31m|`<b>\xff%0*d/a, \"very\" long\nname\xc3\xa9-%d",
			20 + i, 0, i);
		snprintf(label, sizeof label, "%d\t\x9b|*_é\"`%0*d", i / 5, i, 0);
		trended_run(trending, name, i, label, i < 10 ? 1 : 9, 0);
	}
	trend_end(trending);
}

static void fits_its_width(void **state)
{
	static const int widths[] = {40, 72, 80, 100, 132, 300};

	(void)state;
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
		for (int kind = 0; kind < 4; kind++) {
			struct render_options opt = {
				.width = widths[i], .unicode = kind % 2, .verbose = 1};
			struct trends trends;
			char *text;

			hostile(&trends, kind / 2 ? "commit" : NULL);
			text = print(&trends, "text", &opt);
			assert_tidy(text, (size_t)widths[i]);
			free(text);
			trends_release(&trends);
		}
}

/* Every format takes foreign bytes, and is the same each time. */
static void formats_take_all_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		struct trends trends;
		char *text, *again;

		hostile(&trends, NULL);
		text = print(&trends, formats[i], &plain);
		again = print(&trends, formats[i], &plain);
		assert_string_equal(text, again);
		/* CSV keeps texts as they are. */
		assert_true(strcmp(formats[i], "csv") == 0 || !strchr(text, '\x1b'));
		free(text);
		free(again);
		trends_release(&trends);
	}
}

/* Eight heights, each as high as it is; more of them than columns, and each its mean. */
static void draws_a_line(void **state)
{
	const struct render_options wide = {.width = 80, .unicode = true};
	struct doc doc = DOC_INIT;
	struct doc_block *block;
	struct trends trends;
	struct strbuf line;
	double x[8];

	(void)state;
	for (int i = 0; i < 8; i++)
		x[i] = 10 + i;
	trended_values(&trends, "duration_s", x, 8);
	assert_prints(&trends, "text", &wide, "\n  ▁▂▃▄▅▆▇█\n");
	assert_prints(&trends, "markdown", &plain, "\n`▁▂▃▄▅▆▇█`\n");
	trends_release(&trends);

	strbuf_init(&line);
	doc_begin(&doc, DOC_SPARK);
	for (int i = 0; i < 16; i++)
		doc_bar(&doc, 0, i % 2 ? (i + 1) / 16.0 : (i - 1) / 16.0, NAN);
	block = &doc.block[0];
	spark_draw(&line, block, 4);
	assert_string_equal(line.text, "▁▃▅▇");
	strbuf_release(&line);
	doc_release(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_which_run_began_it),
		cmocka_unit_test(says_small_changes_in_their_unit),
		cmocka_unit_test(says_why_nothing_is_said),
		cmocka_unit_test(shows_the_last_runs),
		cmocka_unit_test(fits_its_width),
		cmocka_unit_test(formats_take_all_names),
		cmocka_unit_test(draws_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
