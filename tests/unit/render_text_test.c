/*
 * The report for people: fits its width, says what is unknown, and lets no foreign byte
 * reach the terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/quantity.h"
#include "render/text.h"
#include "render/utf8.h"
#include "render_fixture.h"
#include "tidy.h"

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is missing in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' stands in:\n%s", part, text);
}

static void fits_its_width(void **state)
{
	static const int widths[] = {72, 80, 100, 132, 300};

	(void)state;
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
		for (int unicode = 0; unicode < 2; unicode++) {
			struct render_options opt = {
				.width = widths[i], .unicode = unicode, .verbose = 1};
			struct fixture f;
			char *text;

			fixture_init(&f);
			text = fixture_render(&f, "text", &opt);
			assert_tidy(text, (size_t)widths[i]);
			if (!unicode)
				for (const char *c = text; *c; c++)
					assert_true((unsigned char)*c < 0x80);
			free(text);
			fixture_release(&f);
		}
}

static void says_what_matters(void **state)
{
	static const char *const parts[] = {"runs/20260301T120000Z-gpu-node-17-4711",
		"grade B", "2026-03-01 12:00:00 to 13:02:11 UTC", "1 h 02 min 12 s",
		"exit status 0", "$ torchrun", "gpu-node-17, 128 CPUs, AMD EPYC 9554",
		"2 x NVIDIA H200", "848 Wh (3,053,102 J)",
		"integrated over 98.2 % of the", "142,408", "287,542", "gpu1", "compile",
		"unfinished", "gpu_metrics.csv:2000: power.draw", "(12 times)",
		"13 of 44,779 rows skipped", "2 remarks", "runs/broken"};
	struct render_options opt = {.width = 80};
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	text = fixture_render(&f, "text", &opt);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		assert_has(text, parts[i]);
	/* the worst first */
	assert_true(strstr(text, "csv:2000") < strstr(text, "csv:1042"));
	/* remarks and single metrics only for who asks */
	assert_has_not(text, "gsp.mode.current");
	assert_has_not(text, metric_get(METRIC_cpu_idle_pct)->name);
	free(text);
	opt.verbose = 1;
	text = fixture_render(&f, "text", &opt);
	assert_has(text, "gsp.mode.current");
	assert_has(text, metric_get(METRIC_cpu_idle_pct)->name);
	free(text);
	fixture_release(&f);
}

/* The fixture's steady state in the text, in one line. */
static void assert_steady(struct fixture *f, int verbose, const char *expected)
{
	struct render_options opt = {.width = 200, .verbose = verbose};
	char *text = fixture_render(f, "text", &opt);

	if (expected)
		assert_has(text, expected);
	else
		assert_has_not(text, "Steady state");
	free(text);
}

