/*
 * Eight bytes at a time: known answers, and an oracle that goes byte by byte over all
 * texts of a few letters. Each text lies at the end of memory of its own, so that a
 * sanitizer sees a read behind it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/eight.h"

static const struct {
	const char *text;
	unsigned count;
	uint64_t value;
} known[] = {
	{"", 0, 0},
	{"0", 1, 0},
	{"7 %", 1, 7},
	{"81559 MiB", 5, 81559},
	{"71.21 W", 2, 71},
	{"00000007", 8, 7},
	{"99999999", 8, 99999999},
	{"12345678", 8, 12345678},
	{"123456789", 8, 12345678},
	{"-1", 0, 0},
	{"/0", 0, 0}, /* the neighbors of the digits */
	{":0", 0, 0},
	{"1:", 1, 1},
	{"1/", 1, 1},
	{"1\xb0", 1, 1}, /* a digit but for its highest bit */
	{"12\xff\xff\xff\xff\xff\xff", 2, 12},
};

/* A copy of a text that ends where its memory does. */
static char *at_the_end(const char *text, size_t len)
{
	char *copy = xmalloc(len + 1);

	/* a byte is before it, so that even an empty one has memory */
	memcpy(copy + 1, text, len);
	return copy;
}

static void check(const char *text, size_t len, unsigned count, uint64_t value)
{
	char *copy = at_the_end(text, len);
	uint64_t word = eight_load(copy + 1, copy + 1 + len);

	assert_int_equal(eight_digits(word), count);
	if (count)
		assert_true(eight_number(word, count) == value);
	free(copy);
}

static void known_texts_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		check(known[i].text, strlen(known[i].text), known[i].count,
			known[i].value);
}

static void the_first_byte_is_the_lowest(void **state)
{
	(void)state;
	assert_true(eight_load("abc", "abc") == 0);
	for (size_t len = 0; len <= 9; len++) {
		static const char text[] = "ABCDEFGHI";
		uint64_t word = eight_load(text, text + len);

		for (size_t i = 0; i < EIGHT; i++)
			assert_int_equal(word >> 8 * i & 0xff,
				i < len ? (unsigned char)text[i] : 0);
	}
	assert_true(eight_mask(0) == 0);
	assert_true(eight_mask(1) == 0xff);
	assert_true(eight_mask(7) == UINT64_C(0xffffffffffffff));
	assert_true(eight_mask(8) == UINT64_MAX);
}

/* Byte by byte. */
static void check_slowly(const char *text, size_t len)
{
	unsigned count = 0;
	uint64_t value = 0;

	while (count < len && count < 8 && text[count] >= '0' && text[count] <= '9')
		value = value * 10 + (unsigned)(text[count++] - '0');
	check(text, len, count, value);
}

/* All texts of up to six of these, and of nine bytes behind which others follow. */
static void all_short_texts_agree(void **state)
{
	static const char letter[] = {'0', '9', '5', '.', ' ', '/', ':', '\xb9', '\0'};
	char text[9];

	(void)state;
	for (size_t len = 0; len <= 6; len++) {
		size_t texts = 1;

		for (size_t i = 0; i < len; i++)
			texts *= sizeof letter;
		for (size_t k = 0; k < texts; k++) {
			size_t rest = k;

			memset(text, '8', sizeof text);
			for (size_t i = 0; i < len; i++, rest /= sizeof letter)
				text[i] = letter[rest % sizeof letter];
			check_slowly(text, len);
			check_slowly(text, k % 2 ? 8 : 9);
		}
	}
}

static const struct {
	const char *text;
	unsigned blanks, solid;
} borders[] = {
	{"", 0, 0},
	{" ", 1, 0},
	{"        ", 8, 0},
	{"       x", 7, 0},
	{"  x     ", 2, 0},
	{"\t ", 0, 0},
	{"!\"~\x7f\x80\xff x", 0, 6},
	{"abcdefgh", 0, 8},
	{"abcdefg ", 0, 7},
	{"abcdefg\x1f", 0, 7},
	{"a\tb", 0, 1},
};

static void blanks_and_words_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++) {
		const char *text = borders[i].text;
		uint64_t word = eight_load(text, text + strlen(text));

		assert_int_equal(eight_blanks(word), borders[i].blanks);
		assert_int_equal(eight_solid(word), borders[i].solid);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_texts_are_read),
		cmocka_unit_test(the_first_byte_is_the_lowest),
		cmocka_unit_test(all_short_texts_agree),
		cmocka_unit_test(blanks_and_words_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
