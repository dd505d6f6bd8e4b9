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

static void add_path(struct fixture *f, const char *name, uint32_t depth, double seconds)
{
	fixture_phase(&f->report, name, 0, seconds, NULL)->depth = depth;
}

/*
 * Four of the fixture (the shortest 41.25 s), a tree of 200 s with 25 children of 1 to
 * 25 s, a short path around one of 150 s, and what lies outside: 33. 20 have rows: the
 * fixture's, the tree, the 150 s with what is around them, and outside are 8, which
 * leaves 12 for the children from 25 s down to 14 s.
 */
static void the_longest_are_shown(void **state)
{
	struct render_options opt = {.width = 100};
	static char name[25][16];
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	add_path(&f, "tree", 0, 200);
	for (int i = 0; i < 25; i++) {
		snprintf(name[i], sizeof name[i], "leaf%02d", i + 1);
		add_path(&f, name[i], 1, i + 1);
	}
	add_path(&f, "around", 0, 0.5);
	add_path(&f, "long", 1, 150);
	add_path(&f, "(outside)", 0, 200);
	f.report.path[f.report.path_count - 1].outside = true;
	text = fixture_render(&f, "text", &opt);
	assert_has(text, "... and 13 more; these are the longest (--calls shows all)");
	assert_has_not(text, "leaf13");
	for (int i = 13; i < 25; i++)
		assert_has(text, name[i]);
	/* in the order of the tree, not of their lengths */
	assert_true(strstr(text, "leaf14") < strstr(text, "leaf25"));
	assert_has(text, "\n  around ");
	assert_has(text, "\n    long ");
	assert_has(text, "\n  (outside) ");
	free(text);
	opt.calls = true;
	text = fixture_render(&f, "text", &opt);
	assert_has_not(text, "these are the longest");
	assert_has(text, "leaf01");
	free(text);
	opt.verbose = -1;
	text = fixture_render(&f, "text", &opt);
	assert_has_not(text, "leaf25");
	free(text);
	fixture_release(&f);
}

/* What tells long names apart is shown, wherever in them it stands. */
static void long_names_are_told_apart(void **state)
{
	static const char *const name[] = {
		/* at its end: what is cut is the middle */
		"transformer_layers_forward_and_backward_pass_of_step_000123",
		"transformer_layers_forward_and_backward_pass_of_step_000124",
		/* in its middle, which is cut: whole, in lines of their own */
		"beginning_of_a_very_long_name_layer_07_and_the_end_of_all_of_them",
		"beginning_of_a_very_long_name_layer_08_and_the_end_of_all_of_them",
		/* the same under another parent: where it stands tells */
		"evaluation_of_a_model_that_has_a_name_as_long_as_this_one_has",
	};
	struct render_options opt = {.width = 100};
	struct fixture f;
	char *text, huge[2][301] = {"", ""};

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		add_path(&f, name[i], 1, 1);
	add_path(&f, name[4], 2, 1);
	add_path(&f, "f", 60, 1);
	text = fixture_render(&f, "text", &opt);
	assert_tidy(text, 100);

	assert_has(text, "...000123  "); /* numbers follow in the same line */
	assert_has(text, "...000124  ");
	assert_has_not(text, name[0]);
	assert_has(text,
		"\n    "
		"beginning_of_a_very_long_name_layer_07_and_the_end_of_all_of_them\n"
		"                         1 ");
	assert_has(text, name[3]);
	assert_has_not(text, name[4]);
	assert_has(text, "      60: f   "); /* however deep it lies */
	free(text);

	/* longer than a line, and alike but for one letter in the midst of it: all of it
	 */
	for (size_t i = 0; i < 2; i++) {
		memset(huge[i], 'a', 300);
		huge[i][150 + i] = 'b';
		add_path(&f, huge[i], 0, 1);
	}
	for (int width = 80; width < 120; width++) {
		opt.width = width;
		text = fixture_render(&f, "text", &opt);
		assert_tidy(text, (size_t)width);
		free(text);
	}
	fixture_release(&f);
}