static void steady_state_in_a_sentence(void **state)
{
	struct fixture f;
	struct steady *s = &f.report.steady;

	(void)state;
	fixture_init(&f);
	assert_steady(&f, 0, "  42.2 s to 59 min 40 s: GPU 97.1 % busy, 1,212.5 W\n");
	assert_steady(&f, 1,
		"  42.2 s to 59 min 40 s: GPU 97.1 % busy, 1,212.5 W "
		"(warm-up 41.8 s; 11 interruptions of 2 min 48 s)");
	s->gpu_util_mean_pct = NAN;
	s->to_ns = f.report.ended_ns;
	s->interruptions = 1;
	assert_steady(&f, 1,
		"  42.2 s to end: power 1,212.5 W (warm-up 41.8 s; 1 "
		"interruption of 2 min 48 s)");
	s->power_total_mean_w = NAN;
	s->coverage = 0.987;
	assert_steady(&f, 0, "  42.2 s to end (98.7 % recorded)");
	assert_steady(&f, 1,
		"  42.2 s to end (98.7 % recorded) (warm-up 41.8 s; 1 interruption "
		"of 2 min 48 s)");
	s->interruption = xcalloc(1, sizeof *s->interruption);
	s->interruption_listed = 1;
	s->interruption[0].start_s = 120;
	s->interruption[0].silent = true;
	s->coverage = NAN;
	assert_steady(
		&f, 1, "1 interruption of 2 min 48 s after 2 min 00 s, not recorded)");
	s->interruptions = 2;
	assert_steady(&f, 1, "2 min 48 s, the longest 0.0 s after 2 min 00 s, not");
	s->interruption_listed = 0;
	s->interruptions = 0;
	assert_steady(&f, 1, "  42.2 s to end (warm-up 41.8 s)");
	s->from_s = 0.04;
	s->warm_up_s = 0;
	assert_steady(&f, 1, "  start to end (no warm-up)");
	s->warm_up_s = 41.8;
	s->drift = xcalloc(3, sizeof *s->drift);
	s->drift_count = 3;
	s->drift[0] = (struct drift){0, METRIC_power_w, 600, 500, -1 / 6.0, TIME_NONE};
	s->drift[1] = (struct drift){0, METRIC_sm_clock_mhz, 1700, 1700, 0, TIME_NONE};
	s->drift[2] =
		(struct drift){1, METRIC_sm_clock_mhz, 1700, 1400, -3 / 17.0, TIME_NONE};
	assert_steady(&f, 0,
		"start to end; but over it GPU power falls by 16.7 % "
		"(gpu0), SM "
		"clock falls by 17.6 % (gpu1)");
	s->drift[1].change = 0.1;
	assert_steady(&f, 0, "SM clock falls by up to 17.6 % (2 GPUs)");
	s->found = false;
	s->why_not = "too few samples";
	assert_steady(&f, 0, NULL);
	assert_steady(&f, 1, "not found: too few samples");
	s->source = SOURCE_NONE; /* there is no GPU to speak of */
	assert_steady(&f, 1, NULL);
	fixture_release(&f);
}

static void unknown_is_named(void **state)
{
	struct render_options opt = {.width = 80};
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		f.report.summary[key].number = NAN;
	for (size_t i = 0; i < f.report.path_count; i++)
		for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
			f.report.path[i].summary[key].number = NAN;
	f.report.summary[SUMMARY_gpu_util_max_pct].number = 0;
	f.report.duration_s = NAN;
	f.report.evidence.coverage = NAN;
	text = fixture_render(&f, "text", &opt);
	assert_has(text,
		"  GPU utilization        0.0            %  ....................\n");
	assert_has_not(text, "Memory controller  ");
	assert_has(text, "  Not recorded     GPU energy, GPU memory");
	assert_has(text, "coverage unknown");
	/* nothing is known of the CPUs: no lines of dashes */
	assert_has_not(text, "CPU");
	free(text);
	fixture_release(&f);
}

static void a_bare_run_is_short(void **state)
{
	struct render_options opt = {.width = 80};
	struct fixture f;
	struct render_input in = {.report = &f.report, .report_count = 1};
	char *text;

	(void)state;
	run_init(&f.run, "log.csv");
	report_init(&f.report, &f.run);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		f.report.summary[key].number = NAN;
	text = fixture_render_input(&in, "text", &opt);
	assert_tidy(text, 80);
	assert_string_equal(text,
		"= log.csv =========================================================== "
		"grade F ==\n"
		"  The recording is not reliable: no samples.\n"
		"  duration unknown\n"
		"\n"
		"  Recording  grade F: no samples\n");
	free(text);
	fixture_release(&f);
}

