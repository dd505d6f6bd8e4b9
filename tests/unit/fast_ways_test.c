/*
 * The fast ways of dmon, which know headers and short numbers as they come again and
 * again, give what the general ones do: of sound logs, and of such that are damaged by
 * chance. The split into words is held against that of one word after the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "fast_query_fixture.h"
#include "read/nvidia_dmon.h"

/* A number of so many digits: 1, 12, 123 ... */
static void add_number(struct strbuf *log, int digits)
{
	for (int i = 1; i <= digits; i++)
		strbuf_addc(log, (char)('0' + i % 10));
}

/* Tables of 20 rows; of a few the header has another order, or a name that is not known.
 */
static void make_dmon(struct strbuf *log, bool dated)
{
	static const char *const names[] = {"gpu    pwr  gtemp     sm    mem     fb",
		"gpu    pwr  gtemp     sm    mem     fb",
		"gpu  gtemp    pwr     sm    mem     fb",
		"gpu    pwr  gtemp     sm    odd     fb"};

	for (int row = 0; row < 400; row++) {
		if (row % 20 == 0)
			strbuf_addf(log,
				"#%s%s \n#%sIdx      W      C      %%      %%     MB \n",
				dated ? "Date        Time        " : " ",
				names[row / 40 % 4],
				dated ? "YYYYMMDD    HH:MM:SS    " : " ");
		if (dated)
			strbuf_addf(log, " 2025%02d01    %02d:%02d:%02d  ", 3 + row / 300,
				(9 + row / 50) % 24, row / 3 % 60, row % 60);
		strbuf_addf(log, "%5d%7d%7s%7d%7d%7d \n", row % 3, row * 7 % 700,
			row % 5 ? "45" : "-", row % 101, row * 3 % 101, row * 1000);
	}
}

/* Of up to 22 digits; and what is 1 if it is taken for 64 bits. */
static void add_long_numbers(struct strbuf *log)
{
	for (int digits = 1; digits <= 23; digits++) {
		strbuf_adds(log, "    0   ");
		for (int i = 0; i < 5; i++) {
			strbuf_addc(log, ' ');
			if (digits == 23)
				strbuf_adds(log, "18446744073709551617");
			else
				add_number(log, i == digits % 5 ? digits : 1);
		}
		strbuf_addc(log, '\n');
	}
}

static void compare_log(const struct strbuf *sound, int times)
{
	char path[] = "/tmp/fast_ways_test.XXXXXX";
	uint64_t seed = 5;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	write_file(path, sound);
	compare(path, NULL);
	for (int i = 0; i < times; i++)
		compare_damaged(path, sound, &seed, i % 2 ? "Europe/Berlin" : NULL);
	unlink(path);
}

static void tables_read_the_same(void **state)
{
	(void)state;
	for (int dated = 0; dated < 2; dated++) {
		struct strbuf log;

		strbuf_init(&log);
		make_dmon(&log, dated);
		strbuf_adds(&log, "# gpu    pwr  gtemp     sm    mem     fb \n");
		add_long_numbers(&log);
		compare_log(&log, 150);
		strbuf_release(&log);
	}
}

/* Blanks and words of any length, tabs, and bytes that are neither. */
static void words_are_the_same(void **state)
{
	static const char letters[] = "          \t\r\x01\x1f\x7f\x80\xff!aZ09-:";
	struct read_options opt = {.general = false};
	struct log log = {.opt = &opt};
	struct dmon_rows scroll = {.log = &log};
	uint64_t seed = 9;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t len = next_random(&seed) % 40, words = 0;
		char *text = malloc(len + 1);
		struct span rest = {text, len}, word;

		assert_non_null(text);
		for (size_t k = 0; k < len; k++)
			text[k] = letters[next_random(&seed) % (sizeof letters - 1)];
		text[len] = 'x'; /* not of the line */
		dmon_split(&scroll, rest, 0);
		for (; dmon_word(&rest, false, &word); words++) {
			assert_true(words < scroll.words);
			assert_ptr_equal(word.at, scroll.word[words].at);
			assert_int_equal(word.len, scroll.word[words].len);
		}
		assert_int_equal(words, scroll.words);
		free(text);
	}
	free(scroll.word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_read_the_same),
		cmocka_unit_test(words_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
