/*
 * GitHub's workflow commands: what becomes one, in which order, how many, and that no
 * name makes another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render_fixture.h"

#define EVIL "::error::x%0A\r\n::add-mask::y\n ##[error]z,a:b"

static const struct render_options plain = {.width = 80};

static char title[] = "Idle: 5 %, always";
static char sentence[] = "{device} waits";
static char remedy[] = "Look.\nAgain.";

/* A rule that says nothing of the run's end. */
static const struct rule rules[SEVERITY_COUNT] = {
	[SEVERITY_INFO] = {.id = title,
		.title = title,
		.sentence = sentence,
		.remedy = remedy,
		.severity = SEVERITY_INFO},
	[SEVERITY_WARN] = {.id = title,
		.title = title,
		.sentence = sentence,
		.remedy = remedy,
		.severity = SEVERITY_WARN},
	[SEVERITY_BAD] = {.id = title,
		.title = title,
		.sentence = sentence,
		.remedy = remedy,
		.severity = SEVERITY_BAD,
		.value_count = 1,
		.value = {{.name = title,
			.part[PART_OF] = {.kind = REFERENCE_EVIDENCE,
				.item = EVIDENCE_EXIT_STATUS}}}},
};

static void add_finding(struct fixture *f, enum severity severity, uint32_t device)
{
	struct report *report = &f->report;

	ALLOC_GROW(report->finding, report->finding_count + 1, report->finding_cap);
	report->finding[report->finding_count++] = (struct finding){
		.rule = &rules[severity], .outcome = OUTCOME_FIRES, .device = device};
}

static char *render(const struct fixture *f)
{
	struct render_input in = {.report = &f->report, .report_count = 1};

	return fixture_render_input(&in, "github", &plain);
}

static void init_without_damage(struct fixture *f)
{
	fixture_init(f);
	diag_list_release(&f->run.diags);
	f->run.diags = DIAG_LIST_INIT;
	run_set_string(&f->run.path, "r");
}

static void nothing_wrong_says_nothing(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	init_without_damage(&f);
	text = render(&f);
	assert_string_equal(text, "");
	free(text);
	fixture_release(&f);
}

/* The rule's own % : and , are escaped, its line break is the runner's. */
static void findings_of_one_rule_are_one_command(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	init_without_damage(&f);
	add_finding(&f, SEVERITY_WARN, 0);
	add_finding(&f, SEVERITY_WARN, 1);
	add_finding(&f, SEVERITY_INFO, 1);
	text = render(&f);
	assert_string_equal(text,
		"::warning title=Idle%3A 5 %25%2C always::r: gpu0 waits; also "
		"gpu1%0ALook.%0AAgain.\n"
		"::notice title=Idle%3A 5 %25%2C always::r: gpu1 "
		"waits%0ALook.%0AAgain.\n");
	free(text);
	fixture_release(&f);
}

static void what_cannot_be_told_is_not(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	init_without_damage(&f);
	add_finding(&f, SEVERITY_BAD, 0);
	f.report.finding[0].outcome = OUTCOME_CANNOT_TELL;
	text = render(&f);
	assert_string_equal(text, "");
	free(text);
	fixture_release(&f);
}

/* A rule that speaks of the exit status says it; else it is said of itself. */
static void a_failed_run_is_one_error(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	init_without_damage(&f);
	f.run.exit_status = 137;
	f.report.ending.abrupt = true;
	f.report.ending.sign[ENDING_SIGNAL] = f.report.ending.sign[ENDING_TORN] = true;
	text = render(&f);
	assert_string_equal(text,
		"::error title=The run failed::r: the command ended with exit status "
		"137; "
		"the run, or its recording, was cut off, signal, torn line\n");
	free(text);
	f.run.exit_status = -1;
	text = render(&f);
	assert_string_equal(text,
		"::error title=The run was cut off::r: the run, or its recording, was "
		"cut off, signal, torn line\n");
	free(text);
	f.run.exit_status = 1;
	add_finding(&f, SEVERITY_BAD, 0);
	text = render(&f);
	assert_string_equal(text,
		"::error title=Idle%3A 5 %25%2C always::r: gpu0 "
		"waits%0ALook.%0AAgain.\n");
	free(text);
	fixture_release(&f);
}

/* The fixture has 1 + 12 damages; what could not be read comes first. */
static void damage_is_one_warning(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	run_set_string(&f.run.path, "r");
	text = fixture_render(&f, "github", &plain);
	assert_string_equal(text,
		"::error title=Not everything could be read::runs/broken: holds nothing "
		"that "
		"hwsummarize can read\n"
		"::warning title=The recording is damaged::r: damage in 13 places, most "
		"often: gpu_metrics.csv:2000: power.draw [W] is '[Unknown Error]': the "
		"value "
		"is counted as not available%0Ahwsummarize check lists all damage.\n");
	free(text);
	fixture_release(&f);
}

static size_t lines_of(const char *text, const char *begin)
{
	size_t count = 0;

	for (; *text; text += strcspn(text, "\n") + 1)
		count += strncmp(text, begin, strlen(begin)) == 0;
	return count;
}

static void ten_of_a_kind(void **state)
{
	static const struct {
		size_t runs, errors;
		const char *more;
	} cases[] = {
		{10, 10, NULL},
		{11, 10, "::error title=And more::2 more errors are in the report\n"},
		{300, 10, "::error title=And more::291 more errors are in the report\n"},
	};
	struct report *reports = xcalloc(300, sizeof *reports);
	struct fixture f;

	(void)state;
	init_without_damage(&f);
	add_finding(&f, SEVERITY_BAD, 0);
	for (size_t i = 0; i < 300; i++)
		reports[i] = f.report;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct render_input in = {
			.report = reports, .report_count = cases[i].runs};
		char *text = fixture_render_input(&in, "github", &plain);

		assert_int_equal(lines_of(text, "::error "), cases[i].errors);
		assert_int_equal(lines_of(text, ""), cases[i].errors);
		if (cases[i].more)
			assert_non_null(strstr(text, cases[i].more));
		free(text);
	}
	free(reports);
	fixture_release(&f);
}

static void names_make_no_commands(void **state)
{
	char *huge = xmalloc(10001);
	struct fixture f;
	char *text;

	(void)state;
	memset(huge, 'x', 10000);
	huge[10000] = '\0';
	fixture_init(&f);
	run_set_string(&f.run.path, EVIL);
	diag_add(&f.run.diags, true, "x", huge, 3, span_of(""), "%s", EVIL);
	f.run.diags.at[f.run.diags.count - 1].count = 99;
	strcpy(f.run.device[0].name, "::error::x%0A");
	add_finding(&f, SEVERITY_BAD, 0);
	text = render(&f);
	assert_int_equal(lines_of(text, "::"), 2);
	assert_int_equal(lines_of(text, ""), 2);
	assert_non_null(strstr(text,
		"::error title=Idle%3A 5 %25%2C "
		"always::::error::x%250A\\x0d\\n::add-mask::y"
		"\\n #\\x23[error]z,a:b: ::error::x%250A"));
	assert_null(strchr(text, '\r'));
	assert_true(strlen(text) < 2 * 4096);
	free(text);
	free(huge);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_wrong_says_nothing),
		cmocka_unit_test(findings_of_one_rule_are_one_command),
		cmocka_unit_test(what_cannot_be_told_is_not),
		cmocka_unit_test(a_failed_run_is_one_error),
		cmocka_unit_test(damage_is_one_warning),
		cmocka_unit_test(ten_of_a_kind),
		cmocka_unit_test(names_make_no_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