static void foreign_bytes_are_inert(void **state)
{
	static const char hostile[] = "a\x1b]0;title\x07\x1b[2J\n\r\t\x7f\xc2\x9b"
				      "31m\xe2\x80\xae\xff|`<b>";
	struct render_options opt = {.width = 80, .unicode = true, .verbose = 1};
	struct fixture f;
	char *text, *huge = xmalloc(10001);

	(void)state;
	memset(huge, 'w', 10000);
	huge[10000] = '\0';
	fixture_init(&f);
	run_set_string(&f.run.path, huge);
	run_set_string(&f.run.host, hostile);
	run_set_string(&f.run.command, hostile);
	run_set_string(&f.run.cpu_model, huge);
	run_set_string(&f.run.device[1].model, hostile);
	run_set_string(&f.run.file[0].path, hostile);
	run_set_string(&f.run.file[1].path, huge);
	f.report.path[0].name = hostile;
	f.report.path[1].name = huge;
	run_set_string(&f.report.path[0].path, hostile);
	run_set_string(&f.report.path[1].path, huge);
	diag_add(&f.run.diags, true, "x", huge, 7, span_of("1"), "%s", hostile);
	diag_add(&f.run.diags, true, "x", hostile, 7, span_of("2"), "%s", huge);
	text = fixture_render(&f, "text", &opt);
	assert_tidy(text, 80);
	assert_has_not(text, "\xc2\x9b");
	assert_has_not(text, "\xe2\x80\xae");
	assert_has_not(text, "\xff");
	assert_has(text,
		"a\\x1b]0;title\\x07\\x1b[2J\\n\\x0d\\t\\x7f\\u009b31m\\u202e\\xff");
	free(text);
	free(huge);
	fixture_release(&f);
}

static void color_means_something(void **state)
{
	struct render_options opt = {.width = 80, .color = true};
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	f.run.diags.count = 0; /* its entries are released below */
	text = fixture_render_input(
		&(struct render_input){.report = &f.report, .report_count = 1}, "text",
		&opt);
	assert_has(text, "\x1b[33munfinished\x1b[0m");
	assert_has_not(text, "\x1b[31m");
	free(text);
	f.run.diags.count = 4;
	f.report.evidence.grade = 'F';
	f.run.exit_status = 137;
	text = fixture_render(&f, "text", &opt);
	assert_has(text, "\x1b[31mgrade F\x1b[0m");
	assert_has(text, "\x1b[31mexit status 137\x1b[0m");
	assert_has(text, "\x1b[31mgpu_metrics.csv:1042\x1b[0m: the line");
	free(text);
	fixture_release(&f);
}

static void numbers_for_people(void **state)
{
	static const struct {
		double x;
		int decimals;
		const char *number, *span;
	} cases[] = {
		{NAN, 1, "-", "-"},
		{0, 0, "0", "0.0 s"},
		{-0.04, 1, "0.0", "0.0 s"},
		{999.96, 1, "1,000.0", "16 min 40 s"},
		{99.96, 1, "100.0", "1 min 40 s"},
		{1234567.25, 1, "1,234,567.2", "14 d 06 h 56 min"},
		{-1234, 0, "-1,234", "-1,234.0 s"},
		{3731.5, 1, "3,731.5", "1 h 02 min 12 s"},
		{1e300, 1, "1e+300", "1e+300 s"},
	};
	struct strbuf text;

	(void)state;
	strbuf_init(&text);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		strbuf_clear(&text);
		quantity_number(&text, cases[i].x, cases[i].decimals);
		assert_string_equal(text.text, cases[i].number);
		strbuf_clear(&text);
		quantity_span(&text, cases[i].x);
		assert_string_equal(text.text, cases[i].span);
	}
	strbuf_clear(&text);
	quantity_ratio(&text, 0.99999);
	assert_string_equal(text.text, "99.9 %");
	strbuf_clear(&text);
	quantity_when(&text, TIME_BEGIN + 12500000000);
	assert_string_equal(text.text, "12.5 s");
	strbuf_clear(&text);
	quantity_when(&text, -1);
	assert_string_equal(text.text, "23:59:59");
	strbuf_clear(&text);
	quantity_from_to(&text, 86397 * NS_PER_S, 86403 * NS_PER_S);
	assert_string_equal(text.text, "23:59:57 to day 2 00:00:03");
	strbuf_clear(&text);
	quantity_from_to(&text, 3600 * NS_PER_S, 7200 * NS_PER_S);
	assert_string_equal(text.text, "01:00:00 to 02:00:00");
	strbuf_clear(&text);
	quantity_from_to(&text, FIXTURE_T0, FIXTURE_T0 + NS_PER_DAY);
	assert_string_equal(text.text, "2026-03-01 12:00:00 to 2026-03-02 12:00:00");
	strbuf_release(&text);
}

