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
	expect("(outside) ", "(outside) ");
	expect("a(outside)", "a(outside)");
	expect("(inside)", "(inside)");
}

/* What a path's last name was. */
static void read_back(const char *path, char *name)
{
	for (const char *s = phase_path_last(path); *s; s++) {
		bool code = true;

		if (strncmp(s, "%2F", 3) == 0)
			*name++ = '/';
		else if (strncmp(s, "%25", 3) == 0)
			*name++ = '%';
		else if (strncmp(s, "%28", 3) == 0)
			*name++ = '(';
		else
			code = false;
		if (code)
			s += 2;
		else
			*name++ = *s;
	}
	*name = '\0';
}

/* All names of up to six of the letters that matter: what is read back is what was
 * written, so that no two have one path. */
static void every_name_is_read_back(void **state)
{
	static const char letters[] = "/%258F";
	char name[7], back[32];
	struct strbuf path;

	(void)state;
	strbuf_init(&path);
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
			read_back(path.text, back);
			assert_string_equal(back, name);
		}
	}
	strbuf_release(&path);
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
	/* the name of one is not the path of another */
	assert_false(phase_fits("a/b", "a%2Fb"));
	assert_true(phase_fits("a%2Fb", "a%2Fb"));
	assert_false(phase_fits(PHASE_OUTSIDE, "%28outside)"));
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
		cmocka_unit_test(globs_of_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
