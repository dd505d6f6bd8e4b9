/*
 * What paths of phases are called: each in another way, whatever the names are, and each
 * found by a glob of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "model/phase_name.h"

static void expect(const char *name, const char *expected)
{
	struct strbuf path;

	strbuf_init(&path);
	phase_path_add(&path, name);
	assert_string_equal(path.text, expected);
	strbuf_release(&path);
}

static void names_in_a_path(void **state)
{
	(void)state;
	expect("train", "train");
	expect("", "");
	expect("a/b", "a%2Fb");
	expect("//", "%2F%2F");
	/* a per cent sign only where it would be read as one of ours */
	expect("50% of 2F", "50% of 2F");
	expect("a%2Fb", "a%252Fb");
	expect("%25", "%2525");
	expect("%2528", "%252528");
	expect("%28outside)", "%2528outside)");
	expect("%2f", "%2f");
	expect("%2/F", "%2%2FF");
	expect("%", "%");
	expect("(outside)", "%28outside)");
	expect(PHASE_BEYOND, "%28beyond the recorded time)");
	expect("(outside) ", "(outside) ");
	expect("a(outside)", "a(outside)");
	expect("(inside)", "(inside)");
}

/* All names of up to six of the letters that matter: what is read back is what was
 * written, so that no two have one path. */
static void every_name_is_read_back(void **state)
{
	static const char letters[] = "/%258F";
	struct strbuf path, back;
	char name[7];

	(void)state;
	strbuf_init(&path);
	strbuf_init(&back);
	for (int length = 0; length <= 6; length++) {
		int names = 1;

		for (int i = 0; i < length; i++)
			names *= 6;
		for (int n = 0; n < names; n++) {
			for (int i = 0, rest = n; i < length; i++, rest /= 6)
				name[i] = letters[rest % 6];
			name[length] = '\0';
			strbuf_clear(&path);
			strbuf_adds(&path, "parent/");
			phase_path_add(&path, name);
			strbuf_clear(&back);
			phase_path_read(&back, phase_path_last(path.text));
			assert_string_equal(back.text, name);
		}
	}
	strbuf_release(&path);
	strbuf_release(&back);
}

static void expect_shown(const char *path, const char *expected)
{
	struct strbuf shown;

	strbuf_init(&shown);
	phase_path_show(&shown, path);
	assert_string_equal(shown.text, expected);
	strbuf_release(&shown);
}

static void paths_for_people(void **state)
{
	(void)state;
	expect_shown("train/a%2Fb", "train/a/b");
	expect_shown("a%252Fb", "a%2Fb");
	expect_shown(PHASE_OUTSIDE, PHASE_OUTSIDE);
	expect_shown("train/%28outside)", "train/%28outside)");
}

static void globs_of_paths(void **state)
{
	(void)state;
	assert_true(phase_fits("train/epoch/step", "train/epoch/step"));
	assert_true(phase_fits("step", "train/epoch/step"));
	assert_true(phase_fits("s*", "train/epoch/step"));
	assert_false(phase_fits("epoch", "train/epoch/step"));
	assert_false(phase_fits("epoch/step", "train/epoch/step"));
	/* behind a slash only whole paths */
	assert_true(phase_fits("/step", "step"));
	assert_false(phase_fits("/step", "train/epoch/step"));
	assert_true(phase_fits("/train/epoch/step", "train/epoch/step"));
	assert_true(phase_fits("/train/*", "train/epoch/step"));
	/* names as they were given, or as they stand in a path */
	assert_true(phase_fits("a/b", "a%2Fb"));
	assert_true(phase_fits("a/b", "train/a%2Fb"));
	assert_true(phase_fits("train/a/b", "train/a%2Fb"));
	assert_true(phase_fits("a%2Fb", "a%2Fb"));
	assert_true(phase_fits(PHASE_OUTSIDE, "%28outside)"));
	assert_true(phase_fits("50%", "50%"));
	assert_false(phase_fits("b", "a%2Fb"));
	/* of two that are given alike, one */
	assert_false(phase_fits("/a/b", "a%2Fb"));
	assert_true(phase_fits("/a%2Fb", "a%2Fb"));
	assert_false(phase_fits("/" PHASE_OUTSIDE, "%28outside)"));
	/* without a name, at the top and in another */
	assert_true(phase_fits("", "a/"));
	assert_true(phase_fits("/", ""));
	assert_false(phase_fits("/", "a/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_in_a_path),
		cmocka_unit_test(every_name_is_read_back),
		cmocka_unit_test(paths_for_people),
		cmocka_unit_test(globs_of_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
