/*
 * The report as Markdown: text stays text, the page stays below its limit, findings and
 * what could not be read come first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/markdown.h"
#include "render_fixture.h"

#define PAGE_BYTES (900 * 1024)

static const struct render_options plain = {.width = 80};

/* Words that mean something to CommonMark, GitHub or GitLab stand in code spans. */
static void text_stays_text(void **state)
{
	static const struct {
		const char *raw, *expected;
	} cases[] = {
		{"", ""},
		{"grade A, coverage 98.2 % (3,727 samples).",
			"grade A, coverage 98.2 % (3,727 samples)."},
		{"2026-03-01 12:00:00 to 13:02:11 UTC: I/O + 2/3; what's up?",
			"2026-03-01 12:00:00 to 13:02:11 UTC: I/O + 2/3; what's up?"},
		{"7,201.5 J = 2 Wh", "7,201.5 J = 2 Wh"},
		{"caf\xc3\xa9 \xe2\x80\xa6", "caf\xc3\xa9 \xe2\x80\xa6"},
		{"a|b", "`a`&#124;`b`"},
		{"|", "&#124;"},
		{"`", "`` ` ``"},
		{"a``b`c", "```a``b`c```"},
		{"<b>bold</b> &amp; **x** _y_ ~~z~~",
			"`<b>bold</b>` `&amp`; `**x**` `_y_` `~~z~~`"},
		{"</script>", "`</script>`"},
		{"<!-- x", "`<!--` x"},
		{"[a](https://x.y) ![a](b)", "`[a](https://x.y`) `![a](b`)"},
		{"(see gpu_util_pct), then", "(see `gpu_util_pct`), then"},
		{"@user #1 me@x.y u/r#2 GH-3 !4 $5$ %6 ^7 &8 ~l",
			"`@user` `#1` `me@x.y` `u/r#2` `GH-3` `!4` `$5$` `%6` `^7` "
			"`&8` `~l`"},
		{"http://a ftp://b www.c www.1.2 d.e mailto:f x:/g",
			"`http://a` `ftp://b` `www.c` `www.1.2` `d.e` `mailto:f` `x:/g`"},
		{":smile: :100: 5:100:3", "`:smile`: `:100`: `5:100:3`"},
		{"4d185dd679fe, deadbeef1 1a2b3c", "`4d185dd679fe`, `deadbeef1` 1a2b3c"},
		{"- a", "`-` a"},
		{"+ a", "`+` a"},
		{"1. a 2. b", "`1`. a 2. b"},
		{"1) a", "`1`) a"},
		{"--- a ---", "`---` a ---"},
		{"=", "`=`"},
		{"a\\*b\nc\td", "`a\\*b\\nc\\td`"},
		{"\x1b[31mred\x07", "`\\x1b[31mred\\x07`"},
		{"\xe2\x80\xaegnp \xff", "`\\u202egnp` `\\xff`"},
		{"  two  words ", "two words"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct strbuf text;

		strbuf_init(&text);
		markdown_text(&text, cases[i].raw);
		assert_string_equal(text.text, cases[i].expected);
		strbuf_release(&text);
	}
}

static void paths_and_commands_are_code(void **state)
{
	struct strbuf text;
	char huge[10001];

	(void)state;
	memset(huge, 'x', 10000);
	memcpy(huge + 9990, "/train.csv", 11);
	strbuf_init(&text);
	markdown_path(&text, "runs/a b|c | d ");
	assert_string_equal(text.text, "`runs/a b`&#124;`c` &#124; `d`");
	strbuf_clear(&text);
	markdown_path(&text, huge);
	assert_true(text.len < 200);
	assert_non_null(strstr(text.text, "/train.csv`"));
	strbuf_clear(&text);
	markdown_code(&text, "echo `date` | cat\n");
	assert_string_equal(text.text, "``echo `date` | cat\\n``");
	strbuf_release(&text);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is missing in:\n%s", part, text);
}

static void says_what_text_says(void **state)
{
	static const char *const in_order[] = {
		"## Not everything could be read\n\n- ❌ runs/broken: holds nothing",
		"\n\n## `runs/20260301T120000Z-gpu-node-17-4711`: grade B\n\n",
		"2026-03-01 12:00:00 to 13:02:11 UTC · 1 h 02 min 12 s · exit status 0\n",
		"\n`torchrun --nproc-per-node=2 train.py",
		"- **GPUs:** 2 x NVIDIA H200\n",
		("| | mean | max | capacity | | |\n"
		 "| --- | ---: | ---: | ---: | --- | --- |\n"),
		"| GPU utilization | 61.2 | 100.0 | | % | |\n",
		"| GPU memory, all | | 142,408 | 287,542 | MiB | |\n",
		"### Each GPU\n\n| GPU | util mean (%) |",
		"### Phases\n\n| phase | calls | time (s) |",
		"| evaluate | 1 | 277.6 |",
		"| **unfinished** |\n",
		"### Damage: ❌ 13 of 44,779 rows skipped\n\n",
		"- ❌ `gpu_metrics.csv:2000`: `power.draw` `[W]` is",
	};
	struct fixture f;
	char *text;
	const char *at;

	(void)state;
	fixture_init(&f);
	at = text = fixture_render(&f, "markdown", &plain);
	for (size_t i = 0; i < sizeof in_order / sizeof in_order[0]; i++) {
		assert_has(at, in_order[i]);
		at = strstr(at, in_order[i]);
	}
	free(text);
	fixture_release(&f);
}

/* A name that is set in as inner phases are, one of 10 kB, and a long list. */
static void rows_keep_their_columns(void **state)
{
	struct render_options all = {.width = 80, .verbose = 1, .calls = true};
	struct fixture f;
	char *text, *line, *rest;
	size_t columns = 0;

	(void)state;
	fixture_init(&f);
	make_hostile(&f);
	f.report.path[1].depth = 1;
	run_set_string(&f.report.path[1].path, "a/| x |");
	f.report.path[1].name = "| x |";
	text = fixture_render(&f, "markdown", &all);
	assert_has(text, "\n| &ensp;&ensp;&#124; x &#124; | 1 |");
	for (line = strtok_r(text, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest)) {
		size_t bars = 0;

		for (const char *c = line; *c; c++) {
			bars += *c == '|';
			assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
		}
		assert_true(strlen(line) < 4000);
		if (*line == '|' && columns)
			assert_int_equal(bars, columns);
		columns = *line == '|' ? bars : 0;
	}
	free(text);
	fixture_release(&f);
}

/* 3,000 runs of which one has a section that no page has room for. */
static void too_long_is_cut_and_said(void **state)
{
	enum {
		RUNS = 3000
	};
	struct render_options all = {.width = 80, .calls = true};
	struct report *reports = xcalloc(RUNS, sizeof *reports);
	struct render_input in = {.report = reports, .report_count = RUNS};
	struct fixture f;
	char *text;
	const char *last;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < RUNS; i++)
		reports[i] = f.report;
	text = fixture_render_input(&in, "markdown", &all);
	assert_true(strlen(text) < PAGE_BYTES);
	assert_true(strlen(text) > PAGE_BYTES * 9 / 10);
	assert_has(text, "\n\n⚠️ Left out to stay below 900 KiB: ");
	last = strstr(text, " runs). The");
	assert_non_null(last);
	assert_string_equal(last, " runs). The format text has them.\n");
	free(text);

	/* 20,000 rows of 50 bytes and more: the section, not the run, is left out. */
	in.report_count = 1;
	for (size_t i = 0; i < 20000; i++)
		fixture_phase(&f.report, "a phase with a rather long name", 0, 1, NULL);
	reports[0] = f.report;
	text = fixture_render_input(&in, "markdown", &all);
	assert_true(strlen(text) < 20000);
	assert_has(text, "### Damage: ");
	assert_has(text,
		"\n\n⚠️ Left out to stay below 900 KiB: 2 sections. The format text "
		"has "
		"them.\n");
	free(text);
	fixture_release(&f);
	free(reports);
}

static void one_bare_run_is_short(void **state)
{
	struct fixture f;
	struct render_input in = {.report = &f.report, .report_count = 1};
	char *text;

	(void)state;
	unknown_init(&f);
	text = fixture_render_input(&in, "markdown", &plain);
	assert_string_equal(text,
		"## `log.csv`: ❌ grade F\n"
		"\n"
		"❌ The recording is not reliable: no samples.\n"
		"\n"
		"duration unknown\n"
		"\n"
		"- **Recording:** ❌ grade F: no samples\n");
	free(text);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_stays_text),
		cmocka_unit_test(paths_and_commands_are_code),
		cmocka_unit_test(says_what_text_says),
		cmocka_unit_test(rows_keep_their_columns),
		cmocka_unit_test(too_long_is_cut_and_said),
		cmocka_unit_test(one_bare_run_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
