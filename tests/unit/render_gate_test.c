/*
 * A gate, its calibration and its self-test as people and programs see them: the verdict
 * first, what is the same said once, within the width, and harmless whatever names hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/formats.h"
#include "compute/gate/gate.h"
#include "follows.h"
#include "gate_fixture.h"
#include "render/render.h"
#include "tidy.h"

static const struct render_options plain = {.width = 80};

static const char rules[] =
	"{\"name\": \"wall time\", \"metric\": \"duration_s\", \"max_increase_pct\": 5},"
	"{\"name\": \"phases\", \"metric\": \"duration_s\", \"phase\": \"*\", "
	"\"max_increase_pct\": 5},"
	"{\"name\": \"memory\", \"metric\": \"peak_vram_mib\", \"at_most\": 400},"
	"{\"name\": \"share\", \"metric\": \"gpu_util_pct\", \"device\": \"gpu*\", "
	"\"max_decrease\": 5, \"severity\": \"warning\"},"
	"{\"name\": \"not there\", \"metric\": \"framework_peak_mib\", \"at_most\": 5}";

/* Values of n runs a side from a level on, the new ones times a factor. */
static void add_row(
	struct made_gate *made, struct measure measure, double level, double factor)
{
	double *value = xcalloc(made->comparison.run_count + 1, sizeof *value);

	for (size_t i = 0; i < made->comparison.run_count; i++) {
		bool new = made->comparison.run[i].side == SIDE_NEW;

		value[i] = level * (1 + (double)(i * 7 % 11) / 1000) * (new ? factor : 1);
	}
	gate_row(made, measure, value);
	free(value);
}

static void make(struct made_gate *made, size_t base, size_t new)
{
	struct lost_run lost[] = {{(char *)"lost", (char *)"it is empty"}};

	gate_make(made, rules, base, new);
	add_row(made, of_run("duration_s"), 120, 1.06);
	add_row(made, of_phase("duration_s", "train"), 80, 1.5);
	add_row(made, of_phase("duration_s", "save"), 12345.678, 1);
	add_row(made, of_run("peak_vram_mib"), 380, 1);
	add_row(made, of_device("gpu_util_pct", "mean", "gpu0"), 80, 0.5);
	add_row(made, of_device("gpu_util_pct", "mean", "gpu1"), 80, 1);
	comparison_remark(&made->comparison, "a remark");
	gate_judge(&made->gate, &made->rules, &made->comparison, lost, new > 4);
}

static int write_kind(const struct made_gate *made, enum result_kind kind,
	const struct render_format *format, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct calibration calibration = CALIBRATION_INIT;
	struct selftest test = SELFTEST_INIT;
	struct render_result result = {.kind = kind};
	int written;

	calibrate(&calibration, &made->rules, &made->comparison);
	selftest(&test, &made->rules, &made->comparison);
	if (kind == RESULT_GATE)
		result.gate = &made->gate;
	else if (kind == RESULT_CALIBRATION)
		result.calibration = &calibration;
	else
		result.selftest = &test;
	written = format->result(&result, opt, out, err);
	calibration_release(&calibration);
	selftest_release(&test);
	return written;
}

/* To be freed. */
static char *render(const struct made_gate *made, enum result_kind kind,
	const char *format, const struct render_options *opt)
{
	struct error err;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(write_kind(made, kind, output_find(format), opt, out, &err), 0);
	fclose(out);
	assert_int_equal(strlen(text), size);
	return text;
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		count++;
	return count;
}

