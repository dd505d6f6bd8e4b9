/*
 * Diagnostics are counted, not repeated; and the two kinds of text beneath them: borrowed
 * spans, growing buffers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/text.h"

static const struct span nothing = {NULL, 0};

static void same_is_counted(void **state)
{
	struct diag_list list = DIAG_LIST_INIT;

	(void)state;
	for (uint64_t line = 5; line < 8; line++)
		diag_add(&list, true, "prose", "a.csv", line, nothing, "line %d",
			(int)line);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.at[0].id, "prose");
	assert_string_equal(list.at[0].file, "a.csv");
	assert_string_equal(list.at[0].text, "line 5"); /* the sentence of the first */
	assert_int_equal(list.at[0].line, 5);
	assert_int_equal(list.at[0].count, 3);
	assert_true(list.at[0].damage);
	diag_list_release(&list);
	assert_int_equal(list.count, 0);
}

static void others_are_entries(void **state)
{
	struct diag_list list = DIAG_LIST_INIT;

	(void)state;
	diag_add(&list, false, "unknown-column", "a", 1, span_of("x"), "x");
	diag_add(&list, false, "unknown-column", "a", 1, span_of("xy"), "xy");
	diag_add(&list, false, "unknown-column", "b", 1, span_of("x"), "x");
	diag_add(&list, false, "unknown-column", "a", 1, nothing, "none");
	diag_add(&list, false, "unknown", "a", 1, nothing, "another id");
	diag_add(&list, false, "unknown-column", "a", 9, span_of("x"), "x");
	assert_int_equal(list.count, 5);
	assert_string_equal(list.at[0].id, "unknown-column:x");
	assert_int_equal(list.at[0].count, 2);
	assert_int_equal(list.at[0].line, 1);
	assert_false(list.at[0].damage);
	for (size_t i = 1; i < list.count; i++)
		assert_int_equal(list.at[i].count, 1);
	diag_list_release(&list);
}

/* Foreign bytes in a name: printable in the id, and found again. */
static void foreign_names(void **state)
{
	static const char bytes[] = "a\0b\xff";
	struct span name = {bytes, sizeof bytes - 1};
	char longest[100];
	struct diag_list list = DIAG_LIST_INIT;

	(void)state;
	memset(longest, 'x', sizeof longest);
	for (int i = 0; i < 3; i++) {
		diag_add(&list, false, "unknown-column", "f", 1, name, "n");
		diag_add(&list, false, "unknown-column", "f", 1,
			(struct span){longest, sizeof longest}, "n");
	}
	assert_int_equal(list.count, 2);
	assert_string_equal(list.at[0].id, "unknown-column:a\\x00b\\xff");
	assert_int_equal(list.at[0].count, 3);
	assert_int_equal(list.at[1].count, 3);
	assert_int_equal(strlen(list.at[1].id), strlen("unknown-column:") + 60 + 3);
	diag_list_release(&list);
}

/* A file that is damaged in more ways than anybody reads: the rest is counted together.
 */
static void too_many_kinds(void **state)
{
	struct diag_list list = DIAG_LIST_INIT;
	const struct diag *last;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < DIAGS_MAX + 10; i++) {
			char name[16];

			snprintf(name, sizeof name, "column%d", i);
			diag_add(&list, false, "unknown-column", "f", 1, span_of(name),
				"n");
		}
	assert_int_equal(list.count, DIAGS_MAX);
	for (size_t i = 0; i + 1 < list.count; i++)
		assert_int_equal(list.at[i].count, 2);
	last = &list.at[DIAGS_MAX - 1];
	assert_string_equal(last->id, "too-many");
	assert_int_equal(last->count, 2 * 11);
	diag_list_release(&list);
}

static void quoting(void **state)
{
	struct strbuf sb;
	char text[61];

	(void)state;
	strbuf_init(&sb);
	diag_quote(&sb,
		(struct span){"a\tb\x1b[31m\x7f\xc3\xa9\xa9\xc2\x9b\xe2\x80\xae", 17});
	assert_string_equal(
		sb.text, "a\\tb\\x1b[31m\\x7f\xc3\xa9\\xa9\\xc2\\x9b\\xe2\\x80\\xae");
	strbuf_clear(&sb);
	memset(text, 'y', sizeof text);
	diag_quote(&sb, (struct span){text, 60});
	assert_int_equal(sb.len, 60);
	strbuf_clear(&sb);
	diag_quote(&sb, (struct span){text, 61});
	assert_int_equal(sb.len, 63);
	assert_string_equal(sb.text + 60, "...");
	strbuf_release(&sb);
}

static void spans(void **state)
{
	struct span rest = span_of(" \tone  two\t"), word;

	(void)state;
	assert_true(span_is(span_trim(span_of(" \t a b \r")), "a b"));
	assert_int_equal(span_trim(span_of(" \r\t ")).len, 0);
	assert_true(span_is(span_trim(span_of("a\rb")), "a\rb"));
	assert_true(span_is(span_of(""), ""));
	assert_false(span_is(span_of("a"), "ab"));
	assert_false(span_is(span_of("ab"), "a"));
	assert_true(span_is_nocase(span_of("Err!"), "eRR!"));
	assert_false(span_is_nocase(span_of("Err"), "Err!"));
	assert_true(span_begins(span_of("# t=1"), "# t="));
	assert_false(span_begins(span_of("# t"), "# t="));
	assert_true(span_equal((struct span){NULL, 0}, span_of("")));
	assert_false(span_equal(span_of("a"), span_of("b")));
	word = span_word(&rest);
	assert_true(span_is(word, "one"));
	word = span_word(&rest);
	assert_true(span_is(word, "two"));
	word = span_word(&rest);
	assert_int_equal(word.len, 0);
	assert_int_equal(rest.len, 0);
}

static void buffers(void **state)
{
	struct strbuf sb;
	char *text;

	(void)state;
	strbuf_init(&sb);
	assert_string_equal(sb.text, "");
	strbuf_add(&sb, "a\0b", 3);
	assert_int_equal(sb.len, 3);
	strbuf_addc(&sb, 'c');
	strbuf_adds(&sb, "");
	strbuf_clear(&sb);
	assert_string_equal(sb.text, "");
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&sb, "%03d,", i);
	assert_int_equal(sb.len, 4000);
	assert_int_equal(strlen(sb.text), 4000);
	assert_memory_equal(sb.text + 4 * 123, "123,", 4);
	text = strbuf_detach(&sb);
	assert_null(sb.text);
	assert_memory_equal(text + 3996, "999,", 5);
	free(text);
	strbuf_release(&sb); /* of an empty one: nothing happens */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_is_counted),
		cmocka_unit_test(others_are_entries),
		cmocka_unit_test(foreign_names),
		cmocka_unit_test(too_many_kinds),
		cmocka_unit_test(quoting),
		cmocka_unit_test(spans),
		cmocka_unit_test(buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
