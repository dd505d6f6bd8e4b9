/*
 * Phases in the report for people: which are shown of many, and what each row says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "render_fixture.h"

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

/* How often a text stands in another. */
static size_t count(const char *text, const char *part)
{
	size_t found = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		found++;
	return found;
}

/* Of phases, of calls and of GPUs: a column where one is not whole; of those that are, it
 * says so. */
static void energy_has_its_coverage(void **state)
{
	struct render_options opt = {.width = 200, .calls = true};
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < f.report.path_count; i++) {
		f.report.path[i].summary[PHASE_energy_coverage].number = 0.9995;
		f.report.call[i].energy_coverage = 1;
	}
	for (size_t i = 0; i < f.report.stats_count; i++)
		f.report.stats[i].energy_coverage = 1;
	text = fixture_render(&f, "text", &opt);
	assert_has_not(text, "cov.");
	free(text);
	f.report.path[2].summary[PHASE_energy_coverage].number = 0.81;
	/* an energy that is unknown covers nothing that is worth a mark */
	f.report.path[3].summary[PHASE_energy_j].number = NAN;
	f.report.path[3].summary[PHASE_energy_coverage].number = 0.5;
	text = fixture_render(&f, "text", &opt);
	assert_int_equal(count(text, "cov."), 1);
	assert_int_equal(count(text, "  81.0  "), 1);
	assert_has(text, "   5.9  100.0  "); /* setup, of which all is known */
	assert_has(text, "  44.6  100.0  ");
	assert_has_not(text, "50.0");
	free(text);
	f.report.call[1].energy_coverage = 0.994;
	for (size_t i = 0; i < f.report.stats_count; i++)
		if (f.report.stats[i].has_energy && f.report.stats[i].device == 1)
			f.report.stats[i].energy_coverage = 0.771;
	text = fixture_render(&f, "text", &opt);
	assert_int_equal(count(text, "cov."), 3);
	assert_int_equal(count(text, "  99.4"), 1);
	assert_int_equal(count(text, "  77.1"), 1);
	free(text);
	fixture_release(&f);
}

static void long_lists_are_cut_and_counted(void **state)
{
	struct render_options opt = {.width = 80};
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	for (int i = 0; i < 30; i++)
		fixture_phase(&f.report, i == 29 ? "last-step" : "step", i, 1, NULL);
	text = fixture_render(&f, "text", &opt);
	assert_has(text, "... and 14 more");
	assert_has_not(text, "last-step");
	free(text);
	opt.calls = true;
	text = fixture_render(&f, "text", &opt);
	assert_has_not(text, "more (");
	assert_has(text, "last-step");
	free(text);
	opt.verbose = -1;
	text = fixture_render(&f, "text", &opt);
	assert_has_not(text, "last-step");
	free(text);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(energy_has_its_coverage),
		cmocka_unit_test(long_lists_are_cut_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