static void assert_in_order(const char *text, const char *const *part, size_t count)
{
	const char *at = text;

	for (size_t i = 0; i < count; i++) {
		const char *found = strstr(at, part[i]);

		if (!found)
			fail_msg("'%s' is missing, or not in its place, in:\n%s", part[i],
				text);
		at = found + 1;
	}
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

/*
 * Five against five of six tests: p = 2 / 252 * 5 or 6 is 0.04 at the best. The phase,
 * half as long again, is farther beyond its limit than the run.
 */
static void the_verdict_comes_first(void **state)
{
	static const char *const order[] = {"= Gate unusable: 1 run lost, 1 unusable, ",
		"2 regressions, 2 of 5 passed =", "Rules  rules.json", "Base ", "New ",
		"\n\nx lost: this new run could not be used: it is empty",
		"x not there: no run recorded it", "x phases (train): 80.",
		"; expected at most 5 %", "x wall time: 120.",
		"! share (gpu0) (only warns): ", "- Checks ---",
		"wall time: duration_s at", "\n  run ",
		"phases: duration_s in * at most 5 % above", "\n  train ", "\n  save ",
		"memory: peak_vram_mib at most 400", "<= 400", "pass",
		"share (only warns): ", "not there: ", "unusable\n\n", "a remark\n"};
	static const char *const quiet[] = {"= Gate unusable: ", "x lost: ",
		"x not there: ", "x phases (train): ", "x wall time: "};
	struct render_options opt = plain;
	struct made_gate made;
	char *text;

	(void)state;
	make(&made, 5, 5);
	text = render(&made, RESULT_GATE, "text", &opt);
	assert_in_order(text, order, COUNT(order));
	free(text);
	opt.verbose = -1;
	text = render(&made, RESULT_GATE, "text", &opt);
	assert_in_order(text, quiet, COUNT(quiet));
	assert_null(strstr(text, "pass\n"));
	assert_null(strstr(text, "Checks"));
	free(text);
	gate_unmake(&made);
}

/* Five numbers can't be told: three that count for one reason, two that warn for theirs.
 */
static void what_is_the_same_is_said_once(void **state)
{
	static const char *const order[] = {
		"= Gate unusable: 1 unusable, 3 inconclusive, ",
		"! wall time; phases (train); phases (save): 2 against 2 runs are too",
		"3 tests at once;",
		"! share (gpu0) (only warns); share (gpu1) (only warns): 2",
		"2 tests at once;", "never"};
	struct made_gate made;
	char *text;

	(void)state;
	make(&made, 2, 2);
	text = render(&made, RESULT_GATE, "text", &plain);
	assert_in_order(text, order, COUNT(order));
	assert_int_equal(count_of(text, "against 2 runs are too"), 2);
	free(text);
	gate_unmake(&made);
}

/* What fails is an error, what can't be told or only warns a warning; in a line each. */
static void commands(void **state)
{
	static const char *const order[] = {"::error title=Run lost::lost: this new run",
		"\n::error title=Nothing to judge::not there: no run recorded it",
		"\n::error title=Regression::phases (train): 80.5 s -> 120.6 s, +49.9 "
		"%25 (p",
		"\n::error title=Regression::wall time: ",
		"\n::warning title=Regression::share (gpu0) (only warns): ",
		"\n::notice title=Compared::a remark\n",
		"::notice title=Gate::unusable: 1 run lost, 1 unusable, 2 "
		"regressions, "};
	struct made_gate made;
	char *text;

	(void)state;
	make(&made, 5, 5);
	text = render(&made, RESULT_GATE, "github", &plain);
	assert_in_order(text, order, COUNT(order));
	assert_int_equal(count_of(text, "\n"), COUNT(order));
	free(text);
	gate_unmake(&made);
	make(&made, 2, 2);
	text = render(&made, RESULT_GATE, "github", &plain);
	assert_int_equal(count_of(text, "::warning title=Inconclusive::"), 2);
	free(text);
	gate_unmake(&made);
}

/* A warning is skipped, whatever it is; what is lost is a case of its own. */
static void cases(void **state)
{
	static const char *const order[] = {
		("<testsuite name=\"rules.json\" tests=\"8\" failures=\"3\" errors=\"1\" "
		 "skipped=\"1\" time=\"0\">"),
		"name=\"wall time: duration_s\"", "<failure message=\"120.",
		"type=\"regression\"/>", "name=\"phases: duration_s in train\"",
		"<failure ",
		"name=\"phases: duration_s in save\" time=\"0\">\n  </testcase>",
		"name=\"share: gpu_util_pct mean, gpu0", "<skipped message=\"80.",
		"name=\"not there: framework_peak_mib at most 5\"",
		"<error message=\"no run", "type=\"unusable\"/>",
		"name=\"run-lost: lost\"", "<failure message=\"this new run",
		"  <system-out>a remark</system-out>\n", "</testsuite>\n"};
	struct made_gate made;
	char *text;

	(void)state;
	make(&made, 5, 5);
	text = render(&made, RESULT_GATE, "junit", &plain);
	assert_in_order(text, order, COUNT(order));
	free(text);
	gate_unmake(&made);
}

/*
 * Beyond its limit, by chance, and of too wide a spread for its limit: both samples of
 * five overlap throughout, so that p is far above 0.05.
 */
static void passes_in_doubt(void **state)
{
	static const char both[] =
		"{\"name\": \"wall time\", \"metric\": \"duration_s\", "
		"\"max_increase_pct\": 1},"
		"{\"name\": \"energy\", \"metric\": \"energy_j\", "
		"\"max_increase_pct\": 5},"
		"{\"name\": \"sure\", \"metric\": \"gpu_count\", \"at_most\": 9}";
	static const char *const of_github[] = {
		"::warning title=Passed in doubt::wall time: 102.0 s -> 104.0 s, ",
		", not significant (p ", "; expected at most 1 %25 above the base",
		"; these runs could miss a change as large as the limit, which ",
		"\n::warning title=Passed in doubt::energy: 100.0 s -> 101.0 s, ",
		"; these runs could miss a change",
		"\n::notice title=Gate::passed: 3 of 3 passed, 2 by --allow-undetected"};
	static const char *const of_junit[] = {"skipped=\"0\"",
		"name=\"wall time: duration_s\"", "<system-out>102.0 s -&#62; 104.0 s",
		"would show</system-out>\n  </testcase>",
		"name=\"energy: ", "<system-out>100.0 s",
		"name=\"sure: gpu_count\" time=\"0\">\n  </"};
	static const char *const of_text[] = {
		"= Gate passed: 3 of 3 passed, 2 by --allow-undetected",
		"1 check passed beyond the limit: this could be chance; 2 checks",
		"passed by --allow-undetected: these runs could miss a change"};
	struct render_options opt = {.width = 200, .verbose = -1};
	struct made_gate made;
	char *text;

	(void)state;
	gate_make(&made, both, 5, 5);
	made.rules.allows_undetected = true;
	gate_row(&made, of_run("duration_s"),
		ROW(100, 101, 102, 103, 110, 101, 102, 104, 105, 109));
	gate_row(&made, of_run("energy_j"),
		ROW(80, 90, 100, 110, 120, 81, 91, 101, 111, 121));
	gate_row(&made, of_run("gpu_count"), ROW(2, 2, 2, 2, 2, 2, 2, 2, 2, 2));
	gate_decide(&made);
	text = render(&made, RESULT_GATE, "github", &opt);
	assert_in_order(text, of_github, COUNT(of_github));
	assert_int_equal(count_of(text, "\n"), 3);
	free(text);
	text = render(&made, RESULT_GATE, "junit", &opt);
	assert_in_order(text, of_junit, COUNT(of_junit));
	assert_int_equal(count_of(text, "<system-out>"), 2);
	free(text);
	text = render(&made, RESULT_GATE, "text", &opt);
	assert_in_order(text, of_text, COUNT(of_text));
	assert_int_equal(count_of(text, "\n"), 2);
	free(text);
	gate_unmake(&made);
}

static void fits_its_width(void **state)
{
	static const int widths[] = {80, 100, 200};
	static const size_t sides[][2] = {
		{1, 1}, {3, 2}, {5, 5}, {6, 1}, {0, 4}, {30, 9}};

	(void)state;
	for (size_t i = 0; i < COUNT(widths) * COUNT(sides) * 3; i++) {
		const size_t *runs = sides[i % COUNT(sides)];
		struct render_options opt = {.width = widths[i / COUNT(sides) / 3],
			.verbose = (int)(i / COUNT(sides) % 3) - 1,
			.unicode = i % 2};
		struct made_gate made;

		make(&made, runs[0], runs[1]);
		for (enum result_kind kind = RESULT_GATE; kind <= RESULT_SELFTEST;
			kind++) {
			char *text = render(&made, kind, "text", &opt);

			assert_tidy(text, (size_t)opt.width);
			free(text);
		}
		gate_unmake(&made);
	}
}

static void follows_its_schema(void **state)
{
	static const size_t sides[][2] = {{1, 1}, {2, 3}, {5, 5}, {6, 1}, {0, 6}};
	static const char *const schema[RESULT_KINDS] = {
		[RESULT_GATE] = "schema/gate.schema.json",
		[RESULT_CALIBRATION] = "schema/calibration.schema.json",
		[RESULT_SELFTEST] = "schema/selftest.schema.json"};

	(void)state;
	for (size_t i = 0; i < COUNT(sides); i++) {
		struct made_gate made;

		make(&made, sides[i][0], sides[i][1]);
		for (enum result_kind kind = RESULT_GATE; kind <= RESULT_SELFTEST; kind++)
			check_text_against(
				schema[kind], render(&made, kind, "json", &plain));
		gate_unmake(&made);
	}
}

/* What stands in calibrated rules reads back, with the noise as the least change. */
static void calibrated_rules_read_back(void **state)
{
	struct made_gate made;
	struct gate_rules again;
	struct error err = {""};
	struct strbuf one, other;
	char *text;

	(void)state;
	make(&made, 0, 6);
	free(made.rules.rule[0].name);
	made.rules.rule[0].name = xstrdup("\"quoted\" \\ \n \xc3\xa9 \x1b[31m");
	text = render(&made, RESULT_CALIBRATION, "rules", &plain);
	if (gate_rules_parse(&again, "again.json", text, &err) < 0)
		fail_msg("%s in:\n%s", err.message, text);
	assert_int_equal(again.count, made.rules.count);
	for (size_t i = 0; i < again.count; i++) {
		const struct gate_rule *rule = &made.rules.rule[i];

		strbuf_init(&one);
		strbuf_init(&other);
		gate_rule_sentence(&one, rule);
		gate_rule_sentence(&other, &again.rule[i]);
		assert_string_equal(one.text, other.text);
		assert_string_equal(rule->name, again.rule[i].name);
		assert_int_equal(rule->warn, again.rule[i].warn);
		assert_int_equal(rule->exact, again.rule[i].exact);
		assert_true(
			again.rule[i].min_abs > 0 || !gate_rule_compares(rule) || i == 4);
		strbuf_release(&one);
		strbuf_release(&other);
	}
	gate_rules_release(&again);
	free(text);
	gate_unmake(&made);
}

static const char *const hostile[] = {"::error::x\n::warning file=a::b", "</script>",
	"\"'<&>]]>", "two\nlines\r\tand a tab", "\x1b[31mred\x1b[0m",
	"\xff\xfe\x80 no UTF-8",
	("\xe2\x80\xae"
	 "live")};

/* A rule, a run and a phase of that name. */
static void make_hostile(struct made_gate *made, const char *name)
{
	make(made, 5, 5);
	free(made->rules.rule[0].name);
	free(made->rules.file);
	free(made->comparison.run[9].name);
	made->rules.rule[0].name = xstrdup(name);
	made->rules.file = xstrdup(name);
	made->comparison.run[9].name = xstrdup(name);
	add_row(made, of_phase("duration_s", name), 70, 1.5);
	made->comparison.row[3].value[9] = 500;
	gate_decide(made);
}

static void assert_json(const char *text)
{
	cJSON *json = cJSON_ParseWithOpts(text, NULL, true);

	assert_true(cJSON_IsObject(json));
	cJSON_Delete(json);
}

/* No line begins with what a CI would take for a command; tests/e2e reads the XML. */
static void names_do_no_harm(void **state)
{
	char *endless = xcalloc(10241, 1);

	(void)state;
	memset(endless, 'x', 10240);
	for (size_t i = 0; i <= COUNT(hostile); i++)
		for (enum result_kind kind = RESULT_GATE; kind <= RESULT_SELFTEST;
			kind++) {
			struct made_gate made;
			char *text;

			make_hostile(&made, i < COUNT(hostile) ? hostile[i] : endless);
			text = render(&made, kind, "text", &plain);
			assert_tidy(text, 80);
			assert_null(strstr(text, "\n::"));
			free(text);
			text = render(&made, kind, "json", &plain);
			assert_json(text);
			assert_null(strchr(text, '\x1b'));
			free(text);
			gate_unmake(&made);
		}
	free(endless);
}

static void a_full_disk_is_an_error(void **state)
{
	struct made_gate made;
	size_t count;
	const struct render_format *formats = render_formats(&count);

	(void)state;
	make(&made, 5, 5);
	for (size_t i = 0; i < count * RESULT_KINDS; i++) {
		const struct render_format *format = &formats[i / RESULT_KINDS];
		enum result_kind kind = i % RESULT_KINDS;
		struct error err = {""};
		FILE *out;

		if (kind < RESULT_GATE || kind > RESULT_SELFTEST ||
			!render_has(format, kind))
			continue;
		out = fopen("/dev/full", "w");
		if (!out)
			skip();
		setvbuf(out, NULL, _IONBF, 0);
		assert_int_equal(write_kind(&made, kind, format, &plain, out, &err), -1);
		assert_non_null(strstr(err.message, format->name));
		fclose(out);
	}
	gate_unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_verdict_comes_first),
		cmocka_unit_test(what_is_the_same_is_said_once),
		cmocka_unit_test(commands),
		cmocka_unit_test(cases),
		cmocka_unit_test(passes_in_doubt),
		cmocka_unit_test(fits_its_width),
		cmocka_unit_test(follows_its_schema),
		cmocka_unit_test(calibrated_rules_read_back),
		cmocka_unit_test(names_do_no_harm),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
