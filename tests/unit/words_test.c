/* Texts that are kept once each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/words.h"

static void keeps_each_once(void **state)
{
	struct words words = {0};
	const char *step, *empty;

	(void)state;
	step = words_keep(&words, span_of("step"));
	empty = words_keep(&words, span_of(""));
	for (int i = 0; i < 5000; i++) {
		char name[16];

		snprintf(name, sizeof name, "request-%d", i);
		assert_string_equal(words_keep(&words, span_of(name)), name);
	}
	assert_string_equal(step, "step");
	assert_ptr_equal(words_keep(&words, span_of("step")), step);
	assert_ptr_equal(words_keep(&words, (struct span){"steps", 4}), step);
	assert_ptr_equal(words_keep(&words, span_of("")), empty);
	assert_string_equal(empty, "");
	assert_int_equal(words.places.count, 5002);
	words_release(&words);
}

static void keeps_long_ones_and_ends_at_a_zero(void **state)
{
	struct words words = {0};
	char text[40000];
	const char *kept;

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	kept = words_keep(&words, span_of("before"));
	assert_string_equal(words_keep(&words, span_of(text)), text);
	assert_string_equal(
		words_keep(&words, (struct span){"before\0behind", 13}), kept);
	assert_ptr_equal(words_keep(&words, span_of("before")), kept);
	assert_string_equal(words_keep(&words, span_of("behind")), "behind");
	words_release(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_each_once),
		cmocka_unit_test(keeps_long_ones_and_ends_at_a_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