static void widths_of_characters(void **state)
{
	static const struct {
		const char *text;
		size_t width;
	} cases[] = {
		{"", 0},
		{"abc", 3},
		{"caf\xc3\xa9", 4},
		{"cafe\xcc\x81", 4},
		{"\xe6\xbc\xa2\xe5\xad\x97", 4},
		{"\xf0\x9f\x98\x80", 2},
		{"\xff\xfe", 2},
	};
	struct strbuf text;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(utf8_width(cases[i].text), cases[i].width);
	strbuf_init(&text);
	utf8_cut(&text, "abcdefgh", 6, "...");
	assert_string_equal(text.text, "abc...");
	strbuf_clear(&text);
	utf8_cut_front(&text, "abcdefgh", 6, "...");
	assert_string_equal(text.text, "...fgh");
	strbuf_clear(&text);
	utf8_cut(&text, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", 5, ".");
	assert_string_equal(text.text, "\xe6\xbc\xa2\xe5\xad\x97.");
	strbuf_release(&text);
}

/* As one note; the caller frees. */
static char *note(const char *said, int width)
{
	const struct render_options opt = {.width = width};
	struct doc doc = DOC_INIT;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	doc_begin(&doc, DOC_NOTES);
	doc_text(&doc, NULL);
	doc_text(&doc, said);
	text_print(&doc, &opt, out);
	fclose(out);
	doc_release(&doc);
	return text;
}

static void assert_note(const char *said, const char *expected)
{
	char *text = note(said, 40);

	assert_string_equal(text, expected);
	free(text);
}

/* A line of 40 columns has 38 for words, the next ones 36. */
static void numbers_stay_with_their_units(void **state)
{
	static const char said[] = "12.5 s of 1,234 GPU-s (3.1 %) at -4.2 W, 2 min 03 s "
				   "after 5 of 16 steps; 99.9 % of (1.1 Wh) or +7 x";

	(void)state;
	assert_note("all of the GPUs were idle at once 30.5 % of it",
		"  all of the GPUs were idle at once\n    30.5 % of it\n");
	assert_note("all of the GPUs were idle once 1,234.5 GPU-s",
		"  all of the GPUs were idle once\n    1,234.5 GPU-s\n");
	assert_note("all of the GPUs were at once idle (3.1 Wh)",
		"  all of the GPUs were at once idle\n    (3.1 Wh)\n");
	/* What only ends like a number is a word, and so is one of a list. */
	assert_note("all of the GPUs that were idle as gpu0 was",
		"  all of the GPUs that were idle as gpu0\n    was\n");
	assert_note("all of the GPUs that were idle as 30, 40 of it",
		"  all of the GPUs that were idle as 30,\n    40 of it\n");
	for (int width = 40; width < 80; width++) {
		char *text = note(said, width);

		assert_tidy(text, (size_t)width);
		for (char *end = strchr(text, '\n'); end[1]; end = strchr(end + 1, '\n'))
			if (end[-1] >= '0' && end[-1] <= '9')
				fail_msg("at width %d:\n%s", width, text);
		free(text);
	}
}

/* Where every word is a number, lines end between them all the same. */
static void numbers_alone_are_wrapped(void **state)
{
	(void)state;
	assert_note("1111 2222 3333 4444 5555 6666 7777 8888 9999",
		"  1111 2222 3333 4444 5555 6666 7777\n    8888 9999\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fits_its_width),
		cmocka_unit_test(says_what_matters),
		cmocka_unit_test(steady_state_in_a_sentence),
		cmocka_unit_test(unknown_is_named),
		cmocka_unit_test(a_bare_run_is_short),
		cmocka_unit_test(foreign_bytes_are_inert),
		cmocka_unit_test(color_means_something),
		cmocka_unit_test(numbers_for_people),
		cmocka_unit_test(widths_of_characters),
		cmocka_unit_test(numbers_stay_with_their_units),
		cmocka_unit_test(numbers_alone_are_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