static void add_energy(struct phase_path *path, uint32_t gpu, double mean_w,
	double energy_j, double coverage)
{
	struct metric_stats *s;

	ALLOC_GROW(path->stats, path->stats_count + 1, path->stats_cap);
	s = &path->stats[path->stats_count++];
	metric_stats_init(s, METRIC_power_w);
	s->source = SOURCE_NVIDIA_QUERY;
	s->device = gpu;
	s->mean = mean_w;
	s->has_energy = s->energy_chosen = true;
	s->energy_j = energy_j;
	s->energy_coverage = coverage;
}

/* Of those asked for, with what the energies cover where one of a phase is not whole, be
 * they so of the run or not. */
static void each_gpu_in_each_phase(void **state)
{
	struct render_options opt = {.width = 120};
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < f.report.stats_count; i++)
		f.report.stats[i].energy_coverage = 1;
	add_energy(&f.report.path[1], 0, 400, 125000, 1);
	add_energy(&f.report.path[1], 1, 300, 46875, 0.5);
	text = fixture_render(&f, "text", &opt);
	assert_has_not(text, "Each GPU in each phase");
	free(text);
	opt.verbose = 1;
	text = fixture_render(&f, "text", &opt);
	assert_has(text, "- Each GPU in each phase -");
	assert_has(text, "\n  compile\n  gpu0 ");
	assert_has(text, "       400.0  125,000  100.0  ");
	assert_has(text, "       300.0   46,875   50.0  ");
	assert_has_not(text, "\n  setup\n"); /* nothing is known of them in it */
	free(text);
	f.report.path[1].stats[1].energy_coverage = 1;
	text = fixture_render(&f, "text", &opt);
	assert_has(text, "       300.0   46,875  ");
	assert_has_not(text, "46,875  100.0");
	free(text);
	fixture_release(&f);
}

#define LEVELS 25

/* Each stands further in than the one around it, or a number says how deep. */
static void assert_depths(const char *text)
{
	size_t before = 0;

	for (int i = 0; i < LEVELS; i++) {
		char name[16], deep[16];
		const char *at, *line;
		size_t blanks;

		snprintf(name, sizeof name, "deep%02d", i);
		snprintf(deep, sizeof deep, "  %d: deep%02d", i, i);
		at = strstr(text, name);
		assert_non_null(at);
		for (line = at; line[-1] != '\n';)
			line--;
		blanks = strspn(line, " ");
		if (blanks > before)
			assert_ptr_equal(line + blanks, at);
		else
			assert_has(text, deep);
		assert_true(blanks >= before);
		before = blanks;
	}
}

/* In 200 columns all 48 blanks have room; a page has 6 levels, Markdown 20. */
static void depths_are_seen(void **state)
{
	static char name[LEVELS][16];
	struct render_options opt = {.width = 200, .calls = true};
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	for (int i = 0; i < LEVELS; i++) {
		snprintf(name[i], sizeof name[i], "deep%02d", i);
		add_path(&f, name[i], (uint32_t)i, 100 - i);
	}
	text = fixture_render(&f, "text", &opt);
	assert_depths(text);
	assert_has_not(text, ": deep");
	free(text);
	for (opt.width = 60; opt.width <= 120; opt.width += 20) {
		text = fixture_render(&f, "text", &opt);
		assert_depths(text);
		free(text);
	}
	text = fixture_render(&f, "html", &opt);
	assert_has(text, "<td class=\"d6\">deep06</td>");
	assert_has(text, "<td class=\"d6\">7: deep07</td>");
	assert_has(text, "<td class=\"d6\">24: deep24</td>");
	free(text);
	text = fixture_render(&f, "markdown", &opt);
	assert_has(text, "&ensp;deep20");
	assert_has(text, "&ensp;21: deep21");
	free(text);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(energy_has_its_coverage),
		cmocka_unit_test(the_longest_are_shown),
		cmocka_unit_test(depths_are_seen),
		cmocka_unit_test(long_names_are_told_apart),
		cmocka_unit_test(each_gpu_in_each_phase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
