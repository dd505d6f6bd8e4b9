/*
 * Which rows of a file name a wrong GPU, by orders written out by hand: a letter for the
 * GPU of each row, a | where a header stands, and a ! before each row that must go. A row
 * comes a second behind the one before; at the same time, if a . stands between.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "read/bad_gpu_id.h"

/* A source of rows that a text names. */
struct text_source {
	struct sample_source source;
	const char *at;
	size_t batch_rows;
	int64_t t_ns;
};

static int text_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct text_source *text = (struct text_source *)source;
	bool header = false;

	(void)err;
	sample_batch_clear(batch);
	for (; *text->at && batch->rows < text->batch_rows; text->at++) {
		if (*text->at >= 'a' && *text->at <= 'z') {
			size_t row = sample_batch_add(
				batch, text->t_ns, (uint32_t)(*text->at - 'a'));

			batch->header[row] = header;
			header = false;
			text->t_ns += text->at[1] == '.' ? 0 : NS_PER_S;
		}
		header |= *text->at == '|';
	}
	return batch->rows > 0;
}

static void text_free(struct sample_source *source)
{
	free(source);
}

/* The text again, with its marks where a row is refused. */
static void judge(struct strbuf *sb, const char *rows, size_t batch_rows)
{
	struct text_source *text = xcalloc(1, sizeof *text);
	struct bad_gpu_ids ids = {.count = 0};
	struct sample_batch batch;
	struct ahead ahead;
	struct error err;
	const char *at = rows;
	struct device device[26] = {{.index = 0}};
	struct run run = {.device = device, .device_count = 26};
	uint32_t instead;

	*text = (struct text_source){{text_next, text_free}, rows, batch_rows, 0};
	ahead_init(&ahead, &text->source);
	sample_batch_init(&batch);
	while (ahead_next(&ahead, &batch, &err) > 0) {
		for (size_t row = 0; row < batch.rows; row++) {
			bool goes = bad_gpu_id(&ids, &run, &ahead, &batch, row, &instead);

			for (; *at < 'a' || *at > 'z'; at++)
				if (*at != '!')
					strbuf_addc(sb, *at);
			strbuf_addf(sb, "%s%c", goes ? "!" : "", *at++);
		}
		bad_gpu_ids_end(&ids, &batch);
	}
	sample_batch_release(&batch);
	ahead_release(&ahead);
	bad_gpu_ids_release(&ids);
}

/* Wherever batches end. */
static void expect(const char *rows)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (size_t batch_rows = 8; batch_rows <= 24; batch_rows++) {
		strbuf_clear(&sb);
		judge(&sb, rows, batch_rows);
		assert_string_equal(sb.text, rows);
	}
	strbuf_release(&sb);
}

static void a_gpu_that_is_none(void **state)
{
	(void)state;
	expect("ab ab ab !zb ab ab ab");
	expect("ab ab ab a!z ab ab ab");
	expect("a a a a !z a a a a");
	expect("abcdefgh abcdefgh abcd!zfgh abcdefgh abcdefgh");
	expect("|ab |ab |ab |!zb |ab |ab |ab"); /* a call in a loop */
	expect("ab ab a!z ab ab ab ab !xb ab ab");
	expect("ab ab a!z ab ab ab ab !zb ab ab"); /* the same twice */
}

static void at_the_ends(void **state)
{
	(void)state;
	expect("|!zb ab ab ab ab");
	expect("|a!z ab ab ab ab");
	expect("|ab ab ab ab a!z");
	expect("|ab ab ab ab !zb");
	expect("|ab ab ab a a"); /* b is lost */
	expect("|b b ab ab ab");
	expect("|z a a a a a"); /* of a single GPU */
	expect("|a a a a a z");
	expect("|ab ab a!z");
	expect("|z a"); /* nobody knows */
	expect("|z a a a");
	expect("|ab az"); /* the other one's round, or a lost GPU's */
	expect("|z |ab ab ab"); /* another recorder's */
	expect("|ab ab ab |z");
}

static void one_that_has_a_row_of_its_own(void **state)
{
	(void)state;
	expect("abc abc ab!a abc abc");
	expect("abc abc !cbc abc abc");
	expect("ab ab a!a ab ab");
}

static void other_orders(void **state)
{
	(void)state;
	expect("abc abc ac ac ac ac"); /* b is lost */
	expect("ab ab ab abc abc abc"); /* c is there, too */
	expect("ab ab ab ac ac ac"); /* b gave way to c */
	expect("ab ba ab ab ba ba ab ba"); /* two recorders in one file */
	expect("aaaaaaabaaaaaaabaaaaaaab"); /* one asks less often */
	expect("abc abc abbc abc abc abc"); /* twice, and nobody lacks his */
	expect("abc abc ab abc abc"); /* a row is lost */
	expect("ab ab ab bb ab ab ba"
	       "bbaabbabaabbabab"); /* in no order */
	expect("aabb aabb aabb aabb"); /* two rows a call */
}

/* One that stands between the others, none of which is missing. */
static void one_more(void **state)
{
	(void)state;
	expect("a a a a.z a a a a");
	expect("ab ab ab.zb.ab ab ab");
	expect("|a |a |a |a |z |a |a |a |a"); /* asked instead */
	expect("a.b a.b a.b a.!z a.b a.b a.b");
	expect("a.b a.b a.b a z.a.b a.b a.b");
}

static void a_file_of_that_length(void **state)
{
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (size_t good = 0; good < 40; good++) {
		strbuf_clear(&sb);
		for (size_t i = 0; i < good; i++)
			strbuf_adds(&sb, i ? " abc" : "abc");
		strbuf_adds(&sb, " a!zc abc abc");
		expect(sb.text);
	}
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gpu_that_is_none),
		cmocka_unit_test(at_the_ends),
		cmocka_unit_test(one_that_has_a_row_of_its_own),
		cmocka_unit_test(other_orders),
		cmocka_unit_test(one_more),
		cmocka_unit_test(a_file_of_that_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
